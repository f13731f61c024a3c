#include "detection/detector.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace addhash {
namespace {

// Symbols of code: at least so many, and one for so many letters.
constexpr size_t kCodeSymbols = 3, kLettersPerSymbol = 8, kLettersPerCall = 20;
// A word of one letter has so many n-grams; beyond the second number, no text is noise.
constexpr uint32_t kOneLetter = 5, kShortText = 150;
// N-grams that are looked up together, so that waiting for one overlaps with the others, and the
// most that a word has.
constexpr size_t kTogether = 96, kMostOfWord = (kLongestWord + 2) * kLongestNgram + 1;
// So many fit in narrow sums.
constexpr uint32_t kMostRecent = 0xFFFF / (2 * kMostUnits) - kTogether - kMostOfWord;
// A class with less than e^-30 of the best one's probability has none.
constexpr double kNegligible = -30;

// Several at a time, in a fixed order.
constexpr size_t kLanes = 4;

double largest(std::span<const double> values) {
    double most[kLanes];
    std::fill(most, most + kLanes, -std::numeric_limits<double>::infinity());
    for (size_t i = 0; i < values.size(); ++i) {
        double& lane = most[i % kLanes];
        lane = values[i] > lane ? values[i] : lane;
    }
    return *std::max_element(most, most + kLanes);
}

double sum_of(std::span<const double> values) {
    double sums[kLanes] = {};
    for (size_t i = 0; i < values.size(); ++i) sums[i % kLanes] += values[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

Detector::Detector(const NgramCounts& counts, const ClassFacts& facts, bool with_rare)
    : prior_(facts.prior.begin(), facts.prior.end()),
      groups_(facts.groups.begin(), facts.groups.end()) {
    const size_t scripts = script_count();
    std::vector<std::vector<ScriptEvidence::Class>> writers(scripts);
    for (size_t c = 0; c < classes(); ++c) {
        if (facts.is_rare[c] && !with_rare) continue;
        int64_t total = 0;
        const auto own = facts.totals.subspan(c * scripts, scripts);
        for (const int64_t count : own) total += count / kScriptShare;
        for (size_t s = 0; s < scripts; ++s) {
            if (own[s] == 0 || own[s] < total) continue;
            writers[s].push_back({static_cast<uint16_t>(c), facts.is_rare[c] != 0, own[s]});
        }
    }
    for (size_t s = 0; s < scripts; ++s) {
        scripts_.emplace_back(writers[s], classes(), counts.sizes()[s], !with_rare);
    }
    counts.for_each_list([&](NgramKey key, std::span<const uint16_t> list, const int64_t* others) {
        return scripts_[key >> 32].add(key, list, others);
    });
}

int Detector::weight(NgramKey key, uint16_t label) const {
    const ScriptEvidence& evidence = scripts_[key >> 32];
    const Writer writer = evidence.writer(label);
    if (evidence.is_empty() || writer == kNoWriter) return 0;
    std::vector<uint16_t> sums(evidence.width());
    ScriptEvidence::Batch batch(1);
    evidence.add_up({&key, 1}, baseline_kernels().add_units, batch, sums.data());
    return sums[writer];
}

Detector::Scorer::Scorer(const Detector& detector, const Kernels& kernels)
    : detector_(detector),
      kernels_(kernels),
      sums_(script_count()),
      keys_(kTogether + kMostOfWord),
      batch_(kTogether + kMostOfWord) {}

void Detector::Scorer::clear() {
    for (const Script script : scripts_) {
        Sums& sums = sums_[script];
        sums.letters = sums.recent = 0;
        std::fill(sums.narrow.begin(), sums.narrow.end(), 0);
        sums.wide.clear();
    }
    scripts_.clear();
    ngrams_ = 0;
}

TextFacts Detector::Scorer::score(const Text& text) {
    clear();
    const auto summary =
        for_each_new_word(reader_, seen_, text, [&](const Word& word) { add(word); });
    add_pending();
    TextFacts facts{ngrams_, 0, false, summary.letters > 0};
    for (const Script script : scripts_) {
        const uint32_t letters = sums_[script].letters, most = sums_[facts.script].letters;
        if (letters > most || (letters == most && script < facts.script)) facts.script = script;
    }
    facts.is_code = (summary.symbols >= kCodeSymbols &&
                     summary.symbols * kLettersPerSymbol > summary.letters) ||
                    summary.calls * kLettersPerCall > summary.letters;
    scores_.resize(detector_.writers(facts.script).size());
    for (size_t i = 0; i < scores_.size(); ++i) scores_[i] = sum(sums_[facts.script], i);
    for (const Script script : scripts_) {
        if (script == facts.script) continue;
        const auto labels = detector_.writers(script);
        for (size_t i = 0; i < labels.size(); ++i) {
            const Writer writer = detector_.scripts_[facts.script].writer(labels[i]);
            if (writer != kNoWriter) scores_[writer] += sum(sums_[script], i);
        }
    }
    return facts;
}

void Detector::Scorer::class_scores(std::span<int32_t> scores) const {
    std::fill(scores.begin(), scores.end(), 0);
    for (const Script script : scripts_) {
        const auto labels = detector_.writers(script);
        for (size_t i = 0; i < labels.size(); ++i) scores[labels[i]] += sum(sums_[script], i);
    }
}

int32_t Detector::Scorer::sum(const Sums& sums, size_t writer) {
    const int32_t earlier = sums.wide.empty() ? 0 : sums.wide[writer];
    return earlier + (sums.narrow.empty() ? 0 : sums.narrow[writer]);
}

void Detector::Scorer::add(const Word& word) {
    if (pending_ > 0 && keys_[0] >> 32 != word.script) add_pending();
    Sums& sums = sums_[word.script];
    if (sums.letters == 0) scripts_.push_back(word.script);
    // A letter without spaces is worth about two with them.
    sums.letters += static_cast<uint32_t>(word.length) * (word.is_unspaced ? 2 : 1);
    const ScriptEvidence& evidence = detector_.scripts_[word.script];
    const size_t before = pending_;
    NgramKey* next = keys_.data() + pending_;
    if (evidence.is_empty()) {
        for_each_ngram(word, [&](NgramKey, ptrdiff_t, size_t) { ++ngrams_; });
        return;
    }
    for_each_ngram(word, [&](NgramKey key, ptrdiff_t, size_t) {
        evidence.prefetch(static_cast<uint32_t>(key));
        *next++ = key;
    });
    pending_ = static_cast<size_t>(next - keys_.data());
    ngrams_ += static_cast<uint32_t>(pending_ - before);
    if (pending_ >= kTogether) add_pending();
}

void Detector::Scorer::add_pending() {
    if (pending_ == 0) return;
    const ScriptEvidence& evidence = detector_.scripts_[keys_[0] >> 32];
    Sums& sums = sums_[keys_[0] >> 32];
    if (sums.narrow.empty()) sums.narrow.resize(evidence.width());
    evidence.add_up({keys_.data(), pending_}, kernels_.add_units, batch_, sums.narrow.data());
    sums.recent += static_cast<uint32_t>(pending_);
    pending_ = 0;
    if (sums.recent < kMostRecent) return;
    sums.wide.resize(sums.narrow.size());
    for (size_t i = 0; i < sums.wide.size(); ++i) sums.wide[i] += sums.narrow[i];
    std::fill(sums.narrow.begin(), sums.narrow.end(), 0);
    sums.recent = 0;
}

double Detector::prior_factor(const DetectionRule& rule, uint32_t ngrams) {
    const double length = ngrams / rule.prior_ngrams;
    return rule.prior_weight / (1 + length * length);
}

double Detector::prior(size_t label, const DetectionRule& rule, uint32_t ngrams) const {
    return prior_[label] * prior_factor(rule, ngrams);
}

double Detector::rate(const DetectionRule& rule, uint32_t ngrams) {
    const double root = std::sqrt(1 + ngrams / rule.rate_ngrams);
    return rule.rate / (root * std::sqrt(root));
}

bool Detector::choose(std::span<const int32_t> scores, const TextFacts& text,
                      const DetectionRule& rule, std::span<const uint8_t> candidates,
                      const Kernels& kernels, std::span<Answer> answers, Workspace& work) const {
    std::fill(answers.begin(), answers.end(), Answer{});
    const std::span<const uint16_t> labels = writers(text.script);
    constexpr double kNever = -std::numeric_limits<double>::infinity();
    const double rate = Detector::rate(rule, text.ngrams);
    const double factor = prior_factor(rule, text.ngrams);
    work.logs.resize(labels.size());
    work.sums.resize(classes());
    int32_t most = 0;
    for (size_t i = 0; i < labels.size(); ++i) {
        const double evidence = scores[i] * kBitsPerUnit + prior_[labels[i]] * factor;
        work.logs[i] = evidence * rate;
    }
    if (candidates.empty()) {
        for (const int32_t score : scores) most = std::max(most, score);
    } else {
        for (size_t i = 0; i < labels.size(); ++i) {
            const bool is_allowed = candidates[labels[i]];
            work.logs[i] = is_allowed ? work.logs[i] : kNever;
            most = std::max(most, is_allowed ? scores[i] : 0);
        }
    }
    const double best = largest(work.logs);
    if (best == kNever || text.ngrams == 0) return false;
    work.likely.resize(labels.size());
    work.shares.resize(labels.size());
    size_t likely = 0;
    for (size_t i = 0; i < labels.size(); ++i) {
        work.likely[likely] = static_cast<uint32_t>(i);
        work.shares[likely] = work.logs[i] - best;
        likely += work.logs[i] - best >= kNegligible;
    }
    work.likely.resize(likely);
    work.shares.resize(likely);
    kernels.exponentials(work.shares.data(), likely);
    const double mass = sum_of(work.shares);
    for (double& share : work.shares) share /= mass;
    const auto group_sum = [&](size_t writer) -> double& {
        return work.sums[groups_[labels[writer]]];
    };
    for (size_t j = 0; j < likely; ++j) group_sum(work.likely[j]) += work.shares[j];
    // The likeliest class of the likeliest group.
    size_t first = 0;
    for (size_t j = 1; j < work.likely.size(); ++j) {
        const double sum = group_sum(work.likely[j]), top = group_sum(work.likely[first]);
        if (sum != top ? sum > top : work.shares[j] > work.shares[first]) first = j;
    }
    const auto answer = [&](size_t writer, double share) {
        return Answer{labels[writer], share, group_sum(writer)};
    };
    answers[0] = answer(work.likely[first], work.shares[first]);
    if (answers.size() > 1) {
        // Then the others.
        const size_t winner = work.likely[first];
        work.order.clear();
        for (size_t i = 0; i < labels.size(); ++i) {
            if (i != winner && work.logs[i] != kNever)
                work.order.push_back(static_cast<uint32_t>(i));
        }
        const size_t count = std::min(answers.size() - 1, work.order.size());
        std::partial_sort(work.order.begin(), work.order.begin() + static_cast<ptrdiff_t>(count),
                          work.order.end(), [&](uint32_t a, uint32_t b) {
                              return work.logs[a] != work.logs[b] ? work.logs[a] > work.logs[b]
                                                                  : a < b;
                          });
        for (size_t rank = 0; rank < count; ++rank) {
            const uint32_t writer = work.order[rank];
            const auto at = std::lower_bound(work.likely.begin(), work.likely.end(), writer);
            const bool is_likely = at != work.likely.end() && *at == writer;
            const double share =
                is_likely ? work.shares[static_cast<size_t>(at - work.likely.begin())] : 0;
            answers[rank + 1] = answer(writer, share);
        }
    }
    const bool is_guess = text.ngrams <= kOneLetter && answers[0].group_probability < 0.5;
    for (const uint32_t writer : work.likely) group_sum(writer) = 0;
    const uint32_t counted = std::min(text.ngrams, kShortText);
    return !text.is_code && !is_guess && most * kBitsPerUnit >= rule.least_evidence * counted;
}

}  // namespace addhash

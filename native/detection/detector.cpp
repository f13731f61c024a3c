#include "detection/detector.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

namespace addhash {
namespace {

// Symbols of code: at least so many, and one for so many letters.
constexpr size_t kCodeSymbols = 3, kLettersPerSymbol = 8, kLettersPerCall = 20;
// A word of one letter has so many n-grams; beyond the second number, no text is noise.
constexpr uint32_t kOneLetter = 5, kShortText = 150;
// N-grams that are looked up together, so that waiting for one overlaps with the others, and the
// most that a word has.
constexpr size_t kTogether = 96, kMostOfWord = (kLongestWord + 2) * kLongestNgram + 1;
// The weights of a word's n-grams add up to less: a run without spaces has the most.
constexpr uint32_t kMostOfWordWeight =
    (kLongestWord + kMostMarks) * (2 + (kLongestUnspaced - 1) * kMostWeight);
static_assert(kMostOfWordWeight > 2 * kMostOfWord + kMostWeight);
// N-grams of so much weight fit in narrow sums, and those that are pending, too.
constexpr uint32_t kMostRecent = 0xFFFF / kMostUnits - kTogether * kMostWeight - kMostOfWordWeight;
// A class with less than e^-30 of the best one's probability has none.
constexpr double kNegligible = -30;

// A class that learnt all of a text and little more is so many nats above the likeliest.
constexpr double kLearnt = 3;

// Tables take as long to make as texts of so many characters take without them.
constexpr size_t kWorthTables = 25'000;

// Four at a time, in a fixed order, as two vectors of a language extension: every processor has
// registers for these.
using Two = double __attribute__((vector_size(16)));
constexpr size_t kLanes = 4;

Two read(const double* values) {
    Two two;
    std::memcpy(&two, values, sizeof two);
    return two;
}

double largest(std::span<const double> values) {
    constexpr double kLeast = -std::numeric_limits<double>::infinity();
    Two first = {kLeast, kLeast}, second = first;
    size_t i = 0;
    for (; i + kLanes <= values.size(); i += kLanes) {
        const Two a = read(values.data() + i), b = read(values.data() + i + 2);
        first = a > first ? a : first;
        second = b > second ? b : second;
    }
    double result = std::max(std::max(first[0], first[1]), std::max(second[0], second[1]));
    for (; i < values.size(); ++i) result = std::max(result, values[i]);
    return result;
}

double sum_of(std::span<const double> values) {
    Two first = {}, second = {};
    size_t i = 0;
    for (; i + kLanes <= values.size(); i += kLanes) {
        first += read(values.data() + i);
        second += read(values.data() + i + 2);
    }
    double rest = 0;
    for (; i < values.size(); ++i) rest += values[i];
    return ((first[0] + first[1]) + (second[0] + second[1])) + rest;
}

}  // namespace

Detector::Detector(const NgramCounts& counts, const ClassFacts& facts, bool with_rare)
    : counts_(&counts), prior_(facts.prior.begin(), facts.prior.end()), small_(script_count()) {
    const size_t scripts = script_count();
    std::vector<std::vector<ScriptClasses::Class>> writers(scripts);
    for (size_t c = 0; c < classes(); ++c) {
        if (facts.is_rare[c] && !with_rare) continue;
        int64_t total = 0, tenth = 0;
        const auto own = facts.totals.subspan(c * scripts, scripts);
        for (const int64_t count : own) {
            total += std::min(count, kLittle);
            tenth += count / kScriptShare;
        }
        const bool is_small = total < kLittle;
        for (size_t s = 0; s < scripts; ++s) {
            if (own[s] == 0 || (own[s] < tenth && !is_small)) continue;
            writers[s].push_back({static_cast<uint16_t>(c), facts.is_rare[c] != 0, own[s]});
            if (is_small) small_[s].push_back(static_cast<uint16_t>(c));
        }
    }
    for (size_t s = 0; s < scripts; ++s) {
        classes_.emplace_back(writers[s], classes(), !with_rare);
        writers_.emplace_back(classes_.back().labels(), static_cast<Script>(s), facts);
    }
}

Detector::Writers::Writers(std::span<const uint16_t> labels, Script script, const ClassFacts& facts)
    : group_of(labels.size(), kNoGroup) {
    std::map<uint16_t, std::vector<uint16_t>> by_group;
    for (size_t i = 0; i < labels.size(); ++i) {
        prior.push_back(facts.prior[labels[i] * script_count() + script]);
        by_group[facts.groups[labels[i]]].push_back(static_cast<uint16_t>(i));
    }
    for (const auto& [group, members] : by_group) {
        if (members.size() < 2) continue;
        for (const uint16_t member : members) {
            group_of[member] = static_cast<uint16_t>(groups.size());
        }
        groups.emplace_back(grouped.size(), grouped.size() + members.size());
        grouped.insert(grouped.end(), members.begin(), members.end());
    }
}

std::span<const uint16_t> Detector::Writers::members(size_t writer) const {
    if (group_of[writer] == kNoGroup) return {};
    const auto& [start, end] = groups[group_of[writer]];
    return {grouped.data() + start, end - start};
}

void Detector::expect(size_t characters) const {
    const size_t before = tables_->characters.fetch_add(characters, std::memory_order_relaxed);
    if (before + characters < kWorthTables) return;
    std::call_once(tables_->once, [&] { make_tables(); });
}

void Detector::make_tables() const {
    std::vector<ScriptEvidence>& scripts = tables_->scripts;
    scripts.clear();
    for (size_t s = 0; s < script_count(); ++s) {
        scripts.emplace_back(counts_->sizes().subspan(s * kKinds).first<kKinds>(),
                             classes_[s].width());
    }
    ScriptClasses::Evidence evidence;
    counts_->for_each_list([&](NgramKey key, const NgramCounts::List& list) {
        classes_[key >> 32].weigh(list, evidence);
        scripts[key >> 32].add(static_cast<uint32_t>(key), evidence);
    });
    for (ScriptEvidence& script : scripts) script.finish();
    tables_->are_made.store(true, std::memory_order_release);
}

int Detector::weight(NgramKey key, uint16_t label) const {
    const ScriptClasses& classes = classes_[key >> 32];
    NgramCounts::Room room;
    ScriptClasses::Evidence evidence;
    classes.weigh(counts_->find(key, room), evidence);
    for (const uint16_t entry : evidence.list) {
        if (entry >> kUnitBits == classes.writer(label)) {
            return static_cast<int>((entry & kMostUnits) * weight_of(key));
        }
    }
    return 0;
}

Detector::Scorer::Scorer(const Detector& detector, const Kernels& kernels)
    : detector_(detector),
      kernels_(kernels),
      tables_(detector.has_tables() ? detector.tables_->scripts.data() : nullptr),
      sums_(script_count()),
      keys_(kTogether + kMostOfWord),
      batch_(kTogether + kMostOfWord) {}

void Detector::Scorer::clear() {
    for (const Script script : scripts_) {
        Sums& sums = sums_[script];
        sums.letters = sums.recent = 0;
        std::fill(sums.narrow.begin(), sums.narrow.end(), 0);
        sums.wide.clear();
        sums.lacks.clear();
    }
    scripts_.clear();
    ngrams_ = 0;
}

TextFacts Detector::Scorer::score(const Text& text) {
    clear();
    const auto summary =
        for_each_new_word(reader_, seen_, text, [&](const Word& word) { add(word); });
    add_pending();
    TextFacts facts{ngrams_, 0, false, summary.letters > 0, {}};
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
            const Writer writer = detector_.classes_[facts.script].writer(labels[i]);
            if (writer != kNoWriter) scores_[writer] += sum(sums_[script], i);
        }
    }
    const std::vector<uint8_t>& lacks = sums_[facts.script].lacks;
    for (size_t i = 0; i < lacks.size(); ++i) {
        const uint16_t label = detector_.small_[facts.script][i];
        if (!lacks[i]) facts.learnt.push_back(detector_.classes_[facts.script].writer(label));
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
    const size_t before = pending_;
    NgramKey* next = keys_.data() + pending_;
    uint32_t weight = 0;
    if (tables_ == nullptr) {
        for_each_ngram(word, [&](NgramKey key, ptrdiff_t, size_t) {
            weight += weight_of(key);
            *next++ = key;
        });
    } else {
        const ScriptEvidence& table = tables_[word.script];
        for_each_ngram(word, [&](NgramKey key, ptrdiff_t, size_t) {
            table.prefetch(static_cast<uint32_t>(key));
            weight += weight_of(key);
            *next++ = key;
        });
    }
    sums.recent += weight;
    pending_ = static_cast<size_t>(next - keys_.data());
    ngrams_ += static_cast<uint32_t>(pending_ - before);
    if (pending_ >= kTogether) add_pending();
}

void Detector::Scorer::add_pending() {
    if (pending_ == 0) return;
    const size_t script = keys_[0] >> 32;
    const ScriptClasses& classes = detector_.classes_[script];
    Sums& sums = sums_[script];
    if (sums.narrow.empty()) sums.narrow.resize(classes.width());
    if (tables_ == nullptr) {
        add_counted(classes, sums.narrow.data());
    } else {
        tables_[script].add_up({keys_.data(), pending_}, kernels_.add_units, batch_,
                               sums.narrow.data());
    }
    if (!detector_.small_[script].empty()) note_lacks(script);
    pending_ = 0;
    if (sums.recent < kMostRecent) return;
    sums.wide.resize(sums.narrow.size());
    for (size_t i = 0; i < sums.wide.size(); ++i) sums.wide[i] += sums.narrow[i];
    std::fill(sums.narrow.begin(), sums.narrow.end(), 0);
    sums.recent = 0;
}

// As the table of the script would.
void Detector::Scorer::add_counted(const ScriptClasses& classes, uint16_t* sums) {
    NgramCounts::Room room;
    for (const NgramKey key : std::span(keys_.data(), pending_)) {
        classes.weigh(detector_.counts_->find(key, room), evidence_);
        for (const uint16_t entry : evidence_.list) {
            const unsigned units = (entry & kMostUnits) * weight_of(key);
            uint16_t& sum = sums[entry >> kUnitBits];
            sum = static_cast<uint16_t>(sum + units);
        }
    }
}

void Detector::Scorer::note_lacks(size_t script) {
    const std::vector<uint16_t>& small = detector_.small_[script];
    std::vector<uint8_t>& lacks = sums_[script].lacks;
    lacks.resize(small.size());
    NgramCounts::Room room;
    for (const NgramKey key : std::span(keys_.data(), pending_)) {
        // Most texts have an n-gram early that no small class has, and a look at counts is slow.
        if (std::ranges::find(lacks, uint8_t{0}) == lacks.end()) return;
        const auto entries = detector_.counts_->find(key, room).entries;
        for (size_t i = 0; i < small.size(); ++i) {
            const auto next = std::ranges::lower_bound(entries, small[i] << kCountBits);
            lacks[i] |= next == entries.end() || *next >> kCountBits != small[i];
        }
    }
}

double Detector::prior_factor(const DetectionRule& rule, uint32_t ngrams) {
    const double length = ngrams / rule.prior_ngrams;
    return rule.prior_weight / (1 + length * length);
}

double Detector::prior(size_t label, Script script, const DetectionRule& rule,
                       uint32_t ngrams) const {
    return prior_[label * script_count() + script] * prior_factor(rule, ngrams);
}

double Detector::rate(const DetectionRule& rule, uint32_t ngrams) {
    return rule.rate / (1 + ngrams / rule.rate_ngrams);
}

bool Detector::choose(std::span<const int32_t> scores, const TextFacts& text,
                      const DetectionRule& rule, std::span<const uint8_t> candidates,
                      const Kernels& kernels, std::span<Answer> answers, Workspace& work) const {
    std::fill(answers.begin(), answers.end(), Answer{});
    const std::span<const uint16_t> labels = writers(text.script);
    const size_t size = labels.size();
    constexpr double kNever = -std::numeric_limits<double>::infinity();
    const double rate = Detector::rate(rule, text.ngrams);
    const double factor = prior_factor(rule, text.ngrams);
    const Writers& own = writers_[text.script];
    const double* const prior = own.prior.data();
    work.logs.resize(size);
    work.shares.resize(size);
    double* const logs = work.logs.data();
    double* const shares = work.shares.data();
    for (size_t i = 0; i < size; ++i) {
        logs[i] = (scores[i] * kBitsPerUnit + prior[i] * factor) * rate;
    }
    int32_t most = 0;
    if (candidates.empty()) {
        for (const int32_t score : scores) most = std::max(most, score);
    } else {
        for (size_t i = 0; i < size; ++i) {
            const bool is_allowed = candidates[labels[i]];
            logs[i] = is_allowed ? logs[i] : kNever;
            most = std::max(most, is_allowed ? scores[i] : 0);
        }
    }
    double best = largest(work.logs);
    if (best == kNever || text.ngrams == 0) return false;
    double of_learnt = kNever;
    for (const Writer writer : text.learnt) of_learnt = std::max(of_learnt, logs[writer]);
    const bool is_learnt = of_learnt != kNever;
    if (is_learnt) {
        for (const Writer writer : text.learnt) logs[writer] += best + kLearnt - of_learnt;
        best = largest(work.logs);
    }
    for (size_t i = 0; i < size; ++i) shares[i] = std::max(logs[i] - best, kNegligible);
    kernels.exponentials(shares, size);
    for (size_t i = 0; i < size; ++i) shares[i] = logs[i] - best > kNegligible ? shares[i] : 0;
    const double mass = sum_of(work.shares);
    const auto group_sum = [&](size_t writer) {
        const std::span<const uint16_t> members = own.members(writer);
        double sum = members.empty() ? shares[writer] : 0;
        for (const uint16_t member : members) sum += shares[member];
        return sum;
    };
    // The likeliest class of the likeliest group.
    size_t winner = 0;
    while (logs[winner] != best) ++winner;
    double winner_sum = group_sum(winner);
    for (const auto& [start, end] : own.groups) {
        if (is_learnt) break;
        const std::span members(own.grouped.data() + start, end - start);
        size_t first = members[0];
        for (const uint16_t member : members)
            first = shares[member] > shares[first] ? member : first;
        const double sum = group_sum(first);
        if (sum > winner_sum) {
            winner = first;
            winner_sum = sum;
        }
    }
    const auto answer = [&](size_t writer) {
        return Answer{labels[writer], shares[writer] / mass, group_sum(writer) / mass};
    };
    answers[0] = answer(winner);
    if (answers.size() > 1) {
        // Then the others.
        work.order.clear();
        for (size_t i = 0; i < size; ++i) {
            if (i != winner && logs[i] != kNever) work.order.push_back(static_cast<uint32_t>(i));
        }
        const size_t count = std::min(answers.size() - 1, work.order.size());
        std::partial_sort(work.order.begin(), work.order.begin() + static_cast<ptrdiff_t>(count),
                          work.order.end(), [&](uint32_t a, uint32_t b) {
                              return logs[a] != logs[b] ? logs[a] > logs[b] : a < b;
                          });
        for (size_t rank = 0; rank < count; ++rank) answers[rank + 1] = answer(work.order[rank]);
    }
    const bool is_guess = text.ngrams <= kOneLetter && answers[0].group_probability < 0.5;
    const uint32_t counted = std::min(text.ngrams, kShortText);
    return !text.is_code && !is_guess && most * kBitsPerUnit >= rule.least_evidence * counted;
}

}  // namespace addhash

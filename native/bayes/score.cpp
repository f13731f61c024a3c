#include "bayes/score.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace addhash {
namespace {

constexpr double kNatsPerUnit = 0.6931471805599453 / (1 << kLogBits);
constexpr double kBitsPerUnit = 1.0 / (1 << kLogBits);
// Evidence of counts, in the units of what is expected.
constexpr int64_t kOfWeight = 1 << (kLogBits - kWeightBits);
// A bucket is common if it occurs at least once in so many texts, and so often.
constexpr int64_t kCommonTexts = 20;
constexpr int64_t kCommonTokens = 8;

// Few of the levels occur, so that groups of them are skipped.
constexpr uint32_t kGroup = 16;

uint32_t first_known(const int64_t* known, uint32_t level, uint32_t end) {
    for (; level < end; level += kGroup) {
        int64_t any = 0;
        for (uint32_t i = 0; i < kGroup; ++i) any |= known[level + i];
        if (any != 0) break;
    }
    return level;
}

double root(int64_t length) { return std::sqrt(static_cast<double>(length)); }

}  // namespace

ClassTotals::ClassTotals(std::vector<int64_t> texts, std::vector<int64_t> tokens, size_t orders,
                         Chosen chosen, double smoothing)
    : orders_(orders),
      texts_(std::move(texts)),
      tokens_(std::move(tokens)),
      order_tokens_(orders),
      chosen_(std::move(chosen)),
      smoothing_(logarithm_of(smoothing)),
      shares_(texts_.size() * orders) {
    int64_t all_tokens = 0;
    for (uint32_t c = 0; c < classes(); ++c) {
        all_texts_ += texts_[c];
        with_texts_ += texts_[c] > 0;
        for (size_t k = 0; k < orders; ++k) {
            order_tokens_[k] += this->tokens(c, k);
            all_tokens += this->tokens(c, k);
        }
        has_recalled_ |= is_recalled(c, texts_[c]) || is_recalled(c, texts_[c] - 1);
    }
    for (const double bias : chosen_.biases) has_biases_ |= bias == bias;
    for (uint32_t c = 0; c < classes(); ++c) {
        if (is_later(c) && texts_[c] > 0) later_ = c;
    }
    for (uint32_t c = 0; c < classes() && !chosen_.crosses.empty(); ++c) {
        if (chosen_.biases[c] == chosen_.biases[c]) crossed_.push_back(c);
    }
    for (uint32_t c = 0; c < classes(); ++c) {
        starts_.push_back(start(c, texts_[c], all_texts_ / std::max<int64_t>(with_texts_, 1)));
        for (size_t k = 0; k < orders; ++k) {
            shares_[k * classes() + c] = share(this->tokens(c, k), order_tokens_[k]);
        }
    }
    // Orders can share a bucket, so that its total may be that of all tokens.
    levels_ = Logarithms::shared().level_of(std::max<int64_t>(all_tokens, 1)) + 1;
    if (levels_ * shares_.size() > kMostExpected) return;
    expected_.reserve(levels_ * shares_.size());
    for (size_t k = 0; k < orders; ++k) {
        for (uint32_t level = 0; level < levels_; ++level) {
            for (uint32_t c = 0; c < classes(); ++c) {
                expected_.push_back(expected(level, this->shares(k)[c], false));
            }
        }
    }
}

double ClassTotals::start(uint32_t label, int64_t texts, int64_t mean) const {
    if (texts <= 0) return kNoScore;
    const double bias = chosen_.biases[label];
    if (bias == bias) return bias;
    if (has_biases_) {
        return chosen_.later * kFewTexts / static_cast<double>(std::max(kFewTexts, texts));
    }
    const int64_t expected = texts + std::min(mean, INT64_MAX - texts);
    return chosen_.prior_weight * kNatsPerUnit * Logarithms::shared().of(expected);
}

void ClassTotals::start_without(uint32_t label, double* starts) const {
    const int64_t classes_left = with_texts_ - (texts_[label] == 1);
    const int64_t mean = (all_texts_ - 1) / std::max<int64_t>(classes_left, 1);
    for (uint32_t c = 0; c < classes(); ++c) starts[c] = start(c, texts_[c] - (c == label), mean);
}

ClassTotals::Share ClassTotals::share(int64_t tokens, int64_t all_tokens) const {
    const Logarithms& logarithms = Logarithms::shared();
    const int32_t all = logarithms.of(std::max<int64_t>(all_tokens, 1)) + smoothing_;
    return {logarithms.of(tokens) - all, logarithms.of(all_tokens - tokens) - all};
}

int32_t ClassTotals::common_level(int64_t texts) {
    const int64_t least = (texts + kCommonTexts - 1) / kCommonTexts;
    return static_cast<int32_t>(Logarithms::shared().level_of(std::max(least, kCommonTokens)));
}

EvidenceSums::EvidenceSums(const Kernels& kernels, const ClassCounts& counts)
    : kernels_(kernels),
      counts_(counts),
      sums_((std::max<size_t>(counts.numbers(), 1) + 31) / 32 * 32),
      whole_(counts.numbers()) {}

void EvidenceSums::carry(size_t additions) {
    for (size_t c = 0; c < whole_.size(); ++c) whole_[c] += sums_[c];
    std::fill(sums_.begin(), sums_.end(), 0);
    additions_ = additions;
}

void EvidenceSums::add(const EvidenceTable& table, const uint32_t* const* blocks, size_t count) {
    if (count == 0) return;
    is_used_ = true;
    make_room(count);
    if (table.has_only_masks()) {
        kernels_.add_masked(blocks, count, sums_.data());
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        const BucketList list = table.read(blocks[i]);
        if (list.form == BucketList::Form::every) {
            kernels_.add_evidence(list.values, list.size, sums_.data());
        } else {
            const auto* labels = reinterpret_cast<const uint16_t*>(list.head);
            for (uint32_t j = 0; j < list.size; ++j) sums_[labels[j]] += list.values[j];
        }
    }
}

void EvidenceSums::add(const EvidenceTable& table, const uint32_t* block, int64_t times) {
    if (times == 1) return add(table, &block, 1);
    is_used_ = true;
    const BucketList list = table.read(block);
    list.for_each([&](uint32_t label, int32_t value) {
        if (label < whole_.size()) whole_[label] += times * value;
    });
}

void EvidenceSums::move_to(int64_t* sums) {
    if (!is_used_) return;
    for (uint32_t c = 0; c < whole_.size(); ++c) {
        sums[counts_.label(c)] += whole_[c] + sums_[c];
    }
    std::fill(sums_.begin(), sums_.end(), 0);
    std::fill(whole_.begin(), whole_.end(), 0);
    additions_ = 0;
    is_used_ = false;
}

TextEvidence::TextEvidence(const Kernels& kernels, const ClassCounts& counts,
                           const ClassTotals& totals)
    : totals_(totals),
      sums_{EvidenceSums(kernels, counts), EvidenceSums(kernels, counts)},
      common_level_(ClassTotals::common_level(totals.all_texts())),
      views_(2 * totals.orders() * totals.classes()),
      known_(2 * totals.orders() * Logarithms::kLevels),
      lengths_(totals.orders()),
      crossing_(totals.crossed().size()),
      usual_(totals.later() == ClassTotals::kNone ? 0 : totals.classes()) {}

void TextEvidence::flush() {
    for (const bool is_common : {false, true}) {
        sums_[is_common].move_to(view(order_, is_common));
    }
}

void TextEvidence::begin(size_t order, int64_t length) {
    if (order != order_) flush();
    order_ = order;
    lengths_[order] += length;
}

void TextEvidence::finish(const LeftOut* left_out, double* scores, double* views) {
    flush();
    const auto classes = static_cast<uint32_t>(totals_.classes());
    if (left_out == nullptr) {
        for (uint32_t c = 0; c < classes; ++c) scores[c] = totals_.start(c);
    } else {
        totals_.start_without(left_out->label, scores);
    }
    for (size_t k = 0; k < totals_.orders(); ++k) {
        if (lengths_[k] == 0) {
            if (views != nullptr) std::fill_n(views + 2 * k * classes, 2 * classes, 0.0);
            continue;
        }
        const ClassTotals::Share* shares = totals_.shares(k);
        if (left_out != nullptr) {
            const int64_t length = left_out->lengths[k];
            const int64_t all = totals_.all_tokens(k) - length;
            shares_.resize(classes);
            for (uint32_t c = 0; c < classes; ++c) {
                const int64_t own = totals_.tokens(c, k) - (c == left_out->label ? length : 0);
                shares_[c] = totals_.share(own, all);
            }
            shares = shares_.data();
        }
        for (const bool is_common : {false, true}) {
            int64_t* sums = view(k, is_common);
            for (uint32_t c = 0; c < classes; ++c) sums[c] *= kOfWeight;
        }
        // What was to be expected.
        for (const bool is_shared : {false, true}) {
            int64_t* known = known_.data() + (2 * k + is_shared) * Logarithms::kLevels;
            for (uint32_t level = 0; level < totals_.levels(); ++level) {
                if (level % kGroup == 0) level = first_known(known, level, totals_.levels());
                if (level >= totals_.levels()) break;
                if (known[level] == 0) continue;
                int64_t* sums = view(k, static_cast<int32_t>(level) >= common_level_);
                const int64_t times = std::exchange(known[level], 0);
                const bool is_ready = left_out == nullptr && !is_shared;
                if (const int32_t* ready = is_ready ? totals_.expected(k, level) : nullptr) {
                    for (uint32_t c = 0; c < classes; ++c) sums[c] -= times * ready[c];
                    continue;
                }
                for (uint32_t c = 0; c < classes; ++c) {
                    sums[c] -= times * totals_.expected(level, shares[c], is_shared);
                }
            }
        }
        for (const bool is_common : {false, true}) {
            int64_t* sums = view(k, is_common);
            const double unit = kBitsPerUnit / root(lengths_[k]);
            const double* weights = totals_.weights(2 * k + is_common);
            for (uint32_t c = 0; c < classes; ++c) {
                scores[c] += weights[c] * unit * static_cast<double>(sums[c]);
            }
            for (size_t c = 0; c < usual_.size(); ++c) {
                usual_[c] += weights[totals_.later()] * unit * static_cast<double>(sums[c]);
            }
            for (size_t i = 0; i < crossing_.size(); ++i) {
                const uint32_t from = totals_.crossed()[i];
                if (sums[from] == 0 || scores[from] == kNoScore) continue;
                const double value = unit * static_cast<double>(sums[from]);
                const double* crosses = totals_.crosses(2 * k + is_common, i);
                for (size_t j = 0; j < crossing_.size(); ++j) crossing_[j] += crosses[j] * value;
            }
            if (views != nullptr) {
                double* out = views + (2 * k + is_common) * classes;
                for (uint32_t c = 0; c < classes; ++c) out[c] = unit * static_cast<double>(sums[c]);
            }
            std::fill_n(sums, classes, 0);
        }
        lengths_[k] = 0;
    }
    for (size_t i = 0; i < crossing_.size(); ++i) scores[totals_.crossed()[i]] += crossing_[i];
    std::fill(crossing_.begin(), crossing_.end(), 0.0);
    if (!usual_.empty()) place_later(scores);
    order_ = 0;
}

// A class that came later is as far ahead of the best of the others as it is with the usual weights
// for all: what was fitted compares those others alone.
void TextEvidence::place_later(double* scores) {
    double best = kNoScore, usual = kNoScore;
    for (uint32_t c = 0; c < usual_.size(); ++c) {
        if (totals_.is_later(c) || scores[c] == kNoScore) continue;
        best = std::max(best, scores[c]);
        usual = std::max(usual, usual_[c]);
    }
    for (uint32_t c = 0; c < usual_.size() && best != kNoScore; ++c) {
        if (totals_.is_later(c)) scores[c] += best - usual;
    }
    std::fill(usual_.begin(), usual_.end(), 0.0);
}

TextScorer::TextScorer(const Kernels& kernels, const BucketRule& buckets, const ClassCounts& counts,
                       const ClassTotals& totals)
    : kernels_(kernels),
      buckets_(buckets),
      counts_(counts),
      totals_(totals),
      evidence_(kernels, counts, totals) {}

// Tokens of one order.
void TextScorer::add(const uint32_t* buckets, size_t count) {
    const Logarithms& logarithms = Logarithms::shared();
    const size_t layers = counts_.layers();
    for (size_t first = 0; first < count; first += kMostTogether) {
        const size_t size = std::min(kMostTogether, count - first);
        for (size_t l = 0; l < layers; ++l) {
            counts_.layer(l).locate(buckets + first, size, blocks_[l]);
        }
        size_t sizes[2][ClassCounts::kMostLayers] = {};
        for (size_t i = 0; i < size; ++i) {
            int64_t total = 0;
            bool is_shared = false;
            for (size_t l = 0; l < layers; ++l) {
                if (blocks_[l][i] == nullptr) continue;
                total = counts_.layer(l).total(blocks_[l][i]);
                is_shared = counts_.layer(l).is_shared(blocks_[l][i]);
            }
            if (total == 0) continue;
            if (total == EvidenceTable::kManyTokens) [[unlikely]] {
                total = counts_.total(counts_.find(buckets[first + i]));
            }
            const bool is_common = evidence_.note(logarithms.level_of(total), is_shared, 1);
            for (size_t l = 0; l < layers; ++l) {
                if (blocks_[l][i] == nullptr) continue;
                together_[is_common][l][sizes[is_common][l]++] = blocks_[l][i];
            }
        }
        for (const bool is_common : {false, true}) {
            for (size_t l = 0; l < layers; ++l) {
                evidence_.sums(is_common).add(counts_.layer(l), together_[is_common][l],
                                              sizes[is_common][l]);
            }
        }
    }
}

// Keeps the classes that have all of these buckets, of those that may recall a text.
void TextScorer::recall(const uint32_t* buckets, size_t count) {
    for (size_t i = 0; i < count && may_be_recalled_; ++i) {
        const ClassCounts::Found found = counts_.find(buckets[i]);
        if (!candidates_) {
            candidates_.emplace();
            for (size_t l = 0; l < counts_.layers(); ++l) {
                if (found.blocks[l] == nullptr) continue;
                counts_.layer(l).read(found.blocks[l]).for_each([&](uint32_t number, int32_t) {
                    if (number >= counts_.numbers()) return;
                    const uint32_t label = counts_.label(number);
                    if (totals_.is_recalled(label, totals_.texts(label))) {
                        candidates_->push_back(label);
                    }
                });
            }
        }
        std::erase_if(*candidates_,
                      [&](uint32_t label) { return counts_.count(found, label) == 0; });
        may_be_recalled_ = !candidates_->empty();
    }
}

void TextScorer::consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                         size_t count) {
    consume_ngrams(bytes, starts, ends, count, {0});
}

void TextScorer::consume_ngrams(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                                size_t count, NgramOrders orders) {
    if (hashes_.size() < count) hashes_.resize(count);
    kernels_.murmur3(bytes, starts, ends, count, 0, hashes_.data());
    for (size_t i = 0; i < count; ++i) hashes_[i] = buckets_.key(hashes_[i]) >> 1;
    const auto use = [&](size_t order, const uint32_t* buckets, size_t size) {
        evidence_.begin(order, static_cast<int64_t>(size));
        add(buckets, size);
        if (order + 1 == totals_.orders() && may_be_recalled()) recall(buckets, size);
    };
    if (orders.each == nullptr) {
        use(orders.all, hashes_.data(), count);
        return;
    }
    for (size_t k = 0; k < totals_.orders(); ++k) {
        chosen_.clear();
        for (size_t i = 0; i < count; ++i) {
            if (orders.each[i] == k) chosen_.push_back(hashes_[i]);
        }
        if (!chosen_.empty()) use(k, chosen_.data(), chosen_.size());
    }
}

void TextScorer::finish(double* scores) {
    evidence_.finish(nullptr, scores);
    may_be_recalled_ = true;
    candidates_.reset();
}

RowScorer::RowScorer(const Kernels& kernels, const ClassCounts& counts, const ClassTotals& totals)
    : counts_(counts), totals_(totals), evidence_(kernels, counts, totals) {}

void RowScorer::look_up(std::span<const CountedToken> text) {
    found_.resize(text.size());
    lengths_.assign(totals_.orders(), 0);
    for (size_t i = 0; i < text.size(); ++i) {
        found_[i].bucket = text[i].bucket;
        lengths_[text[i].order] += text[i].count;
    }
    constexpr size_t kTogether = 256;
    uint32_t buckets[kTogether];
    const uint32_t* blocks[kTogether];
    for (size_t first = 0; first < text.size(); first += kTogether) {
        const size_t size = std::min(kTogether, text.size() - first);
        for (size_t i = 0; i < size; ++i) buckets[i] = text[first + i].bucket;
        for (size_t l = 0; l < counts_.layers(); ++l) {
            counts_.layer(l).locate(buckets, size, blocks);
            for (size_t i = 0; i < size; ++i) found_[first + i].blocks[l] = blocks[i];
        }
    }
}

// use(i) for each token, order by order.
template <class Use>
void RowScorer::for_each_order(std::span<const CountedToken> text, const Use& use) {
    // Tokens of an order come in few runs.
    for (size_t k = 0; k < totals_.orders(); ++k) {
        if (lengths_[k] == 0) continue;
        evidence_.begin(k, lengths_[k]);
        for (size_t i = 0; i < text.size(); ++i) {
            if (text[i].order == k) use(i);
        }
    }
}

void RowScorer::add_found(const ClassCounts::Found& found, bool is_common, int64_t times) {
    for (size_t l = 0; l < counts_.layers(); ++l) {
        if (found.blocks[l] == nullptr) continue;
        evidence_.sums(is_common).add(counts_.layer(l), found.blocks[l], times);
    }
}

void RowScorer::score(std::span<const CountedToken> text, double* scores, double* views) {
    look_up(text);
    evidence_.set_common_level(ClassTotals::common_level(totals_.all_texts()));
    const Logarithms& logarithms = Logarithms::shared();
    for_each_order(text, [&](size_t i) {
        const int64_t total = counts_.total(found_[i]);
        if (total == 0) return;
        const bool is_common =
            evidence_.note(logarithms.level_of(total), counts_.is_shared(found_[i]), text[i].count);
        add_found(found_[i], is_common, text[i].count);
    });
    evidence_.finish(nullptr, scores, views);
    recall(text, nullptr, scores);
}

// How often the text has the bucket of each token, which several may share.
void RowScorer::count_own(std::span<const CountedToken> text) {
    own_.assign(text.size(), 0);
    first_of_.resize(text.size());
    const size_t mask = std::bit_ceil(2 * text.size() + 1) - 1;
    firsts_.assign(mask + 1, 0);
    for (size_t i = 0; i < text.size(); ++i) {
        size_t at = text[i].bucket & mask;
        while (firsts_[at] != 0 && text[firsts_[at] - 1].bucket != text[i].bucket) {
            at = (at + 1) & mask;
        }
        if (firsts_[at] == 0) firsts_[at] = static_cast<uint32_t>(i + 1);
        first_of_[i] = firsts_[at] - 1;
        own_[first_of_[i]] += text[i].count;
    }
    for (size_t i = 0; i < text.size(); ++i) own_[i] = own_[first_of_[i]];
}

// A token without the text that has it, an example of a class; false if that cannot be.
bool RowScorer::add_without(size_t token, int64_t times, uint32_t label) {
    const ClassCounts::Found& found = found_[token];
    const EvidenceRule& rule = counts_.rule();
    const int64_t own = own_[token], left = counts_.total(found) - own;
    bool is_shared = counts_.is_shared(found);
    if (is_shared) {
        const int64_t mine = counts_.count(found, label);
        if (mine < own) return false;
        if (mine == own) {
            size_t classes = 0;
            counts_.for_each_count(found, [&](uint32_t, int64_t) { ++classes; });
            is_shared = classes > kMostSharing + 1;
        }
        if (is_shared) {
            const bool is_common = evidence_.note(Logarithms::shared().level_of(left), true, times);
            add_found(found, is_common, times);
            evidence_.view(is_common)[label] += times * (rule.of(mine - own) - rule.of(mine));
            return true;
        }
    }
    if (left <= 0) return left == 0 && counts_.count(found, label) == own;
    const bool is_common = evidence_.note(Logarithms::shared().level_of(left), false, times);
    int64_t* view = evidence_.view(is_common);
    const int32_t of_left = rule.of(left);
    bool is_possible = false;
    counts_.for_each_count(found, [&](uint32_t number, int64_t count) {
        const uint32_t of = counts_.label(number);
        if (of == label) {
            is_possible = count >= own;
            count -= own;
        }
        if (count > 0) view[of] += times * rule.of(count, left, of_left);
    });
    return is_possible;
}

bool RowScorer::score_without(std::span<const CountedToken> text, uint32_t label, double* scores,
                              double* views) {
    look_up(text);
    count_own(text);
    const LeftOut left_out = {label, lengths_};
    bool is_possible = totals_.texts(label) > 0;
    for (size_t k = 0; k < totals_.orders(); ++k) {
        is_possible &= totals_.tokens(label, k) >= lengths_[k];
    }
    if (!is_possible) return false;
    evidence_.set_common_level(ClassTotals::common_level(totals_.all_texts() - 1));
    for_each_order(
        text, [&](size_t i) { is_possible = is_possible && add_without(i, text[i].count, label); });
    evidence_.finish(&left_out, scores, views);
    if (is_possible) recall(text, &left_out, scores);
    return is_possible;
}

void RowScorer::explain(std::span<const CountedToken> text, uint32_t label, double* parts) {
    look_up(text);
    const Logarithms& logarithms = Logarithms::shared();
    const int32_t common_level = ClassTotals::common_level(totals_.all_texts());
    const std::span<const uint32_t> crossed = totals_.crossed();
    const auto place =
        static_cast<size_t>(std::find(crossed.begin(), crossed.end(), label) - crossed.begin());
    for (size_t i = 0; i < text.size(); ++i) {
        const size_t k = text[i].order;
        const int64_t total = counts_.total(found_[i]);
        parts[i] = 0;
        if (total == 0 || lengths_[k] == 0) continue;
        const uint32_t level = logarithms.level_of(total);
        const size_t view = 2 * k + (static_cast<int32_t>(level) >= common_level);
        const bool is_shared = counts_.is_shared(found_[i]);
        const auto evidence = [&](uint32_t of) {
            int64_t value = -totals_.expected(level, totals_.shares(k)[of], is_shared);
            for (size_t l = 0; l < counts_.layers(); ++l) {
                if (found_[i].blocks[l] == nullptr) continue;
                value +=
                    kOfWeight * counts_.layer(l).read(found_[i].blocks[l]).of(counts_.number(of));
            }
            return static_cast<double>(text[i].count * value);
        };
        double part = totals_.weights(view)[label] * evidence(label);
        for (size_t j = 0; j < crossed.size() && place < crossed.size(); ++j) {
            if (totals_.start(crossed[j]) == kNoScore) continue;
            part += totals_.crosses(view, j)[place] * evidence(crossed[j]);
        }
        parts[i] = part * kBitsPerUnit / root(lengths_[k]);
    }
}

// Needs look_up. A class has learnt the text word for word if it has each of its tokens at least as
// often. Of several, the one with the fewest tokens is the likeliest to have learnt just this.
void RowScorer::recall(std::span<const CountedToken> text, const LeftOut* left_out,
                       double* scores) {
    if (!totals_.has_recalled() || text.empty()) return;
    if (left_out == nullptr) count_own(text);
    const auto classes = static_cast<uint32_t>(totals_.classes());
    // The rarest token leaves the fewest classes.
    size_t rarest = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        if (counts_.total(found_[i]) < counts_.total(found_[rarest])) rarest = i;
    }
    const auto has = [&](uint32_t label, size_t i) {
        const bool is_own = left_out != nullptr && label == left_out->label;
        return counts_.count(found_[i], label) - (is_own ? own_[i] : 0) >= own_[i];
    };
    const auto tokens_of = [&](uint32_t label) {
        int64_t sum = 0;
        const bool is_own = left_out != nullptr && label == left_out->label;
        for (size_t k = 0; k < totals_.orders(); ++k) {
            sum += totals_.tokens(label, k) - (is_own ? lengths_[k] : 0);
        }
        return sum;
    };
    uint32_t best = classes;
    for (size_t l = 0; l < counts_.layers(); ++l) {
        const uint32_t* block = found_[rarest].blocks[l];
        if (block == nullptr) continue;
        counts_.layer(l).read(block).for_each([&](uint32_t number, int32_t) {
            if (number >= counts_.numbers()) return;
            const uint32_t label = counts_.label(number);
            if (label == best) return;
            const bool is_own = left_out != nullptr && label == left_out->label;
            if (!totals_.is_recalled(label, totals_.texts(label) - is_own)) return;
            for (size_t i = 0; i < text.size(); ++i) {
                if (!has(label, i)) return;
            }
            if (best == classes || tokens_of(label) < tokens_of(best) ||
                (tokens_of(label) == tokens_of(best) && label < best)) {
                best = label;
            }
        });
    }
    if (best == classes) return;
    double other = kNoScore;
    for (uint32_t c = 0; c < classes; ++c) {
        if (c != best) other = std::max(other, scores[c]);
    }
    scores[best] = std::max(scores[best], other + kLift);
}

}  // namespace addhash

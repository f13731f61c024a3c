#include "bayes/score.h"

#include <algorithm>
#include <bit>

namespace addhash {
namespace {

// How often the share of a class among the texts counts: tokens overlap, so that their
// evidence is weaker than it looks.
constexpr int64_t kPriorWeight = 4;

// add(label, i) for each value of a list with labels.
template <class Add> void for_each_label(const BucketList& list, const Add& add) {
    const uint32_t size = list.size;
    if (list.form == BucketList::Form::wide_labels) {
        const uint32_t* const labels = list.head;
        for (uint32_t i = 0; i < size; ++i) add(labels[i], i);
    } else {
        const auto* const labels = reinterpret_cast<const uint16_t*>(list.head);
        for (uint32_t i = 0; i < size; ++i) add(labels[i], i);
    }
}

}  // namespace

Beginnings::Beginnings(const EvidenceRule& rule, const ClassTotals& totals) {
    for (const int64_t texts : totals.texts) priors_.push_back(prior(texts, totals.has_priors));
    for (const int64_t tokens : totals.tokens) {
        costs_.push_back(rule.cost(tokens, std::max<int64_t>(totals.all_tokens, 1)));
    }
}

int64_t Beginnings::prior(int64_t texts, bool has_priors) {
    constexpr int64_t kStep = (int64_t{1} << kWeightBits) / kSteps;
    if (texts <= 0) return kNoScore;
    return has_priors ? kPriorWeight * kStep * Weights::shared().steps_of(texts) : 0;
}

void Beginnings::add(int64_t beginnings, int64_t* scores) const {
    for (size_t c = 0; c < priors_.size(); ++c) {
        const bool is_known = priors_[c] != kNoScore;
        scores[c] = is_known ? scores[c] + priors_[c] - beginnings * costs_[c] : kNoScore;
    }
}

EvidenceSums::EvidenceSums(const Kernels& kernels, size_t classes)
    : kernels_(kernels), sums_(std::max<size_t>((classes + 31) / 32, 1) * 32), whole_(classes) {}

void EvidenceSums::carry(size_t additions) {
    for (size_t c = 0; c < whole_.size(); ++c) whole_[c] += sums_[c];
    std::fill(sums_.begin(), sums_.end(), 0);
    additions_ = additions;
}

void EvidenceSums::add(const BucketList& list, bool is_alone) {
    const Weight* const values = is_alone ? list.alone : list.extended;
    if (list.form == BucketList::Form::every) {
        kernels_.add_evidence(values, list.size, sums_.data());
    } else if (list.form == BucketList::Form::masked) {
        add_masked(&list.head, 1, is_alone);
    } else {
        int32_t* const sums = sums_.data();
        for_each_label(list, [&](uint32_t label, uint32_t i) { sums[label] += values[i]; });
    }
}

void EvidenceSums::add(const BucketList& list, Times times) {
    const auto magnitude = [](int64_t count) {
        return std::min(static_cast<uint64_t>(count < 0 ? -count : count),
                        uint64_t{kMostAdditions});
    };
    const uint64_t additions = magnitude(times.alone) + magnitude(times.extended);
    if (additions >= kMostAdditions) {
        list.for_each([&](uint32_t label, Evidence evidence) {
            if (label < whole_.size()) whole_[label] += times(evidence);
        });
        return;
    }
    make_room(additions);
    const auto alone = static_cast<int32_t>(times.alone);
    const auto extended = static_cast<int32_t>(times.extended);
    int32_t* const sums = sums_.data();
    if (additions == 1 && alone + extended == 1) {
        add(list, alone == 1);
    } else if (list.form == BucketList::Form::every) {
        const Weight* const values[] = {list.alone, list.extended};
        const int32_t factors[] = {alone, extended};
        kernels_.add_evidence_times(values, factors, list.size, sums);
    } else if (list.form == BucketList::Form::masked) {
        list.for_each([&](uint32_t label, Evidence evidence) {
            sums[label] += alone * evidence.alone + extended * evidence.extended;
        });
    } else {
        for_each_label(list, [&](uint32_t label, uint32_t i) {
            sums[label] += alone * list.alone[i] + extended * list.extended[i];
        });
    }
}

void EvidenceSums::add_masked(const uint32_t* const* blocks, size_t count, bool is_alone) {
    kernels_.add_masked(blocks, count, is_alone, sums_.data());
}

void EvidenceSums::finish(int64_t* scores) {
    for (size_t c = 0; c < whole_.size(); ++c) scores[c] = whole_[c] + sums_[c];
    std::fill(sums_.begin(), sums_.end(), 0);
    std::fill(whole_.begin(), whole_.end(), 0);
    additions_ = 0;
}

TextScorer::TextScorer(const Kernels& kernels, const BucketRule& buckets, const ClassCounts& counts,
                       const ClassTotals& totals)
    : kernels_(kernels),
      buckets_(buckets),
      counts_(counts),
      beginnings_(counts.rule(), totals),
      sums_(kernels, totals.texts.size()) {}

void TextScorer::hash(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                      size_t count) {
    if (hashes_.size() < count) hashes_.resize(count);
    kernels_.murmur3(bytes, starts, ends, count, 0, hashes_.data());
    for (size_t i = 0; i < count; ++i) hashes_[i] = buckets_.key(hashes_[i]) >> 1;
}

void TextScorer::locate(size_t count, Blocks& blocks) {
    if (blocks.size() < count) blocks.resize(count);
    counts_.locate(hashes_.data(), count, blocks.data());
}

// Adds the n-grams of one length, now that it is known which of the next length there are.
void TextScorer::add_level(const Blocks& next, size_t next_count) {
    for (size_t first = 0; first < level_count_; first += kMostTogether) {
        const size_t end = std::min(level_count_, first + kMostTogether);
        sums_.make_room(2 * (end - first));
        size_t sizes[2] = {0, 0};
        for (size_t i = first; i < end; ++i) {
            if (level_[i] == nullptr) continue;
            const bool is_alone = i >= next_count || next[i] == nullptr;
            together_[is_alone][sizes[is_alone]++] = level_[i];
        }
        for (const bool is_alone : {false, true}) {
            add(together_[is_alone], sizes[is_alone], is_alone);
            if (is_first_level_) add(together_[is_alone], sizes[is_alone], false);
        }
    }
    level_count_ = 0;
}

void TextScorer::add(const uint32_t* const* blocks, size_t count, bool is_alone) {
    if (counts_.has_only_masks()) {
        sums_.add_masked(blocks, count, is_alone);
    } else {
        for (size_t i = 0; i < count; ++i) sums_.add(counts_.read(blocks[i]), is_alone);
    }
}

// The same for n-grams of several lengths, or apart from those that they extend.
void TextScorer::add_mixed(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                           const uint32_t* prefix_ends, size_t count) {
    is_extended_.assign(count, 0);
    // The n-grams of a word come in the order of their prefixes, which are among those before but
    // for the last of each length, and for the first ones of a part.
    constexpr size_t kReach = 2;
    size_t prefix = 0;
    for (size_t i = 0; i < count; ++i) {
        if (prefix_ends[i] == starts[i]) {
            begun_ += next_level_[i] != nullptr;
            if (i > 0 && prefix_ends[i - 1] != starts[i - 1]) prefix = i;  // a new word
            continue;
        }
        size_t found = prefix;
        const size_t end = std::min(i, prefix + kReach);
        while (found < end && (starts[found] != starts[i] || ends[found] != prefix_ends[i]))
            ++found;
        if (found < end) prefix = found + 1;
        if (next_level_[i] == nullptr) continue;
        if (found < end) {
            is_extended_[found] = 1;
            continue;
        }
        hash(bytes, starts + i, prefix_ends + i, 1);
        const uint32_t* block = nullptr;
        counts_.locate(hashes_.data(), 1, &block);
        // B is the difference of the two.
        if (block != nullptr) sums_.add(counts_.read(block), Times{-1, 1});
    }
    for (size_t i = 0; i < count; ++i) {
        if (next_level_[i] == nullptr) continue;
        sums_.make_room(2);
        const BucketList list = counts_.read(next_level_[i]);
        sums_.add(list, !is_extended_[i]);
        if (prefix_ends[i] == starts[i]) sums_.add(list, false);
    }
}

void TextScorer::consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                         size_t count) {
    consume_ngrams(bytes, starts, ends, starts, count);
}

void TextScorer::consume_ngrams(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                                const uint32_t* prefix_ends, size_t count) {
    hash(bytes, starts, ends, count);
    locate(count, next_level_);
    const bool is_first = prefix_ends == starts;
    const bool extends =
        !is_first && starts == level_starts_ && prefix_ends == level_ends_ && count <= level_count_;
    add_level(next_level_, extends ? count : 0);
    if (!is_first && !extends) {
        add_mixed(bytes, starts, ends, prefix_ends, count);
        level_starts_ = level_ends_ = nullptr;
        return;
    }
    if (is_first) {
        for (size_t i = 0; i < count; ++i) begun_ += next_level_[i] != nullptr;
    }
    level_.swap(next_level_);
    level_count_ = count;
    is_first_level_ = is_first;
    level_starts_ = starts;
    level_ends_ = ends;
}

void TextScorer::finish(int64_t* scores) {
    add_level(level_, 0);
    sums_.finish(scores);
    beginnings_.add(begun_, scores);
    begun_ = 0;
    level_starts_ = level_ends_ = nullptr;
}

RowScorer::RowScorer(const Kernels& kernels, const ClassCounts& counts, const ClassTotals& totals)
    : counts_(counts),
      totals_(totals),
      beginnings_(counts.rule(), totals),
      sums_(kernels, totals.texts.size()) {}

void RowScorer::look_up(std::span<const CountedToken> text) {
    buckets_.resize(text.size());
    for (size_t i = 0; i < text.size(); ++i) buckets_[i] = text[i].bucket;
    blocks_.resize(text.size());
    counts_.locate(buckets_.data(), text.size(), blocks_.data());
}

// Sets extended_, and returns how many tokens have no prefix; is_known(i) tells whether some class
// has token i.
template <class IsKnown>
int64_t RowScorer::count_extensions(std::span<const CountedToken> text, const IsKnown& is_known) {
    extended_.assign(text.size(), 0);
    int64_t beginnings = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        if (!is_known(i)) continue;
        (text[i].prefix == kNoPrefix ? beginnings : extended_[text[i].prefix]) += text[i].count;
    }
    return beginnings;
}

Times RowScorer::times(const CountedToken& token, size_t i) const {
    return {token.count - extended_[i],
            extended_[i] + (token.prefix == kNoPrefix ? token.count : 0)};
}

void RowScorer::score(std::span<const CountedToken> text, int64_t* scores) {
    look_up(text);
    const int64_t beginnings =
        count_extensions(text, [&](size_t i) { return blocks_[i] != nullptr; });
    for (size_t i = 0; i < text.size(); ++i) {
        if (blocks_[i] == nullptr) continue;
        sums_.add(counts_.read(blocks_[i]), times(text[i], i));
    }
    sums_.finish(scores);
    beginnings_.add(beginnings, scores);
}

// How often the text has the bucket of each token, which several may share.
void RowScorer::count_own(std::span<const CountedToken> text) {
    own_.assign(text.size(), 0);
    first_of_.resize(text.size());
    const size_t mask = std::bit_ceil(2 * text.size() + 1) - 1;
    firsts_.assign(mask + 1, 0);
    for (size_t i = 0; i < text.size(); ++i) {
        size_t at = text[i].bucket & mask;
        while (firsts_[at] != 0 && buckets_[firsts_[at] - 1] != text[i].bucket) {
            at = (at + 1) & mask;
        }
        if (firsts_[at] == 0) firsts_[at] = static_cast<uint32_t>(i + 1);
        first_of_[i] = firsts_[at] - 1;
        own_[first_of_[i]] += text[i].count;
    }
    for (size_t i = 0; i < text.size(); ++i) own_[i] = own_[first_of_[i]];
}

// How often all classes have the bucket of each token, and how often the class of the text, both
// without it; false if the class has too few.
bool RowScorer::count_others(std::span<const CountedToken> text, uint32_t label) {
    left_.assign(text.size(), 0);
    left_in_class_.assign(text.size(), 0);
    bool is_possible = true;
    for (size_t i = 0; i < text.size(); ++i) {
        int64_t total = 0, mine = 0;
        if (blocks_[i] != nullptr) {
            const ExactCounts exact = counts_.exact(buckets_[i], blocks_[i]);
            total = exact.total();
            mine = exact.of(label);
        }
        is_possible &= mine >= own_[i];
        left_[i] = std::max<int64_t>(total - own_[i], 0);
        left_in_class_[i] = std::max<int64_t>(mine - own_[i], 0);
    }
    return is_possible;
}

bool RowScorer::score_without(std::span<const CountedToken> text, uint32_t label, int64_t* scores) {
    int64_t length = 0;  // with repetition
    for (const CountedToken& token : text) length += token.count;
    const size_t classes = totals_.texts.size();
    const EvidenceRule& rule = counts_.rule();
    changed_.assign(classes, 0);
    look_up(text);
    for (const uint32_t* block : blocks_) {
        if (block != nullptr) counts_.prefetch_exact(block);
    }
    count_own(text);
    bool is_possible = totals_.texts[label] > 0 && totals_.tokens[label] >= length;
    is_possible &= count_others(text, label);
    const int64_t beginnings = count_extensions(text, [&](size_t i) { return left_[i] > 0; });
    for (size_t i = 0; i < text.size(); ++i) {
        if (left_[i] == 0) continue;
        const Times times = this->times(text[i], i);
        const int32_t shift = rule.shift(left_[i]);
        if (shift == rule.shift(left_[i] + own_[i])) {
            // Only the text's own class has less evidence.
            const BucketList list = counts_.read(blocks_[i]);
            sums_.add(list, times);
            changed_[label] += times(rule.of(left_in_class_[i], shift)) - times(list.of(label));
            continue;
        }
        counts_.exact(buckets_[i], blocks_[i]).for_each([&](uint32_t other, int64_t count) {
            if (other == label) count = left_in_class_[i];
            changed_[other] += times(rule.of(count, shift));
        });
    }
    sums_.finish(scores);
    const int64_t all_tokens = std::max<int64_t>(totals_.all_tokens - length, 1);
    const int64_t own_prior = Beginnings::prior(totals_.texts[label] - 1, totals_.has_priors);
    for (uint32_t c = 0; c < classes; ++c) {
        const int64_t tokens = totals_.tokens[c] - (c == label ? length : 0);
        const int64_t prior = c == label ? own_prior : beginnings_.prior_of(c);
        scores[c] = prior == kNoScore ? kNoScore
                                      : scores[c] + changed_[c] + prior -
                                            beginnings * rule.cost(tokens, all_tokens);
    }
    return is_possible;
}

void RowScorer::explain(std::span<const CountedToken> text, uint32_t label, int64_t* parts) {
    look_up(text);
    for (size_t i = 0; i < text.size(); ++i) {
        parts[i] = 0;
        if (blocks_[i] == nullptr) continue;
        const Evidence own = counts_.read(blocks_[i]).of(label);
        int64_t part = own.alone;
        if (text[i].prefix == kNoPrefix) {
            part += own.extended - beginnings_.cost_of(label);
        } else if (const uint32_t* prefix = blocks_[text[i].prefix]; prefix != nullptr) {
            const Evidence before = counts_.read(prefix).of(label);
            part -= before.alone - before.extended;
        }
        parts[i] = text[i].count * part;
    }
}

}  // namespace addhash

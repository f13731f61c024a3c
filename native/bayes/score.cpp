#include "bayes/score.h"

#include <algorithm>
#include <bit>

namespace addhash {
namespace {

constexpr size_t kAhead = 128;  // tokens whose places are on their way
// How often the share of a class among the texts counts: tokens overlap, so that their
// evidence is weaker than it looks.
constexpr int64_t kPriorWeight = 4;

void locate_all(const ClassCounts& counts, size_t size, const auto& bucket_of, auto& places) {
    for (size_t i = 0; i < std::min(kAhead, size); ++i) counts.prefetch(bucket_of(i));
    for (size_t i = 0; i < size; ++i) {
        if (i + kAhead < size) counts.prefetch(bucket_of(i + kAhead));
        places[i] = counts.locate(bucket_of(i));
    }
}

// add(label, i) for each value of a list.
template <class Add> void for_each_label(const BucketList& list, size_t classes, const Add& add) {
    if (list.labels == nullptr) {
        const size_t size = std::min<size_t>(list.size, classes);
        for (size_t i = 0; i < size; ++i) add(i, i);
    } else if (list.has_wide_labels) {
        const auto* labels = static_cast<const uint32_t*>(list.labels);
        for (size_t i = 0; i < list.size; ++i) add(labels[i], i);
    } else {
        const auto* labels = static_cast<const uint16_t*>(list.labels);
        for (size_t i = 0; i < list.size; ++i) add(labels[i], i);
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
    return has_priors ? kPriorWeight * kStep * steps_of(texts) : 0;
}

void Beginnings::add(int64_t beginnings, int64_t* scores) const {
    for (size_t c = 0; c < priors_.size(); ++c) {
        const bool is_known = priors_[c] != kNoScore;
        scores[c] = is_known ? scores[c] + priors_[c] - beginnings * costs_[c] : kNoScore;
    }
}

EvidenceSums::EvidenceSums(const Kernels& kernels, size_t classes)
    : kernels_(kernels),
      sums_((classes + kEvidenceBlock - 1) / kEvidenceBlock * kEvidenceBlock),
      whole_(classes) {}

void EvidenceSums::carry(size_t additions) {
    for (size_t c = 0; c < whole_.size(); ++c) whole_[c] += sums_[c];
    std::fill(sums_.begin(), sums_.end(), 0);
    additions_ = additions;
}

void EvidenceSums::add(const BucketList& list, const Weight* values) {
    if (list.labels == nullptr) {
        kernels_.add_evidence(values, list.size, sums_.data());
    } else {
        for_each_label(list, 0, [&](size_t label, size_t i) { sums_[label] += values[i]; });
    }
}

void EvidenceSums::add(const BucketList& list, int64_t alone, int64_t extended) {
    const auto magnitude = [](int64_t times) {
        return std::min(static_cast<uint64_t>(times < 0 ? -times : times),
                        uint64_t{kMostAdditions});
    };
    const uint64_t additions = magnitude(alone) + magnitude(extended);
    if (additions >= kMostAdditions) {
        for_each_label(list, whole_.size(), [&](size_t label, size_t i) {
            whole_[label] += alone * list.alone[i] + extended * list.extended[i];
        });
        return;
    }
    make_room(additions);
    const int32_t times[] = {static_cast<int32_t>(alone), static_cast<int32_t>(extended)};
    if (alone == 0 && extended == 1) {
        add(list, list.extended);
    } else if (alone == 1 && extended == 0) {
        add(list, list.alone);
    } else if (list.labels == nullptr) {
        const Weight* values[] = {list.alone, list.extended};
        kernels_.add_evidence_times(values, times, list.size, sums_.data());
    } else {
        for_each_label(list, 0, [&](size_t label, size_t i) {
            sums_[label] += times[0] * list.alone[i] + times[1] * list.extended[i];
        });
    }
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

// Where the lists of the hashed tokens are; returns how many are known.
size_t TextScorer::locate(size_t count, Places& places) {
    if (places.size() < count) places.resize(count);
    locate_all(counts_, count, [&](size_t i) { return hashes_[i]; }, places);
    size_t known = 0;
    for (size_t i = 0; i < count; ++i) known += places[i].is_known();
    return known;
}

// Adds the n-grams of one length, now that it is known which of the next length there are.
void TextScorer::add_level(const Places& next, size_t next_count) {
    for (size_t first = 0; first < level_count_; first += EvidenceSums::kMostAdditions / 4) {
        const size_t end = std::min(level_count_, first + EvidenceSums::kMostAdditions / 4);
        sums_.make_room(2 * (end - first));
        for (size_t i = first; i < end; ++i) {
            if (!level_[i].is_known()) continue;
            const BucketList list = ClassCounts::read(level_[i]);
            sums_.add(list, i < next_count && next[i].is_known() ? list.extended : list.alone);
            if (is_first_level_) sums_.add(list, list.extended);
        }
    }
    level_count_ = 0;
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
            begun_ += next_level_[i].is_known();
            if (i > 0 && prefix_ends[i - 1] != starts[i - 1]) prefix = i;  // a new word
            continue;
        }
        size_t found = prefix;
        const size_t end = std::min(i, prefix + kReach);
        while (found < end && (starts[found] != starts[i] || ends[found] != prefix_ends[i]))
            ++found;
        if (found < end) prefix = found + 1;
        if (!next_level_[i].is_known()) continue;
        if (found < end) {
            is_extended_[found] = 1;
            continue;
        }
        hash(bytes, starts + i, prefix_ends + i, 1);
        const ClassCounts::Place place = counts_.locate(hashes_[0]);
        if (!place.is_known()) continue;
        const BucketList list = ClassCounts::read(place);
        sums_.add(list, -1, 1);  // B is the difference of the two
    }
    for (size_t i = 0; i < count; ++i) {
        if (!next_level_[i].is_known()) continue;
        sums_.make_room(2);
        const BucketList list = ClassCounts::read(next_level_[i]);
        sums_.add(list, is_extended_[i] ? list.extended : list.alone);
        if (prefix_ends[i] == starts[i]) sums_.add(list, list.extended);
    }
}

void TextScorer::consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                         size_t count) {
    consume_ngrams(bytes, starts, ends, starts, count);
}

void TextScorer::consume_ngrams(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                                const uint32_t* prefix_ends, size_t count) {
    hash(bytes, starts, ends, count);
    const size_t known = locate(count, next_level_);
    const bool is_first = prefix_ends == starts;
    const bool extends =
        !is_first && starts == level_starts_ && prefix_ends == level_ends_ && count <= level_count_;
    add_level(next_level_, extends ? count : 0);
    if (!is_first && !extends) {
        add_mixed(bytes, starts, ends, prefix_ends, count);
        level_starts_ = level_ends_ = nullptr;
        return;
    }
    if (is_first) begun_ += static_cast<int64_t>(known);
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
    places_.resize(text.size());
    locate_all(counts_, text.size(), [&](size_t i) { return text[i].bucket; }, places_);
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

RowScorer::Times RowScorer::times(const CountedToken& token, size_t i) const {
    return {token.count - extended_[i],
            extended_[i] + (token.prefix == kNoPrefix ? token.count : 0)};
}

void RowScorer::score(std::span<const CountedToken> text, int64_t* scores) {
    look_up(text);
    const int64_t beginnings =
        count_extensions(text, [&](size_t i) { return places_[i].is_known(); });
    for (size_t i = 0; i < text.size(); ++i) {
        if (!places_[i].is_known()) continue;
        const Times times = this->times(text[i], i);
        sums_.add(ClassCounts::read(places_[i]), times.alone, times.extended);
    }
    sums_.finish(scores);
    beginnings_.add(beginnings, scores);
}

// How often the text has the bucket of each token, which several may share, and all others have.
void RowScorer::count_own(std::span<const CountedToken> text) {
    own_.assign(text.size(), 0);
    left_.resize(text.size());
    const size_t mask = std::bit_ceil(2 * text.size() + 1) - 1;
    firsts_.assign(mask + 1, 0);
    const auto first_of = [&](size_t i) -> uint32_t& {
        size_t at = text[i].bucket & mask;
        while (firsts_[at] != 0 && text[firsts_[at] - 1].bucket != text[i].bucket) {
            at = (at + 1) & mask;
        }
        return firsts_[at];
    };
    for (size_t i = 0; i < text.size(); ++i) {
        uint32_t& first = first_of(i);
        if (first == 0) first = static_cast<uint32_t>(i + 1);
        own_[first - 1] += text[i].count;
    }
    for (size_t i = 0; i < text.size(); ++i) {
        own_[i] = own_[first_of(i) - 1];
        int64_t total = 0;
        if (places_[i].is_known()) {
            total = counts_.total(places_[i]);
            counts_.lists(places_[i]).prefetch_exact(places_[i].block);
        }
        left_[i] = std::max<int64_t>(total - own_[i], 0);
    }
}

Evidence RowScorer::evidence_of(ClassCounts::Place place, uint32_t label) const {
    const BucketList list = ClassCounts::read(place);
    size_t at = label;
    if (list.labels != nullptr) {
        size_t end = list.size;
        for (at = 0; at < end;) {
            const size_t middle = (at + end) / 2;
            (list.label(middle) < label ? at : end) =
                list.label(middle) < label ? middle + 1 : middle;
        }
        if (at < list.size && list.label(at) != label) at = list.size;
    }
    return at < list.size ? Evidence{list.alone[at], list.extended[at]} : Evidence{0, 0};
}

bool RowScorer::score_without(std::span<const CountedToken> text, int64_t length, uint32_t label,
                              int64_t* scores) {
    const size_t classes = totals_.texts.size();
    const EvidenceRule& rule = counts_.rule();
    changed_.assign(classes, 0);
    look_up(text);
    count_own(text);
    const int64_t beginnings = count_extensions(text, [&](size_t i) { return left_[i] > 0; });
    bool is_possible = totals_.texts[label] > 0 && totals_.tokens[label] >= length;
    for (size_t i = 0; i < text.size(); ++i) {
        const ClassCounts::Place place = places_[i];
        const CountLists& exact = counts_.lists(place);
        const int64_t own = place.is_known() ? exact.count_of(place.block, label) : 0;
        is_possible &= own >= own_[i];
        if (left_[i] == 0) continue;
        const Times times = this->times(text[i], i);
        const int32_t shift = rule.shift(left_[i]);
        if (shift == rule.shift(left_[i] + own_[i])) {
            // Only the text's own class has less evidence.
            sums_.add(ClassCounts::read(place), times.alone, times.extended);
            changed_[label] += times(rule.of(std::max<int64_t>(own - own_[i], 0), shift)) -
                               times(evidence_of(place, label));
            continue;
        }
        exact.for_each(place.block, [&](uint32_t other, int64_t count) {
            if (other == label) count = std::max<int64_t>(count - own_[i], 0);
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
        if (!places_[i].is_known()) continue;
        const Evidence own = evidence_of(places_[i], label);
        int64_t part = own.alone;
        if (text[i].prefix == kNoPrefix) {
            part += own.extended - beginnings_.cost_of(label);
        } else if (const ClassCounts::Place prefix = places_[text[i].prefix]; prefix.is_known()) {
            const Evidence before = evidence_of(prefix, label);
            part -= before.alone - before.extended;
        }
        parts[i] = text[i].count * part;
    }
}

}  // namespace addhash

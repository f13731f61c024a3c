#include "bayes/score.h"

#include <algorithm>
#include <bit>

namespace addhash {
namespace {

constexpr size_t kAhead = 24;  // tokens whose lists are on their way

}  // namespace

Scorer::Scorer(const TokenCounts& counts, const ClassTotals& totals)
    : counts_(counts), totals_(totals), smoothing_(steps_of(totals.smoothing)) {
    const size_t classes = totals.texts.size();
    class_costs_.resize(classes);
    costs_.resize(classes);
    reduced_.resize(classes);
    for (const int64_t texts : totals.texts) priors_.push_back(prior(texts));
    weigh_classes(steps_of(totals.all_tokens), class_costs_.data());
}

// Of a class with so many texts: the logarithm of their number.
int64_t Scorer::prior(int64_t texts) const {
    constexpr int64_t kStep = (int64_t{1} << kWeightBits) / kSteps;
    return texts > 0 ? kPriorWeight * kStep * steps_of(texts) : kNoScore;
}

// What a token without a prefix costs, where all classes have so many.
void Scorer::weigh_classes(int32_t all_tokens, int32_t* costs) const {
    for (size_t c = 0; c < totals_.tokens.size(); ++c) {
        costs[c] = weights_(steps_of(totals_.tokens[c]) - all_tokens / 2 - smoothing_);
    }
}

// Finds the lists of all tokens; most of the time goes into waiting for the memory.
void Scorer::look_up(std::span<const CountedToken> text) {
    places_.resize(text.size());
    lists_.resize(text.size());
    extended_.assign(text.size(), 0);
    for (size_t i = 0; i < std::min(kAhead, text.size()); ++i) counts_.prefetch(text[i].bucket);
    for (size_t i = 0; i < text.size(); ++i) {
        if (i + kAhead < text.size()) counts_.prefetch(text[i + kAhead].bucket);
        places_[i] = counts_.locate(text[i].bucket);
    }
    for (size_t i = 0; i < text.size(); ++i) lists_[i] = TokenCounts::read(places_[i]);
}

void Scorer::add(const BucketList& list, const Steps* counts, int32_t shift, int64_t times,
                 int32_t cost_shift, int64_t cost_times, int64_t* scores) const {
    const auto add_up = [&](const auto& evidence) {
        if (list.labels == nullptr) {
            for (size_t i = 0; i < list.size; ++i) scores[i] += evidence(counts[i]);
        } else {
            for (size_t i = 0; i < list.size; ++i) scores[list.labels[i]] += evidence(counts[i]);
        }
    };
    if (cost_times == 0) {
        add_up([&](Steps count) { return times * weights_(count + shift); });
    } else {
        add_up([&](Steps count) {
            return times * weights_(count + shift) - cost_times * weights_(count + cost_shift);
        });
    }
}

// Adds what does not depend on the tokens themselves.
void Scorer::finish(int64_t beginnings, const int32_t* costs, int64_t* scores) const {
    for (size_t c = 0; c < totals_.texts.size(); ++c) {
        const bool is_known = priors_[c] != kNoScore;
        scores[c] = is_known ? scores[c] + priors_[c] - beginnings * costs[c] : kNoScore;
    }
}

void Scorer::score(std::span<const CountedToken> text, int64_t* scores) {
    std::fill_n(scores, totals_.texts.size(), 0);
    look_up(text);
    int64_t beginnings = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        if (lists_[i].size == 0) continue;
        (text[i].prefix == kNoPrefix ? beginnings : extended_[text[i].prefix]) += text[i].count;
    }
    const int32_t all_tokens = steps_of(totals_.all_tokens);
    for (size_t i = 0; i < text.size(); ++i) {
        const BucketList& list = lists_[i];
        if (list.size == 0) continue;
        const int32_t before =
            text[i].prefix == kNoPrefix ? all_tokens : lists_[text[i].prefix].total;
        add(list, list.counts, before / 2 - list.total - smoothing_, text[i].count,
            -list.total / 2 - smoothing_, extended_[i], scores);
    }
    finish(beginnings, class_costs_.data(), scores);
}

// How often the text has the bucket of each token, which several may share, and all others have.
void Scorer::count_own(std::span<const CountedToken> text) {
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
        left_[i] = std::max<int64_t>(counts_.exact(lists_[i]).total - own_[i], 0);
    }
}

void Scorer::score_without(std::span<const CountedToken> text, int64_t length, uint32_t label,
                           int64_t* scores) {
    const size_t classes = totals_.texts.size();
    std::fill_n(scores, classes, 0);
    look_up(text);
    count_own(text);
    int64_t beginnings = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        if (left_[i] == 0) continue;
        (text[i].prefix == kNoPrefix ? beginnings : extended_[text[i].prefix]) += text[i].count;
    }
    const int64_t all_tokens = totals_.all_tokens - length;
    const int32_t all_steps = steps_of(all_tokens);
    for (size_t i = 0; i < text.size(); ++i) {
        if (left_[i] == 0) continue;
        const BucketList& list = lists_[i];
        std::copy_n(list.counts, list.size, reduced_.data());
        size_t at = label;
        if (list.labels != nullptr) {
            const auto* end = list.labels + list.size;
            const auto* found = std::lower_bound(list.labels, end, label);
            at = found != end && *found == label ? static_cast<size_t>(found - list.labels)
                                                 : list.size;
        }
        if (at < list.size) {
            reduced_[at] = steps_of(counts_.exact(list).count_of(label) - own_[i]);
        }
        const int32_t before =
            text[i].prefix == kNoPrefix ? all_steps : steps_of(left_[text[i].prefix]);
        const int32_t total = steps_of(left_[i]);
        add(list, reduced_.data(), before / 2 - total - smoothing_, text[i].count,
            -total / 2 - smoothing_, extended_[i], scores);
    }
    weigh_classes(all_steps, costs_.data());
    const int64_t own_tokens = totals_.tokens[label] - length;
    costs_[label] = weights_(steps_of(own_tokens) - all_steps / 2 - smoothing_);
    const int64_t evidence = scores[label];
    finish(beginnings, costs_.data(), scores);
    const int64_t own_prior = prior(totals_.texts[label] - 1);
    scores[label] =
        own_prior == kNoScore ? kNoScore : evidence + own_prior - beginnings * costs_[label];
}

int64_t Scorer::start(uint32_t label) const { return priors_[label]; }

void Scorer::explain(std::span<const CountedToken> text, uint32_t label, int64_t* parts) {
    look_up(text);
    for (size_t i = 0; i < text.size(); ++i) {
        const BucketList& list = lists_[i];
        parts[i] = 0;
        if (list.size == 0) continue;
        int32_t before = steps_of(totals_.all_tokens);
        int64_t cost = class_costs_[label];
        if (text[i].prefix != kNoPrefix) {
            const BucketList& prefix = lists_[text[i].prefix];
            before = prefix.total;
            const Steps count = steps_of(counts_.exact(prefix).count_of(label));
            cost = weights_(count - prefix.total / 2 - smoothing_);
        }
        const Steps count = steps_of(counts_.exact(list).count_of(label));
        parts[i] = text[i].count * (weights_(count + before / 2 - list.total - smoothing_) - cost);
    }
}

}  // namespace addhash

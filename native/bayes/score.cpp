#include "bayes/score.h"

#include <algorithm>

namespace addhash {
namespace {

constexpr size_t kAhead = 24;  // tokens whose lists are on their way

}  // namespace

Scorer::Scorer(const Kernels& kernels, const TokenCounts& counts, const ClassTotals& totals)
    : kernels_(kernels), counts_(counts), totals_(totals) {
    const size_t classes = totals.texts.size();
    class_tokens_.resize(classes + kWeightSlack);
    class_costs_.resize(classes + kWeightSlack);
    evidence_.resize(classes + kWeightSlack);
    costs_.resize(classes + kWeightSlack);
    reduced_.resize(classes + kWeightSlack);
    for (size_t c = 0; c < classes; ++c) {
        class_tokens_[c] = rounded(totals.tokens[c]);
        priors_.push_back(prior(totals.texts[c]));
    }
    kernels.weigh_counts(class_tokens_.data(), classes, cost_scale(totals.all_tokens),
                         class_costs_.data());
}

// 1 / (s sqrt(N))
float Scorer::cost_scale(int64_t total) const {
    return total > 0 ? root_of(total) * inverse_of(total, counts_.smoothing()) : 0;
}

int32_t Scorer::weigh(int64_t count, float scale) const {
    const RoundedCount counts[1 + kWeightSlack] = {rounded(count)};
    int32_t weights[1 + kWeightSlack];
    kernels_.weigh_counts(counts, 1, scale, weights);
    return weights[0];
}

// Of a class with so many texts: the logarithm of their number.
int64_t Scorer::prior(int64_t texts) const {
    return texts > 0 ? kPriorWeight * weigh(texts - 1, 1.0f) : kNoScore;
}

// Finds the lists of all tokens, while those further on are fetched.
void Scorer::look_up(std::span<const CountedToken> text) {
    lists_.resize(text.size());
    extended_.assign(text.size(), 0);
    for (size_t i = 0; i < std::min(kAhead, text.size()); ++i) counts_.prefetch(text[i].bucket);
    for (size_t i = 0; i < text.size(); ++i) {
        if (i + kAhead < text.size()) counts_.prefetch(text[i + kAhead].bucket);
        lists_[i] = counts_.find(text[i].bucket);
    }
}

void Scorer::add(const BucketList& list, const RoundedCount* counts, float scale, int64_t times,
                 float cost_scale, int64_t cost_times, int64_t* scores) {
    kernels_.weigh_evidence(counts, list.size, scale, times, cost_scale, cost_times,
                            evidence_.data());
    if (list.labels == nullptr) {
        for (size_t i = 0; i < list.size; ++i) scores[i] += evidence_[i];
    } else {
        for (size_t i = 0; i < list.size; ++i) scores[list.labels[i]] += evidence_[i];
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
    const float root = root_of(totals_.all_tokens);
    for (size_t i = 0; i < text.size(); ++i) {
        const BucketList& list = lists_[i];
        if (list.size == 0) continue;
        const float before = text[i].prefix == kNoPrefix ? root : lists_[text[i].prefix].root;
        add(list, list.counts, before * list.inverse, text[i].count, list.root * list.inverse,
            extended_[i], scores);
    }
    finish(beginnings, class_costs_.data(), scores);
}

// How often the text has the bucket of each token, which several may share, and all others have.
void Scorer::count_own(std::span<const CountedToken> text) {
    order_.resize(text.size());
    for (size_t i = 0; i < text.size(); ++i) order_[i] = static_cast<uint32_t>(i);
    std::sort(order_.begin(), order_.end(),
              [&](uint32_t a, uint32_t b) { return text[a].bucket < text[b].bucket; });
    own_.resize(text.size());
    left_.resize(text.size());
    for (size_t i = 0; i < order_.size();) {
        const uint32_t bucket = text[order_[i]].bucket;
        size_t end = i;
        int64_t own = 0;
        for (; end < order_.size() && text[order_[end]].bucket == bucket; ++end) {
            own += text[order_[end]].count;
        }
        const int64_t left = std::max<int64_t>(counts_.exact(lists_[order_[i]]).total - own, 0);
        for (; i < end; ++i) {
            own_[order_[i]] = own;
            left_[order_[i]] = left;
        }
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
    const float root = root_of(all_tokens);
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
            reduced_[at] = rounded(std::max<int64_t>(
                counts_.exact(list).count_of(label) - own_[i], 0));
        }
        const float before =
            text[i].prefix == kNoPrefix ? root : root_of(left_[text[i].prefix]);
        add(list, reduced_.data(), before * inverse_of(left_[i], counts_.smoothing()),
            text[i].count, cost_scale(left_[i]), extended_[i], scores);
    }
    std::copy_n(class_tokens_.data(), classes, reduced_.data());
    reduced_[label] = rounded(std::max<int64_t>(totals_.tokens[label] - length, 0));
    kernels_.weigh_counts(reduced_.data(), classes, cost_scale(all_tokens), costs_.data());
    const int64_t evidence = scores[label];
    finish(beginnings, costs_.data(), scores);
    const int64_t own_prior = prior(totals_.texts[label] - 1);
    scores[label] = own_prior == kNoScore
                        ? kNoScore
                        : evidence + own_prior - beginnings * costs_[label];
}

int64_t Scorer::start(uint32_t label) const { return priors_[label]; }

void Scorer::explain(std::span<const CountedToken> text, uint32_t label, int64_t* parts) {
    look_up(text);
    for (size_t i = 0; i < text.size(); ++i) {
        const BucketList& list = lists_[i];
        parts[i] = 0;
        if (list.size == 0) continue;
        float before = root_of(totals_.all_tokens);
        int64_t cost = class_costs_[label];
        if (text[i].prefix != kNoPrefix) {
            const BucketList& prefix = lists_[text[i].prefix];
            before = prefix.root;
            cost = weigh(counts_.exact(prefix).count_of(label), prefix.root * prefix.inverse);
        }
        const int64_t count = counts_.exact(list).count_of(label);
        parts[i] = text[i].count * (weigh(count, before * list.inverse) - cost);
    }
}

}  // namespace addhash

#include "bayes/score.h"

#include <algorithm>
#include <cmath>

namespace addhash {
namespace {

constexpr size_t kAhead = 16;  // tokens whose lists are on their way

// Tokens of the same bucket from `first` on.
size_t end_of_bucket(std::span<const CountedToken> text, size_t first) {
    size_t end = first + 1;
    while (end < text.size() && text[end].bucket == text[first].bucket) ++end;
    return end;
}

}  // namespace

Scorer::Scorer(const Kernels& kernels, const TokenCounts& counts, const ClassTotals& totals)
    : kernels_(kernels), counts_(counts), totals_(totals) {
    const size_t classes = totals.texts.size();
    class_tokens_.resize(classes);
    class_costs_.resize(classes);
    weights_.resize(classes);
    costs_.resize(classes);
    reduced_.resize(classes);
    priors_.resize(classes);
    for (size_t c = 0; c < classes; ++c) {
        class_tokens_[c] = static_cast<float>(totals.tokens[c]);
        const int64_t texts = totals.texts[c];
        // log2 of the number of texts itself: 1 + (texts - 1) * 1.
        const auto others = static_cast<float>(texts - 1);
        int32_t prior = 0;
        if (texts > 0) kernels.weigh_counts(&others, 1, 1.0f, &prior);
        priors_[c] = texts > 0 ? kPriorWeight * prior : kNoScore;
    }
    kernels.weigh_counts(class_tokens_.data(), classes, prefix_scale(totals.all_tokens),
                         class_costs_.data());
}

// sqrt(N(h)) / (s N(g))
float Scorer::scale(int64_t total, int64_t prefix_total) const {
    return static_cast<float>(std::sqrt(static_cast<double>(prefix_total)) /
                              (counts_.smoothing() * static_cast<double>(total)));
}

// 1 / (s sqrt(N(h)))
float Scorer::prefix_scale(int64_t total) const {
    if (total <= 0) return 0;
    return static_cast<float>(1 / (counts_.smoothing() * std::sqrt(static_cast<double>(total))));
}

void Scorer::add(const BucketList& list, const int32_t* weights, int64_t times,
                 int64_t* scores) const {
    if (list.size == totals_.texts.size()) {
        for (size_t i = 0; i < list.size; ++i) scores[i] += times * weights[i];
        return;
    }
    for (size_t i = 0; i < list.size; ++i) scores[list.labels[i]] += times * weights[i];
}

// Sorts prefixes_, each once.
void Scorer::collect_prefixes() {
    std::sort(prefixes_.begin(), prefixes_.end(),
              [](const Prefix& a, const Prefix& b) { return a.bucket < b.bucket; });
    size_t kept = 0;
    for (const Prefix& next : prefixes_) {
        if (kept > 0 && prefixes_[kept - 1].bucket == next.bucket) {
            prefixes_[kept - 1].count += next.count;
        } else {
            prefixes_[kept++] = next;
        }
    }
    prefixes_.resize(kept);
}

void Scorer::score(std::span<const CountedToken> text, int64_t* scores) {
    const size_t classes = totals_.texts.size();
    std::fill_n(scores, classes, 0);
    prefixes_.clear();
    int64_t beginnings = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        if (i + kAhead < text.size()) counts_.prefetch(text[i + kAhead].bucket);
        const CountedToken& token = text[i];
        const BucketList list = counts_.find(token.bucket);
        if (list.total == 0) continue;  // nobody knows it: it says nothing
        int64_t prefix_total = totals_.all_tokens;
        if (token.prefix == kNoPrefix) {
            beginnings += token.count;
        } else {
            prefix_total = counts_.find(token.prefix).total;
            prefixes_.push_back({token.prefix, token.count});
        }
        kernels_.weigh_counts(list.rounded, list.size, scale(list.total, prefix_total),
                              weights_.data());
        add(list, weights_.data(), token.count, scores);
    }
    collect_prefixes();
    for (const Prefix& prefix : prefixes_) {
        const BucketList list = counts_.find(prefix.bucket);
        add(list, list.weights, -prefix.count, scores);
    }
    for (size_t c = 0; c < classes; ++c) {
        scores[c] = priors_[c] == kNoScore ? kNoScore
                                           : scores[c] + priors_[c] - beginnings * class_costs_[c];
    }
}

void Scorer::score_without(std::span<const CountedToken> text, int64_t length, uint32_t label,
                           int64_t* scores) {
    const size_t classes = totals_.texts.size();
    std::fill_n(scores, classes, 0);
    own_buckets_.clear();
    own_.clear();
    for (size_t i = 0; i < text.size();) {
        const size_t end = end_of_bucket(text, i);
        own_buckets_.push_back(text[i].bucket);
        own_.push_back(0);
        for (; i < end; ++i) own_.back() += text[i].count;
    }
    const auto own_of = [&](uint32_t bucket) -> int64_t {
        const auto found = std::lower_bound(own_buckets_.begin(), own_buckets_.end(), bucket);
        if (found == own_buckets_.end() || *found != bucket) return 0;
        return own_[static_cast<size_t>(found - own_buckets_.begin())];
    };
    // The list's counts without the text's own, as floats.
    const auto reduce = [&](const BucketList& list, int64_t own) {
        std::copy_n(list.rounded, list.size, reduced_.data());
        const auto* found = std::lower_bound(list.labels, list.labels + list.size, label);
        if (found == list.labels + list.size || *found != label) return;
        const auto at = static_cast<size_t>(found - list.labels);
        reduced_[at] = static_cast<float>(list.counts[at] - own);
    };
    prefixes_.clear();
    int64_t beginnings = 0;
    const int64_t all_tokens = totals_.all_tokens - length;
    for (size_t i = 0, distinct = 0; i < text.size(); ++distinct) {
        const size_t end = end_of_bucket(text, i);
        if (i + kAhead < text.size()) counts_.prefetch(text[i + kAhead].bucket);
        const BucketList list = counts_.find(text[i].bucket);
        const int64_t total = list.total - own_[distinct];
        if (total <= 0) {
            i = end;
            continue;
        }
        reduce(list, own_[distinct]);
        for (; i < end; ++i) {
            const CountedToken& token = text[i];
            int64_t prefix_total = all_tokens;
            if (token.prefix == kNoPrefix) {
                beginnings += token.count;
            } else {
                prefix_total = counts_.find(token.prefix).total - own_of(token.prefix);
                prefixes_.push_back({token.prefix, token.count});
            }
            kernels_.weigh_counts(reduced_.data(), list.size,
                                  scale(total, std::max<int64_t>(prefix_total, 0)),
                                  weights_.data());
            add(list, weights_.data(), token.count, scores);
        }
    }
    collect_prefixes();
    for (const Prefix& prefix : prefixes_) {
        const BucketList list = counts_.find(prefix.bucket);
        const int64_t own = own_of(prefix.bucket);
        reduce(list, own);
        kernels_.weigh_counts(reduced_.data(), list.size, prefix_scale(list.total - own),
                              weights_.data());
        add(list, weights_.data(), -prefix.count, scores);
    }
    std::copy_n(class_tokens_.data(), classes, reduced_.data());
    reduced_[label] = static_cast<float>(totals_.tokens[label] - length);
    kernels_.weigh_counts(reduced_.data(), classes, prefix_scale(all_tokens), costs_.data());
    const int64_t texts = totals_.texts[label];
    const auto others = static_cast<float>(texts - 2);
    int32_t own_prior = 0;
    if (texts > 1) kernels_.weigh_counts(&others, 1, 1.0f, &own_prior);
    for (size_t c = 0; c < classes; ++c) {
        int64_t prior = priors_[c];
        if (c == label) prior = texts > 1 ? kPriorWeight * own_prior : kNoScore;
        scores[c] = prior == kNoScore ? kNoScore : scores[c] + prior - beginnings * costs_[c];
    }
}

int64_t Scorer::start(uint32_t label) const { return priors_[label]; }

void Scorer::explain(std::span<const CountedToken> text, uint32_t label, int64_t* parts) {
    const auto place = [&](const BucketList& list) {
        const auto* found = std::lower_bound(list.labels, list.labels + list.size, label);
        const bool is_there = found != list.labels + list.size && *found == label;
        return is_there ? static_cast<size_t>(found - list.labels) : list.size;
    };
    for (size_t i = 0; i < text.size(); ++i) {
        const CountedToken& token = text[i];
        parts[i] = 0;
        const BucketList list = counts_.find(token.bucket);
        if (list.total == 0) continue;
        int64_t prefix_total = totals_.all_tokens;
        int64_t cost = class_costs_[label];
        if (token.prefix != kNoPrefix) {
            const BucketList prefix = counts_.find(token.prefix);
            prefix_total = prefix.total;
            const size_t at = place(prefix);
            cost = at < prefix.size ? prefix.weights[at] : 0;
        }
        int32_t weight = 0;
        const size_t at = place(list);
        if (at < list.size) {
            kernels_.weigh_counts(list.rounded + at, 1, scale(list.total, prefix_total), &weight);
        }
        parts[i] = token.count * (weight - cost);
    }
}

}  // namespace addhash

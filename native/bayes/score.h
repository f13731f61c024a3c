// How well each class explains a text. README.md says why it is done so.
//
// A token g of a text extends its prefix h, the token without its last word or character. With N
// the counts of all classes together, N_c those of class c, and s the smoothing, it adds
//
//     log2(1 + N_c(g) sqrt(N(h)) / (s N(g))) - log2(1 + N_c(h) / (s sqrt(N(h))))
//
// to the score of c. A token without a prefix has all tokens for N(h); one that no class has adds
// nothing.
#pragma once

#include <span>
#include <vector>

#include "bayes/token_counts.h"

namespace addhash {

// What is known of all classes together. Class i has `tokens[i]` tokens in `texts[i]` texts.
struct ClassTotals {
    std::span<const int64_t> tokens;
    std::span<const int64_t> texts;
    int64_t all_tokens;
    double smoothing;  // above 0
};

// A class without texts; lower than any score.
constexpr int64_t kNoScore = INT64_MIN;
// How often the share of a class among the texts counts: tokens overlap, so that their
// evidence is weaker than it looks.
constexpr int64_t kPriorWeight = 4;

class Scorer {
public:
    Scorer(const TokenCounts& counts, const ClassTotals& totals);

    // scores[c] in units of 2^-kWeightBits bits, for each class.
    void score(std::span<const CountedToken> text, int64_t* scores);
    // The same as if the text, which has been learnt as an example of `label`, had never been.
    // `length` is the number of its tokens.
    void score_without(std::span<const CountedToken> text, int64_t length, uint32_t label,
                       int64_t* scores);
    // parts[i] is what token i adds to the score of a class; with start(label) they sum up to it.
    void explain(std::span<const CountedToken> text, uint32_t label, int64_t* parts);
    int64_t start(uint32_t label) const;

private:
    void look_up(std::span<const CountedToken> text);
    void count_own(std::span<const CountedToken> text);
    int64_t prior(int64_t texts) const;
    void weigh_classes(int32_t all_tokens, int32_t* costs) const;
    void add(const BucketList& list, const Steps* counts, int32_t shift, int64_t times,
             int32_t cost_shift, int64_t cost_times, int64_t* scores) const;
    void finish(int64_t beginnings, const int32_t* costs, int64_t* scores) const;

    const Weights& weights_ = Weights::shared();
    const TokenCounts& counts_;
    ClassTotals totals_;
    int32_t smoothing_;                 // in steps, like all that follows but counts
    std::vector<int64_t> priors_;       // kNoScore where a class has no texts
    std::vector<int32_t> class_costs_;  // of a token without a prefix
    // Of the text, an element for each of its tokens.
    std::vector<TokenCounts::Place> places_;
    std::vector<BucketList> lists_;
    std::vector<int64_t> extended_;  // how often it is a prefix of a token that some class has
    std::vector<int64_t> own_;       // how often the text has its bucket
    std::vector<int64_t> left_;      // how often all have its bucket without the text
    std::vector<uint32_t> firsts_;   // by bucket: positions of tokens, plus 1
    // An element for each class.
    std::vector<int32_t> costs_;
    std::vector<Steps> reduced_;
};

}  // namespace addhash

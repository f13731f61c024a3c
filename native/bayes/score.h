// How well each class explains a text.
//
// A token g that extends the token h (n-grams: h lacks the last word or character) speaks for
// class c by how much likelier it makes g after h than all classes together do:
//
//     log2(1 + N_c(g) r(h) / N(g)) - log2(1 + N_c(h) / (s r'(h)))
//
// README.md has the derivation.
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
};

// A class without texts; lower than any score.
constexpr int64_t kNoScore = INT64_MIN;
// How often the share of a class among the texts counts: tokens overlap, so that their
// evidence is weaker than it looks.
constexpr int64_t kPriorWeight = 4;

class Scorer {
public:
    Scorer(const Kernels& kernels, const TokenCounts& counts, const ClassTotals& totals);

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
    struct Prefix {
        uint32_t bucket;
        int64_t count;
    };

    float scale(int64_t total, int64_t prefix_total) const;
    float prefix_scale(int64_t total) const;
    void begin(int64_t all_tokens, int64_t* scores);
    void collect_prefixes();
    void add(const BucketList& list, const int32_t* weights, int64_t times, int64_t* scores) const;

    const Kernels& kernels_;
    const TokenCounts& counts_;
    ClassTotals totals_;
    std::vector<float> class_tokens_;   // rounded
    std::vector<int64_t> priors_;       // kNoScore where a class has no texts
    std::vector<int32_t> class_costs_;  // of a token that extends none
    std::vector<int32_t> weights_, costs_;
    std::vector<float> reduced_;
    std::vector<int64_t> own_;  // of each distinct bucket of the text
    std::vector<uint32_t> own_buckets_;
    std::vector<Prefix> prefixes_;
};

}  // namespace addhash

// How well each class explains a text. README.md says why it is done so.
//
// With N the counts of all classes together, N_c those of class c, s the smoothing and
// x = N_c(g) / (s sqrt(N(g))), a token g of a text adds to the score of c
//
//     A(g) = log2(1 + 2^1.5 x)
//
// and takes from it B(h) = log2(1 + x) of its prefix h, the token without its last word or
// character. One without a prefix adds 2 A(g) - B(g) and takes B of all tokens; one that no class
// has adds and takes nothing.
#pragma once

#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "bayes/class_counts.h"
#include "dispatch/kernels.h"

namespace addhash {

// What is known about all classes together. Class i has `tokens[i]` tokens in `texts[i]` texts.
struct ClassTotals {
    std::span<const int64_t> tokens;
    std::span<const int64_t> texts;
    int64_t all_tokens;
    bool has_priors;  // whether the number of its texts is evidence for a class
};

// A class without texts; lower than any score.
constexpr int64_t kNoScore = INT64_MIN;

// What the classes have before any token.
class Beginnings {
public:
    Beginnings(const EvidenceRule& rule, const ClassTotals& totals);

    // Of a class with so many texts.
    static int64_t prior(int64_t texts, bool has_priors);
    int64_t prior_of(uint32_t label) const { return priors_[label]; }
    // What a token without a prefix costs.
    Weight cost_of(uint32_t label) const { return costs_[label]; }
    // Adds what does not depend on the tokens themselves, of which so many have no prefix.
    void add(int64_t beginnings, int64_t* scores) const;

private:
    std::vector<int64_t> priors_;  // kNoScore where a class has no texts
    std::vector<Weight> costs_;
};

// How often a token counts alone, and how often as extended.
struct Times {
    int64_t alone, extended;

    int64_t operator()(Evidence evidence) const {
        return alone * evidence.alone + extended * evidence.extended;
    }
};

// The evidence for each class, as it is added up.
class EvidenceSums {
public:
    EvidenceSums(const Kernels& kernels, size_t classes);

    // Before additions of one value each.
    void make_room(size_t additions) {
        additions_ += additions;
        if (additions_ > kMostAdditions) carry(additions);
    }
    void add(const BucketList& list, bool is_alone);
    // Both values, each so many times. Makes its own room.
    void add(const BucketList& list, Times times);
    // Of blocks that are all masks and evidence.
    void add_masked(const uint32_t* const* blocks, size_t count, bool is_alone);
    // Writes the sums, and begins again with 0.
    void finish(int64_t* scores);

    // So many values fit into 32 bits.
    static constexpr size_t kMostAdditions = size_t{1} << 16;

private:
    void carry(size_t additions);

    const Kernels& kernels_;
    std::vector<int32_t> sums_;   // of the last additions
    std::vector<int64_t> whole_;  // of those before
    size_t additions_ = 0;
};

// Texts while they are tokenized: the fast path. A text's tokens go in, and its scores come out.
class TextScorer final : public TokenSink {
public:
    TextScorer(const Kernels& kernels, const BucketRule& buckets, const ClassCounts& counts,
               const ClassTotals& totals);

    void consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                 size_t count) override;
    void consume_ngrams(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                        const uint32_t* prefix_ends, size_t count) override;
    // scores[c] in units of 2^-kWeightBits bits, for each class. Ready for the next text then.
    void finish(int64_t* scores);

private:
    using Blocks = std::vector<const uint32_t*>;
    static constexpr size_t kMostTogether = 1024;

    void hash(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends, size_t count);
    void locate(size_t count, Blocks& blocks);
    void add_level(const Blocks& next, size_t next_count);
    void add(const uint32_t* const* blocks, size_t count, bool is_alone);
    void add_mixed(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                   const uint32_t* prefix_ends, size_t count);

    const Kernels& kernels_;
    BucketRule buckets_;
    const ClassCounts& counts_;
    Beginnings beginnings_;
    EvidenceSums sums_;
    int64_t begun_ = 0;  // tokens without a prefix
    std::vector<uint32_t> hashes_;
    std::vector<uint8_t> is_extended_;
    const uint32_t* together_[2][kMostTogether];  // blocks that are added together
    // The n-grams of one length, which those of the next may extend.
    Blocks level_, next_level_;
    size_t level_count_ = 0;
    bool is_first_level_ = false;
    const uint32_t* level_starts_ = nullptr;
    const uint32_t* level_ends_ = nullptr;
};

// Texts as rows of counted tokens: for anything that needs more than the scores.
class RowScorer {
public:
    RowScorer(const Kernels& kernels, const ClassCounts& counts, const ClassTotals& totals);

    void score(std::span<const CountedToken> text, int64_t* scores);
    // The same as if the text, which was learnt as an example of `label`, never had been; false if
    // the counts of the label cannot contain it.
    bool score_without(std::span<const CountedToken> text, uint32_t label, int64_t* scores);
    // parts[i] is what token i adds to the score of a class; with start(label) they sum up to it.
    void explain(std::span<const CountedToken> text, uint32_t label, int64_t* parts);
    int64_t start(uint32_t label) const { return beginnings_.prior_of(label); }

private:
    void look_up(std::span<const CountedToken> text);
    void count_own(std::span<const CountedToken> text);
    bool count_others(std::span<const CountedToken> text, uint32_t label);
    template <class IsKnown>
    int64_t count_extensions(std::span<const CountedToken> text, const IsKnown& is_known);
    Times times(const CountedToken& token, size_t i) const;

    const ClassCounts& counts_;
    ClassTotals totals_;
    Beginnings beginnings_;
    EvidenceSums sums_;
    // Of the text, an element for each of its tokens.
    std::vector<uint32_t> buckets_;
    std::vector<const uint32_t*> blocks_;
    std::vector<int64_t> extended_;       // how often it is a prefix of a token that some class has
    std::vector<int64_t> own_;            // how often the text has its bucket
    std::vector<int64_t> left_;           // how often all have its bucket without the text
    std::vector<int64_t> left_in_class_;  // and how often its class
    std::vector<uint32_t> first_of_;      // the first token of its bucket
    std::vector<uint32_t> firsts_;        // by bucket: positions of tokens, plus 1
    std::vector<int64_t> changed_;        // by class: what leaving out the text changes
};

}  // namespace addhash

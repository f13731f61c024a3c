// How well each class explains a text. README.md says why it is done so.
//
// For a token g of order k that some class has, with N_c(g) the counts of class c, T_ck those of
// all its tokens of that order, N and T_k the same of all classes together, and s the smoothing,
// the evidence for c is
//
//     log2((N_c(g) + s) / (E + s)) - 2 log2((N(g) - N_c(g) + s) / (N(g) - E + s))
//
// with E = N(g) T_ck / T_k: what was counted against what was to be expected, of the class and of
// all others. Of tokens of many classes, the first part is all. A view is the sum of this over the
// tokens of one order that are rare, or common, divided by the square root of the number of all
// tokens of the order. A score is a sum of views, with weights of the class, plus a number of the
// class; views of other classes can be part of it too.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "bayes/class_counts.h"
#include "dispatch/kernels.h"

namespace addhash {

constexpr double kNoScore = -std::numeric_limits<double>::infinity();  // of a class without texts

// What is known about the classes besides their counts, and the numbers that were chosen.
class ClassTotals {
public:
    struct Chosen {
        // Of views, in nats per bit: weights[v * classes + c], rare and common for each order.
        std::vector<double> weights;
        std::vector<double> biases;  // of classes, in nats; NaN if none was chosen
        double prior_weight;  // of the logarithm of the number of texts, and of as many as classes
                              // have on average: how often a class was learnt says only so much
        // What the views of a class add to the score of another, besides, or nothing at all: of the
        // n classes that have a bias, crosses[(v * n + from) * n + to].
        std::vector<double> crosses = {};
        // The bias of a class that came after the others' were chosen, while it has few texts.
        double later = 0;
    };

    // tokens[c * orders + k] belongs to class c and order k. All counts are at least 0, and the sum
    // of each kind is below 2^63.
    ClassTotals(std::vector<int64_t> texts, std::vector<int64_t> tokens, size_t orders,
                Chosen chosen, double smoothing);

    size_t classes() const { return texts_.size(); }
    size_t orders() const { return orders_; }
    int64_t texts(uint32_t label) const { return texts_[label]; }
    int64_t all_texts() const { return all_texts_; }
    int64_t tokens(uint32_t label, size_t order) const { return tokens_[label * orders_ + order]; }
    int64_t all_tokens(size_t order) const { return order_tokens_[order]; }
    // Of a view, for each class.
    const double* weights(size_t view) const { return chosen_.weights.data() + view * classes(); }
    // The classes that have a bias, if they have crosses; and what the views of the i-th of them
    // add to each of them.
    std::span<const uint32_t> crossed() const { return crossed_; }
    const double* crosses(size_t view, size_t i) const {
        return chosen_.crosses.data() + (view * crossed_.size() + i) * crossed_.size();
    }
    // What a class has without any token; kNoScore if it has no text.
    double start(uint32_t label) const { return starts_[label]; }
    // The same of all classes, without a text of one of them.
    void start_without(uint32_t label, double* starts) const;
    // What was to be expected of a class, and of all others together: 2^16 log2(T_ck / T_k / s).
    struct Share {
        int32_t own, others;
    };
    const Share* shares(size_t order) const { return shares_.data() + order * classes(); }
    Share share(int64_t tokens, int64_t all_tokens) const;
    // No bucket has this level, or a higher one.
    uint32_t levels() const { return levels_; }
    // What is taken off the evidence for a class, in units of 2^-16, by the level of a bucket.
    int32_t expected(uint32_t level, Share share, bool is_shared) const {
        const Logarithms& logarithms = Logarithms::shared();
        const auto at = static_cast<int32_t>(level) * Logarithms::kOfLevel;
        const int32_t own = logarithms.of_sum(at + share.own);
        if (is_shared) return own;
        return own + kOthersWeight * (logarithms.of_sum(at - smoothing_) -
                                      logarithms.of_sum(at + share.others));
    }
    // The same for each class, of a bucket that is not shared; nullptr if it is not tabled.
    const int32_t* expected(size_t order, uint32_t level) const {
        if (expected_.empty()) return nullptr;
        return expected_.data() + (order * levels_ + level) * classes();
    }

    // From this level on a bucket of so many texts is common.
    static int32_t common_level(int64_t texts);
    // Whether texts that a class with so many has learnt word for word are recalled: of a class
    // with few texts, and no bias yet.
    bool is_recalled(uint32_t label, int64_t texts) const {
        return texts > 0 && texts <= kFewTexts && chosen_.biases[label] != chosen_.biases[label];
    }
    bool has_recalled() const { return has_recalled_; }
    // Whether it came after the biases of others were chosen.
    bool is_later(uint32_t label) const {
        return has_biases_ && chosen_.biases[label] != chosen_.biases[label];
    }
    // One of those with texts; kNone if there is none.
    uint32_t later() const { return later_; }
    static constexpr uint32_t kNone = UINT32_MAX;
    // Whether nothing was fitted: scores are not yet logarithms of odds.
    bool is_usual() const { return !has_biases_; }

private:
    // If it has so many texts, and classes have so many on average.
    double start(uint32_t label, int64_t texts, int64_t mean) const;

    static constexpr int64_t kFewTexts = 32;
    static constexpr size_t kMostExpected = size_t{1} << 15;  // a table that stays in the cache

    size_t orders_;
    std::vector<int64_t> texts_, tokens_, order_tokens_;
    Chosen chosen_;
    int64_t all_texts_ = 0;
    int64_t with_texts_ = 0;  // classes
    int32_t smoothing_;
    std::vector<double> starts_;
    std::vector<Share> shares_;
    uint32_t levels_;
    std::vector<int32_t> expected_;  // or nothing
    std::vector<uint32_t> crossed_;
    uint32_t later_ = kNone;
    bool has_biases_ = false;
    bool has_recalled_ = false;
};

// By how much, in nats, a text that was learnt word for word is lifted above other classes.
constexpr double kLift = 2;

// The values of blocks, as they are added up for each class.
class EvidenceSums {
public:
    EvidenceSums(const Kernels& kernels, const ClassCounts& counts);

    // Blocks of one layer.
    void add(const EvidenceTable& table, const uint32_t* const* blocks, size_t count);
    // One of them, so many times.
    void add(const EvidenceTable& table, const uint32_t* block, int64_t times);
    // Adds the sums to those of their classes, and begins again with 0.
    void move_to(int64_t* sums);

    // The most additions whose sum fits in 32 bits.
    static constexpr size_t kMostAdditions = size_t{1} << 16;

private:
    void make_room(size_t additions) {
        additions_ += additions;
        if (additions_ > kMostAdditions) carry(additions);
    }
    void carry(size_t additions);

    const Kernels& kernels_;
    const ClassCounts& counts_;
    std::vector<int32_t> sums_;   // of the last additions
    std::vector<int64_t> whole_;  // of those before
    size_t additions_ = 0;
    bool is_used_ = false;
};

// A text that is scored as if it had never been learnt as an example of a class.
struct LeftOut {
    uint32_t label;
    std::vector<int64_t> lengths;  // of the text, for each order
};

// Everything that the tokens of one text say, as it is added up.
class TextEvidence {
public:
    TextEvidence(const Kernels& kernels, const ClassCounts& counts, const ClassTotals& totals);

    // Tokens to come are of this order; there are `length` of them, known or not.
    void begin(size_t order, int64_t length);
    // A token whose bucket has this level, so many times; returns the view it belongs to, 0 or 1.
    bool note(uint32_t level, bool is_shared, int64_t times) {
        known_[(2 * order_ + is_shared) * Logarithms::kLevels + level] += times;
        return static_cast<int32_t>(level) >= common_level_;
    }
    EvidenceSums& sums(bool is_common) { return sums_[is_common]; }
    // What is added up for each class.
    int64_t* view(bool is_common) { return view(order_, is_common); }
    // The level from which on buckets are common; set for each text that is left out.
    void set_common_level(int32_t level) { common_level_ = level; }
    // views[v * classes + c], and the score of each class. Ready for the next text then.
    void finish(const LeftOut* left_out, double* scores, double* views = nullptr);

private:
    int64_t* view(size_t order, bool is_common) {
        return views_.data() + (2 * order + is_common) * totals_.classes();
    }
    void flush();
    void place_later(double* scores);

    const ClassTotals& totals_;
    EvidenceSums sums_[2];
    int32_t common_level_;
    size_t order_ = 0;
    std::vector<int64_t> views_, known_, lengths_;
    std::vector<ClassTotals::Share> shares_;
    std::vector<double> crossing_;  // to each crossed class
    std::vector<double> usual_;     // scores of classes with the weights of later ones
};

// Texts while they are tokenized: the fast path. A text's tokens go in, and its scores come out.
class TextScorer final : public TokenSink {
public:
    TextScorer(const Kernels& kernels, const BucketRule& buckets, const ClassCounts& counts,
               const ClassTotals& totals);

    void consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                 size_t count) override;
    void consume_ngrams(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                        size_t count, NgramOrders orders) override;
    // The score of each class. Ready for the next text then.
    void finish(double* scores);
    // Whether a class may have learnt the text word for word, before finish().
    bool may_be_recalled() const { return totals_.has_recalled() && may_be_recalled_; }

private:
    static constexpr size_t kMostTogether = 1024;

    void add(const uint32_t* buckets, size_t count);
    void recall(const uint32_t* bucket, size_t count);

    const Kernels& kernels_;
    BucketRule buckets_;
    const ClassCounts& counts_;
    const ClassTotals& totals_;
    TextEvidence evidence_;
    std::vector<uint32_t> hashes_, chosen_;
    const uint32_t* blocks_[ClassCounts::kMostLayers][kMostTogether];
    const uint32_t* together_[2][ClassCounts::kMostLayers][kMostTogether];
    bool may_be_recalled_ = true;
    std::optional<std::vector<uint32_t>> candidates_;
};

// Texts as rows of counted tokens: for anything that needs more than the scores.
class RowScorer {
public:
    RowScorer(const Kernels& kernels, const ClassCounts& counts, const ClassTotals& totals);

    // views may be nullptr.
    void score(std::span<const CountedToken> text, double* scores, double* views = nullptr);
    // The same as if the text, which was learnt as an example of `label`, never had been; false if
    // the counts of the label cannot contain it.
    bool score_without(std::span<const CountedToken> text, uint32_t label, double* scores,
                       double* views = nullptr);
    // parts[i] is what token i adds to the score of a class, in nats.
    void explain(std::span<const CountedToken> text, uint32_t label, double* parts);
    // Lifts the class that has learnt the text word for word, if there is one, above the others;
    // score() does so too.
    void lift(std::span<const CountedToken> text, double* scores) {
        look_up(text);
        recall(text, nullptr, scores);
    }

private:
    void recall(std::span<const CountedToken> text, const LeftOut* left_out, double* scores);
    void look_up(std::span<const CountedToken> text);
    void count_own(std::span<const CountedToken> text);
    void add_found(const ClassCounts::Found& found, bool is_common, int64_t times);
    bool add_without(size_t token, int64_t times, uint32_t label);
    template <class Use> void for_each_order(std::span<const CountedToken> text, const Use& use);

    const ClassCounts& counts_;
    const ClassTotals& totals_;
    TextEvidence evidence_;
    // Of the text, an element for each of its tokens.
    std::vector<ClassCounts::Found> found_;
    std::vector<int64_t> own_;        // how often the text has its bucket
    std::vector<uint32_t> first_of_;  // the first token of its bucket
    std::vector<uint32_t> firsts_;    // by bucket: positions of tokens, plus 1
    std::vector<int64_t> lengths_;    // by order
};

}  // namespace addhash

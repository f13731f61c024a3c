// Whole batches of texts to the scores of their classes, on several threads.
#pragma once

#include <span>

#include "bayes/score.h"

namespace addhash {

// Raw texts, and how to tokenize and count them.
struct PendingTexts {
    std::span<const Text> texts;
    Tokenization how;
    BucketRule rule;
};

// The question: texts, or rows of counted tokens. With labels, each is scored as if it had never
// been learnt with its label; out_of_range if the counts of the label cannot contain it.
struct Query {
    const PendingTexts* texts = nullptr;
    const TokenRows* rows = nullptr;
    std::span<const uint32_t> labels = {};

    size_t size() const { return texts ? texts->texts.size() : rows->size(); }
};

// The matrix `scores` has a row for each text and a column for each class: logarithms of odds.
// `views`, if there are any, has a matrix for each text, with a row for each view; they need rows.
Outcome score_all(const Kernels& kernels, const ClassCounts& counts, const ClassTotals& totals,
                  const Query& query, size_t threads, double* scores, double* views = nullptr);

// The two best classes of each text, ties to the first; -1 and NaN if there is none.
struct BestClasses {
    int64_t* winners;
    double* scores;  // the evidence: a sum over tokens
    double* shares;  // probabilities
    int64_t* runners_up;
    double* runner_up_scores;
    double* runner_up_shares;
};

Outcome find_best(const Kernels& kernels, const ClassCounts& counts, const ClassTotals& totals,
                  const Query& query, size_t threads, const BestClasses& best);

}  // namespace addhash

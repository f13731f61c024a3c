// Whole batches of texts to the scores of their classes, on several threads.
#pragma once

#include <span>

#include "bayes/score.h"

namespace addhash {

// Raw texts, and how to tokenize and count them.
struct UncutTexts {
    std::span<const Text> texts;
    Analyzer analyzer;
    NgramRange range;
    BucketRule rule;
};

// The question: texts, or rows of counted tokens. With labels, each is scored as if it had never
// been learnt with its label; out_of_range if the counts of the label cannot contain it.
struct Asked {
    const UncutTexts* texts = nullptr;
    const TokenRows* rows = nullptr;
    std::span<const uint32_t> labels = {};

    size_t size() const { return texts ? texts->texts.size() : rows->size(); }
};

// The matrix `scores` has a row for each text and a column for each class.
Outcome score_all(const Kernels& kernels, const ClassCounts& counts, const ClassTotals& totals,
                  const Asked& asked, size_t threads, int64_t* scores);

// The two best classes of each text, ties to the first; -1 if there is none.
struct BestClasses {
    int64_t* winners;
    int64_t* scores;
    int64_t* runners_up;
    int64_t* runner_up_scores;
    double* masses;  // the sum over classes of exp(rate * (score - best score))
};

Outcome find_best(const Kernels& kernels, const ClassCounts& counts, const ClassTotals& totals,
                  const Asked& asked, double rate, size_t threads, const BestClasses& best);

}  // namespace addhash

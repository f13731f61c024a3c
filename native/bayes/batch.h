// Whole batches of texts to the scores of their classes, on several threads.
#pragma once

#include <span>

#include "bayes/score.h"

namespace addhash {

// Without labels each text is new; with them it is scored as if it had never been learnt with its
// label. The matrix `scores` has a row for each text and a column for each class.
void score_all(const TokenCounts& counts, const ClassTotals& totals, const TokenRows& rows,
               std::span<const uint32_t> labels, size_t threads, int64_t* scores);

// The two best classes of each text, the first of equal ones; -1 where there is none.
struct BestClasses {
    int64_t* winners;
    int64_t* scores;
    int64_t* runners_up;
    int64_t* runner_up_scores;
    double* masses;  // the sum over classes of exp(rate * (score - best score))
};

void find_best(const TokenCounts& counts, const ClassTotals& totals, const TokenRows& rows,
               std::span<const uint32_t> labels, double rate, size_t threads,
               const BestClasses& best);

}  // namespace addhash

// How often each token of a vocabulary occurs in each text: the rows of a sparse matrix.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/analysis.h"
#include "buckets/batch.h"
#include "dispatch/kernels.h"
#include "vocabulary/vocabulary.h"

namespace addhash {

// Numbers new tokens as they come, text by text, in the order in which scikit-learn makes them:
// the same for any number of threads. The buckets of the rows are numbers. After a failure the
// vocabulary may have some tokens.
SparseBatch learn_terms(const Kernels& kernels, const Tokenization& how,
                        std::span<const Text> texts, size_t threads, Vocabulary& vocabulary);

// Leaves out the tokens that the vocabulary does not have.
SparseBatch count_terms(const Kernels& kernels, const Tokenization& how,
                        std::span<const Text> texts, size_t threads, const Vocabulary& vocabulary);

// Replaces each of `count` numbers by numbers[it].
void renumber(int32_t* old, size_t count, const int32_t* numbers, size_t threads);

}  // namespace addhash

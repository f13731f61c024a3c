// Whole batches of documents to rows of a sparse matrix, on several threads.
#pragma once

#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "buckets/buckets.h"
#include "dispatch/kernels.h"
#include "tokens/token_batch.h"

namespace addhash {

struct SparseBatch {
    AnalysisStatus status = AnalysisStatus::done;
    size_t document = 0;           // the first one with that status
    std::vector<SparseRows> rows;  // in order of documents
    size_t documents = 0;
    size_t entries = 0;
};

SparseBatch count_texts(const Kernels& kernels, const BucketRule& rule, Analyzer analyzer,
                        NgramRange range, std::span<const Text> texts, size_t threads);

SparseBatch count_tokens(const Kernels& kernels, const BucketRule& rule, const TokenBatch& tokens,
                         size_t threads);

enum class SparseNorm { none, l1, l2 };

// Writes a batch as CSR; `row_starts` has documents + 1 elements. Rows are normalised the way
// scikit-learn does it, rounding included: squares in Float, their sum and the quotient in double.
template <class Float> void write_csr(const SparseBatch& batch, bool is_binary, SparseNorm norm,
                                      int64_t* row_starts, int32_t* buckets, Float* values,
                                      size_t threads);

}  // namespace addhash

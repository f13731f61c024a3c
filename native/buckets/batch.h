// Whole batches of documents to rows of a sparse matrix, on several threads.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "buckets/buckets.h"
#include "dispatch/kernels.h"
#include "normalize/norm.h"
#include "tokens/token_batch.h"

namespace addhash {

// The rows of consecutive documents, somewhere among those that one thread made.
struct SparsePiece {
    const SparseRows* rows = nullptr;
    size_t first_row = 0, row_count = 0;
    size_t first_entry = 0, entry_count = 0;
};

struct SparseBatch {
    Outcome outcome;
    std::vector<SparsePiece> pieces;  // in order of documents
    std::vector<std::unique_ptr<SparseRows>> rows;
    size_t documents = 0;
    size_t entries = 0;

    SparseBatch() = default;
    SparseBatch(SparseBatch&&) = default;
    SparseBatch& operator=(SparseBatch&&) = default;
    ~SparseBatch();  // keeps the rows' memory for the next batch
};

SparseBatch count_texts(const Kernels& kernels, const BucketRule& rule, const Tokenization& how,
                        std::span<const Text> texts, size_t threads);

SparseBatch count_tokens(const Kernels& kernels, const BucketRule& rule, const TokenBatch& tokens,
                         size_t threads);

// Memory of earlier batches, kept for the next.
size_t kept_row_bytes();
void release_rows();

// Writes a batch as CSR; `row_starts` has documents + 1 elements. Rows of floating-point values are
// normalised as in scikit-learn, rounding included: squares in Value, their sum and the quotient in
// double.
template <class Value> void write_csr(const SparseBatch& batch, bool is_binary, Norm norm,
                                      int64_t* row_starts, int32_t* buckets, Value* values,
                                      size_t threads);

}  // namespace addhash

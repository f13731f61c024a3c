// The hashing trick for weighted features: one entry each, and their sums as SciPy computes them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "buckets/buckets.h"
#include "dispatch/kernels.h"
#include "tokens/growing.h"
#include "tokens/token_batch.h"

namespace addhash {

// The bucket of every token of a batch, and its weight with the sign of its hash.
void place_tokens(const Kernels& kernels, const BucketRule& rule, const TokenBatch& tokens,
                  int32_t* buckets, double* values);

// The entries of many records, in the order of their features.
class RecordEntries {
public:
    void append(const Kernels& kernels, const BucketRule& rule, const TokenBatch& tokens);

    size_t records() const { return row_ends_.size(); }
    size_t entries() const { return buckets_.size(); }

    // Writes rows with ascending buckets, each once with the sum of its values in Float, and
    // returns the number of their entries. `row_starts` has records() + 1 elements, the others have
    // entries(). Values are added in the same order as in scipy.sparse.csr_array.sum_duplicates(),
    // so the sums have the same bits. The entries are consumed.
    template <class Float>
    size_t sum(int64_t* row_starts, int32_t* buckets, Float* values, size_t threads);

private:
    GrowingArray<size_t> row_ends_;
    GrowingArray<int32_t> buckets_;
    GrowingArray<double> values_;
    bool is_sorted_ = true;  // the buckets of every row never descend
};

}  // namespace addhash

// The hashing trick: counting tokens in the buckets that their hashes choose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dispatch/kernels.h"
#include "tokens/growing.h"

namespace addhash {

// scikit-learn's rule: bucket |h| mod n_features of the signed hash, sign by h >= 0.
class BucketRule {
public:
    // n_features is from 1 to 2^31 - 1.
    BucketRule(uint32_t n_features, bool alternate_sign);

    // The bucket in the upper 31 bits, 1 in the lowest bit for a negative sign.
    uint32_t key(uint32_t hash) const {
        const uint32_t negative = hash >> 31;
        const uint32_t magnitude = (hash ^ (0u - negative)) + negative;  // 2^31 for the least hash
        return modulo(magnitude) << 1 | (negative & sign_mask_);
    }

    unsigned bucket_bits() const { return bucket_bits_; }

private:
    uint32_t modulo(uint32_t value) const {
        return is_power_of_two_ ? value & (n_features_ - 1) : value % n_features_;
    }

    uint32_t n_features_;
    uint32_t sign_mask_;
    bool is_power_of_two_;
    unsigned bucket_bits_;
};

// Rows of a sparse matrix, one after the other. A bucket whose signs cancelled has an entry of 0.
struct SparseRows {
    GrowingArray<uint32_t> row_lengths;
    GrowingArray<uint32_t> buckets;  // ascending in each row
    GrowingArray<double> sums;       // whole numbers

    void push_back(uint32_t bucket, double sum) {
        buckets.push_back(bucket);
        sums.push_back(sum);
    }
    // Of memory, used or not.
    size_t bytes() const {
        return row_lengths.capacity() * sizeof(uint32_t) + buckets.capacity() * sizeof(uint32_t) +
               sums.capacity() * sizeof(double);
    }
    void clear() {
        row_lengths.clear();
        buckets.clear();
        sums.clear();
    }
};

// The sums of one document's keys after the other's, however many they are.
class KeySums {
public:
    explicit KeySums(const Kernels& kernels) : kernels_(kernels) {}

    // Buckets are below 2^bits from here on.
    void set_bits(unsigned bits) { bits_ = bits; }
    // make(keys) writes up to `count` keys and returns their number.
    template <class Make> void add(size_t count, Make&& make) {
        keys_.grow(make(keys_.room(count)));
        if (keys_.size() >= kMaxKeys) fold();
    }
    // Appends the document's row, and is ready for the next document.
    void finish(SparseRows& rows);

private:
    // A document with more keys than this is reduced as it comes, to bound memory.
    static constexpr size_t kMaxKeys = size_t{1} << 22;

    void reduce(SparseRows& out);
    void fold();

    const Kernels& kernels_;
    unsigned bits_ = 31;
    GrowingArray<uint32_t> keys_, scratch_;
    SparseRows folded_;  // what a long document had before keys_
};

// The bucket sums of one document after the other.
class BucketSums {
public:
    BucketSums(const Kernels& kernels, BucketRule rule) : sums_(kernels), rule_(rule) {
        sums_.set_bits(rule.bucket_bits());
    }

    // A few thousand at most.
    void add(const uint32_t* hashes, size_t count);
    void finish(SparseRows& rows) { sums_.finish(rows); }

private:
    KeySums sums_;
    BucketRule rule_;
};

}  // namespace addhash

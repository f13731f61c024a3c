// A radix sort, and the loop for instruction sets without a better one.
#pragma once

#include "bucket_sort/bucket_sort.h"

namespace addhash {
namespace {

// Wide digits save passes, narrow ones cost less to set up: few keys want narrow ones.
[[maybe_unused]] inline uint32_t* sort_keys_loop(uint32_t* keys, uint32_t* scratch, size_t count,
                                                 unsigned bucket_bits) {
    constexpr size_t kInsertionSort = 24;
    constexpr unsigned kFewBits = 7, kManyBits = 11;
    if (count <= kInsertionSort) {
        for (size_t i = 1; i < count; ++i) {
            const uint32_t key = keys[i];
            size_t j = i;
            for (; j > 0 && keys[j - 1] > key; --j) keys[j] = keys[j - 1];
            keys[j] = key;
        }
        return keys;
    }
    const unsigned widest = count < 96 ? kFewBits : kManyBits;
    const unsigned passes = (bucket_bits + widest - 1) / widest;
    const unsigned digit = passes == 0 ? 0 : (bucket_bits + passes - 1) / passes;
    const uint32_t mask = (uint32_t{1} << digit) - 1;
    uint32_t offsets[1 << kManyBits];
    for (unsigned pass = 0; pass < passes; ++pass) {
        const unsigned shift = 1 + pass * digit;  // the sign need not be sorted
        for (uint32_t d = 0; d <= mask; ++d) offsets[d] = 0;
        for (size_t i = 0; i < count; ++i) ++offsets[keys[i] >> shift & mask];
        uint32_t total = 0;
        for (uint32_t d = 0; d <= mask; ++d) {
            const uint32_t here = offsets[d];
            offsets[d] = total;
            total += here;
        }
        for (size_t i = 0; i < count; ++i) scratch[offsets[keys[i] >> shift & mask]++] = keys[i];
        uint32_t* sorted = scratch;
        scratch = keys;
        keys = sorted;
    }
    return keys;
}

// Whether the next key starts a new bucket is unpredictable: every key writes its bucket's entry,
// and a new bucket advances by one.
[[maybe_unused]] inline size_t sum_keys_loop(const uint32_t* keys, size_t count, uint32_t* buckets,
                                             double* sums) {
    size_t entries = 0;
    uint32_t current = ~uint32_t{0};
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t bucket = keys[i] >> 1;
        const bool is_new = bucket != current;
        entries += is_new;
        sum = (is_new ? 0 : sum) + (1 - 2 * static_cast<int>(keys[i] & 1));
        current = bucket;
        buckets[entries - 1] = bucket;
        sums[entries - 1] = sum;
    }
    return entries;
}

}  // namespace
}  // namespace addhash

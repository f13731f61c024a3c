// The keys of a document's tokens, sorted and summed by bucket.
#pragma once

#include <cstddef>
#include <cstdint>

namespace addhash {

// A key has a bucket in its upper 31 bits, and 1 in the lowest for a negative sign.
constexpr size_t kKeySlack = 16;

// Sorts keys by bucket, those of one bucket in any order, and returns where they are: `keys` or
// `scratch`. Both have room for kKeySlack keys past `count`, and buckets are below 2^bucket_bits.
using SortKeys = uint32_t* (*)(uint32_t* keys, uint32_t* scratch, size_t count,
                               unsigned bucket_bits);

// Writes each bucket of sorted keys once, with the sum of its signs, and returns their number.
// All arrays have room for kKeySlack elements past `count`, which is below 2^31.
using SumKeys = size_t (*)(const uint32_t* keys, size_t count, uint32_t* buckets, double* sums);

}  // namespace addhash

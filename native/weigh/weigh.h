// Adding one bit row with an integer weight.
#pragma once

#include <cstddef>
#include <cstdint>

namespace addhash {

// sums[c] += weight where bit (bits - 1 - c) of the row is set, -= weight where it is not.
// The caller keeps the sum of all |weight| below 2^62.
using AddWeightedRow = void (*)(const uint8_t* row, size_t bits, int64_t weight, int64_t* sums);

}  // namespace addhash

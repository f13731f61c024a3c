// Adding bit rows with integer weights.
#pragma once

#include <cstddef>
#include <cstdint>

namespace addhash {

// For every row i, sums[c] += weights[i] where its bit (bits - 1 - c) is set, -= weights[i] where
// it is not. Rows are whole columns of 64 bytes. The caller keeps the sum of all |weights| below
// 2^62.
using AddWeightedRows = void (*)(const uint8_t* const* rows, const int64_t* weights, size_t count,
                                 size_t bits, int64_t* sums);

// wide[i] += unit * narrow[i]
using AddNarrow = void (*)(const int16_t* narrow, size_t count, int64_t unit, int64_t* wide);

}  // namespace addhash

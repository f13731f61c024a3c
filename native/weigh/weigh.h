// Adding bit rows with integer weights.
#pragma once

#include <cstddef>
#include <cstdint>

namespace addhash {

// sums[c] += twice the weights of the rows whose bit (bits - 1 - c) is set, less `total`; with
// `is_first`, what is in `sums` counts for nothing. If `total` is the sum of the weights, each is
// added where its row's bit is set, and taken away where it is not. Rows are whole columns of 64
// bytes. The caller keeps the sum of all |weights|, and |total|, below 2^62.
using AddWeightedRows = void (*)(const uint8_t* const* rows, const int64_t* weights, size_t count,
                                 int64_t total, size_t bits, bool is_first, int64_t* sums);

// wide[i] += narrow[i]
using AddNarrow = void (*)(const int16_t* narrow, size_t count, int64_t* wide);

}  // namespace addhash

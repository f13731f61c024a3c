// Adds up the evidence of frequent n-grams, for every instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace addhash {

// Rows have a width that is a multiple of this, and numbers below 2^5.
constexpr size_t kRowUnit = 64;

// sums[i] += weight * (rows[0][i] + ... + rows[count - 1][i]) for each i below `width`; the sums
// must fit.
using AddUnits = void (*)(const uint8_t* const* rows, size_t count, size_t width, uint16_t weight,
                          uint16_t* sums);

}  // namespace addhash

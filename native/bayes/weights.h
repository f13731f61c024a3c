// Fixed-point logarithms: what a token's count in a class is worth.
#pragma once

#include <cstddef>
#include <cstdint>

namespace addhash {

// Weights are in units of 2^-kWeightBits bits.
constexpr unsigned kWeightBits = 16;

// weights[i] = log2(1 + counts[i] * scale) in fixed point, for counts and a scale of 0 or more
// whose products are finite. The same bits on every instruction set.
using WeighCounts = void (*)(const float* counts, size_t count, float scale, int32_t* weights);

}  // namespace addhash

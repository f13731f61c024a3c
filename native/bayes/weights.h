// Fixed-point logarithms: what counts of tokens are worth.
#pragma once

#include <cstddef>
#include <cstdint>

namespace addhash {

// Weights are in units of 2^-kWeightBits bits, and below 2^kMostWeightBits.
constexpr unsigned kWeightBits = 16;
constexpr unsigned kMostWeightBits = 23;

// Kernels read and write whole blocks: arrays are this much longer than what they hold.
constexpr size_t kWeightSlack = 15;

// Counts are rounded to the upper half of a float, as bfloat16 has it: 8 bits are enough for a
// logarithm, and twice as many classes fit a cache line.
using RoundedCount = uint16_t;

// weights[i] = log2(1 + counts[i] * scale), for counts and a scale of 0 or more whose products are
// finite. The same bits on every instruction set.
using WeighCounts = void (*)(const RoundedCount* counts, size_t count, float scale,
                             int32_t* weights);

// evidence[i] = times * log2(1 + counts[i] * scale) - cost_times * log2(1 + counts[i] * cost_scale)
using WeighEvidence = void (*)(const RoundedCount* counts, size_t count, float scale, int64_t times,
                               float cost_scale, int64_t cost_times, int64_t* evidence);

}  // namespace addhash

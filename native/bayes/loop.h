// The loop of every instruction set: each compiles this to its own registers.
#pragma once

#include "bayes/weights.h"

namespace addhash {
namespace {

// Of x from 1 to infinity. The polynomial is exact at both ends of an octave, so that the steps
// join, and within a sixth of a unit between them.
inline int32_t fixed_log2(float x) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, x);
    const auto octave = static_cast<int32_t>(bits >> 23) - 127;
    const float t = __builtin_bit_cast(float, (bits & 0x007FFFFFu) | 0x3F800000u) - 1.0f;
    float bend = 0.0258404933f;
    bend = bend * t - 0.0959545065f;
    bend = bend * t + 0.181947535f;
    bend = bend * t - 0.275599955f;
    bend = bend * t + 0.442544915f;
    const float fraction = t + t * (1.0f - t) * bend;
    constexpr float kOne = 1 << kWeightBits;
    return (octave << kWeightBits) + static_cast<int32_t>(fraction * kOne + 0.5f);
}

inline void weigh_counts_loop(const float* counts, size_t count, float scale, int32_t* weights) {
    for (size_t i = 0; i < count; ++i) weights[i] = fixed_log2(1.0f + counts[i] * scale);
}

}  // namespace
}  // namespace addhash

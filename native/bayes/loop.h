// The loops of every instruction set: each compiles them to its own registers.
#pragma once

#include "bayes/weights.h"

namespace addhash {
namespace {

constexpr size_t kWeightBlock = kWeightSlack + 1;

// Of x from 1 on. The polynomial is exact at both ends of an octave, so that the steps join, and
// within a sixth of a unit between them.
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

// A block's counts as floats, 0 past the first `count`.
inline void load_block(const RoundedCount* counts, size_t count, float* block) {
    constexpr uint32_t kAll = 0xFFFFFFFFu;
    static constexpr uint32_t kMasks[2 * kWeightBlock] = {
        kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll,  //
        kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll};
    const uint32_t* masks = kMasks + (count < kWeightBlock ? kWeightBlock - count : 0);
    for (size_t j = 0; j < kWeightBlock; ++j) {
        const uint32_t bits = static_cast<uint32_t>(counts[j]) << 16 & masks[j];
        block[j] = __builtin_bit_cast(float, bits);
    }
}

inline void weigh_counts_loop(const RoundedCount* counts, size_t count, float scale,
                              int32_t* weights) {
    for (size_t i = 0; i < count; i += kWeightBlock) {
        float block[kWeightBlock];
        load_block(counts + i, count - i, block);
        for (size_t j = 0; j < kWeightBlock; ++j) {
            weights[i + j] = fixed_log2(1.0f + block[j] * scale);
        }
    }
}

inline void weigh_evidence_loop(const RoundedCount* counts, size_t count, float scale,
                                int64_t times, float cost_scale, int64_t cost_times,
                                int64_t* evidence) {
    for (size_t i = 0; i < count; i += kWeightBlock) {
        float block[kWeightBlock];
        int32_t weights[kWeightBlock];
        load_block(counts + i, count - i, block);
        for (size_t j = 0; j < kWeightBlock; ++j) {
            weights[j] = fixed_log2(1.0f + block[j] * scale);
        }
        for (size_t j = 0; j < kWeightBlock; ++j) evidence[i + j] = times * weights[j];
        if (cost_times == 0) continue;
        for (size_t j = 0; j < kWeightBlock; ++j) {
            weights[j] = fixed_log2(1.0f + block[j] * cost_scale);
        }
        for (size_t j = 0; j < kWeightBlock; ++j) evidence[i + j] -= cost_times * weights[j];
    }
}

}  // namespace
}  // namespace addhash

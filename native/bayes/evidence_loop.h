// One value after the other.
#pragma once

#include "bayes/evidence.h"

namespace addhash {
namespace {

inline void add_masked_loop(const uint32_t* const* lists, size_t count, bool is_alone,
                            int32_t sums[32]) {
    for (size_t i = 0; i < count; ++i) {
        const auto* next = reinterpret_cast<const int16_t*>(lists[i] + 1) + is_alone;
        for (uint32_t mask = *lists[i]; mask != 0; mask &= mask - 1, next += 2) {
            sums[__builtin_ctz(mask)] += *next;
        }
    }
}

// Each instruction set compiles these to its own registers.
inline void add_evidence_loop(const int16_t* values, size_t size, int32_t* sums) {
    for (size_t first = 0; first < size; first += 32) {
        for (size_t i = first; i < first + 32; ++i) sums[i] += values[i];
    }
}

inline void add_evidence_times_loop(const int16_t* const values[2], const int32_t times[2],
                                    size_t size, int32_t* sums) {
    const int16_t *one = values[0], *two = values[1];
    const int32_t once = times[0], twice = times[1];
    for (size_t first = 0; first < size; first += 32) {
        for (size_t i = first; i < first + 32; ++i) sums[i] += once * one[i] + twice * two[i];
    }
}

}  // namespace
}  // namespace addhash

// One value after the other.
#pragma once

#include "bayes/evidence.h"

namespace addhash {
namespace {

inline void add_masked_loop(const uint32_t* const* lists, size_t count, int32_t sums[32]) {
    for (size_t i = 0; i < count; ++i) {
        const uint32_t* next = lists[i];
        for (uint32_t mask = *next; mask != 0; mask &= mask - 1) {
            sums[__builtin_ctz(mask)] += static_cast<int32_t>(*++next);
        }
    }
}

// Each instruction set compiles these to its own registers.
inline void add_evidence_loop(const int16_t* values, size_t size, int32_t* sums) {
    for (size_t first = 0; first < size; first += 32) {
        for (size_t i = first; i < first + 32; ++i) sums[i] += values[i];
    }
}

}  // namespace
}  // namespace addhash

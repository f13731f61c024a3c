// The loop of every instruction set: each compiles this to its own registers.
#pragma once

#include "bayes/evidence.h"

namespace addhash {
namespace {

inline void add_evidence_loop(const int16_t* values, size_t size, int32_t* sums) {
    for (size_t first = 0; first < size; first += kEvidenceBlock) {
        for (size_t i = first; i < first + kEvidenceBlock; ++i) sums[i] += values[i];
    }
}

inline void add_evidence_times_loop(const int16_t* const values[2], const int32_t times[2],
                                    size_t size, int32_t* sums) {
    const int16_t *one = values[0], *two = values[1];
    const int32_t once = times[0], twice = times[1];
    for (size_t first = 0; first < size; first += kEvidenceBlock) {
        for (size_t i = first; i < first + kEvidenceBlock; ++i) {
            sums[i] += once * one[i] + twice * two[i];
        }
    }
}

}  // namespace
}  // namespace addhash

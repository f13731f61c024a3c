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

inline void add_evidence_times_loop(const int16_t* values, size_t size, int32_t times,
                                    int32_t* sums) {
    for (size_t first = 0; first < size; first += kEvidenceBlock) {
        for (size_t i = first; i < first + kEvidenceBlock; ++i) sums[i] += times * values[i];
    }
}

}  // namespace
}  // namespace addhash

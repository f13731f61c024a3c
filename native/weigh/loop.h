// The loop of every instruction set: each compiles this to its own registers.
#pragma once

#include "weigh/weigh.h"

namespace addhash {
namespace {

inline void add_weighted_rows_loop(const uint8_t* const* rows, const int64_t* weights, size_t count,
                                   int64_t total, size_t bits, bool is_first, int64_t* sums) {
    for (size_t byte = 0; byte < bits / 8; ++byte) {
        int64_t set[8] = {};
        for (size_t row = 0; row < count; ++row) {
            const int64_t value = rows[row][byte];
            for (int i = 0; i < 8; ++i) set[i] += weights[row] & -((value >> (7 - i)) & 1);
        }
        int64_t* out = sums + bits - 8 * (byte + 1);
        for (int i = 0; i < 8; ++i) out[i] = (is_first ? 0 : out[i]) + 2 * set[i] - total;
    }
}

inline void add_narrow_loop(const int16_t* narrow, size_t count, int64_t* wide) {
    for (size_t i = 0; i < count; ++i) wide[i] += narrow[i];
}

}  // namespace
}  // namespace addhash

// The loop of every instruction set: each compiles this to its own registers.
#pragma once

#include "weigh/weigh.h"

namespace addhash {
namespace {

inline void add_weighted_rows_loop(const uint8_t* const* rows, const int64_t* weights, size_t count,
                                   size_t bits, int64_t* sums) {
    for (size_t byte = 0; byte < bits / 8; ++byte) {
        int64_t change[8] = {};
        for (size_t row = 0; row < count; ++row) {
            const int64_t value = rows[row][byte];
            for (int i = 0; i < 8; ++i) {
                const int64_t flip = ((value >> (7 - i)) & 1) - 1;  // 0 for a set bit, else -1
                change[i] += (weights[row] ^ flip) - flip;
            }
        }
        int64_t* out = sums + bits - 8 * (byte + 1);
        for (int i = 0; i < 8; ++i) out[i] += change[i];
    }
}

inline void add_narrow_loop(const int16_t* narrow, size_t count, int64_t unit, int64_t* wide) {
    for (size_t i = 0; i < count; ++i) wide[i] += unit * narrow[i];
}

}  // namespace
}  // namespace addhash

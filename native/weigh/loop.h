// The loop of every instruction set: each compiles this to its own registers.
#pragma once

#include "weigh/weigh.h"

namespace addhash {
namespace {

inline void add_weighted_row_loop(const uint8_t* row, size_t bits, int64_t weight, int64_t* sums) {
    for (size_t byte = 0; byte < bits / 8; ++byte) {
        int64_t* out = sums + bits - 8 * (byte + 1);
        const int64_t value = row[byte];
        for (int i = 0; i < 8; ++i) {
            const int64_t flip = ((value >> (7 - i)) & 1) - 1;  // 0 for a set bit, else -1
            out[i] += (weight ^ flip) - flip;
        }
    }
}

}  // namespace
}  // namespace addhash

// The loops of every instruction set: each compiles these to its own registers.
#pragma once

#include "normalize/normalize.h"

namespace addhash {
namespace {

inline uint64_t sum_squares_loop(const int16_t* values, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i) sum += static_cast<uint32_t>(values[i] * values[i]);
    return sum;
}

inline uint64_t sum_magnitudes_loop(const int16_t* values, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
        sum += static_cast<uint32_t>(values[i] < 0 ? -values[i] : values[i]);
    }
    return sum;
}

template <class Float>
inline void scale_loop(const int16_t* values, size_t count, double factor, Float* out) {
    for (size_t i = 0; i < count; ++i) out[i] = static_cast<Float>(values[i] * factor);
}

inline void scale_to_float_loop(const int16_t* values, size_t count, double factor, bool,
                                float* out) {
    scale_loop(values, count, factor, out);
}

}  // namespace
}  // namespace addhash

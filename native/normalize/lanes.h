// Norms and scaling with the registers of one instruction set.
#pragma once

#include "normalize/loops.h"

namespace addhash {
namespace {

// V holds 16-bit integers, Sums their squares.
template <class V, class Sums> uint64_t sum_squares_lanes(const int16_t* values, size_t count) {
    Sums sums = Sums::broadcast(0);
    size_t i = 0;
    for (; i + V::lanes <= count; i += V::lanes) sums = sums + V::load(values + i).sum_squares();
    uint64_t lanes[Sums::lanes];
    sums.store(lanes);
    uint64_t sum = sum_squares_loop(values + i, count - i);
    for (uint64_t lane : lanes) sum += lane;
    return sum;
}

template <class V> void scale_to_float_lanes(const int16_t* values, size_t count, double factor,
                                             bool streamed, float* out) {
    if (!streamed) return scale_loop(values, count, factor, out);
    constexpr size_t kBytes = V::floats * sizeof(float);
    const size_t to_boundary = (0 - reinterpret_cast<uintptr_t>(out)) % kBytes / sizeof(float);
    size_t i = to_boundary < count ? to_boundary : count;
    scale_loop(values, i, factor, out);
    for (; i + V::floats <= count; i += V::floats) {
        V::stream_scaled(values + i, factor, out + i);
    }
    scale_loop(values + i, count - i, factor, out + i);
    V::fence();
}

}  // namespace
}  // namespace addhash

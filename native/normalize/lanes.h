// Norms and scaling with the registers of one instruction set.
#pragma once

#include "normalize/loops.h"

namespace addhash {
namespace {

// V holds 16-bit integers, Pairs the squares of two, Sums those of four.
template <class V, class Pairs, class Sums>
uint64_t sum_squares_lanes(const int16_t* values, size_t count, int16_t largest) {
    // As many pairs are added up as fit 32 bits.
    const uint64_t pair = uint64_t{2} * static_cast<uint64_t>(largest * largest);
    const size_t together = pair == 0 ? count : UINT32_MAX / pair * V::lanes;
    const size_t whole = count / V::lanes * V::lanes;
    Sums sums = Sums::broadcast(0);
    for (size_t first = 0; first < whole; first += together) {
        const size_t end = whole - first < together ? whole : first + together;
        Pairs pairs = Pairs::broadcast(0);
        for (size_t i = first; i < end; i += V::lanes) {
            pairs = pairs + V::load(values + i).square_pairs();
        }
        sums = sums + V::sum_pairs(pairs);
    }
    uint64_t lanes[Sums::lanes];
    sums.store(lanes);
    uint64_t sum = sum_squares_loop(values + whole, count - whole, largest);
    for (uint64_t lane : lanes) sum += lane;
    return sum;
}

// What sum_wide_squares_loop does, with V of 64-bit lanes.
template <class V>
WideSquares sum_wide_squares_lanes(const int64_t* values, size_t count, int shift) {
    constexpr size_t kBlock = 1024;
    constexpr int kLower = 27;
    const V low_bits = V::broadcast((uint64_t{1} << kLower) - 1);
    const size_t whole = count / V::lanes * V::lanes;
    __extension__ unsigned __int128 sum = 0;
    for (size_t first = 0; first < whole; first += kBlock) {
        const size_t end = whole - first < kBlock ? whole : first + kBlock;
        V uppers = V::broadcast(0), products = uppers, lowers = uppers;
        for (size_t i = first; i < end; i += V::lanes) {
            const V here =
                V::load(reinterpret_cast<const uint64_t*>(values + i)).magnitude() >> shift;
            const V upper = here >> kLower, lower = here & low_bits;
            uppers = uppers + upper.mul_low(upper);
            products = products + upper.mul_low(lower);
            lowers = lowers + lower.mul_low(lower);
        }
        sum += (static_cast<decltype(sum)>(uppers.sum()) << 2 * kLower) +
               (static_cast<decltype(sum)>(products.sum()) << (kLower + 1)) + lowers.sum();
    }
    const WideSquares rest = sum_wide_squares_loop(values + whole, count - whole, shift);
    sum += static_cast<decltype(sum)>(rest.high) << 64 | rest.low;
    return {static_cast<uint64_t>(sum >> 64), static_cast<uint64_t>(sum)};
}

// write(from, to) scales V::floats values and writes them to a boundary of a register.
template <class V, class Int, class Write> void write_to_boundaries(const Int* values, size_t count,
                                                                    double factor, float* out,
                                                                    Write&& write) {
    constexpr size_t kBytes = V::floats * sizeof(float);
    const size_t to_boundary = (0 - reinterpret_cast<uintptr_t>(out)) % kBytes / sizeof(float);
    size_t i = to_boundary < count ? to_boundary : count;
    scale_loop(values, i, factor, out);
    for (; i + V::floats <= count; i += V::floats) write(values + i, out + i);
    scale_loop(values + i, count - i, factor, out + i);
}

template <class V> void scale_to_float_lanes(const int16_t* values, size_t count, int16_t,
                                             double factor, bool streamed, float* out) {
    if (!streamed) return scale_loop(values, count, factor, out);
    write_to_boundaries<V>(values, count, factor, out, [&](const int16_t* from, float* to) {
        V::stream_scaled(from, factor, to);
    });
}

template <class V> void finish_stream_lanes() { V::fence(); }

}  // namespace
}  // namespace addhash

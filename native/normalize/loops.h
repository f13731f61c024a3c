// The loops of every instruction set: each compiles these to its own registers.
#pragma once

#include "normalize/normalize.h"

namespace addhash {
namespace {

inline uint64_t sum_squares_loop(const int16_t* values, size_t count, int16_t) {
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

template <class Int, class Float>
inline void scale_loop(const Int* values, size_t count, double factor, Float* out) {
    for (size_t i = 0; i < count; ++i) {
        out[i] = static_cast<Float>(static_cast<double>(values[i]) * factor);
    }
}

inline uint64_t magnitude(int64_t value) {
    return static_cast<uint64_t>(value < 0 ? -value : value);
}

inline uint64_t magnitude_bits_loop(const int64_t* values, size_t count) {
    uint64_t bits = 0;
    for (size_t i = 0; i < count; ++i) bits |= magnitude(values[i]);
    return bits;
}

inline WideSquares sum_wide_squares_loop(const int64_t* values, size_t count, int shift) {
    // A magnitude is upper * 2^27 + lower: products of 32-bit numbers, of which 1024 of each kind
    // fit 64 bits, the lower ones being less than 2^27 each.
    constexpr size_t kBlock = 1024;
    constexpr int kLower = 27;
    __extension__ unsigned __int128 sum = 0;
    for (size_t first = 0; first < count; first += kBlock) {
        const size_t end = count - first < kBlock ? count : first + kBlock;
        uint64_t uppers = 0, products = 0, lowers = 0;
        for (size_t i = first; i < end; ++i) {
            const uint64_t here = magnitude(values[i]) >> shift;
            const auto upper = static_cast<uint32_t>(here >> kLower);
            const auto lower = static_cast<uint32_t>(here & ((1u << kLower) - 1));
            uppers += uint64_t{upper} * upper;
            products += uint64_t{upper} * lower;
            lowers += uint64_t{lower} * lower;
        }
        sum += (static_cast<decltype(sum)>(uppers) << 2 * kLower) +
               (static_cast<decltype(sum)>(products) << (kLower + 1)) + lowers;
    }
    return {static_cast<uint64_t>(sum >> 64), static_cast<uint64_t>(sum)};
}

inline void scale_to_float_loop(const int16_t* values, size_t count, int16_t, double factor, bool,
                                float* out) {
    scale_loop(values, count, factor, out);
}

inline void scale_wide_to_float_loop(const int64_t* values, size_t count, double factor, bool,
                                     float* out) {
    scale_loop(values, count, factor, out);
}

inline void finish_stream_none() {}

}  // namespace
}  // namespace addhash

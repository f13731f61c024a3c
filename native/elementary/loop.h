// The loop of every instruction set: each compiles this to its own registers. Sums and products of
// doubles in a fixed order are the same on all of them. There is no branch, for compilers to find
// the registers.
#pragma once

#include <cstdint>

#include "elementary/elementary.h"

namespace addhash {
namespace {

// 1 / n! for the odd and for the even n, from 13 and 12 down to 3 and 2.
constexpr size_t kTerms = 6;
constexpr double kOdd[kTerms] = {1.0 / 6227020800, 1.0 / 39916800, 1.0 / 362880,
                                 1.0 / 5040,       1.0 / 120,      1.0 / 6};
constexpr double kEven[kTerms] = {1.0 / 479001600, 1.0 / 3628800, 1.0 / 40320,
                                  1.0 / 720,       1.0 / 24,      1.0 / 2};

inline double exponential(double x) {
    // e^-746 rounds to 0 and e^746 to infinity, as does all that lies beyond. One comparison:
    // compilers make a branch of two.
    constexpr double kFarthest = 746;
    const double within = __builtin_fabs(x) > kFarthest ? __builtin_copysign(kFarthest, x) : x;

    // x = exponent * ln 2 + r. At 1.5 * 2^52 doubles are integers, and their lowest bits count.
    constexpr double kRounder = 0x1.8p52;
    constexpr double kLog2E = 0x1.71547652b82fep+0;
    const double rounded = within * kLog2E + kRounder;
    const double exponent = rounded - kRounder;
    const double r = (within - exponent * kLn2High) - exponent * kLn2Low;

    // e^r = 1 + r + r^2 (1/2! + r/3! + r^2/4! + ...). Odd and even powers apart are two short
    // chains of operations instead of a long one.
    const double square = r * r;
    double odd = kOdd[0], even = kEven[0];
    for (size_t i = 1; i < kTerms; ++i) {
        odd = odd * square + kOdd[i];
        even = even * square + kEven[i];
    }
    const double start = 1 + r;
    const double dropped = r - (start - 1);  // when 1 + r was rounded
    const double power = start + (dropped + square * (odd * r + even));

    // Times 2^exponent, in two factors that are both normal: only the second product rounds, where
    // the result is subnormal or infinite.
    constexpr unsigned kFractionBits = 52;
    constexpr uint64_t kBias = 1023;
    const uint64_t both =
        __builtin_bit_cast(uint64_t, rounded) - __builtin_bit_cast(uint64_t, kRounder) + 2 * kBias;
    const uint64_t first = both >> 1;
    return power * __builtin_bit_cast(double, first << kFractionBits) *
           __builtin_bit_cast(double, (both - first) << kFractionBits);
}

// In place: with two arrays, compilers check whether they overlap, and give up if they are the
// same.
inline void exponentials_loop(double* values, size_t count) {
    for (size_t i = 0; i < count; ++i) values[i] = exponential(values[i]);
}

}  // namespace
}  // namespace addhash

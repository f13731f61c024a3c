// Norms of integer vectors, and scaling to floats.
#pragma once

#include <cstddef>
#include <cstdint>

namespace addhash {

// No magnitude is above `largest`; count is at most 2^20.
using SumSquares = uint64_t (*)(const int16_t* values, size_t count, int16_t largest);
// No value is below -32767.
using SumMagnitudes = uint64_t (*)(const int16_t* values, size_t count);
// out[i] = values[i] * factor, computed in double and rounded once to the output type. No magnitude
// is above `largest`. `streamed` bypasses the caches if possible, for output larger than they are.
// Other threads may read it after FinishStream.
using ScaleToFloat = void (*)(const int16_t* values, size_t count, int16_t largest, double factor,
                              bool streamed, float* out);
using FinishStream = void (*)();
using ScaleToDouble = void (*)(const int16_t* values, size_t count, double factor, double* out);

// The same for sums of 64 bits, such as weighted ones. No magnitude is above 2^63 - 1.
// The bits that any of the magnitudes has.
using MagnitudeBits = uint64_t (*)(const int64_t* values, size_t count);
// The sum of the squares of |values[i]| >> shift, which are below 2^53, as two words of 64 bits.
struct WideSquares {
    uint64_t high, low;
};
using SumWideSquares = WideSquares (*)(const int64_t* values, size_t count, int shift);
using ScaleWideToFloat = void (*)(const int64_t* values, size_t count, double factor, bool streamed,
                                  float* out);
using ScaleWideToDouble = void (*)(const int64_t* values, size_t count, double factor, double* out);

}  // namespace addhash

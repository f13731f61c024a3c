// Norms of integer vectors, scaling to floats, and signs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace addhash {

// No value is below -32767; count is at most 2^20.
using SumSquares = uint64_t (*)(const int16_t* values, size_t count);
using SumMagnitudes = uint64_t (*)(const int16_t* values, size_t count);
// out[i] = values[i] * factor, computed in double and rounded once to the output type.
// `streamed` writes past the caches where that is possible: for output larger than they are.
using ScaleToFloat = void (*)(const int16_t* values, size_t count, double factor, bool streamed,
                              float* out);
using ScaleToDouble = void (*)(const int16_t* values, size_t count, double factor, double* out);

namespace baseline {
uint64_t sum_squares(const int16_t*, size_t);
uint64_t sum_magnitudes(const int16_t*, size_t);
void scale_to_float(const int16_t*, size_t, double, bool, float*);
void scale_to_double(const int16_t*, size_t, double, double*);
}  // namespace baseline
namespace avx2 {
uint64_t sum_squares(const int16_t*, size_t);
uint64_t sum_magnitudes(const int16_t*, size_t);
void scale_to_float(const int16_t*, size_t, double, bool, float*);
void scale_to_double(const int16_t*, size_t, double, double*);
}  // namespace avx2
namespace avx512 {
uint64_t sum_squares(const int16_t*, size_t);
uint64_t sum_magnitudes(const int16_t*, size_t);
void scale_to_float(const int16_t*, size_t, double, bool, float*);
void scale_to_double(const int16_t*, size_t, double, double*);
}  // namespace avx512

}  // namespace addhash

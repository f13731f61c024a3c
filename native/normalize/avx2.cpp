#include <immintrin.h>

#include "normalize/loops.h"

namespace addhash::avx2 {
namespace {

// Eight scaled values.
__m256 scale(const int16_t* values, __m256d factor) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values));
    const __m256i wide = _mm256_cvtepi16_epi32(v);
    const __m128 low =
        _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_cvtepi32_pd(_mm256_castsi256_si128(wide)), factor));
    const __m128 high = _mm256_cvtpd_ps(
        _mm256_mul_pd(_mm256_cvtepi32_pd(_mm256_extracti128_si256(wide, 1)), factor));
    return _mm256_set_m128(high, low);
}

}  // namespace

uint64_t sum_squares(const int16_t* values, size_t count) {
    const __m256i low_half = _mm256_set1_epi64x(0xFFFFFFFF);
    __m256i sums = _mm256_setzero_si256();
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + i));
        // Two squares fit 32 bits: neither value is -32768.
        const __m256i pairs = _mm256_madd_epi16(v, v);
        const __m256i odd = _mm256_srli_epi64(pairs, 32);
        const __m256i even = _mm256_and_si256(pairs, low_half);
        sums = _mm256_add_epi64(sums, _mm256_add_epi64(even, odd));
    }
    alignas(32) uint64_t lanes[4];
    _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), sums);
    const uint64_t sum = lanes[0] + lanes[1] + lanes[2] + lanes[3];
    return sum + sum_squares_loop(values + i, count - i);
}

uint64_t sum_magnitudes(const int16_t* values, size_t count) {
    return sum_magnitudes_loop(values, count);
}

void scale_to_float(const int16_t* values, size_t count, double factor, bool streamed, float* out) {
    if (!streamed) return scale_loop(values, count, factor, out);
    const size_t to_boundary = (0 - reinterpret_cast<uintptr_t>(out)) % 32 / sizeof(float);
    size_t i = to_boundary < count ? to_boundary : count;
    scale_loop(values, i, factor, out);
    const __m256d factors = _mm256_set1_pd(factor);
    for (; i + 8 <= count; i += 8) _mm256_stream_ps(out + i, scale(values + i, factors));
    scale_loop(values + i, count - i, factor, out + i);
    _mm_sfence();
}

void scale_to_double(const int16_t* values, size_t count, double factor, double* out) {
    scale_loop(values, count, factor, out);
}

}  // namespace addhash::avx2

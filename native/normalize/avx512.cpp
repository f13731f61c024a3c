#include <immintrin.h>

#include "normalize/loops.h"

namespace addhash::avx512 {
namespace {

// Sixteen scaled values.
__m512 scale(const int16_t* values, __m512d factor) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
    const __m512i wide = _mm512_cvtepi16_epi32(v);
    const __m256 low =
        _mm512_cvtpd_ps(_mm512_mul_pd(_mm512_cvtepi32_pd(_mm512_castsi512_si256(wide)), factor));
    const __m256 high = _mm512_cvtpd_ps(
        _mm512_mul_pd(_mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(wide, 1)), factor));
    return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}

}  // namespace

uint64_t sum_squares(const int16_t* values, size_t count) {
    const __m512i low_half = _mm512_set1_epi64(0xFFFFFFFF);
    __m512i sums = _mm512_setzero_si512();
    size_t i = 0;
    for (; i + 32 <= count; i += 32) {
        const __m512i v = _mm512_loadu_si512(values + i);
        // Two squares fit 32 bits: neither value is -32768.
        const __m512i pairs = _mm512_madd_epi16(v, v);
        const __m512i odd = _mm512_srli_epi64(pairs, 32);
        const __m512i even = _mm512_and_si512(pairs, low_half);
        sums = _mm512_add_epi64(sums, _mm512_add_epi64(even, odd));
    }
    const auto sum = static_cast<uint64_t>(_mm512_reduce_add_epi64(sums));
    return sum + sum_squares_loop(values + i, count - i);
}

uint64_t sum_magnitudes(const int16_t* values, size_t count) {
    return sum_magnitudes_loop(values, count);
}

void scale_to_float(const int16_t* values, size_t count, double factor, bool streamed, float* out) {
    if (!streamed) return scale_loop(values, count, factor, out);
    const size_t to_boundary = (0 - reinterpret_cast<uintptr_t>(out)) % 64 / sizeof(float);
    size_t i = to_boundary < count ? to_boundary : count;
    scale_loop(values, i, factor, out);
    const __m512d factors = _mm512_set1_pd(factor);
    for (; i + 16 <= count; i += 16) _mm512_stream_ps(out + i, scale(values + i, factors));
    scale_loop(values + i, count - i, factor, out + i);
    _mm_sfence();
}

void scale_to_double(const int16_t* values, size_t count, double factor, double* out) {
    scale_loop(values, count, factor, out);
}

}  // namespace addhash::avx512

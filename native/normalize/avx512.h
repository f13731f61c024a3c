// Scaling: by a table, as the sums of few tokens take few values, and of 64-bit sums.
#pragma once

#include <immintrin.h>

#include "normalize/lanes.h"
#include "simd/avx512.h"

namespace addhash {
namespace {

// What -32 to 31 become, 16 in a register.
class ScaledValues {
public:
    static constexpr int16_t kLargest = 31;

    explicit ScaledValues(double factor) {
        int16_t values[64];
        float scaled[64];
        for (int i = 0; i < 64; ++i) values[i] = static_cast<int16_t>(i - 32);
        scale_loop(values, 64, factor, scaled);
        for (int i = 0; i < 4; ++i) of_[i] = _mm512_loadu_ps(scaled + 16 * i);
    }

    // 16 values, to a multiple of 64 bytes, past the caches.
    void stream(const int16_t* values, float* out) const {
        const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
        // From 0 to 63: bit 5 is set where a value is not negative.
        const __m512i index = _mm512_add_epi32(_mm512_cvtepi16_epi32(v), _mm512_set1_epi32(32));
        const __m512 below = _mm512_permutex2var_ps(of_[0], index, of_[1]);
        const __m512 above = _mm512_permutex2var_ps(of_[2], index, of_[3]);
        const __mmask16 is_above = _mm512_test_epi32_mask(index, _mm512_set1_epi32(32));
        _mm512_stream_ps(out, _mm512_mask_blend_ps(is_above, below, above));
    }

private:
    __m512 of_[4];
};

void scale_to_float_avx512(const int16_t* values, size_t count, int16_t largest, double factor,
                           bool streamed, float* out) {
    if (!streamed || largest > ScaledValues::kLargest) {
        return scale_to_float_lanes<Shorts>(values, count, largest, factor, streamed, out);
    }
    const ScaledValues scaled(factor);
    write_to_boundaries<Shorts>(values, count, factor, out,
                                [&](const int16_t* from, float* to) { scaled.stream(from, to); });
}

void scale_wide_to_float_avx512(const int64_t* values, size_t count, double factor, bool streamed,
                                float* out) {
    if (!streamed) return scale_loop(values, count, factor, out);
    const __m512d factors = _mm512_set1_pd(factor);
    const auto scaled = [&](const int64_t* from) {
        const __m512d sums = _mm512_cvtepi64_pd(_mm512_loadu_si512(from));
        return _mm512_cvtpd_ps(_mm512_mul_pd(sums, factors));
    };
    write_to_boundaries<Shorts>(values, count, factor, out, [&](const int64_t* from, float* to) {
        const __m512 low = _mm512_castps256_ps512(scaled(from));
        _mm512_stream_ps(to, _mm512_insertf32x8(low, scaled(from + 8), 1));
    });
}

}  // namespace
}  // namespace addhash

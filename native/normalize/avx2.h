// Sums to floats, eight of 16 bits at a time or four of 64.
#pragma once

#include <immintrin.h>

#include "normalize/lanes.h"
#include "simd/avx2.h"

namespace addhash {
namespace {

inline __m256 scaled_in_double(__m128i values, double factor) {
    const __m256d factors = _mm256_set1_pd(factor);
    const __m256i wide = _mm256_cvtepi16_epi32(values);
    const __m256d low = _mm256_cvtepi32_pd(_mm256_castsi256_si128(wide));
    const __m256d high = _mm256_cvtepi32_pd(_mm256_extracti128_si256(wide, 1));
    return _mm256_set_m128(_mm256_cvtpd_ps(_mm256_mul_pd(high, factors)),
                           _mm256_cvtpd_ps(_mm256_mul_pd(low, factors)));
}

// A factor as the sum of two floats. Products in float take a third of the time of those in double,
// and round alike unless one is within 2^-47 of the middle between two floats.
class FloatFactor {
public:
    explicit FloatFactor(double factor)
        : head_(_mm256_set1_ps(static_cast<float>(factor))),
          tail_(_mm256_set1_ps(
              static_cast<float>(factor - static_cast<double>(static_cast<float>(factor))))) {}

    __m256 times(__m128i values) const {
        const __m256 v = _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(values));
        return _mm256_fmadd_ps(v, head_, _mm256_mul_ps(v, tail_));
    }

    // Whether all products up to `largest` are those in double; below zero, only the sign differs.
    bool is_exact(double factor, int16_t largest) const {
        __m128i values = _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7);
        __m256i differ = _mm256_setzero_si256();
        for (int done = 0; done <= largest; done += 8) {
            const __m256 expected = scaled_in_double(values, factor);
            differ = _mm256_or_si256(differ, _mm256_xor_si256(_mm256_castps_si256(times(values)),
                                                              _mm256_castps_si256(expected)));
            values = _mm_add_epi16(values, _mm_set1_epi16(8));
        }
        return _mm256_testz_si256(differ, differ) != 0;
    }

private:
    __m256 head_, tail_;
};

inline void store_floats(__m256 floats, bool streamed, float* out) {
    streamed ? _mm256_stream_ps(out, floats) : _mm256_store_ps(out, floats);
}

// The sums of a short document take few values, so that trying them all costs less than it saves.
void scale_to_float_avx2(const int16_t* values, size_t count, int16_t largest, double factor,
                         bool streamed, float* out) {
    const auto scale = [&](auto&& scaled) {
        write_to_boundaries<Shorts>(
            values, count, factor, out, [&](const int16_t* from, float* to) {
                const __m128i eight = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
                store_floats(scaled(eight), streamed, to);
            });
    };
    const FloatFactor in_float(factor);
    if (static_cast<size_t>(largest) < count / 4 && in_float.is_exact(factor, largest)) {
        scale([&](__m128i eight) { return in_float.times(eight); });
    } else {
        scale([&](__m128i eight) { return scaled_in_double(eight, factor); });
    }
}

// AVX2 has no conversion of 64 bits. The upper half h of a sum is put into 2^84 + 2^63 + h * 2^32,
// the lower half l into 2^52 + l. What is too much is taken away exactly; adding the halves rounds
// once, as a conversion does.
inline __m256d to_doubles(__m256i sums) {
    const __m256i upper_bits = _mm256_set1_epi64x(0x4530000080000000);
    const __m256i lower_bits = _mm256_set1_epi64x(0x4330000000000000);
    const __m256d too_much = _mm256_castsi256_pd(_mm256_set1_epi64x(0x4530000080100000));
    const __m256i upper = _mm256_xor_si256(_mm256_srli_epi64(sums, 32), upper_bits);
    const __m256i lower = _mm256_blend_epi32(lower_bits, sums, 0x55);
    return _mm256_add_pd(_mm256_sub_pd(_mm256_castsi256_pd(upper), too_much),
                         _mm256_castsi256_pd(lower));
}

inline __m256d scaled_sums(const int64_t* values, double factor) {
    const __m256i sums = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
    return _mm256_mul_pd(to_doubles(sums), _mm256_set1_pd(factor));
}

void scale_wide_to_float_avx2(const int64_t* values, size_t count, double factor, bool streamed,
                              float* out) {
    write_to_boundaries<Shorts>(values, count, factor, out, [&](const int64_t* from, float* to) {
        const __m128 low = _mm256_cvtpd_ps(scaled_sums(from, factor));
        const __m128 high = _mm256_cvtpd_ps(scaled_sums(from + 4, factor));
        store_floats(_mm256_set_m128(high, low), streamed, to);
    });
}

void scale_wide_to_double_avx2(const int64_t* values, size_t count, double factor, double* out) {
    size_t i = 0;
    for (; i + 4 <= count; i += 4) _mm256_storeu_pd(out + i, scaled_sums(values + i, factor));
    scale_loop(values + i, count - i, factor, out + i);
}

}  // namespace
}  // namespace addhash

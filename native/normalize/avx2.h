// Sums of 64 bits to floats, four at a time: AVX2 has no instruction for it.
#pragma once

#include <immintrin.h>

#include "normalize/loops.h"

namespace addhash {
namespace {

// The upper half h of a sum is put into 2^84 + 2^63 + h * 2^32, the lower half l into 2^52 + l.
// What is too much is taken away exactly; adding the halves rounds once, as a conversion does.
inline __m256d to_doubles(__m256i sums) {
    const __m256i upper_bits = _mm256_set1_epi64x(0x4530000080000000);
    const __m256i lower_bits = _mm256_set1_epi64x(0x4330000000000000);
    const __m256d too_much = _mm256_castsi256_pd(_mm256_set1_epi64x(0x4530000080100000));
    const __m256i upper = _mm256_xor_si256(_mm256_srli_epi64(sums, 32), upper_bits);
    const __m256i lower = _mm256_blend_epi32(lower_bits, sums, 0x55);
    return _mm256_add_pd(_mm256_sub_pd(_mm256_castsi256_pd(upper), too_much),
                         _mm256_castsi256_pd(lower));
}

inline void store_doubles(__m256d values, double* out) { _mm256_storeu_pd(out, values); }
inline void store_doubles(__m256d values, float* out) {
    _mm_storeu_ps(out, _mm256_cvtpd_ps(values));
}

template <class Float>
void scale_wide_avx2(const int64_t* values, size_t count, double factor, Float* out) {
    const __m256d factors = _mm256_set1_pd(factor);
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const __m256i sums = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + i));
        store_doubles(_mm256_mul_pd(to_doubles(sums), factors), out + i);
    }
    scale_loop(values + i, count - i, factor, out + i);
}

}  // namespace
}  // namespace addhash

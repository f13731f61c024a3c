// 32 components at a time.
#pragma once

#include <immintrin.h>

#include "simd/bytes.h"
#include "unpack/clear.h"
#include "unpack/unpack.h"

namespace addhash {
namespace {

// 32 counts below 256, as bytes in component order, from up to eight planes at one 4-byte offset.
__m256i gather_counts(const uint8_t* plane, unsigned levels) {
    // Byte 3 of the four holds the earliest components, its top bit first.
    const __m256i spread = _mm256_setr_epi8(3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1,
                                            1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m256i bit = _mm256_set1_epi64x(0x0102040810204080);
    __m256i counts = _mm256_setzero_si256();
    for (unsigned level = 0; level < levels; ++level) {
        const auto word = static_cast<int>(load32(plane + level * kColumnBytes));
        const __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(word), spread);
        const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit);
        const __m256i weight = _mm256_set1_epi8(static_cast<char>(1u << level));
        counts = _mm256_add_epi8(counts, _mm256_and_si256(set, weight));
    }
    return counts;
}

// Sixteen counts, split in low and high bytes, to sums. Twice a count may pass 2^15 on the way:
// modulo 2^16 the sum is right all the same.
void write_sums(__m128i low, __m128i high, __m256i total, int16_t* out) {
    const __m256i counts = _mm256_or_si256(_mm256_cvtepu8_epi16(low),
                                           _mm256_slli_epi16(_mm256_cvtepu8_epi16(high), 8));
    const __m256i sums = _mm256_sub_epi16(_mm256_slli_epi16(counts, 1), total);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), sums);
}

void unpack_planes(uint64_t* planes, size_t bits, unsigned levels, int16_t total, int16_t* sums) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(planes);
    const unsigned low_levels = levels < 8 ? levels : 8;
    const __m256i totals = _mm256_set1_epi16(total);
    for (size_t byte = 0; byte < bits / 8; byte += 4) {
        const uint8_t* plane =
            bytes + byte / kColumnBytes * kPlanes * kColumnBytes + byte % kColumnBytes;
        const __m256i low = gather_counts(plane, low_levels);
        const __m256i high = gather_counts(plane + low_levels * kColumnBytes, levels - low_levels);
        // With 8 to 24 bits left this begins before `sums`, in its slack.
        int16_t* out = sums + static_cast<ptrdiff_t>(bits) - static_cast<ptrdiff_t>(8 * byte + 32);
        write_sums(_mm256_castsi256_si128(low), _mm256_castsi256_si128(high), totals, out);
        write_sums(_mm256_extracti128_si256(low, 1), _mm256_extracti128_si256(high, 1), totals,
                   out + 16);
    }
    clear_planes(planes, bits, levels);
}

}  // namespace
}  // namespace addhash

// 256 components at a time.
#pragma once

#include <immintrin.h>

#include "unpack/clear.h"
#include "unpack/unpack.h"

namespace addhash {
namespace {

// Counts below 256 from the planes of 32 bytes, in component order within each half of a register:
// the first halves hold the last 128 components, in blocks of 16.
struct ByteCounts {
    static constexpr unsigned kMost = 8;  // planes
    __m256i of[kMost];

    // Byte 15 of a half holds its earliest components.
    ByteCounts(const uint8_t* plane, unsigned levels) {
        const __m256i backwards = _mm256_broadcastsi128_si256(
            _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
        for (unsigned level = 0; level < kMost; ++level) {
            if (level >= levels) {
                of[level] = _mm256_setzero_si256();
                continue;
            }
            const auto* from = reinterpret_cast<const __m256i*>(plane + level * kColumnBytes);
            of[level] = _mm256_shuffle_epi8(_mm256_loadu_si256(from), backwards);
        }
        exchange<1>(0x55);
        exchange<2>(0x33);
        exchange<4>(0x0F);
        // Now of[k] has the counts of bit k of each byte; a byte's top bit is its first component.
        interleave();
    }

private:
    // One step of the transposition of 8 by 8 bits.
    template <int apart> void exchange(char mask) {
        const __m256i masks = _mm256_set1_epi8(mask);
        for (unsigned i = 0; i < kMost; ++i) {
            if ((i & apart) != 0) continue;
            const __m256i changed = _mm256_and_si256(
                _mm256_xor_si256(_mm256_srli_epi64(of[i], apart), of[i + apart]), masks);
            of[i + apart] = _mm256_xor_si256(of[i + apart], changed);
            of[i] = _mm256_xor_si256(of[i], _mm256_slli_epi64(changed, apart));
        }
    }

    void interleave() {
        __m256i two[8], four[8];
        for (unsigned i = 0; i < 4; ++i) {
            two[2 * i] = _mm256_unpacklo_epi8(of[7 - 2 * i], of[6 - 2 * i]);
            two[2 * i + 1] = _mm256_unpackhi_epi8(of[7 - 2 * i], of[6 - 2 * i]);
        }
        for (unsigned i = 0; i < 2; ++i) {
            for (unsigned half = 0; half < 2; ++half) {
                const __m256i first = two[4 * i + half], second = two[4 * i + 2 + half];
                four[4 * i + 2 * half] = _mm256_unpacklo_epi16(first, second);
                four[4 * i + 2 * half + 1] = _mm256_unpackhi_epi16(first, second);
            }
        }
        for (unsigned i = 0; i < 4; ++i) {
            of[2 * i] = _mm256_unpacklo_epi32(four[i], four[4 + i]);
            of[2 * i + 1] = _mm256_unpackhi_epi32(four[i], four[4 + i]);
        }
    }
};

// Sixteen counts to sums. Twice a count may pass 2^15 on the way: modulo 2^16 the sum is right all
// the same.
inline void write_sums(__m256i counts, __m256i total, int16_t* out) {
    const __m256i sums = _mm256_sub_epi16(_mm256_slli_epi16(counts, 1), total);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), sums);
}

// Of 32 bytes of the planes.
template <bool is_long>
void unpack_block(const uint8_t* plane, unsigned levels, __m256i total, int16_t* out) {
    const ByteCounts low(plane, levels);
    if constexpr (!is_long) {
        for (unsigned i = 0; i < 8; ++i) {
            const __m128i last = _mm256_castsi256_si128(low.of[i]);
            const __m128i first = _mm256_extracti128_si256(low.of[i], 1);
            write_sums(_mm256_cvtepu8_epi16(first), total, out + 16 * i);
            write_sums(_mm256_cvtepu8_epi16(last), total, out + 128 + 16 * i);
        }
    } else {
        constexpr unsigned kLow = ByteCounts::kMost;
        const ByteCounts high(plane + kLow * kColumnBytes, levels - kLow);
        for (unsigned i = 0; i < 8; ++i) {
            // Of each half, the counts 0 to 7 and 8 to 15.
            const __m256i even = _mm256_unpacklo_epi8(low.of[i], high.of[i]);
            const __m256i odd = _mm256_unpackhi_epi8(low.of[i], high.of[i]);
            write_sums(_mm256_permute2x128_si256(even, odd, 0x31), total, out + 16 * i);
            write_sums(_mm256_permute2x128_si256(even, odd, 0x20), total, out + 128 + 16 * i);
        }
    }
}

void unpack_planes(uint64_t* planes, size_t bits, unsigned levels, int16_t total, int16_t* sums) {
    constexpr size_t kBytes = 32;
    const auto* bytes = reinterpret_cast<const uint8_t*>(planes);
    const __m256i totals = _mm256_set1_epi16(total);
    for (size_t byte = 0; byte < bits / 8; byte += kBytes) {
        const uint8_t* plane =
            bytes + byte / kColumnBytes * kPlanes * kColumnBytes + byte % kColumnBytes;
        // With less than 256 bits left this begins before `sums`, in its slack.
        int16_t* out =
            sums + static_cast<ptrdiff_t>(bits) - static_cast<ptrdiff_t>(8 * (byte + kBytes));
        if (levels <= ByteCounts::kMost) {
            unpack_block<false>(plane, levels, totals, out);
        } else {
            unpack_block<true>(plane, levels, totals, out);
        }
    }
    clear_planes(planes, bits, levels);
}

}  // namespace
}  // namespace addhash

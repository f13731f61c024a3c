// 64 components at a time: a plane's bits are a mask of lanes.
#pragma once

#include <immintrin.h>

#include "simd/bytes.h"
#include "unpack/unpack.h"

namespace addhash {
namespace {

// 64 counts below 256, as bytes in bit order, from up to eight planes at one 8-byte offset.
__m512i gather_counts(const uint8_t* plane, unsigned levels) {
    __m512i counts = _mm512_setzero_si512();
    for (unsigned level = 0; level < levels; ++level) {
        const __mmask64 bits = load64(plane + level * kColumnBytes);
        const __m512i weight = _mm512_set1_epi8(static_cast<char>(1u << level));
        counts = _mm512_mask_add_epi8(counts, bits, counts, weight);
    }
    return counts;
}

// 32 counts, in bit order, to sums in component order. Twice a count may pass 2^15 on the way:
// modulo 2^16 the sum is right all the same.
void write_sums(__m512i counts, __m512i total, int16_t* out) {
    const __m512i backwards =
        _mm512_set_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
                         21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
    const __m512i sums = _mm512_sub_epi16(_mm512_slli_epi16(counts, 1), total);
    _mm512_storeu_si512(out, _mm512_permutexvar_epi16(backwards, sums));
}

// The lower (0) or upper (1) 32 bytes as 16-bit numbers.
template <int half> __m512i widen(__m512i bytes) {
    return _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(bytes, half));
}

template <bool has_high>
void unpack(const uint64_t* planes, size_t bits, unsigned levels, int16_t total, int16_t* sums) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(planes);
    const __m512i totals = _mm512_set1_epi16(total);
    for (size_t byte = 0; byte < bits / 8; byte += 8) {
        const uint8_t* plane =
            bytes + byte / kColumnBytes * kPlanes * kColumnBytes + byte % kColumnBytes;
        const __m512i low = gather_counts(plane, has_high ? 8 : levels);
        __m512i first = widen<0>(low);
        __m512i last = widen<1>(low);
        if constexpr (has_high) {
            const __m512i high = gather_counts(plane + 8 * kColumnBytes, levels - 8);
            first = _mm512_or_si512(first, _mm512_slli_epi16(widen<0>(high), 8));
            last = _mm512_or_si512(last, _mm512_slli_epi16(widen<1>(high), 8));
        }
        // With fewer than 64 bits left the stores reach before `sums`, into its slack.
        int16_t* end = sums + static_cast<ptrdiff_t>(bits) - static_cast<ptrdiff_t>(8 * byte);
        write_sums(first, totals, end - 32);
        write_sums(last, totals, end - 64);
    }
}

// One register for each plane of a column: the planes are small, and a call for each column is not.
void clear_planes(uint64_t* planes, size_t bits, unsigned levels) {
    for (size_t bit = 0; bit < bits; bit += 8 * kColumnBytes, planes += kPlanes * kColumnWords) {
        for (unsigned level = 0; level < levels; ++level) {
            _mm512_storeu_si512(planes + level * kColumnWords, _mm512_setzero_si512());
        }
    }
}

void unpack_planes(uint64_t* planes, size_t bits, unsigned levels, int16_t total, int16_t* sums) {
    if (levels > 8) {
        unpack<true>(planes, bits, levels, total, sums);
    } else {
        unpack<false>(planes, bits, levels, total, sums);
    }
    clear_planes(planes, bits, levels);
}

}  // namespace
}  // namespace addhash

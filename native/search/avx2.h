// Packing for pairs.h, eight rows and eight pairs at a time.
#pragma once

#include <immintrin.h>

#include "search/pairs.h"

namespace addhash {
namespace {

// 16 components of eight rows from `first` on; `out` is for the first pair of the first row.
inline void pack_eight_rows(const int8_t* const* rows, size_t first, Pair* out) {
    __m128i pairs[8];
    for (size_t r = 0; r < 8; ++r) {
        pairs[r] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[r] + first));
    }
    // Shuffling the two halves of eight into each other three times transposes 8 by 8.
    for (int step = 0; step < 3; ++step) {
        __m128i shuffled[8];
        for (size_t i = 0; i < 4; ++i) {
            shuffled[2 * i] = _mm_unpacklo_epi16(pairs[i], pairs[i + 4]);
            shuffled[2 * i + 1] = _mm_unpackhi_epi16(pairs[i], pairs[i + 4]);
        }
        for (size_t i = 0; i < 8; ++i) pairs[i] = shuffled[i];
    }
    for (size_t i = 0; i < 8; ++i) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i * kTileRows),
                            _mm256_cvtepi8_epi16(pairs[i]));
    }
}

void pack_row_pairs_avx2(const int8_t* const (&rows)[kTileRows], size_t width, void* tile) {
    auto* out = static_cast<Pair*>(tile);
    size_t i = 0;
    for (; i + 16 <= width; i += 16, out += 8 * kTileRows) {
        for (size_t r = 0; r < kTileRows; r += 8) pack_eight_rows(rows + r, i, out + r);
    }
    pack_row_pairs_from(rows, i, width, out);
}

}  // namespace
}  // namespace addhash

// 64 components at a time: a row's byte is a mask of eight lanes.
#pragma once

#include <immintrin.h>

#include "simd/bytes.h"
#include "weigh/weigh.h"

namespace addhash {
namespace {

void add_weighted_rows(const uint8_t* const* rows, const int64_t* weights, size_t count,
                       size_t bits, int64_t* sums) {
    // Only set bits are added up: their weights, twice, less all weights is the sum with signs.
    int64_t total = 0;
    for (size_t row = 0; row < count; ++row) total += weights[row];
    const __m512i totals = _mm512_set1_epi64(total);
    const __m512i backwards = _mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    for (size_t byte = 0; byte < bits / 8; byte += 8) {
        __m512i set[8];
        for (__m512i& of_byte : set) of_byte = _mm512_setzero_si512();
        for (size_t row = 0; row < count; ++row) {
            const __m512i weight = _mm512_set1_epi64(weights[row]);
            const uint64_t mask = load64(rows[row] + byte);
#pragma GCC unroll 8
            for (int i = 0; i < 8; ++i) {
                const auto lanes = static_cast<__mmask8>(mask >> (8 * i));
                set[i] = _mm512_mask_add_epi64(set[i], lanes, set[i], weight);
            }
        }
        const size_t left = bits / 8 - byte;
#pragma GCC unroll 8
        for (size_t i = 0; i < 8; ++i) {
            if (i >= left) break;
            int64_t* out = sums + bits - 8 * (byte + i + 1);
            const __m512i twice = _mm512_slli_epi64(_mm512_permutexvar_epi64(backwards, set[i]), 1);
            const __m512i change = _mm512_sub_epi64(twice, totals);
            _mm512_storeu_si512(out, _mm512_add_epi64(_mm512_loadu_si512(out), change));
        }
    }
}

}  // namespace
}  // namespace addhash

// 64 components and eight rows at a time. The bits of four rows choose one of 16 sums of their
// weights, which a table in two registers holds.
#pragma once

#include <immintrin.h>

#include "simd/bytes.h"
#include "weigh/weigh.h"

namespace addhash {
namespace {

struct WeightTable {
    __m512i low, high;

    void set(const int64_t* weights) {
        low = _mm512_maskz_set1_epi64(0xAA, weights[0]);
        low = _mm512_mask_add_epi64(low, 0xCC, low, _mm512_set1_epi64(weights[1]));
        low = _mm512_mask_add_epi64(low, 0xF0, low, _mm512_set1_epi64(weights[2]));
        high = _mm512_add_epi64(low, _mm512_set1_epi64(weights[3]));
    }

    // Of each lane of `indices`, the lowest four bits count.
    __m512i operator[](__m512i indices) const {
        return _mm512_permutex2var_epi64(low, indices, high);
    }
};

// Eight rows, and what they add.
struct WeightGroup {
    static constexpr size_t kRows = 8;

    const uint8_t* rows[kRows];
    WeightTable first, last;

    // Takes up to eight rows; those that are missing weigh 0.
    void set(const uint8_t* const* given, const int64_t* weights, size_t count) {
        int64_t own[kRows] = {};
        for (size_t i = 0; i < kRows; ++i) {
            rows[i] = given[i < count ? i : 0];
            if (i < count) own[i] = weights[i];
        }
        first.set(own);
        last.set(own + kRows / 2);
    }

    // The bits of the rows for 64 components, a byte for each.
    __m512i indices(size_t byte) const {
        __m512i bits = _mm512_setzero_si512();
#pragma GCC unroll 8
        for (size_t i = 0; i < kRows; ++i) {
            const __m512i bit = _mm512_set1_epi8(static_cast<char>(1 << i));
            bits = _mm512_mask_add_epi8(bits, load64(rows[i] + byte), bits, bit);
        }
        return bits;
    }
};

// Writes what the set bits of 64 components add, from the byte of the rows on where they begin.
inline void write_weighted(const __m512i (&set)[8], int64_t total, size_t byte, size_t bits,
                           __mmask8 kept, int64_t* sums) {
    const __m512i totals = _mm512_set1_epi64(total);
    const __m512i backwards = _mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7);
#pragma GCC unroll 8
    for (size_t i = 0; i < 8; ++i) {
        if (byte + i >= bits / 8) break;
        int64_t* out = sums + bits - 8 * (byte + i + 1);
        const __m512i twice = _mm512_slli_epi64(_mm512_permutexvar_epi64(backwards, set[i]), 1);
        const __m512i change = _mm512_sub_epi64(twice, totals);
        _mm512_storeu_si512(out, _mm512_add_epi64(_mm512_maskz_loadu_epi64(kept, out), change));
    }
}

constexpr size_t kWeightGroups = 8;  // that are added in one pass

// What the groups add to the components of up to 64 bytes of the rows from `first` on. All indices
// are made before any is used: a load waits for a store that is under way.
void add_weight_groups(const WeightGroup* groups, size_t used, int64_t total, size_t first,
                       size_t bits, __mmask8 kept, int64_t* sums) {
    const size_t end = bits / 8 - first < 64 ? bits / 8 : first + 64;
    alignas(64) uint8_t indices[kWeightGroups][8][64];
    for (size_t i = 0; i < used; ++i) {
        for (size_t byte = first; byte < end; byte += 8) {
            _mm512_store_si512(indices[i][(byte - first) / 8], groups[i].indices(byte));
        }
    }
    for (size_t byte = first; byte < end; byte += 8) {
        __m512i set[8];
        for (__m512i& of_byte : set) of_byte = _mm512_setzero_si512();
        for (size_t i = 0; i < used; ++i) {
            const WeightGroup& group = groups[i];
            const uint8_t* next = indices[i][(byte - first) / 8];
#pragma GCC unroll 8
            for (int j = 0; j < 8; ++j) {
                const __m512i index = _mm512_cvtepu8_epi64(
                    _mm_loadl_epi64(reinterpret_cast<const __m128i*>(next + 8 * j)));
                set[j] = _mm512_add_epi64(set[j], group.first[index]);
                set[j] = _mm512_add_epi64(set[j], group.last[_mm512_srli_epi64(index, 4)]);
            }
        }
        write_weighted(set, total, byte, bits, kept, sums);
    }
}

// A row's byte as the mask of eight lanes: for so few rows that tables would not pay, as in edits.
void add_few_weighted_rows(const uint8_t* const* rows, const int64_t* weights, size_t count,
                           int64_t total, size_t bits, __mmask8 kept, int64_t* sums) {
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
        write_weighted(set, total, byte, bits, kept, sums);
    }
}

void add_weighted_rows(const uint8_t* const* rows, const int64_t* weights, size_t count,
                       int64_t total, size_t bits, bool is_first, int64_t* sums) {
    constexpr size_t kFew = 4;
    __mmask8 kept = is_first ? 0 : 0xFF;
    if (count <= kFew) {
        add_few_weighted_rows(rows, weights, count, total, bits, kept, sums);
        return;
    }
    do {
        WeightGroup groups[kWeightGroups];
        size_t used = 0;
        while (used < kWeightGroups && count > 0) {
            const size_t taken = count < WeightGroup::kRows ? count : WeightGroup::kRows;
            groups[used++].set(rows, weights, taken);
            rows += taken;
            weights += taken;
            count -= taken;
        }
        for (size_t first = 0; first < bits / 8; first += 64) {
            add_weight_groups(groups, used, total, first, bits, kept, sums);
        }
        kept = 0xFF;
        total = 0;
    } while (count > 0);
}

}  // namespace
}  // namespace addhash

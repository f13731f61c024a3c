// Eight rows at a time. The bits of four rows choose one of 16 sums of their weights, which a table
// in two registers holds.
#pragma once

#include <immintrin.h>

#include "bitsum/bitsum.h"
#include "simd/avx512.h"
#include "simd/bytes.h"
#include "weigh/weigh.h"

namespace addhash {
namespace {

struct WeightTable {
    __m512i low, high;

    // Every sum begins with `start` and holds twice the weights that are chosen.
    void set(const int64_t* weights, int64_t start) {
        const auto twice = [&](int i) { return _mm512_set1_epi64(2 * weights[i]); };
        low = _mm512_set1_epi64(start);
        low = _mm512_mask_add_epi64(low, 0xAA, low, twice(0));
        low = _mm512_mask_add_epi64(low, 0xCC, low, twice(1));
        low = _mm512_mask_add_epi64(low, 0xF0, low, twice(2));
        high = _mm512_add_epi64(low, twice(3));
    }

    // Of each lane of `choices`, the lowest four bits count.
    __m512i operator[](__m512i choices) const {
        return _mm512_permutex2var_epi64(low, choices, high);
    }
};

// Eight rows, and what they add.
struct WeightGroup {
    static constexpr size_t kRows = 8;

    const uint8_t* rows[kRows];
    WeightTable first, last;

    // Takes up to eight rows; those that are missing weigh 0. `start` is added to every component.
    void set(const uint8_t* const* given, const int64_t* weights, size_t count, int64_t start) {
        int64_t own[kRows] = {};
        for (size_t i = 0; i < kRows; ++i) {
            rows[i] = given[i < count ? i : 0];
            if (i < count) own[i] = weights[i];
        }
        first.set(own, start);
        last.set(own + kRows / 2, 0);
    }

    // The rows' bits at one component are a byte; these are the bytes of a column from `first` on.
    // Of eight bytes of the rows, byte i of a lane is for byte i, and the lanes are in the order
    // of its components, which is backwards.
    void choose(size_t first, uint64_t (&choices)[8][8]) const {
        Lanes64 x[kRows];
        for (size_t i = 0; i < kRows; ++i) x[i].v = _mm512_loadu_si512(rows[i] + first);
        exchange<1>(x, 0x5555555555555555);
        exchange<2>(x, 0x3333333333333333);
        exchange<4>(x, 0x0F0F0F0F0F0F0F0F);
        const Lanes64 backwards[] = {x[7], x[6], x[5], x[4], x[3], x[2], x[1], x[0]};
        uint8_t* places[8];
        for (size_t i = 0; i < 8; ++i) places[i] = reinterpret_cast<uint8_t*>(choices[i]);
        Lanes64::write_column(backwards, places);
    }

    // Adds to the components of eight bytes.
    void add_to(__m512i (&sums)[8], const uint64_t (&choices)[8]) const {
        __m512i chosen = _mm512_load_si512(choices);
#pragma GCC unroll 8
        for (__m512i& sum : sums) {
            sum = _mm512_add_epi64(sum, first[chosen]);
            chosen = _mm512_srli_epi64(chosen, 4);
            sum = _mm512_add_epi64(sum, last[chosen]);
            chosen = _mm512_srli_epi64(chosen, 4);
        }
    }

private:
    // Of a transposition of 8 by 8 bits: the bits of row i that `mask` leaves out, and those of row
    // i + apart that it has.
    template <unsigned apart> static void exchange(Lanes64 (&x)[kRows], uint64_t mask) {
        const __m512i masks = Lanes64::broadcast(mask).v;
#pragma GCC unroll 8
        for (size_t i = 0; i < kRows; ++i) {
            if ((i & apart) != 0) continue;
            __m512i &low = x[i].v, &high = x[i + apart].v;
            // (low >> apart ^ high) & mask
            const __m512i changed =
                _mm512_ternarylogic_epi64(_mm512_srli_epi64(low, apart), high, masks, 0x28);
            high = _mm512_xor_si512(high, changed);
            low = _mm512_xor_si512(low, _mm512_slli_epi64(changed, apart));
        }
    }
};

// The sums of the components of eight bytes, or zeros. Past the last byte they are of no use.
inline void load_sums(size_t byte, size_t bits, __mmask8 kept, const int64_t* sums,
                      __m512i (&loaded)[8]) {
#pragma GCC unroll 8
    for (size_t i = 0; i < 8; ++i) {
        const size_t place = byte + i < bits / 8 ? bits - 8 * (byte + i + 1) : 0;
        loaded[i] = _mm512_maskz_loadu_epi64(kept, sums + place);
    }
}

inline void store_sums(const __m512i (&stored)[8], size_t byte, size_t bits, int64_t* sums) {
#pragma GCC unroll 8
    for (size_t i = 0; i < 8; ++i) {
        if (byte + i >= bits / 8) break;
        _mm512_storeu_si512(sums + bits - 8 * (byte + i + 1), stored[i]);
    }
}

// A row's byte as the mask of eight lanes: for so few rows that tables would not pay, as in edits.
void add_few_weighted_rows(const uint8_t* const* rows, const int64_t* weights, size_t count,
                           int64_t total, size_t bits, __mmask8 kept, int64_t* sums) {
    const __m512i totals = _mm512_set1_epi64(total);
    const __m512i backwards = _mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    for (size_t byte = 0; byte < bits / 8; byte += 8) {
        __m512i added[8];
        for (__m512i& of_byte : added) of_byte = _mm512_setzero_si512();
        for (size_t row = 0; row < count; ++row) {
            const __m512i twice = _mm512_set1_epi64(2 * weights[row]);
            const uint64_t mask = load64(rows[row] + byte);
#pragma GCC unroll 8
            for (int i = 0; i < 8; ++i) {
                const auto lanes = static_cast<__mmask8>(mask >> (8 * i));
                added[i] = _mm512_mask_add_epi64(added[i], lanes, added[i], twice);
            }
        }
        __m512i own[8];
        load_sums(byte, bits, kept, sums, own);
#pragma GCC unroll 8
        for (size_t i = 0; i < 8; ++i) {
            const __m512i change = _mm512_permutexvar_epi64(backwards, added[i]);
            own[i] = _mm512_add_epi64(own[i], _mm512_sub_epi64(change, totals));
        }
        store_sums(own, byte, bits, sums);
    }
}

void add_weighted_rows(const uint8_t* const* rows, const int64_t* weights, size_t count,
                       int64_t total, size_t bits, bool is_first, int64_t* sums) {
    constexpr size_t kFew = 4;
    constexpr size_t kGroups = 8;  // that are added in one pass
    __mmask8 kept = is_first ? 0 : 0xFF;
    if (count <= kFew) {
        add_few_weighted_rows(rows, weights, count, total, bits, kept, sums);
        return;
    }
    while (count > 0) {
        WeightGroup groups[kGroups];
        size_t used = 0;
        for (; used < kGroups && count > 0; ++used) {
            const size_t taken = count < WeightGroup::kRows ? count : WeightGroup::kRows;
            groups[used].set(rows, weights, taken, -total);
            total = 0;
            rows += taken;
            weights += taken;
            count -= taken;
        }
        for (size_t first = 0; first < bits / 8; first += kColumnBytes) {
            alignas(64) uint64_t choices[kGroups][8][8];
            for (size_t i = 0; i < used; ++i) groups[i].choose(first, choices[i]);
            for (size_t part = 0; part < 8 && first + 8 * part < bits / 8; ++part) {
                __m512i own[8];
                load_sums(first + 8 * part, bits, kept, sums, own);
                for (size_t i = 0; i < used; ++i) groups[i].add_to(own, choices[i][part]);
                store_sums(own, first + 8 * part, bits, sums);
            }
        }
        kept = 0xFF;
    }
}

}  // namespace
}  // namespace addhash

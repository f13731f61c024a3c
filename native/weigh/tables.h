// Eight rows at a time: their bits at one component are a byte, which chooses one of 256 sums from
// a table: twice the weights of the set bits.
#pragma once

#include "simd/bytes.h"
#include "weigh/weigh.h"

namespace addhash {
namespace {

struct RowsOfEight {
    static constexpr size_t kRows = 8;
    static constexpr size_t kBlock = 64;  // bytes of the rows that are done together

    const uint8_t* rows[kRows];
    int64_t sums[256];
    // Byte b of choices[k]: the rows' bits 8 * b + k.
    alignas(64) uint64_t choices[kRows][kBlock / 8];

    // Takes up to eight rows; those that are missing weigh 0. Every sum begins with `start`.
    void set(const uint8_t* const* given, const int64_t* weights, size_t count, int64_t start) {
        sums[0] = start;
        for (size_t i = 0; i < kRows; ++i) {
            rows[i] = given[i < count ? i : 0];
            const int64_t twice = i < count ? 2 * weights[i] : 0;
            for (size_t j = 0; j < size_t{1} << i; ++j)
                sums[(size_t{1} << i) + j] = sums[j] + twice;
        }
    }

    template <size_t apart> static void exchange(uint64_t (&x)[kRows], uint64_t mask) {
        for (size_t i = 0; i < kRows; ++i) {
            if ((i & apart) != 0) continue;
            const uint64_t changed = ((x[i] >> apart) ^ x[i + apart]) & mask;
            x[i + apart] ^= changed;
            x[i] ^= changed << apart;
        }
    }

    // Of the rows' bytes from `first` on. A transposition of 8 by 8 bits, which compilers find
    // registers for.
    void choose(size_t first) {
        for (size_t word = 0; word < kBlock / 8; ++word) {
            uint64_t x[kRows];
            for (size_t i = 0; i < kRows; ++i) x[i] = load64(rows[i] + first + 8 * word);
            exchange<1>(x, 0x5555555555555555);
            exchange<2>(x, 0x3333333333333333);
            exchange<4>(x, 0x0F0F0F0F0F0F0F0F);
            for (size_t i = 0; i < kRows; ++i) choices[i][word] = x[i];
        }
    }

    // What the rows add to a component: bit `bit` of byte `byte` of the block.
    int64_t operator()(size_t byte, size_t bit) const {
        return sums[reinterpret_cast<const uint8_t*>(choices[bit])[byte]];
    }
};

// sums[c] = what the rows add there, to what was there if `is_kept`.
template <size_t count, bool is_kept>
void add_eights(RowsOfEight* eights, size_t bits, int64_t* sums) {
    for (size_t first = 0; first < bits / 8; first += RowsOfEight::kBlock) {
        for (size_t i = 0; i < count; ++i) eights[i].choose(first);
        const size_t left = bits / 8 - first;
        const size_t bytes = left < RowsOfEight::kBlock ? left : RowsOfEight::kBlock;
        for (size_t byte = 0; byte < bytes; ++byte) {
            int64_t* out = sums + bits - 8 * (first + byte + 1);
            for (size_t bit = 0; bit < 8; ++bit) {
                int64_t sum = is_kept ? out[7 - bit] : 0;
                for (size_t i = 0; i < count; ++i) sum += eights[i](byte, bit);
                out[7 - bit] = sum;
            }
        }
    }
}

inline void add_weighted_rows_tables(const uint8_t* const* rows, const int64_t* weights,
                                     size_t count, int64_t total, size_t bits, bool is_first,
                                     int64_t* sums) {
    bool is_kept = !is_first;
    if (count == 0) {
        for (size_t i = 0; i < bits; ++i) sums[i] = (is_kept ? sums[i] : 0) - total;
    }
    while (count > 0) {
        constexpr size_t kMost = 2;
        RowsOfEight eights[kMost];
        size_t used = 0;
        for (; used < kMost && count > 0; ++used) {
            const size_t taken = count < RowsOfEight::kRows ? count : RowsOfEight::kRows;
            eights[used].set(rows, weights, taken, -total);
            total = 0;
            rows += taken;
            weights += taken;
            count -= taken;
        }
        const auto add = used == 1 ? (is_kept ? add_eights<1, true> : add_eights<1, false>)
                                   : (is_kept ? add_eights<2, true> : add_eights<2, false>);
        add(eights, bits, sums);
        is_kept = true;
    }
}

}  // namespace
}  // namespace addhash

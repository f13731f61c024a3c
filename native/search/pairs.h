// Products in pairs of 16-bit integers: two rows' worth of one multiply-add instruction.
// Packed are pairs of components: pair 0 of every row, then pair 1 of every row, and so on.
#pragma once

#include <cstring>

#include "search/loops.h"

namespace addhash {
namespace {

struct Pair {
    int16_t first, second;
};

inline Pair pair_at(const int8_t* values, size_t i, size_t width) {
    return {values[i], i + 1 < width ? values[i + 1] : int8_t{0}};
}

inline void pack_row_pairs_from(const int8_t* const (&rows)[kTileRows], size_t first, size_t width,
                                Pair* out) {
    for (size_t i = first; i < width; i += 2) {
        for (size_t r = 0; r < kTileRows; ++r) *out++ = pair_at(rows[r], i, width);
    }
}

inline void pack_row_pairs(const int8_t* const (&rows)[kTileRows], size_t width, void* tile) {
    pack_row_pairs_from(rows, 0, width, static_cast<Pair*>(tile));
}

inline void pack_query_pairs(const int8_t* const* queries, size_t group, size_t width,
                             void* packed) {
    auto* out = static_cast<Pair*>(packed);
    for (size_t i = 0; i < width; i += 2) {
        for (size_t q = 0; q < group; ++q) {
            *out++ = queries[q] == nullptr ? Pair{0, 0} : pair_at(queries[q], i, width);
        }
    }
}

// Lanes is a register of 32-bit sums; `queries` of the group from `query` on are scored with
// 2 * Lanes::lanes rows at a time.
template <class Lanes, size_t queries> inline void score_pairs(const Pair* tile, const Pair* packed,
                                                               size_t group, size_t pairs,
                                                               bool is_first, double* dots) {
    for (size_t row = 0; row < kTileRows; row += 2 * Lanes::lanes) {
        Lanes sums[queries][2];
#pragma GCC unroll 16
        for (size_t q = 0; q < queries; ++q) sums[q][0] = sums[q][1] = Lanes::zero();
        const Pair* rows = tile + row;
        const Pair* query = packed;
        for (size_t i = 0; i < pairs; ++i, rows += kTileRows, query += group) {
            const Lanes low = Lanes::load(rows);
            const Lanes high = Lanes::load(rows + Lanes::lanes);
#pragma GCC unroll 16
            for (size_t q = 0; q < queries; ++q) {
                const Lanes pair = Lanes::broadcast(query + q);
                sums[q][0] = sums[q][0].add_product(low, pair);
                sums[q][1] = sums[q][1].add_product(high, pair);
            }
        }
        for (size_t q = 0; q < queries; ++q) {
            alignas(64) int32_t sum[2 * Lanes::lanes];
            sums[q][0].store(sum);
            sums[q][1].store(sum + Lanes::lanes);
            double* out = dots + q * kTileRows + row;
            for (size_t r = 0; r < 2 * Lanes::lanes; ++r) {
                out[r] = (is_first ? 0.0 : out[r]) + static_cast<double>(sum[r]);
            }
        }
    }
}

// `step` queries fit the registers.
template <class Lanes, size_t step> inline void score_tile_pairs(const void* tile,
                                                                 const void* queries, size_t group,
                                                                 size_t width, double* dots) {
    const size_t all = (width + 1) / 2;
    for (size_t first = 0; first < all; first += kDepth / 2) {
        const size_t pairs = all - first < kDepth / 2 ? all - first : kDepth / 2;
        const Pair* rows = static_cast<const Pair*>(tile) + first * kTileRows;
        const Pair* packed = static_cast<const Pair*>(queries) + first * group;
        if (group == 1) {
            score_pairs<Lanes, 1>(rows, packed, group, pairs, first == 0, dots);
            continue;
        }
        size_t q = 0;
        for (; q + step <= group; q += step) {
            score_pairs<Lanes, step>(rows, packed + q, group, pairs, first == 0,
                                     dots + q * kTileRows);
        }
        for (; q < group; q += 4) {
            score_pairs<Lanes, 4>(rows, packed + q, group, pairs, first == 0, dots + q * kTileRows);
        }
    }
}

// Four sums of one row hide the latency of an addition.
template <class Lanes>
inline int32_t dot_pairs(const int8_t* row, const int16_t* query, size_t count) {
    constexpr size_t kStep = 2 * Lanes::lanes;
    Lanes sums[4] = {Lanes::zero(), Lanes::zero(), Lanes::zero(), Lanes::zero()};
    size_t i = 0;
    for (; i + 4 * kStep <= count; i += 4 * kStep) {
#pragma GCC unroll 4
        for (size_t j = 0; j < 4; ++j) {
            sums[j] = sums[j].add_product(Lanes::widen(row + i + j * kStep),
                                          Lanes::load(query + i + j * kStep));
        }
    }
    for (; i + kStep <= count; i += kStep) {
        sums[0] = sums[0].add_product(Lanes::widen(row + i), Lanes::load(query + i));
    }
    int32_t sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])).sum();
    for (; i < count; ++i) sum += row[i] * query[i];
    return sum;
}

template <class Lanes> void score_rows_pairs(const int8_t* rows, size_t count, size_t width,
                                             const void* query, double* dots) {
    for (size_t r = 0; r < count; ++r, rows += width) {
        dots[r] = dot_in_pieces(rows, static_cast<const int16_t*>(query), width, dot_pairs<Lanes>);
    }
}

}  // namespace
}  // namespace addhash

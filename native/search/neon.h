// Products of a row's components with one component of a query, which ARM's instructions pick from
// a register of several. Packed are the components of one step of every row, then those of the
// next step; likewise for queries.
#pragma once

#include <arm_neon.h>

#include <cstring>
#include <utility>

#include "search/loops.h"

namespace addhash {
namespace {

constexpr size_t kVectorRows = 8;  // whose sums are in two registers

// 16-bit integers, one component of every row a step.
struct LongProducts {
    using Element = int16_t;
    using Register = int16x8_t;
    static constexpr size_t components = 1;

    static Register load(const Element* p) { return vld1q_s16(p); }
    template <size_t query>
    static void add(int32x4_t (&sums)[2], const Register (&rows)[1], const Register* queries) {
        const Register& of = queries[query / 8];
        sums[0] = vmlal_laneq_s16(sums[0], vget_low_s16(rows[0]), of, query % 8);
        sums[1] = vmlal_high_laneq_s16(sums[1], rows[0], of, query % 8);
    }
    // Eight components of eight rows, transposed.
    static constexpr size_t packed_rows = 8, packed_components = 8;
    static void pack(const int8_t* const* rows, size_t first, Element* out) {
        int16x8_t a[8], b[8];
        for (size_t r = 0; r < 8; ++r) a[r] = vmovl_s8(vld1_s8(rows[r] + first));
        for (size_t i = 0; i < 8; i += 2) {
            b[i] = vtrn1q_s16(a[i], a[i + 1]);
            b[i + 1] = vtrn2q_s16(a[i], a[i + 1]);
        }
        for (size_t i : {0, 1, 4, 5}) {
            const int32x4_t x = vreinterpretq_s32_s16(b[i]), y = vreinterpretq_s32_s16(b[i + 2]);
            a[i] = vreinterpretq_s16_s32(vtrn1q_s32(x, y));
            a[i + 2] = vreinterpretq_s16_s32(vtrn2q_s32(x, y));
        }
        for (size_t i = 0; i < 4; ++i) {
            const int64x2_t x = vreinterpretq_s64_s16(a[i]), y = vreinterpretq_s64_s16(a[i + 4]);
            vst1q_s16(out + i * kTileRows, vreinterpretq_s16_s64(vtrn1q_s64(x, y)));
            vst1q_s16(out + (i + 4) * kTileRows, vreinterpretq_s16_s64(vtrn2q_s64(x, y)));
        }
    }

    static int32_t dot(const int8_t* row, const Element* query, size_t count) {
        int32x4_t sums[4] = {};
        size_t i = 0;
        for (; i + 32 <= count; i += 32) {
            add_products(row + i, query + i, sums[0], sums[1]);
            add_products(row + i + 16, query + i + 16, sums[2], sums[3]);
        }
        int32_t sum =
            vaddvq_s32(vaddq_s32(vaddq_s32(sums[0], sums[1]), vaddq_s32(sums[2], sums[3])));
        for (; i < count; ++i) sum += row[i] * query[i];
        return sum;
    }

private:
    // Sixteen components. The query's fit bytes, and a product of two bytes fits 16 bits.
    static void add_products(const int8_t* row, const Element* query, int32x4_t& low,
                             int32x4_t& high) {
        const int8x16_t a = vld1q_s8(row);
        const int8x16_t b = vuzp1q_s8(vreinterpretq_s8_s16(vld1q_s16(query)),
                                      vreinterpretq_s8_s16(vld1q_s16(query + 8)));
        low = vpadalq_s16(low, vmull_s8(vget_low_s8(a), vget_low_s8(b)));
        high = vpadalq_s16(high, vmull_high_s8(a, b));
    }
};

// Component `i` of a vector, and zeros past its end.
inline int8_t component(const int8_t* values, size_t i, size_t width) {
    return i < width ? values[i] : int8_t{0};
}

template <class P>
inline void pack_rows_neon(const int8_t* const (&rows)[kTileRows], size_t width, void* tile) {
    auto* out = static_cast<typename P::Element*>(tile);
    size_t i = 0;
    for (; i + P::packed_components <= width; i += P::packed_components) {
        for (size_t r = 0; r < kTileRows; r += P::packed_rows) {
            P::pack(rows + r, i, out + r * P::components);
        }
        out += P::packed_components * kTileRows;
    }
    for (; i < width; i += P::components) {
        for (size_t r = 0; r < kTileRows; ++r) {
            for (size_t j = i; j < i + P::components; ++j) *out++ = component(rows[r], j, width);
        }
    }
}

template <class P> inline void pack_queries_neon(const int8_t* const* queries, size_t group,
                                                 size_t width, void* packed) {
    auto* out = static_cast<typename P::Element*>(packed);
    for (size_t i = 0; i < width; i += P::components) {
        for (size_t q = 0; q < group; ++q) {
            for (size_t j = i; j < i + P::components; ++j) {
                *out++ = queries[q] == nullptr ? int8_t{0} : component(queries[q], j, width);
            }
        }
    }
}

// kVectorRows rows with all queries of a group, over `steps` steps.
template <class P, size_t... query>
inline void score_vector(const typename P::Element* rows, const typename P::Element* queries,
                         size_t steps, bool is_first, double* dots, std::index_sequence<query...>) {
    constexpr size_t kGroup = sizeof...(query);
    constexpr size_t kLanes = sizeof(typename P::Register) / sizeof(typename P::Element);
    constexpr size_t kRowRegisters = kVectorRows * P::components / kLanes;
    constexpr size_t kQueryRegisters = (kGroup * P::components + kLanes - 1) / kLanes;
    int32x4_t sums[kGroup][2] = {};
    for (size_t i = 0; i < steps; ++i) {
        typename P::Register row[kRowRegisters], of[kQueryRegisters];
        for (size_t j = 0; j < kRowRegisters; ++j) row[j] = P::load(rows + j * kLanes);
        // This may read past the last query, but not past the room that packed_bytes() gives.
        for (size_t j = 0; j < kQueryRegisters; ++j) of[j] = P::load(queries + j * kLanes);
        (P::template add<query>(sums[query], row, of), ...);
        rows += kTileRows * P::components;
        queries += kGroup * P::components;
    }
    for (size_t q = 0; q < kGroup; ++q) {
        int32_t sum[kVectorRows];
        vst1q_s32(sum, sums[q][0]);
        vst1q_s32(sum + kVectorRows / 2, sums[q][1]);
        double* out = dots + q * kTileRows;
        for (size_t r = 0; r < kVectorRows; ++r) {
            out[r] = (is_first ? 0.0 : out[r]) + static_cast<double>(sum[r]);
        }
    }
}

template <class P, size_t group>
inline void score_group(const void* tile, const void* packed, size_t width, double* dots) {
    const auto* rows = static_cast<const typename P::Element*>(tile);
    const auto* queries = static_cast<const typename P::Element*>(packed);
    const size_t all = (width + P::components - 1) / P::components;
    constexpr size_t kSteps = kDepth / P::components;
    for (size_t first = 0; first < all; first += kSteps) {
        const size_t steps = all - first < kSteps ? all - first : kSteps;
        for (size_t row = 0; row < kTileRows; row += kVectorRows) {
            score_vector<P>(rows + (first * kTileRows + row) * P::components,
                            queries + first * group * P::components, steps, first == 0, dots + row,
                            std::make_index_sequence<group>());
        }
    }
}

template <class P> inline void score_tile_neon(const void* tile, const void* queries, size_t group,
                                               size_t width, double* dots) {
    switch (group) {
        case 1: return score_group<P, 1>(tile, queries, width, dots);
        case 4: return score_group<P, 4>(tile, queries, width, dots);
        default: return score_group<P, 12>(tile, queries, width, dots);
    }
}

template <class P> inline void score_rows_neon(const int8_t* rows, size_t count, size_t width,
                                               const void* query, double* dots) {
    for (size_t r = 0; r < count; ++r, rows += width) {
        dots[r] =
            dot_in_pieces(rows, static_cast<const typename P::Element*>(query), width, P::dot);
    }
}

}  // namespace
}  // namespace addhash

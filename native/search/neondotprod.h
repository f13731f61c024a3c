// 8-bit integers: for processors with the dot-product instructions.
#pragma once

#include "search/neon.h"

namespace addhash {
namespace {

// sdot adds four products of signed bytes to each 32-bit sum.
struct DotProducts {
    using Element = int8_t;
    using Register = int8x16_t;
    static constexpr size_t components = 4;

    static Register load(const Element* p) { return vld1q_s8(p); }
    template <size_t query>
    static void add(int32x4_t (&sums)[2], const Register (&rows)[2], const Register* queries) {
        const Register& of = queries[query / 4];
        sums[0] = vdotq_laneq_s32(sums[0], rows[0], of, query % 4);
        sums[1] = vdotq_laneq_s32(sums[1], rows[1], of, query % 4);
    }
    // Sixteen components of four rows, transposed in groups of four.
    static constexpr size_t packed_rows = 4, packed_components = 16;
    static void pack(const int8_t* const* rows, size_t first, Element* out) {
        int32x4_t a[4];
        int64x2_t b[4];
        for (size_t r = 0; r < 4; ++r) a[r] = vreinterpretq_s32_s8(vld1q_s8(rows[r] + first));
        for (size_t i = 0; i < 4; i += 2) {
            b[i] = vreinterpretq_s64_s32(vtrn1q_s32(a[i], a[i + 1]));
            b[i + 1] = vreinterpretq_s64_s32(vtrn2q_s32(a[i], a[i + 1]));
        }
        for (size_t i = 0; i < 2; ++i) {
            constexpr size_t kStep = components * kTileRows;
            vst1q_s8(out + i * kStep, vreinterpretq_s8_s64(vtrn1q_s64(b[i], b[i + 2])));
            vst1q_s8(out + (i + 2) * kStep, vreinterpretq_s8_s64(vtrn2q_s64(b[i], b[i + 2])));
        }
    }

    static int32_t dot(const int8_t* row, const Element* query, size_t count) {
        // Four sums hide the latency of an instruction.
        int32x4_t sums[4] = {};
        size_t i = 0;
        for (; i + 64 <= count; i += 64) {
#pragma GCC unroll 4
            for (size_t j = 0; j < 4; ++j) {
                sums[j] = vdotq_s32(sums[j], load(row + i + 16 * j), load(query + i + 16 * j));
            }
        }
        for (; i + 16 <= count; i += 16) {
            sums[0] = vdotq_s32(sums[0], load(row + i), load(query + i));
        }
        int32_t sum =
            vaddvq_s32(vaddq_s32(vaddq_s32(sums[0], sums[1]), vaddq_s32(sums[2], sums[3])));
        for (; i < count; ++i) sum += row[i] * query[i];
        return sum;
    }
};

}  // namespace
}  // namespace addhash

// 16 components at a time.
#pragma once

#include <arm_neon.h>

#include "simd/bytes.h"
#include "unpack/unpack.h"

namespace addhash {
namespace {

// 16 counts below 256, as bytes in component order, from up to eight planes at one 2-byte offset.
uint8x16_t gather_counts(const uint8_t* plane, unsigned levels) {
    // Byte 1 of the two holds the earliest components, its top bit first.
    const uint8x16_t bit = vreinterpretq_u8_u64(vdupq_n_u64(0x0102040810204080));
    uint8x16_t counts = vdupq_n_u8(0);
    for (unsigned level = 0; level < levels; ++level) {
        const uint8_t* bytes = plane + level * kColumnBytes;
        const uint8x16_t spread = vcombine_u8(vdup_n_u8(bytes[1]), vdup_n_u8(bytes[0]));
        const uint8x16_t weight = vdupq_n_u8(static_cast<uint8_t>(1u << level));
        counts = vaddq_u8(counts, vandq_u8(vtstq_u8(spread, bit), weight));
    }
    return counts;
}

// Eight counts to sums. Twice a count may pass 2^15 on the way: modulo 2^16 the sum is right all
// the same.
void write_sums(uint8x16_t counts, int16x8_t total, int16_t* out) {
    const int16x8_t twice = vshlq_n_s16(vreinterpretq_s16_u8(counts), 1);
    vst1q_s16(out, vsubq_s16(twice, total));
}

void unpack_planes(const uint64_t* planes, size_t bits, unsigned levels, int16_t total,
                   int16_t* sums) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(planes);
    const unsigned low_levels = levels < 8 ? levels : 8;
    const int16x8_t totals = vdupq_n_s16(total);
    for (size_t byte = 0; byte < bits / 8; byte += 2) {
        const uint8_t* plane =
            bytes + byte / kColumnBytes * kPlanes * kColumnBytes + byte % kColumnBytes;
        const uint8x16_t low = gather_counts(plane, low_levels);
        const uint8x16_t high =
            gather_counts(plane + low_levels * kColumnBytes, levels - low_levels);
        // With 8 bits left this begins before `sums`, in its slack.
        int16_t* out = sums + static_cast<ptrdiff_t>(bits) - static_cast<ptrdiff_t>(8 * byte + 16);
        write_sums(vzip1q_u8(low, high), totals, out);
        write_sums(vzip2q_u8(low, high), totals, out + 8);
    }
}

}  // namespace
}  // namespace addhash

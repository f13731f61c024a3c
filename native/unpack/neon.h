// 32 components at a time.
#pragma once

#include <arm_neon.h>

#include "simd/bytes.h"
#include "unpack/clear.h"
#include "unpack/unpack.h"

namespace addhash {
namespace {

struct Counts {
    uint8x16_t first, last;
};

// 32 counts below 256, as bytes in component order, from up to eight planes at one 4-byte offset.
Counts gather_counts(const uint8_t* plane, unsigned levels) {
    // Byte 3 of the four holds the earliest components, its top bit first.
    const uint8x16_t first_bytes = vcombine_u8(vdup_n_u8(3), vdup_n_u8(2));
    const uint8x16_t last_bytes = vcombine_u8(vdup_n_u8(1), vdup_n_u8(0));
    const uint8x16_t bit = vreinterpretq_u8_u64(vdupq_n_u64(0x0102040810204080));
    Counts counts = {vdupq_n_u8(0), vdupq_n_u8(0)};
    uint8x16_t weight = vdupq_n_u8(1);
    for (unsigned level = 0; level < levels; ++level) {
        const uint8x16_t bytes =
            vreinterpretq_u8_u32(vdupq_n_u32(load32(plane + level * kColumnBytes)));
        // All bits of a byte are set where the plane's bit is: -1, modulo 256.
        const uint8x16_t first = vtstq_u8(vqtbl1q_u8(bytes, first_bytes), bit);
        const uint8x16_t last = vtstq_u8(vqtbl1q_u8(bytes, last_bytes), bit);
        counts = {vmlsq_u8(counts.first, first, weight), vmlsq_u8(counts.last, last, weight)};
        weight = vaddq_u8(weight, weight);
    }
    return counts;
}

// Sixteen counts, split in low and high bytes, to sums. Twice a count may pass 2^15 on the way:
// modulo 2^16 the sum is right all the same.
void write_sums(uint8x16_t low, uint8x16_t high, int16x8_t total, int16_t* out) {
    const int16x8_t first = vreinterpretq_s16_u8(vzip1q_u8(low, high));
    const int16x8_t last = vreinterpretq_s16_u8(vzip2q_u8(low, high));
    vst1q_s16(out, vsubq_s16(vshlq_n_s16(first, 1), total));
    vst1q_s16(out + 8, vsubq_s16(vshlq_n_s16(last, 1), total));
}

void unpack_planes(uint64_t* planes, size_t bits, unsigned levels, int16_t total, int16_t* sums) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(planes);
    const unsigned low_levels = levels < 8 ? levels : 8;
    const int16x8_t totals = vdupq_n_s16(total);
    for (size_t byte = 0; byte < bits / 8; byte += 4) {
        const uint8_t* plane =
            bytes + byte / kColumnBytes * kPlanes * kColumnBytes + byte % kColumnBytes;
        const Counts low = gather_counts(plane, low_levels);
        const Counts high = gather_counts(plane + low_levels * kColumnBytes, levels - low_levels);
        // With 8 to 24 bits left this begins before `sums`, in its slack.
        int16_t* out = sums + static_cast<ptrdiff_t>(bits) - static_cast<ptrdiff_t>(8 * byte + 32);
        write_sums(low.first, high.first, totals, out);
        write_sums(low.last, high.last, totals, out + 16);
    }
    clear_planes(planes, bits, levels);
}

}  // namespace
}  // namespace addhash

// 128-bit lanes. Every 64-bit ARM processor has them.
#pragma once

#include <arm_neon.h>

#include "simd/bytes.h"

namespace addhash {
namespace {

struct Lanes64 {
    static constexpr size_t lanes = 2;
    uint64x2_t v;

    static Lanes64 load(const uint64_t* p) { return {vld1q_u64(p)}; }
    static Lanes64 broadcast(uint64_t x) { return {vdupq_n_u64(x)}; }
    void store(uint64_t* p) const { vst1q_u64(p, v); }
    template <int n> Lanes64 rol() const {
        if constexpr (n == 32) {
            return {vreinterpretq_u64_u32(vrev64q_u32(vreinterpretq_u32_u64(v)))};
        } else {
            return {vsriq_n_u64(vshlq_n_u64(v, n), v, 64 - n)};
        }
    }
    Lanes64 operator^(Lanes64 b) const { return {veorq_u64(v, b.v)}; }
    Lanes64 operator&(Lanes64 b) const { return {vandq_u64(v, b.v)}; }
    Lanes64 operator+(Lanes64 b) const { return {vaddq_u64(v, b.v)}; }
    static Lanes64 xor3(Lanes64 a, Lanes64 b, Lanes64 c) { return a ^ b ^ c; }
    static Lanes64 xor_rol1(Lanes64 a, Lanes64 b) { return a ^ b.rol<1>(); }
    template <int n> static Lanes64 rol_xor(Lanes64 a, Lanes64 b) { return (a ^ b).rol<n>(); }
    static Lanes64 majority(Lanes64 a, Lanes64 b, Lanes64 c) { return select(a ^ b, c, a); }
    static Lanes64 chi(Lanes64 a, Lanes64 b, Lanes64 c) { return a ^ Lanes64{vbicq_u64(c.v, b.v)}; }
    static Lanes64 select(Lanes64 mask, Lanes64 yes, Lanes64 no) {
        return {vbslq_u64(mask.v, yes.v, no.v)};
    }
    // Eight words of each lane, as 64 bytes, to that lane's place.
    template <class V> static void write_column(const V (&words)[8], uint8_t* const* places) {
        for (size_t i = 0; i < 8; i += 2) {
            store_at(places[0] + 8 * i, vzip1q_u64(words[i].v, words[i + 1].v));
            store_at(places[1] + 8 * i, vzip2q_u64(words[i].v, words[i + 1].v));
        }
    }
    static void store_at(uint8_t* place, uint64x2_t v) { vst1q_u8(place, vreinterpretq_u8_u64(v)); }
};

// Two registers: where there are enough of them, two at a time wait less for each other.
struct WideLanes64 {
    static constexpr size_t lanes = 4;
    Lanes64 low, high;

    static WideLanes64 load(const uint64_t* p) { return {Lanes64::load(p), Lanes64::load(p + 2)}; }
    static WideLanes64 broadcast(uint64_t x) {
        return {Lanes64::broadcast(x), Lanes64::broadcast(x)};
    }
    void store(uint64_t* p) const {
        low.store(p);
        high.store(p + 2);
    }
    template <int n> WideLanes64 rol() const { return {low.rol<n>(), high.rol<n>()}; }
    // v ^ (v >> 32)
    WideLanes64 fold() const {
        return {{veorq_u64(low.v, vshrq_n_u64(low.v, 32))},
                {veorq_u64(high.v, vshrq_n_u64(high.v, 32))}};
    }
    // 64-bit products from 32-bit ones: lo*lo + ((lo*hi + hi*lo) << 32).
    WideLanes64 mul(WideLanes64 b) const {
        const uint32x4_t a_low = lower_halves(), b_low = b.lower_halves();
        const uint32x4_t crossed =
            vmlaq_u32(vmulq_u32(a_low, b.upper_halves()), upper_halves(), b_low);
        const uint64x2_t first = vshll_n_u32(vget_low_u32(crossed), 32);
        const uint64x2_t last = vshll_high_n_u32(crossed, 32);
        return {{vmlal_u32(first, vget_low_u32(a_low), vget_low_u32(b_low))},
                {vmlal_high_u32(last, a_low, b_low)}};
    }
    WideLanes64 operator^(WideLanes64 b) const { return {low ^ b.low, high ^ b.high}; }
    WideLanes64 operator&(WideLanes64 b) const { return {low & b.low, high & b.high}; }
    WideLanes64 operator+(WideLanes64 b) const { return {low + b.low, high + b.high}; }
    static WideLanes64 xor3(WideLanes64 a, WideLanes64 b, WideLanes64 c) { return a ^ b ^ c; }
    static WideLanes64 majority(WideLanes64 a, WideLanes64 b, WideLanes64 c) {
        return {Lanes64::majority(a.low, b.low, c.low), Lanes64::majority(a.high, b.high, c.high)};
    }
    static WideLanes64 select(WideLanes64 mask, WideLanes64 yes, WideLanes64 no) {
        return {Lanes64::select(mask.low, yes.low, no.low),
                Lanes64::select(mask.high, yes.high, no.high)};
    }
    // Eight consecutive words, as 64 bytes.
    static void write_run(const WideLanes64 (&words)[2], uint8_t* place) {
        for (size_t i = 0; i < 2; ++i) {
            Lanes64::store_at(place + 32 * i, words[i].low.v);
            Lanes64::store_at(place + 32 * i + 16, words[i].high.v);
        }
    }

private:
    uint32x4_t lower_halves() const {
        return vuzp1q_u32(vreinterpretq_u32_u64(low.v), vreinterpretq_u32_u64(high.v));
    }
    uint32x4_t upper_halves() const {
        return vuzp2q_u32(vreinterpretq_u32_u64(low.v), vreinterpretq_u32_u64(high.v));
    }
};

struct Lanes32 {
    static constexpr size_t lanes = 4;
    uint32x4_t v;

    static Lanes32 load(const uint32_t* p) { return {vld1q_u32(p)}; }
    static Lanes32 broadcast(uint32_t x) { return {vdupq_n_u32(x)}; }
    void store(uint32_t* p) const { vst1q_u32(p, v); }
    static Lanes32 gather(const uint8_t* base, Lanes32 offset) {
        uint32x4_t words = vdupq_n_u32(load32(base + vgetq_lane_u32(offset.v, 0)));
        words = vsetq_lane_u32(load32(base + vgetq_lane_u32(offset.v, 1)), words, 1);
        words = vsetq_lane_u32(load32(base + vgetq_lane_u32(offset.v, 2)), words, 2);
        return {vsetq_lane_u32(load32(base + vgetq_lane_u32(offset.v, 3)), words, 3)};
    }
    template <int n> Lanes32 rol() const { return {vsriq_n_u32(vshlq_n_u32(v, n), v, 32 - n)}; }
    template <int n> Lanes32 srl() const { return {vshrq_n_u32(v, n)}; }
    template <int n> Lanes32 sll() const { return {vshlq_n_u32(v, n)}; }
    Lanes32 mul(Lanes32 b) const { return {vmulq_u32(v, b.v)}; }
    Lanes32 operator^(Lanes32 b) const { return {veorq_u32(v, b.v)}; }
    Lanes32 operator&(Lanes32 b) const { return {vandq_u32(v, b.v)}; }
    Lanes32 operator+(Lanes32 b) const { return {vaddq_u32(v, b.v)}; }
    Lanes32 operator-(Lanes32 b) const { return {vsubq_u32(v, b.v)}; }
    static Lanes32 byte_mask(Lanes32 bytes) {
        const uint32x4_t one = vdupq_n_u32(1);
        const int32x4_t bits = vreinterpretq_s32_u32(vshlq_n_u32(bytes.v, 3));
        return {vsubq_u32(vshlq_u32(one, bits), one)};
    }
    static Lanes32 where_less(Lanes32 a, Lanes32 b, Lanes32 yes, Lanes32 no) {
        return {vbslq_u32(vcltq_u32(a.v, b.v), yes.v, no.v)};
    }
    static bool any_less(Lanes32 a, Lanes32 b) { return vmaxvq_u32(vcltq_u32(a.v, b.v)) != 0; }
};

// 16-bit integers.
struct Shorts {
    static constexpr size_t lanes = 8;
    int16x8_t v;

    static Shorts load(const int16_t* p) { return {vld1q_s16(p)}; }
    // The squares, two to a lane: they fit it if neither value is -32768.
    Lanes32 square_pairs() const {
        const int32x4_t low = vmull_s16(vget_low_s16(v), vget_low_s16(v));
        return {vreinterpretq_u32_s32(vmlal_high_s16(low, v, v))};
    }
    // Lanes of 32 bits, two to a lane.
    static Lanes64 sum_pairs(Lanes32 pairs) { return {vpaddlq_u32(pairs.v)}; }
};

using Bits = WideLanes64;

}  // namespace
}  // namespace addhash

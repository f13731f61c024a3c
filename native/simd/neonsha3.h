// What SHAKE-256 does with 64-bit lanes, by the instructions that ARM has for it. Only files
// compiled for SHA3 include this.
#pragma once

#include "simd/neon.h"

namespace addhash {
namespace {

struct Sha3Lanes64 {
    static constexpr size_t lanes = Lanes64::lanes;
    uint64x2_t v;

    static Sha3Lanes64 load(const uint64_t* p) { return {vld1q_u64(p)}; }
    static Sha3Lanes64 broadcast(uint64_t x) { return {vdupq_n_u64(x)}; }
    Sha3Lanes64 operator^(Sha3Lanes64 b) const { return {veorq_u64(v, b.v)}; }
    Sha3Lanes64 operator&(Sha3Lanes64 b) const { return {vandq_u64(v, b.v)}; }
    static Sha3Lanes64 xor3(Sha3Lanes64 a, Sha3Lanes64 b, Sha3Lanes64 c) {
        return {veor3q_u64(a.v, b.v, c.v)};
    }
    static Sha3Lanes64 xor_rol1(Sha3Lanes64 a, Sha3Lanes64 b) { return {vrax1q_u64(a.v, b.v)}; }
    template <int n> static Sha3Lanes64 rol_xor(Sha3Lanes64 a, Sha3Lanes64 b) {
        return {vxarq_u64(a.v, b.v, 64 - n)};
    }
    static Sha3Lanes64 chi(Sha3Lanes64 a, Sha3Lanes64 b, Sha3Lanes64 c) {
        return {vbcaxq_u64(a.v, c.v, b.v)};
    }
    static void write_column(const Sha3Lanes64 (&words)[8], uint8_t* const* places) {
        Lanes64::write_column(words, places);
    }
};

}  // namespace
}  // namespace addhash

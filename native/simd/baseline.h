// Portable lanes: one machine word at a time.
#pragma once

#include "simd/bytes.h"

namespace addhash {
namespace {

struct Lanes64 {
    static constexpr size_t lanes = 1;
    uint64_t v;

    static Lanes64 load(const uint64_t* p) { return {*p}; }
    static Lanes64 broadcast(uint64_t x) { return {x}; }
    void store(uint64_t* p) const { *p = v; }
    template <int n> Lanes64 rol() const { return {(v << n) | (v >> (64 - n))}; }
    // v ^ (v >> 32)
    Lanes64 fold() const { return {v ^ v >> 32}; }
    Lanes64 mul(Lanes64 b) const { return {v * b.v}; }
    Lanes64 operator^(Lanes64 b) const { return {v ^ b.v}; }
    Lanes64 operator&(Lanes64 b) const { return {v & b.v}; }
    Lanes64 operator+(Lanes64 b) const { return {v + b.v}; }
    static Lanes64 xor3(Lanes64 a, Lanes64 b, Lanes64 c) { return {a.v ^ b.v ^ c.v}; }
    // a ^ rol(b, 1) and rol(a ^ b, n), which some processors have as one instruction.
    static Lanes64 xor_rol1(Lanes64 a, Lanes64 b) { return a ^ b.rol<1>(); }
    template <int n> static Lanes64 rol_xor(Lanes64 a, Lanes64 b) { return (a ^ b).rol<n>(); }
    static Lanes64 majority(Lanes64 a, Lanes64 b, Lanes64 c) {
        return {(a.v & b.v) | (c.v & (a.v ^ b.v))};
    }
    static Lanes64 chi(Lanes64 a, Lanes64 b, Lanes64 c) { return {a.v ^ (~b.v & c.v)}; }
    static Lanes64 select(Lanes64 mask, Lanes64 yes, Lanes64 no) {
        return {(mask.v & yes.v) | (~mask.v & no.v)};
    }
    // Eight words of each lane, as 64 bytes, to that lane's place.
    static void write_column(const Lanes64 (&words)[8], uint8_t* const* places) {
        for (size_t i = 0; i < 8; ++i) store64(places[0] + 8 * i, words[i].v);
    }
    // Eight words of one lane after the other, as 64 bytes.
    static void write_run(const Lanes64 (&words)[8], uint8_t* place) {
        for (size_t i = 0; i < 8; ++i) store64(place + 8 * i, words[i].v);
    }
};

struct Lanes32 {
    static constexpr size_t lanes = 1;
    uint32_t v;

    static Lanes32 load(const uint32_t* p) { return {*p}; }
    static Lanes32 broadcast(uint32_t x) { return {x}; }
    void store(uint32_t* p) const { *p = v; }
    // The little-endian words at base + offset.
    static Lanes32 gather(const uint8_t* base, Lanes32 offset) { return {load32(base + offset.v)}; }
    template <int n> Lanes32 rol() const { return {(v << n) | (v >> (32 - n))}; }
    template <int n> Lanes32 srl() const { return {v >> n}; }
    template <int n> Lanes32 sll() const { return {v << n}; }
    Lanes32 mul(Lanes32 b) const { return {v * b.v}; }
    Lanes32 operator^(Lanes32 b) const { return {v ^ b.v}; }
    Lanes32 operator&(Lanes32 b) const { return {v & b.v}; }
    Lanes32 operator+(Lanes32 b) const { return {v + b.v}; }
    Lanes32 operator-(Lanes32 b) const { return {v - b.v}; }
    // 2^(8 * bytes) - 1 for bytes from 0 to 3.
    static Lanes32 byte_mask(Lanes32 bytes) { return {(1u << (8 * bytes.v)) - 1}; }
    // Where a < b, `yes`; elsewhere `no`. All values are below 2^31.
    static Lanes32 where_less(Lanes32 a, Lanes32 b, Lanes32 yes, Lanes32 no) {
        return a.v < b.v ? yes : no;
    }
    static bool any_less(Lanes32 a, Lanes32 b) { return a.v < b.v; }
};

// Bit rows, 128 bits at a time: what SSE2 and NEON hold in a register.
struct Bits {
    using Vector = uint64_t __attribute__((vector_size(16)));
    static constexpr size_t lanes = 2;
    Vector v;

    static Bits load(const uint64_t* p) {
        Bits r;
        std::memcpy(&r.v, p, sizeof r.v);
        return r;
    }
    void store(uint64_t* p) const { std::memcpy(p, &v, sizeof v); }
    Bits operator^(Bits b) const { return {v ^ b.v}; }
    Bits operator&(Bits b) const { return {v & b.v}; }
    static Bits xor3(Bits a, Bits b, Bits c) { return {a.v ^ b.v ^ c.v}; }
    static Bits majority(Bits a, Bits b, Bits c) { return {(a.v & b.v) | (c.v & (a.v ^ b.v))}; }
};

}  // namespace
}  // namespace addhash

// AES by instructions, one block in a register. Only files compiled for ARM's AES include this.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>

namespace addhash {
namespace {

struct AesBlock {
    static constexpr size_t blocks = 1;
    uint8x16_t v;

    static AesBlock load(const uint8_t* p) { return {vld1q_u8(p)}; }
    static AesBlock broadcast(const uint8_t* block) { return load(block); }
    void store(uint8_t* p) const { vst1q_u8(p, v); }
    AesBlock operator^(AesBlock b) const { return {veorq_u8(v, b.v)}; }
    AesBlock operator&(AesBlock b) const { return {vandq_u8(v, b.v)}; }
    AesBlock operator|(AesBlock b) const { return {vorrq_u8(v, b.v)}; }
    // Of 64-bit words.
    AesBlock operator+(AesBlock b) const {
        return {
            vreinterpretq_u8_u64(vaddq_u64(vreinterpretq_u64_u8(v), vreinterpretq_u64_u8(b.v)))};
    }
    AesBlock round(AesBlock key) const { return AesBlock{vaesmcq_u8(substituted())} ^ key; }
    AesBlock last_round(AesBlock key) const { return AesBlock{substituted()} ^ key; }

private:
    // The instruction adds a key before it substitutes bytes and shifts rows.
    uint8x16_t substituted() const { return vaeseq_u8(v, vdupq_n_u8(0)); }
};

}  // namespace
}  // namespace addhash

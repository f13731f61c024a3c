// AES by instructions, four blocks in a register. Only files compiled for AVX-512 and VAES include
// this.
#pragma once

#include "simd/aesni.h"

namespace addhash {
namespace {

struct AesBlocks {
    static constexpr size_t blocks = 4;
    __m512i v;

    static AesBlocks load(const uint8_t* p) { return {_mm512_loadu_si512(p)}; }
    static AesBlocks broadcast(const uint8_t* block) {
        return {_mm512_broadcast_i32x4(AesBlock::load(block).v)};
    }
    void store(uint8_t* p) const { _mm512_storeu_si512(p, v); }
    AesBlocks operator^(AesBlocks b) const { return {_mm512_xor_si512(v, b.v)}; }
    // Of 64-bit words.
    AesBlocks operator+(AesBlocks b) const { return {_mm512_add_epi64(v, b.v)}; }
    AesBlocks round(AesBlocks key) const { return {_mm512_aesenc_epi128(v, key.v)}; }
    AesBlocks last_round(AesBlocks key) const { return {_mm512_aesenclast_epi128(v, key.v)}; }
};

}  // namespace
}  // namespace addhash

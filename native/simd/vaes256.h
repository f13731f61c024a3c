// AES by instructions, two blocks in a register. Only files compiled for AVX2 and VAES include
// this.
#pragma once

#include "simd/aesni.h"

namespace addhash {
namespace {

struct AesBlocks {
    static constexpr size_t blocks = 2;
    __m256i v;

    static AesBlocks load(const uint8_t* p) {
        return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
    }
    static AesBlocks broadcast(const uint8_t* block) {
        return {_mm256_broadcastsi128_si256(AesBlock::load(block).v)};
    }
    void store(uint8_t* p) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
    AesBlocks operator^(AesBlocks b) const { return {_mm256_xor_si256(v, b.v)}; }
    // Of 64-bit words.
    AesBlocks operator+(AesBlocks b) const { return {_mm256_add_epi64(v, b.v)}; }
    AesBlocks round(AesBlocks key) const { return {_mm256_aesenc_epi128(v, key.v)}; }
    AesBlocks last_round(AesBlocks key) const { return {_mm256_aesenclast_epi128(v, key.v)}; }
};

}  // namespace
}  // namespace addhash

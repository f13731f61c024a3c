// AES by instructions, one block in a register. Only files compiled for AES include this.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace addhash {
namespace {

struct AesBlock {
    static constexpr size_t blocks = 1;
    __m128i v;

    static AesBlock load(const uint8_t* p) {
        return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))};
    }
    static AesBlock broadcast(const uint8_t* block) { return load(block); }
    void store(uint8_t* p) const { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), v); }
    AesBlock operator^(AesBlock b) const { return {_mm_xor_si128(v, b.v)}; }
    AesBlock operator&(AesBlock b) const { return {_mm_and_si128(v, b.v)}; }
    AesBlock operator|(AesBlock b) const { return {_mm_or_si128(v, b.v)}; }
    // Of 64-bit words.
    AesBlock operator+(AesBlock b) const { return {_mm_add_epi64(v, b.v)}; }
    AesBlock round(AesBlock key) const { return {_mm_aesenc_si128(v, key.v)}; }
    AesBlock last_round(AesBlock key) const { return {_mm_aesenclast_si128(v, key.v)}; }
};

}  // namespace
}  // namespace addhash

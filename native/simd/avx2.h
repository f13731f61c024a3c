// 256-bit lanes. Only files compiled for AVX2 include this.
#pragma once

#include <immintrin.h>

#include "simd/bytes.h"

namespace addhash::avx2 {

struct Lanes64 {
    static constexpr size_t lanes = 4;
    __m256i v;

    static Lanes64 load(const uint64_t* p) {
        return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
    }
    static Lanes64 broadcast(uint64_t x) { return {_mm256_set1_epi64x(static_cast<long long>(x))}; }
    void store(uint64_t* p) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
    template <int n> Lanes64 rol() const {
        return {_mm256_or_si256(_mm256_slli_epi64(v, n), _mm256_srli_epi64(v, 64 - n))};
    }
    // v ^ (v >> 32)
    Lanes64 fold() const { return {_mm256_xor_si256(v, _mm256_srli_epi64(v, 32))}; }
    // 64-bit products from 32-bit ones: lo*lo + ((lo*hi + hi*lo) << 32).
    Lanes64 mul(Lanes64 b) const {
        __m256i crossed = _mm256_mullo_epi32(v, _mm256_shuffle_epi32(b.v, 0xB1));
        __m256i high = _mm256_add_epi32(crossed, _mm256_shuffle_epi32(crossed, 0xB1));
        return {_mm256_add_epi64(_mm256_mul_epu32(v, b.v), _mm256_slli_epi64(high, 32))};
    }
    Lanes64 operator^(Lanes64 b) const { return {_mm256_xor_si256(v, b.v)}; }
    Lanes64 operator&(Lanes64 b) const { return {_mm256_and_si256(v, b.v)}; }
    Lanes64 operator+(Lanes64 b) const { return {_mm256_add_epi64(v, b.v)}; }
    static Lanes64 xor3(Lanes64 a, Lanes64 b, Lanes64 c) { return a ^ b ^ c; }
    static Lanes64 majority(Lanes64 a, Lanes64 b, Lanes64 c) {
        return {_mm256_or_si256((a & b).v, (c & (a ^ b)).v)};
    }
    static Lanes64 chi(Lanes64 a, Lanes64 b, Lanes64 c) {
        return {_mm256_xor_si256(a.v, _mm256_andnot_si256(b.v, c.v))};
    }
    static Lanes64 select(Lanes64 mask, Lanes64 yes, Lanes64 no) {
        return {_mm256_blendv_epi8(no.v, yes.v, mask.v)};
    }
    // Eight words of each lane, as 64 bytes, to that lane's place.
    static void write_column(const Lanes64 (&words)[8], uint8_t* const* places) {
        for (size_t half = 0; half < 2; ++half) {
            const Lanes64* w = words + 4 * half;
            const __m256i low01 = _mm256_unpacklo_epi64(w[0].v, w[1].v);
            const __m256i high01 = _mm256_unpackhi_epi64(w[0].v, w[1].v);
            const __m256i low23 = _mm256_unpacklo_epi64(w[2].v, w[3].v);
            const __m256i high23 = _mm256_unpackhi_epi64(w[2].v, w[3].v);
            store_at(places[0] + 32 * half, _mm256_permute2x128_si256(low01, low23, 0x20));
            store_at(places[1] + 32 * half, _mm256_permute2x128_si256(high01, high23, 0x20));
            store_at(places[2] + 32 * half, _mm256_permute2x128_si256(low01, low23, 0x31));
            store_at(places[3] + 32 * half, _mm256_permute2x128_si256(high01, high23, 0x31));
        }
    }
    // Eight consecutive words, as 64 bytes.
    static void write_run(const Lanes64 (&words)[2], uint8_t* place) {
        store_at(place, words[0].v);
        store_at(place + 32, words[1].v);
    }

private:
    static void store_at(uint8_t* place, __m256i v) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(place), v);
    }
};

struct Lanes32 {
    static constexpr size_t lanes = 8;
    __m256i v;

    static Lanes32 load(const uint32_t* p) {
        return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
    }
    static Lanes32 broadcast(uint32_t x) { return {_mm256_set1_epi32(static_cast<int>(x))}; }
    void store(uint32_t* p) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
    static Lanes32 gather(const uint8_t* base, Lanes32 offset) {
        return {_mm256_i32gather_epi32(reinterpret_cast<const int*>(base), offset.v, 1)};
    }
    template <int n> Lanes32 rol() const {
        return {_mm256_or_si256(_mm256_slli_epi32(v, n), _mm256_srli_epi32(v, 32 - n))};
    }
    template <int n> Lanes32 srl() const { return {_mm256_srli_epi32(v, n)}; }
    template <int n> Lanes32 sll() const { return {_mm256_slli_epi32(v, n)}; }
    Lanes32 mul(Lanes32 b) const { return {_mm256_mullo_epi32(v, b.v)}; }
    Lanes32 operator^(Lanes32 b) const { return {_mm256_xor_si256(v, b.v)}; }
    Lanes32 operator&(Lanes32 b) const { return {_mm256_and_si256(v, b.v)}; }
    Lanes32 operator+(Lanes32 b) const { return {_mm256_add_epi32(v, b.v)}; }
    Lanes32 operator-(Lanes32 b) const { return {_mm256_sub_epi32(v, b.v)}; }
    static Lanes32 byte_mask(Lanes32 bytes) {
        __m256i one = _mm256_set1_epi32(1);
        return {_mm256_sub_epi32(_mm256_sllv_epi32(one, _mm256_slli_epi32(bytes.v, 3)), one)};
    }
    static Lanes32 where_less(Lanes32 a, Lanes32 b, Lanes32 yes, Lanes32 no) {
        return {_mm256_blendv_epi8(no.v, yes.v, _mm256_cmpgt_epi32(b.v, a.v))};
    }
    static bool any_less(Lanes32 a, Lanes32 b) {
        return _mm256_movemask_epi8(_mm256_cmpgt_epi32(b.v, a.v)) != 0;
    }
};

using Bits = Lanes64;

}  // namespace addhash::avx2

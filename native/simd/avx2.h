// 256-bit lanes. Only files compiled for AVX2 include this.
#pragma once

#include <immintrin.h>

#include "simd/bytes.h"

namespace addhash {
namespace {

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
    Lanes64 operator>>(int bits) const { return {_mm256_srl_epi64(v, _mm_cvtsi32_si128(bits))}; }
    // Of signed integers.
    Lanes64 magnitude() const {
        const __m256i negative = _mm256_cmpgt_epi64(_mm256_setzero_si256(), v);
        return {_mm256_sub_epi64(_mm256_xor_si256(v, negative), negative)};
    }
    // Products of the lower halves of lanes.
    Lanes64 mul_low(Lanes64 b) const { return {_mm256_mul_epu32(v, b.v)}; }
    uint64_t sum() const {
        uint64_t of[lanes];
        store(of);
        return of[0] + of[1] + of[2] + of[3];
    }
    static Lanes64 xor3(Lanes64 a, Lanes64 b, Lanes64 c) { return a ^ b ^ c; }
    static Lanes64 xor_rol1(Lanes64 a, Lanes64 b) { return a ^ b.rol<1>(); }
    template <int n> static Lanes64 rol_xor(Lanes64 a, Lanes64 b) { return (a ^ b).rol<n>(); }
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

// 16-bit integers.
struct Shorts {
    static constexpr size_t lanes = 16;
    static constexpr size_t floats = 8;  // of a register
    __m256i v;

    static Shorts load(const int16_t* p) {
        return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
    }
    // The squares, two to a lane: they fit it if neither value is -32768.
    Lanes32 square_pairs() const { return {_mm256_madd_epi16(v, v)}; }
    // Lanes of 32 bits, two to a lane.
    static Lanes64 sum_pairs(Lanes32 pairs) {
        const __m256i even = _mm256_and_si256(pairs.v, _mm256_set1_epi64x(0xFFFFFFFF));
        return {_mm256_add_epi64(even, _mm256_srli_epi64(pairs.v, 32))};
    }
    static void fence() { _mm_sfence(); }
};

// 32-bit sums of products of pairs of 16-bit integers.
struct PairSums {
    static constexpr size_t lanes = 8;
    __m256i v;

    static PairSums zero() { return {_mm256_setzero_si256()}; }
    static PairSums load(const void* pairs) {
        return {_mm256_loadu_si256(static_cast<const __m256i*>(pairs))};
    }
    // 2 * lanes bytes as 16-bit integers.
    static PairSums widen(const int8_t* bytes) {
        return {_mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)))};
    }
    static PairSums broadcast(const void* pair) {
        int32_t bits;
        std::memcpy(&bits, pair, sizeof bits);
        return {_mm256_set1_epi32(bits)};
    }
    PairSums add_product(PairSums a, PairSums b) const {
        // GCC would gather products before it adds them, for which there are too few registers.
        __m256i sum = v;
        asm("vpaddd %1, %0, %0" : "+x"(sum) : "x"(_mm256_madd_epi16(a.v, b.v)));
        return {sum};
    }
    PairSums operator+(PairSums b) const { return {_mm256_add_epi32(v, b.v)}; }
    int32_t sum() const {
        __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
        s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4E));
        s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xB1));
        return _mm_cvtsi128_si32(s);
    }
    void store(int32_t* p) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
};

using Bits = Lanes64;

}  // namespace
}  // namespace addhash

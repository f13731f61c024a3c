// 512-bit lanes. Only files compiled for AVX-512 (F, BW, DQ, VL) include this.
#pragma once

#include <immintrin.h>

#include "simd/bytes.h"

namespace addhash {
namespace {

struct Lanes64 {
    static constexpr size_t lanes = 8;
    __m512i v;

    static Lanes64 load(const uint64_t* p) { return {_mm512_loadu_si512(p)}; }
    static Lanes64 broadcast(uint64_t x) { return {_mm512_set1_epi64(static_cast<long long>(x))}; }
    void store(uint64_t* p) const { _mm512_storeu_si512(p, v); }
    template <int n> Lanes64 rol() const { return {_mm512_rol_epi64(v, n)}; }
    // v ^ (v >> 32). A masked shuffle leaves the port to the multiplications that a shift takes.
    Lanes64 fold() const {
        return {_mm512_xor_si512(v, _mm512_maskz_shuffle_epi32(0x5555, v, _MM_PERM_DDBB))};
    }
    Lanes64 mul(Lanes64 b) const { return {_mm512_mullo_epi64(v, b.v)}; }
    Lanes64 operator^(Lanes64 b) const { return {_mm512_xor_si512(v, b.v)}; }
    Lanes64 operator&(Lanes64 b) const { return {_mm512_and_si512(v, b.v)}; }
    Lanes64 operator+(Lanes64 b) const { return {_mm512_add_epi64(v, b.v)}; }
    Lanes64 operator>>(int bits) const { return {_mm512_srl_epi64(v, _mm_cvtsi32_si128(bits))}; }
    // Of signed integers.
    Lanes64 magnitude() const { return {_mm512_abs_epi64(v)}; }
    // Products of the lower halves of lanes.
    Lanes64 mul_low(Lanes64 b) const { return {_mm512_mul_epu32(v, b.v)}; }
    uint64_t sum() const { return static_cast<uint64_t>(_mm512_reduce_add_epi64(v)); }
    // The last argument is the truth table of the three operands.
    static Lanes64 xor3(Lanes64 a, Lanes64 b, Lanes64 c) {
        return {_mm512_ternarylogic_epi64(a.v, b.v, c.v, 0x96)};
    }
    static Lanes64 xor_rol1(Lanes64 a, Lanes64 b) { return a ^ b.rol<1>(); }
    template <int n> static Lanes64 rol_xor(Lanes64 a, Lanes64 b) { return (a ^ b).rol<n>(); }
    static Lanes64 majority(Lanes64 a, Lanes64 b, Lanes64 c) {
        return {_mm512_ternarylogic_epi64(a.v, b.v, c.v, 0xE8)};
    }
    static Lanes64 chi(Lanes64 a, Lanes64 b, Lanes64 c) {
        return {_mm512_ternarylogic_epi64(a.v, b.v, c.v, 0xD2)};
    }
    static Lanes64 select(Lanes64 mask, Lanes64 yes, Lanes64 no) {
        return {_mm512_ternarylogic_epi64(mask.v, yes.v, no.v, 0xCA)};
    }
    // Eight words of each lane, as 64 bytes, to that lane's place: an 8 x 8 transposition.
    static void write_column(const Lanes64 (&words)[8], uint8_t* const* places) {
        __m512i even[4], odd[4];  // lanes 0 2 4 6, and 1 3 5 7, of word pairs
        for (int i = 0; i < 4; ++i) {
            even[i] = _mm512_unpacklo_epi64(words[2 * i].v, words[2 * i + 1].v);
            odd[i] = _mm512_unpackhi_epi64(words[2 * i].v, words[2 * i + 1].v);
        }
        write_even_lanes(even, places);
        write_even_lanes(odd, places + 1);
    }
    // Eight consecutive words, as 64 bytes.
    static void write_run(const Lanes64 (&words)[1], uint8_t* place) {
        _mm512_storeu_si512(place, words[0].v);
    }

private:
    static void write_even_lanes(const __m512i (&pairs)[4], uint8_t* const* places) {
        const __m512i first01 = _mm512_shuffle_i64x2(pairs[0], pairs[1], 0x44);
        const __m512i first23 = _mm512_shuffle_i64x2(pairs[2], pairs[3], 0x44);
        const __m512i last01 = _mm512_shuffle_i64x2(pairs[0], pairs[1], 0xEE);
        const __m512i last23 = _mm512_shuffle_i64x2(pairs[2], pairs[3], 0xEE);
        _mm512_storeu_si512(places[0], _mm512_shuffle_i64x2(first01, first23, 0x88));
        _mm512_storeu_si512(places[2], _mm512_shuffle_i64x2(first01, first23, 0xDD));
        _mm512_storeu_si512(places[4], _mm512_shuffle_i64x2(last01, last23, 0x88));
        _mm512_storeu_si512(places[6], _mm512_shuffle_i64x2(last01, last23, 0xDD));
    }
};

struct Lanes32 {
    static constexpr size_t lanes = 16;
    __m512i v;

    static Lanes32 load(const uint32_t* p) { return {_mm512_loadu_si512(p)}; }
    static Lanes32 broadcast(uint32_t x) { return {_mm512_set1_epi32(static_cast<int>(x))}; }
    void store(uint32_t* p) const { _mm512_storeu_si512(p, v); }
    static Lanes32 gather(const uint8_t* base, Lanes32 offset) {
        return {_mm512_i32gather_epi32(offset.v, base, 1)};
    }
    template <int n> Lanes32 rol() const { return {_mm512_rol_epi32(v, n)}; }
    template <int n> Lanes32 srl() const { return {_mm512_srli_epi32(v, n)}; }
    template <int n> Lanes32 sll() const { return {_mm512_slli_epi32(v, n)}; }
    Lanes32 mul(Lanes32 b) const { return {_mm512_mullo_epi32(v, b.v)}; }
    Lanes32 operator^(Lanes32 b) const { return {_mm512_xor_si512(v, b.v)}; }
    Lanes32 operator&(Lanes32 b) const { return {_mm512_and_si512(v, b.v)}; }
    Lanes32 operator+(Lanes32 b) const { return {_mm512_add_epi32(v, b.v)}; }
    Lanes32 operator-(Lanes32 b) const { return {_mm512_sub_epi32(v, b.v)}; }
    static Lanes32 byte_mask(Lanes32 bytes) {
        __m512i one = _mm512_set1_epi32(1);
        return {_mm512_sub_epi32(_mm512_sllv_epi32(one, _mm512_slli_epi32(bytes.v, 3)), one)};
    }
    static Lanes32 where_less(Lanes32 a, Lanes32 b, Lanes32 yes, Lanes32 no) {
        return {_mm512_mask_blend_epi32(_mm512_cmplt_epi32_mask(a.v, b.v), no.v, yes.v)};
    }
    static bool any_less(Lanes32 a, Lanes32 b) { return _mm512_cmplt_epi32_mask(a.v, b.v) != 0; }
};

// 16-bit integers.
struct Shorts {
    static constexpr size_t lanes = 32;
    static constexpr size_t floats = 16;  // of a register
    __m512i v;

    static Shorts load(const int16_t* p) { return {_mm512_loadu_si512(p)}; }
    // The squares, two to a lane: they fit it if neither value is -32768.
    Lanes32 square_pairs() const { return {_mm512_madd_epi16(v, v)}; }
    // Lanes of 32 bits, two to a lane.
    static Lanes64 sum_pairs(Lanes32 pairs) {
        const __m512i even = _mm512_and_si512(pairs.v, _mm512_set1_epi64(0xFFFFFFFF));
        return {_mm512_add_epi64(even, _mm512_srli_epi64(pairs.v, 32))};
    }
    // Scales `floats` values in double; writes past the caches, to a multiple of 64 bytes.
    static void stream_scaled(const int16_t* values, double factor, float* out) {
        const __m512d factors = _mm512_set1_pd(factor);
        const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
        const __m512i wide = _mm512_cvtepi16_epi32(v);
        const __m512d low = _mm512_cvtepi32_pd(_mm512_castsi512_si256(wide));
        const __m512d high = _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(wide, 1));
        const __m256 first = _mm512_cvtpd_ps(_mm512_mul_pd(low, factors));
        const __m256 last = _mm512_cvtpd_ps(_mm512_mul_pd(high, factors));
        _mm512_stream_ps(out, _mm512_insertf32x8(_mm512_castps256_ps512(first), last, 1));
    }
    static void fence() { _mm_sfence(); }
};

// 32-bit sums of products of pairs of 16-bit integers.
struct PairSums {
    static constexpr size_t lanes = 16;
    __m512i v;

    static PairSums zero() { return {_mm512_setzero_si512()}; }
    static PairSums load(const void* pairs) { return {_mm512_loadu_si512(pairs)}; }
    // 2 * lanes bytes as 16-bit integers.
    static PairSums widen(const int8_t* bytes) {
        return {_mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes)))};
    }
    static PairSums broadcast(const void* pair) {
        int32_t bits;
        std::memcpy(&bits, pair, sizeof bits);
        return {_mm512_set1_epi32(bits)};
    }
    PairSums add_product(PairSums a, PairSums b) const {
        return {_mm512_add_epi32(v, _mm512_madd_epi16(a.v, b.v))};
    }
    PairSums operator+(PairSums b) const { return {_mm512_add_epi32(v, b.v)}; }
    int32_t sum() const { return _mm512_reduce_add_epi32(v); }
    void store(int32_t* p) const { _mm512_storeu_si512(p, v); }
};

using Bits = Lanes64;

}  // namespace
}  // namespace addhash

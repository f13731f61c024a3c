// Eight signatures at a time, or 64 bytes of fields. Without BITALG, bits are counted by a table of
// half bytes.
#pragma once

#include <immintrin.h>

#include "near/lanes.h"
#include "near/loop.h"

namespace addhash {
namespace {

__m512i bit_counts(__m512i bytes) {
#ifdef __AVX512BITALG__
    return _mm512_popcnt_epi8(bytes);
#else
    const __m512i counts =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m512i halves = _mm512_set1_epi8(15);
    const __m512i low = _mm512_and_si512(bytes, halves);
    const __m512i high = _mm512_and_si512(_mm512_srli_epi16(bytes, 4), halves);
    return _mm512_add_epi8(_mm512_shuffle_epi8(counts, low), _mm512_shuffle_epi8(counts, high));
#endif
}

struct NearBytes {
    static constexpr size_t lanes = 64;
    __m512i v;

    static NearBytes load(const uint8_t* p) { return {_mm512_loadu_si512(p)}; }
    static NearBytes broadcast(uint8_t x) { return {_mm512_set1_epi8(static_cast<char>(x))}; }
    static NearBytes load_table(const uint8_t* p) {
        return {_mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
    }
    NearBytes operator^(NearBytes b) const { return {_mm512_xor_si512(v, b.v)}; }
    NearBytes operator+(NearBytes b) const { return {_mm512_add_epi8(v, b.v)}; }
    NearBytes bit_counts() const { return {addhash::bit_counts(v)}; }
    // Of counts up to 32: half of each, at most 15.
    static NearBytes halved(NearBytes counts) {
        const __m512i most = _mm512_min_epu8(counts.v, _mm512_set1_epi8(30));
        return {_mm512_srli_epi16(_mm512_and_si512(most, _mm512_set1_epi8(30)), 1)};
    }
    NearBytes looked_up(NearBytes table) const { return {_mm512_shuffle_epi8(table.v, v)}; }
    NearBytes add_saturated(NearBytes b) const { return {_mm512_adds_epu8(v, b.v)}; }
    uint64_t at_most(NearBytes b) const { return _mm512_cmple_epu8_mask(v, b.v); }
};

template <size_t kWords> size_t select_near_lanes(const uint64_t* const* words,
                                                  const uint64_t* signature, const uint16_t* most,
                                                  uint16_t more, size_t first, size_t last,
                                                  uint32_t* near) {
    constexpr size_t kLanes = 8;
    const __m512i more_bits = _mm512_set1_epi64(more);
    __m512i wanted[kWords];
    for (size_t w = 0; w < kWords; ++w) {
        wanted[w] = _mm512_set1_epi64(static_cast<long long>(signature[w]));
    }
    __m256i places = _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(first)),
                                      _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    size_t found = 0;
    for (size_t i = first; i < last; i += kLanes) {
        const size_t count = last - i < kLanes ? last - i : kLanes;
        const auto taken = static_cast<__mmask8>((1u << count) - 1);
        __m512i bytes = _mm512_setzero_si512();  // up to 8 per word: below 65
        for (size_t w = 0; w < kWords; ++w) {
            const __m512i different =
                _mm512_xor_si512(_mm512_maskz_loadu_epi64(taken, words[w] + i), wanted[w]);
            bytes = _mm512_add_epi8(bytes, bit_counts(different));
        }
        const __m512i bits = _mm512_sad_epu8(bytes, _mm512_setzero_si512());
        const __m512i bounds = _mm512_add_epi64(
            _mm512_cvtepu16_epi64(_mm_maskz_loadu_epi16(taken, most + i)), more_bits);
        const __mmask8 is_near = _mm512_mask_cmple_epu64_mask(taken, bits, bounds);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(near + found),
                            _mm256_maskz_compress_epi32(is_near, places));
        found += static_cast<size_t>(__builtin_popcount(is_near));
        places = _mm256_add_epi32(places, _mm256_set1_epi32(kLanes));
    }
    return found;
}

size_t select_near(const uint64_t* const* words, size_t word_count, const uint64_t* signature,
                   const uint16_t* most, uint16_t more, size_t first, size_t last, uint32_t* near) {
    switch (word_count) {
        case 1: return select_near_lanes<1>(words, signature, most, more, first, last, near);
        case 2: return select_near_lanes<2>(words, signature, most, more, first, last, near);
        case 4: return select_near_lanes<4>(words, signature, most, more, first, last, near);
        default: return select_near_lanes<8>(words, signature, most, more, first, last, near);
    }
}

}  // namespace
}  // namespace addhash

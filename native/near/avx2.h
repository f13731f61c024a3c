// 32 bytes of fields at a time: bits are counted by a table of half bytes.
#pragma once

#include <immintrin.h>

#include "near/lanes.h"

namespace addhash {
namespace {

struct NearBytes {
    static constexpr size_t lanes = 32;
    __m256i v;

    static NearBytes load(const uint8_t* p) {
        return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
    }
    static NearBytes broadcast(uint8_t x) { return {_mm256_set1_epi8(static_cast<char>(x))}; }
    static NearBytes load_table(const uint8_t* p) {
        return {_mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
    }
    NearBytes operator^(NearBytes b) const { return {_mm256_xor_si256(v, b.v)}; }
    NearBytes operator+(NearBytes b) const { return {_mm256_add_epi8(v, b.v)}; }
    NearBytes bit_counts() const {
        const __m256i counts = _mm256_broadcastsi128_si256(
            _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
        const __m256i halves = _mm256_set1_epi8(15);
        const __m256i low = _mm256_and_si256(v, halves);
        const __m256i high = _mm256_and_si256(_mm256_srli_epi16(v, 4), halves);
        return {
            _mm256_add_epi8(_mm256_shuffle_epi8(counts, low), _mm256_shuffle_epi8(counts, high))};
    }
    // Of counts up to 32: half of each, at most 15.
    static NearBytes halved(NearBytes counts) {
        const __m256i most = _mm256_min_epu8(counts.v, _mm256_set1_epi8(30));
        const __m256i even = _mm256_and_si256(most, _mm256_set1_epi8(30));
        return {_mm256_srli_epi16(even, 1)};
    }
    NearBytes looked_up(NearBytes table) const { return {_mm256_shuffle_epi8(table.v, v)}; }
    NearBytes add_saturated(NearBytes b) const { return {_mm256_adds_epu8(v, b.v)}; }
    uint64_t at_most(NearBytes b) const {
        const __m256i is_less = _mm256_cmpeq_epi8(_mm256_min_epu8(v, b.v), v);
        return static_cast<uint32_t>(_mm256_movemask_epi8(is_less));
    }
};

}  // namespace
}  // namespace addhash

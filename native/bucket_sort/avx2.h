// A bitonic sort of whole registers, and sums of eight keys at a time.
#pragma once

#include <immintrin.h>

#include "bucket_sort/bucket_sort.h"
#include "bucket_sort/loop.h"
#include "bucket_sort/network.h"
#include "simd/bytes.h"

namespace addhash {
namespace {

struct KeyLanes {
    static constexpr size_t lanes = 8;
    __m256i v;

    static KeyLanes load(const uint32_t* p) {
        return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
    }
    void store(uint32_t* p) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
    static KeyLanes min(KeyLanes a, KeyLanes b) { return {_mm256_min_epu32(a.v, b.v)}; }
    static KeyLanes max(KeyLanes a, KeyLanes b) { return {_mm256_max_epu32(a.v, b.v)}; }
    KeyLanes reversed() const { return {_mm256_shuffle_epi32(swapped(), 0x1B)}; }

    // Each merge begins with partners that stand at the same distance from the middle, so that all
    // exchanges of a sort go upwards.
    KeyLanes sorted() const {
        KeyLanes keys = exchanged<0xAA>(_mm256_shuffle_epi32(v, 0xB1));
        keys = keys.exchanged<0xCC>(_mm256_shuffle_epi32(keys.v, 0x1B));
        keys = keys.exchanged<0xAA>(_mm256_shuffle_epi32(keys.v, 0xB1));
        return keys.exchanged<0xF0>(keys.reversed().v).merged_halves();
    }
    // Lanes that rise and then fall, sorted.
    KeyLanes merged() const { return exchanged<0xF0>(swapped()).merged_halves(); }

private:
    __m256i swapped() const { return _mm256_permute2x128_si256(v, v, 1); }
    KeyLanes merged_halves() const {
        const KeyLanes keys = exchanged<0xCC>(_mm256_shuffle_epi32(v, 0x4E));
        return keys.exchanged<0xAA>(_mm256_shuffle_epi32(keys.v, 0xB1));
    }
    // Of each lane and its partner, lanes of `greater` take the greater one, and the others the
    // lesser.
    template <int greater> KeyLanes exchanged(__m256i partners) const {
        return {_mm256_blend_epi32(_mm256_min_epu32(v, partners), _mm256_max_epu32(v, partners),
                                   greater)};
    }
};

uint32_t* sort_keys(uint32_t* keys, uint32_t* scratch, size_t count, unsigned bucket_bits) {
    constexpr size_t kMost = 768;  // more are sorted faster by their digits
    if (count > kMost) return sort_keys_loop(keys, scratch, count, bucket_bits);
    sort_keys_network<KeyLanes>(keys, count);
    return keys;
}

// The lanes of each mask, put together.
struct LanesOfMask {
    uint8_t lanes[256][8];
};
constexpr LanesOfMask kLanesOfMask = [] {
    LanesOfMask table{};
    for (unsigned mask = 0; mask < 256; ++mask) {
        size_t found = 0;
        for (unsigned lane = 0; lane < 8; ++lane) {
            if (mask >> lane & 1) table.lanes[mask][found++] = static_cast<uint8_t>(lane);
        }
    }
    return table;
}();

// The sum of each lane and those before it.
__m256i sums_so_far(__m256i lanes) {
    lanes = _mm256_add_epi32(lanes, _mm256_slli_si256(lanes, 4));
    lanes = _mm256_add_epi32(lanes, _mm256_slli_si256(lanes, 8));
    const __m256i low_total =
        _mm256_shuffle_epi32(_mm256_permute2x128_si256(lanes, lanes, 8), 0xFF);
    return _mm256_add_epi32(lanes, low_total);
}

// The sum of a bucket's signs is the sum of all up to its last key, less that of the bucket before.
size_t sum_keys(const uint32_t* keys, size_t count, uint32_t* buckets, double* sums) {
    constexpr size_t kLanes = KeyLanes::lanes;
    const __m256i one = _mm256_set1_epi32(1);
    const __m256i to_last = _mm256_set1_epi32(kLanes - 1);
    const __m256i one_on = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
    __m256i before = _mm256_setzero_si256();  // the sum of all keys so far, in every lane
    __m256i before_entries = before;          // and of those of whole buckets
    size_t entries = 0;
    for (size_t i = 0; i < count; i += kLanes) {
        const __m256i here = KeyLanes::load(keys + i).v;
        const __m256i bucket = _mm256_srli_epi32(here, 1);
        const __m256i next = _mm256_srli_epi32(KeyLanes::load(keys + i + 1).v, 1);
        const __m256i same = _mm256_cmpeq_epi32(bucket, next);
        auto is_last = ~static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(same))) & 0xFF;
        if (count - i <= kLanes) {
            const uint32_t last = uint32_t{1} << (count - i - 1);
            is_last = (is_last & (last - 1)) | last;
        }
        const __m256i sign =
            _mm256_sub_epi32(one, _mm256_slli_epi32(_mm256_and_si256(here, one), 1));
        const __m256i sum = _mm256_add_epi32(sums_so_far(sign), before);
        before = _mm256_permutevar8x32_epi32(sum, to_last);
        if (is_last == 0) continue;

        const auto found = static_cast<size_t>(__builtin_popcount(is_last));
        const __m256i lanes = _mm256_cvtepu8_epi32(
            _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kLanesOfMask.lanes[is_last])));
        const __m256i ends = _mm256_permutevar8x32_epi32(sum, lanes);
        const __m256i ends_before =
            _mm256_blend_epi32(_mm256_permutevar8x32_epi32(ends, one_on), before_entries, 1);
        before_entries =
            _mm256_permutevar8x32_epi32(ends, _mm256_set1_epi32(static_cast<int>(found) - 1));
        KeyLanes{_mm256_permutevar8x32_epi32(bucket, lanes)}.store(buckets + entries);
        const __m256i of_bucket = _mm256_sub_epi32(ends, ends_before);
        _mm256_storeu_pd(sums + entries, _mm256_cvtepi32_pd(_mm256_castsi256_si128(of_bucket)));
        _mm256_storeu_pd(sums + entries + 4,
                         _mm256_cvtepi32_pd(_mm256_extracti128_si256(of_bucket, 1)));
        entries += found;
    }
    return entries;
}

}  // namespace
}  // namespace addhash

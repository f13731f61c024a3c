// A bitonic sort of whole registers, and sums of 16 keys at a time.
#pragma once

#include <immintrin.h>

#include "bucket_sort/bucket_sort.h"
#include "bucket_sort/loop.h"
#include "bucket_sort/network.h"

namespace addhash {
namespace {

struct KeyLanes {
    static constexpr size_t lanes = 16;
    __m512i v;

    static KeyLanes load(const uint32_t* p) { return {_mm512_loadu_si512(p)}; }
    void store(uint32_t* p) const { _mm512_storeu_si512(p, v); }
    static KeyLanes min(KeyLanes a, KeyLanes b) { return {_mm512_min_epu32(a.v, b.v)}; }
    static KeyLanes max(KeyLanes a, KeyLanes b) { return {_mm512_max_epu32(a.v, b.v)}; }
    KeyLanes reversed() const {
        const __m512i backwards =
            _mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        return {_mm512_permutexvar_epi32(backwards, v)};
    }

    // Each merge begins with partners that stand at the same distance from the middle, so that all
    // exchanges of a sort go upwards.
    KeyLanes sorted() const {
        KeyLanes keys = exchanged_1();
        keys = keys.exchanged<0xCCCC>(_mm512_shuffle_epi32(keys.v, _MM_PERM_ABCD)).exchanged_1();
        const __m512i turned = _mm512_shuffle_epi32(keys.v, _MM_PERM_ABCD);
        keys = keys.exchanged<0xF0F0>(_mm512_shuffle_i64x2(turned, turned, 0xB1));
        keys = keys.exchanged_2().exchanged_1();
        return keys.exchanged<0xFF00>(keys.reversed().v).exchanged_4().exchanged_2().exchanged_1();
    }
    // Lanes that rise and then fall, sorted.
    KeyLanes merged() const {
        const KeyLanes keys = exchanged<0xFF00>(_mm512_shuffle_i64x2(v, v, 0x4E));
        return keys.exchanged_4().exchanged_2().exchanged_1();
    }

private:
    // Of each lane and its partner, lanes of `greater` take the greater one, and the others the
    // lesser.
    template <int greater> KeyLanes exchanged(__m512i partners) const {
        return {_mm512_mask_max_epu32(_mm512_min_epu32(v, partners), greater, v, partners)};
    }
    // Partners at a distance of 1, 2 and 4 lanes.
    KeyLanes exchanged_1() const {
        return exchanged<0xAAAA>(_mm512_shuffle_epi32(v, _MM_PERM_CDAB));
    }
    KeyLanes exchanged_2() const {
        return exchanged<0xCCCC>(_mm512_shuffle_epi32(v, _MM_PERM_BADC));
    }
    KeyLanes exchanged_4() const { return exchanged<0xF0F0>(_mm512_shuffle_i64x2(v, v, 0xB1)); }
};

uint32_t* sort_keys(uint32_t* keys, uint32_t* scratch, size_t count, unsigned bucket_bits) {
    constexpr size_t kMost = 2048;  // more are sorted faster by their digits
    if (count > kMost) return sort_keys_loop(keys, scratch, count, bucket_bits);
    sort_keys_network<KeyLanes>(keys, count);
    return keys;
}

// The sum of a bucket's signs is the sum of all up to its last key, minus that of the bucket
// before.
size_t sum_keys(const uint32_t* keys, size_t count, uint32_t* buckets, double* sums) {
    const __m512i zero = _mm512_setzero_si512(), one = _mm512_set1_epi32(1);
    const __m512i to_last = _mm512_set1_epi32(KeyLanes::lanes - 1);
    __m512i before = zero;          // the sum of all keys so far
    __m512i before_entries = zero;  // and of those of whole buckets; both in the last lane
    size_t entries = 0;
    for (size_t i = 0; i < count; i += KeyLanes::lanes) {
        const __m512i here = _mm512_loadu_si512(keys + i);
        const __m512i next = _mm512_srli_epi32(_mm512_loadu_si512(keys + i + 1), 1);
        const __m512i bucket = _mm512_srli_epi32(here, 1);
        auto is_last = static_cast<uint32_t>(_mm512_cmpneq_epi32_mask(bucket, next));
        if (count - i <= KeyLanes::lanes) {
            const uint32_t last = uint32_t{1} << (count - i - 1);
            is_last = (is_last & (last - 1)) | last;
        }
        __m512i sum = _mm512_sub_epi32(one, _mm512_slli_epi32(_mm512_and_si512(here, one), 1));
        sum = _mm512_add_epi32(sum, _mm512_alignr_epi32(sum, zero, 15));
        sum = _mm512_add_epi32(sum, _mm512_alignr_epi32(sum, zero, 14));
        sum = _mm512_add_epi32(sum, _mm512_alignr_epi32(sum, zero, 12));
        sum = _mm512_add_epi32(sum, _mm512_alignr_epi32(sum, zero, 8));
        sum = _mm512_add_epi32(sum, before);
        before = _mm512_permutexvar_epi32(to_last, sum);
        if (is_last == 0) continue;

        const auto mask = static_cast<__mmask16>(is_last);
        const auto found = __builtin_popcount(is_last);
        const __m512i ends = _mm512_maskz_compress_epi32(mask, sum);
        const __m512i of_bucket =
            _mm512_sub_epi32(ends, _mm512_alignr_epi32(ends, before_entries, 15));
        before_entries = _mm512_permutexvar_epi32(_mm512_set1_epi32(found - 1), ends);
        _mm512_storeu_si512(buckets + entries, _mm512_maskz_compress_epi32(mask, bucket));
        _mm512_storeu_pd(sums + entries, _mm512_cvtepi32_pd(_mm512_castsi512_si256(of_bucket)));
        _mm512_storeu_pd(sums + entries + 8,
                         _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(of_bucket, 1)));
        entries += static_cast<size_t>(found);
    }
    return entries;
}

}  // namespace
}  // namespace addhash

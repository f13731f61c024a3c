// A bitonic sort of whole registers, and sums of 16 keys at a time.
#pragma once

#include <immintrin.h>

#include "keys/keys.h"
#include "keys/loop.h"

namespace addhash {
namespace {

constexpr size_t kKeyLanes = 16;

// Of each lane and its partner, lanes of `greater` take the greater one, and the others the lesser.
template <int greater> __m512i exchange(__m512i keys, __m512i partners) {
    return _mm512_mask_max_epu32(_mm512_min_epu32(keys, partners), greater, keys, partners);
}

// Partners at a distance of 1, 2, 4 and 8 lanes.
__m512i exchange_1(__m512i keys) {
    return exchange<0xAAAA>(keys, _mm512_shuffle_epi32(keys, _MM_PERM_CDAB));
}
__m512i exchange_2(__m512i keys) {
    return exchange<0xCCCC>(keys, _mm512_shuffle_epi32(keys, _MM_PERM_BADC));
}
__m512i exchange_4(__m512i keys) {
    return exchange<0xF0F0>(keys, _mm512_shuffle_i64x2(keys, keys, 0xB1));
}
__m512i exchange_8(__m512i keys) {
    return exchange<0xFF00>(keys, _mm512_shuffle_i64x2(keys, keys, 0x4E));
}

__m512i reverse_lanes(__m512i keys) {
    const __m512i backwards =
        _mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_permutexvar_epi32(backwards, keys);
}

// Each merge begins with partners that stand at the same distance from the middle, so that all
// exchanges of a sort go upwards.
__m512i sort_lanes(__m512i keys) {
    keys = exchange_1(keys);
    keys = exchange<0xCCCC>(keys, _mm512_shuffle_epi32(keys, _MM_PERM_ABCD));
    keys = exchange_1(keys);
    const __m512i turned = _mm512_shuffle_epi32(keys, _MM_PERM_ABCD);
    keys = exchange<0xF0F0>(keys, _mm512_shuffle_i64x2(turned, turned, 0xB1));
    keys = exchange_1(exchange_2(keys));
    keys = exchange<0xFF00>(keys, reverse_lanes(keys));
    return exchange_1(exchange_2(exchange_4(keys)));
}

// Registers past the last one would hold the greatest keys, and stay where they are: exchanges with
// them are left out.
void sort_registers(uint32_t* keys, size_t registers) {
    const auto load = [&](size_t i) { return _mm512_loadu_si512(keys + kKeyLanes * i); };
    const auto store = [&](size_t i, __m512i of) { _mm512_storeu_si512(keys + kKeyLanes * i, of); };
    for (size_t i = 0; i < registers; ++i) store(i, sort_lanes(load(i)));
    for (size_t size = 2; size < 2 * registers; size *= 2) {
        for (size_t first = 0; first < registers; first += size) {
            const size_t end = first + size < registers ? first + size : registers;
            for (size_t high = first + size / 2; high < end; ++high) {
                const size_t low = 2 * first + size - 1 - high;
                const __m512i a = load(low), b = reverse_lanes(load(high));
                store(low, _mm512_min_epu32(a, b));
                store(high, reverse_lanes(_mm512_max_epu32(a, b)));
            }
        }
        for (size_t apart = size / 4; apart > 0; apart /= 2) {
            for (size_t first = 0; first + apart < registers; first += 2 * apart) {
                const size_t end =
                    registers - apart < first + apart ? registers - apart : first + apart;
                for (size_t low = first; low < end; ++low) {
                    const __m512i a = load(low), b = load(low + apart);
                    store(low, _mm512_min_epu32(a, b));
                    store(low + apart, _mm512_max_epu32(a, b));
                }
            }
        }
        for (size_t i = 0; i < registers; ++i) {
            store(i, exchange_1(exchange_2(exchange_4(exchange_8(load(i))))));
        }
    }
}

uint32_t* sort_keys(uint32_t* keys, uint32_t* scratch, size_t count, unsigned bucket_bits) {
    constexpr size_t kMost = 2048;  // more are sorted faster by their digits
    if (count > kMost) return sort_keys_loop(keys, scratch, count, bucket_bits);
    const size_t registers = (count + kKeyLanes - 1) / kKeyLanes;
    for (size_t i = count; i < registers * kKeyLanes; ++i) keys[i] = ~uint32_t{0};
    sort_registers(keys, registers);
    return keys;
}

// The sum of a bucket's signs is the sum of all up to its last key, less that of the bucket before.
size_t sum_keys(const uint32_t* keys, size_t count, uint32_t* buckets, double* sums) {
    const __m512i zero = _mm512_setzero_si512(), one = _mm512_set1_epi32(1);
    const __m512i to_last = _mm512_set1_epi32(kKeyLanes - 1);
    __m512i before = zero;          // the sum of all keys so far
    __m512i before_entries = zero;  // and of those of whole buckets; both in the last lane
    size_t entries = 0;
    for (size_t i = 0; i < count; i += kKeyLanes) {
        const __m512i here = _mm512_loadu_si512(keys + i);
        const __m512i next = _mm512_srli_epi32(_mm512_loadu_si512(keys + i + 1), 1);
        const __m512i bucket = _mm512_srli_epi32(here, 1);
        auto is_last = static_cast<uint32_t>(_mm512_cmpneq_epi32_mask(bucket, next));
        if (count - i <= kKeyLanes) {
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

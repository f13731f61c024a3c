// Sixteen classes at a time: evidence is spread over the places of its classes.
#pragma once

#include <immintrin.h>

#include <bit>

#include "bayes/evidence.h"

namespace addhash {
namespace {

static_assert(std::endian::native == std::endian::little);

// The numbers from `first` on, which is up to 48.
inline __m512i numbers_from(size_t first) {
    alignas(64) static constexpr int32_t numbers[] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    return _mm512_loadu_si512(numbers + first);
}

// Lists of up to 31 classes are in one cache line or in two. They are read as that: what lies
// beside a list is in the cache with it, and what follows its line may not be.
inline void add_masked_avx512(const uint32_t* const* lists, size_t count, int32_t sums[32]) {
    __m512i low = _mm512_loadu_si512(sums), high = _mm512_loadu_si512(sums + 16);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t mask = *lists[i];
        if (mask == UINT32_MAX) {
            low = _mm512_add_epi32(low, _mm512_loadu_si512(lists[i] + 1));
            high = _mm512_add_epi32(high, _mm512_loadu_si512(lists[i] + 17));
            continue;
        }
        const auto address = reinterpret_cast<uintptr_t>(lists[i]);
        const size_t first = address % 64 / 4 + 1;
        const size_t end = first + static_cast<size_t>(__builtin_popcount(mask));
        const auto* line = reinterpret_cast<const uint32_t*>(address / 64 * 64);
        const __m512i one = _mm512_load_si512(line);
        const __m512i two = _mm512_load_si512(end > 16 ? line + 16 : line);
        const auto take = [&](uint32_t part, size_t from) {
            const auto places = static_cast<__mmask16>(part);
            const __m512i at = _mm512_maskz_expand_epi32(places, numbers_from(from));
            return _mm512_maskz_permutex2var_epi32(places, one, at, two);
        };
        low = _mm512_add_epi32(low, take(mask & 0xffff, first));
        const auto before = static_cast<size_t>(__builtin_popcount(mask & 0xffff));
        high = _mm512_add_epi32(high, take(mask >> 16, first + before));
    }
    _mm512_storeu_si512(sums, low);
    _mm512_storeu_si512(sums + 16, high);
}

}  // namespace
}  // namespace addhash

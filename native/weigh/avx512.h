// Eight components at a time: a row's byte is a mask of lanes.
#pragma once

#include <immintrin.h>

#include "weigh/weigh.h"

namespace addhash {
namespace {

// A row's byte as a mask of lanes: its highest bit belongs to the first component.
struct Masks {
    uint8_t of[256];
};
constexpr Masks kMasks = [] {
    Masks masks{};
    for (unsigned byte = 0; byte < 256; ++byte) {
        unsigned mask = 0;
        for (unsigned bit = 0; bit < 8; ++bit) mask |= (byte >> bit & 1) << (7 - bit);
        masks.of[byte] = static_cast<uint8_t>(mask);
    }
    return masks;
}();

void add_weighted_row(const uint8_t* row, size_t bits, int64_t weight, int64_t* sums) {
    const __m512i plus = _mm512_set1_epi64(weight);
    const __m512i minus = _mm512_sub_epi64(_mm512_setzero_si512(), plus);
    for (size_t byte = 0; byte < bits / 8; ++byte) {
        int64_t* out = sums + bits - 8 * (byte + 1);
        const __m512i change = _mm512_mask_blend_epi64(kMasks.of[row[byte]], minus, plus);
        _mm512_storeu_si512(out, _mm512_add_epi64(_mm512_loadu_si512(out), change));
    }
}

}  // namespace
}  // namespace addhash

// The loop that suits every instruction set. It has no branch on what it finds.
#pragma once

#include "near/near.h"

namespace addhash {
namespace {

template <size_t kWords> size_t select_near_words(const uint64_t* const* words,
                                                  const uint64_t* signature, const uint16_t* most,
                                                  uint16_t more, size_t first, size_t last,
                                                  uint32_t* near) {
    size_t found = 0;
    for (size_t i = first; i < last; ++i) {
        int bits = 0;
        for (size_t w = 0; w < kWords; ++w) {
            bits += __builtin_popcountll(words[w][i] ^ signature[w]);
        }
        near[found] = static_cast<uint32_t>(i);
        found += bits <= most[i] + more;
    }
    return found;
}

size_t select_near_loop(const uint64_t* const* words, size_t word_count, const uint64_t* signature,
                        const uint16_t* most, uint16_t more, size_t first, size_t last,
                        uint32_t* near) {
    switch (word_count) {
        case 1: return select_near_words<1>(words, signature, most, more, first, last, near);
        case 2: return select_near_words<2>(words, signature, most, more, first, last, near);
        case 4: return select_near_words<4>(words, signature, most, more, first, last, near);
        default: return select_near_words<8>(words, signature, most, more, first, last, near);
    }
}

size_t select_cheap_loop(const FieldBits* fields, size_t field_count, size_t stride, uint8_t most,
                         size_t first, size_t last, uint32_t* near) {
    size_t found = 0;
    for (size_t i = first; i < last; ++i) {
        int cost = 0;
        for (size_t f = 0; f < field_count && cost <= most; ++f) {
            int bits = 0;
            for (size_t k = 0; k < FieldBits::kBytes; ++k) {
                bits +=
                    __builtin_popcount(fields[f].bytes[k * stride + i] ^ fields[f].signature[k]);
            }
            cost += fields[f].costs[bits < 30 ? bits / 2 : 15];
        }
        near[found] = static_cast<uint32_t>(i);
        found += cost <= most && cost < 255;
    }
    return found;
}

}  // namespace
}  // namespace addhash

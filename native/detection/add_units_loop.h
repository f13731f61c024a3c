// The loop of every instruction set, over its own registers of bytes.
#pragma once

#include <cstring>

#include "detection/add_units.h"

namespace addhash {
namespace {

inline void add_units_loop(const uint8_t* const* rows, size_t count, size_t width, uint16_t weight,
                           uint16_t* sums) {
#if defined(__AVX512BW__)
    constexpr size_t kBytes = 64;
#elif defined(__AVX2__)
    constexpr size_t kBytes = 32;
#else
    constexpr size_t kBytes = 16;
#endif
    static_assert(kRowUnit % kBytes == 0);
    using Bytes = uint8_t __attribute__((vector_size(kBytes)));
    using Words = uint16_t __attribute__((vector_size(2 * kBytes)));
    constexpr size_t kTogether = 0xFF / 0x1F;  // fit in a byte
    for (size_t first = 0; first < count; first += kTogether) {
        const size_t end = count < first + kTogether ? count : first + kTogether;
        for (size_t place = 0; place < width; place += kBytes) {
            Bytes sum = {};
            for (size_t i = first; i < end; ++i) {
                Bytes row;
                std::memcpy(&row, rows[i] + place, sizeof row);
                sum += row;
            }
            Words words;
            std::memcpy(&words, sums + place, sizeof words);
            words += __builtin_convertvector(sum, Words) * weight;
            std::memcpy(sums + place, &words, sizeof words);
        }
    }
}

}  // namespace
}  // namespace addhash

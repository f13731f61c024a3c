// Which of many signatures differ little from one: in few bits, or in bits that cost little.
#pragma once

#include <cstddef>
#include <cstdint>

namespace addhash {

// Signatures of 1, 2, 4 or 8 words, word by word: word w of signature i is words[w][i].
constexpr size_t kMostSignatureWords = 8;

// Writes to `near`, ascending, each i in [first, last) whose signature differs from `signature` in
// at most most[i] + more bits, and returns how many there are. `near` has room for all of them and
// 16 more, since kernels store whole registers.
using SelectNear = size_t (*)(const uint64_t* const* words, size_t word_count,
                              const uint64_t* signature, const uint16_t* most, uint16_t more,
                              size_t first, size_t last, uint32_t* near);

// One field of many items: 32 bits each, byte by byte: byte k of item i is bytes[k * stride + i].
// Bytes are readable 64 beyond the last item. If an item differs from `signature` in d bits, it
// costs costs[min(d / 2, 15)].
struct FieldBits {
    static constexpr size_t kBytes = 4, kCosts = 16, kSlack = 64;
    const uint8_t* bytes;
    uint8_t signature[kBytes];
    const uint8_t* costs;
};

// Writes to `near`, ascending, each i in [first, last) that costs at most `most` in all fields
// together, and returns how many there are. What costs 255 or more is never near.
using SelectCheap = size_t (*)(const FieldBits* fields, size_t field_count, size_t stride,
                               uint8_t most, size_t first, size_t last, uint32_t* near);

}  // namespace addhash

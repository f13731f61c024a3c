// Which of many signatures differ from one in few bits.
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

}  // namespace addhash

// Loads and stores of words that need not be aligned.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace addhash {

static_assert(
    std::endian::native == std::endian::little,
    "addhash supports little-endian processors only: hashes, bit rows and arrays in files "
    "are read as they lie in memory");

// Every buffer of token bytes is readable this far past its last byte, so that kernels may load
// whole words at a token's end.
constexpr size_t kSlack = 64;

// Functions here are `static`: files compiled for different instruction sets
// must not share one copy of them.
[[maybe_unused]] static inline uint64_t load64(const uint8_t* p) {
    uint64_t v;
    std::memcpy(&v, p, sizeof v);
    return v;
}

[[maybe_unused]] static inline uint32_t load32(const uint8_t* p) {
    uint32_t v;
    std::memcpy(&v, p, sizeof v);
    return v;
}

[[maybe_unused]] static inline void store64(uint8_t* p, uint64_t v) {
    std::memcpy(p, &v, sizeof v);
}

[[maybe_unused]] static inline void store32(uint8_t* p, uint32_t v) {
    std::memcpy(p, &v, sizeof v);
}

// The low `bytes` (0 to 7) bytes of a word.
[[maybe_unused]] static inline uint64_t low_bytes(uint64_t word, unsigned bytes) {
    return word & ((uint64_t{1} << (8 * bytes)) - 1);
}

}  // namespace addhash

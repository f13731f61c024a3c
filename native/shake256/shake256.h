// SHAKE-256 of many tokens, one token to a 64-bit lane.
#pragma once

#include <cstddef>
#include <cstdint>

namespace addhash {

struct Slice {
    const uint8_t* data;  // readable kSlack bytes past data + size
    size_t size;
};

constexpr size_t kKeccakWords = 25;
constexpr size_t kShakeRate = 136;  // bytes absorbed or squeezed by one permutation

// Writes the first `digest_bytes` bytes of SHAKE-256 of tokens[i] to rows[i], then zeros up to
// the next multiple of 64 bytes. `initial` is the sponge to start from: zeros, or what
// shake256_absorb_block left.
using Shake256 = void (*)(const uint64_t initial[kKeccakWords], const Slice* tokens,
                          uint8_t* const* rows, size_t count, size_t digest_bytes);

// Absorbs one whole block of kShakeRate bytes.
void shake256_absorb_block(uint64_t state[kKeccakWords], const uint8_t* block);

}  // namespace addhash

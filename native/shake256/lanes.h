// SHAKE-256 written once for any number of lanes: absorb, permute, squeeze.
#pragma once

#include "shake256/keccak.h"
#include "shake256/shake256.h"

namespace addhash {
namespace {

constexpr size_t kShakeRateWords = kShakeRate / 8;

// These two are `static`: no type in their signature names the instruction set, so a copy that
// one file was compiled with could stand in for that of another.

// The sponge of one lane before its last, padded block: `initial`, with the token's whole blocks
// absorbed. Takes those blocks off the token.
inline void shake256_absorb_blocks(const uint64_t* initial, Slice& token, uint64_t* state) {
    std::memcpy(state, initial, kKeccakWords * sizeof(uint64_t));
    for (; token.size >= kShakeRate; token.data += kShakeRate, token.size -= kShakeRate) {
        shake256_absorb_block(state, token.data);
    }
}

// Writes a token of less than a block, with its padding, to lane `lane` of `lanes` interleaved
// ones, which were zero. Returns how many words it reaches.
template <size_t lanes> inline size_t shake256_pad(Slice token, size_t lane, uint64_t* block) {
    size_t word = 0;
    for (; (word + 1) * 8 <= token.size; ++word) {
        block[word * lanes + lane] = load64(token.data + word * 8);
    }
    const unsigned rest = static_cast<unsigned>(token.size % 8);
    // 0x1F: SHAKE's domain bits and the first padding bit; 0x80: the last padding bit.
    block[word * lanes + lane] =
        low_bytes(load64(token.data + word * 8), rest) | (uint64_t{0x1F} << (8 * rest));
    block[(kShakeRateWords - 1) * lanes + lane] |= uint64_t{0x80} << 56;
    return word + 1;
}

template <class V> inline void shake256_absorb(const uint64_t* initial, const Slice* tokens,
                                               size_t filled, V (&a)[kKeccakWords]) {
    constexpr size_t lanes = V::lanes;
    bool is_short = true;
    for (size_t lane = 0; lane < filled; ++lane) is_short &= tokens[lane].size < kShakeRate;
    alignas(64) uint64_t block[kShakeRateWords * lanes] = {};
    alignas(64) uint64_t states[kKeccakWords * lanes];
    for (size_t lane = 0; lane < lanes; ++lane) {
        // Lanes past the end repeat the first token; their output is dropped.
        Slice token = tokens[lane < filled ? lane : 0];
        if (!is_short) {
            uint64_t state[kKeccakWords];
            shake256_absorb_blocks(initial, token, state);
            for (size_t i = 0; i < kKeccakWords; ++i) states[i * lanes + lane] = state[i];
        }
        shake256_pad<lanes>(token, lane, block);
    }
    for (size_t i = 0; i < kKeccakWords; ++i) {
        a[i] = is_short ? V::broadcast(initial[i]) : V::load(states + i * lanes);
    }
    for (size_t i = 0; i < kShakeRateWords; ++i) a[i] = a[i] ^ V::load(block + i * lanes);
}

template <class V> inline void shake256_lanes(const uint64_t* initial, const Slice* tokens,
                                              uint8_t* const* rows, size_t count,
                                              size_t digest_bytes) {
    constexpr size_t lanes = V::lanes;
    constexpr size_t kColumnWords = 8;
    const size_t digest_words = (digest_bytes + 7) / 8;
    alignas(64) uint8_t dropped[kColumnWords * 8];
    for (size_t first = 0; first < count; first += lanes) {
        const size_t filled = count - first < lanes ? count - first : lanes;
        V a[kKeccakWords];
        shake256_absorb(initial, tokens + first, filled, a);
        V column[kColumnWords];
        for (size_t word = 0; word < digest_words;) {
            keccak_f1600(a);
            for (size_t i = 0; i < kShakeRateWords && word < digest_words; ++i) {
                column[word % kColumnWords] = a[i];
                ++word;
                if (word == digest_words) {
                    const size_t last = (word - 1) % kColumnWords;
                    if (digest_bytes % 8 != 0) {
                        const uint64_t kept = (uint64_t{1} << (8 * (digest_bytes % 8))) - 1;
                        column[last] = column[last] & V::broadcast(kept);
                    }
                    for (size_t j = last + 1; j < kColumnWords; ++j) column[j] = V::broadcast(0);
                } else if (word % kColumnWords != 0) {
                    continue;
                }
                uint8_t* places[lanes];
                for (size_t lane = 0; lane < lanes; ++lane) {
                    places[lane] = lane < filled
                                       ? rows[first + lane] + (word - 1) / kColumnWords * 64
                                       : dropped;
                }
                V::write_column(column, places);
            }
        }
    }
}

}  // namespace
}  // namespace addhash

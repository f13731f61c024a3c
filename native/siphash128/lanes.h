// SipHash-2-4-128 and the counter-mode expansion, written once for any number of 64-bit lanes.
#pragma once

#include "simd/bytes.h"
#include "siphash128/siphash128.h"

namespace addhash {
namespace {

template <class V> struct SipState {
    V v0, v1, v2, v3;

    void round() {
        v0 = v0 + v1;
        v2 = v2 + v3;
        v1 = v1.template rol<13>() ^ v0;
        v3 = v3.template rol<16>() ^ v2;
        v0 = v0.template rol<32>();
        v2 = v2 + v1;
        v0 = v0 + v3;
        v1 = v1.template rol<17>() ^ v2;
        v3 = v3.template rol<21>() ^ v0;
        v2 = v2.template rol<32>();
    }

    void absorb(V word) {
        v3 = v3 ^ word;
        round();
        round();
        v0 = v0 ^ word;
    }

    V squeeze() {
        for (int i = 0; i < 4; ++i) round();
        return V::xor3(v0, v1, v2) ^ v3;
    }
};

template <class V> inline void siphash128_lanes(Seed key, const uint8_t* bytes,
                                                const uint32_t* starts, const uint32_t* ends,
                                                size_t count, Seed* seeds) {
    constexpr size_t lanes = V::lanes;
    for (size_t first = 0; first < count; first += lanes) {
        const size_t filled = count - first < lanes ? count - first : lanes;
        const uint8_t* data[lanes];
        size_t blocks[lanes];
        uint64_t last[lanes];
        size_t shortest = SIZE_MAX, longest = 0;
        for (size_t lane = 0; lane < lanes; ++lane) {
            // Lanes past the end repeat the first token; their output is dropped.
            const size_t i = lane < filled ? first + lane : first;
            const size_t size = ends[i] - starts[i];
            data[lane] = bytes + starts[i];
            blocks[lane] = size / 8;
            last[lane] = low_bytes(load64(data[lane] + 8 * blocks[lane]), size % 8) |
                         (static_cast<uint64_t>(size) << 56);
            if (blocks[lane] < shortest) shortest = blocks[lane];
            if (blocks[lane] > longest) longest = blocks[lane];
        }
        SipState<V> s = {V::broadcast(key.low ^ 0x736F6D6570736575u),
                         V::broadcast(key.high ^ 0x646F72616E646F6Du ^ 0xEE),
                         V::broadcast(key.low ^ 0x6C7967656E657261u),
                         V::broadcast(key.high ^ 0x7465646279746573u)};
        uint64_t word[lanes];
        for (size_t block = 0; block < longest; ++block) {
            uint64_t running[lanes];
            for (size_t lane = 0; lane < lanes; ++lane) {
                const bool runs = block < blocks[lane];
                word[lane] = runs ? load64(data[lane] + 8 * block) : 0;
                running[lane] = runs ? ~uint64_t{0} : 0;
            }
            const SipState<V> before = s;
            s.absorb(V::load(word));
            if (block >= shortest) {
                const V mask = V::load(running);
                s = {V::select(mask, s.v0, before.v0), V::select(mask, s.v1, before.v1),
                     V::select(mask, s.v2, before.v2), V::select(mask, s.v3, before.v3)};
            }
        }
        s.absorb(V::load(last));
        s.v2 = s.v2 ^ V::broadcast(0xEE);
        uint64_t low[lanes], high[lanes];
        s.squeeze().store(low);
        s.v1 = s.v1 ^ V::broadcast(0xDD);
        s.squeeze().store(high);
        for (size_t lane = 0; lane < filled; ++lane) seeds[first + lane] = {low[lane], high[lane]};
    }
}

// Two rounds of xor-fold and multiply, and a last fold: every output bit depends on every input
// bit. Folding by half a word is the one shift that AVX-512 has beside its multiplier.
template <class V> inline V mix(V z) {
    const V multiplier = V::broadcast(0xD6E8FEB86659FD93u);
    return z.fold().mul(multiplier).fold().mul(multiplier).fold();
}

template <class V> inline void expand_seeds_lanes(const Seed* seeds, uint8_t* const* rows,
                                                  size_t count, size_t bytes) {
    constexpr size_t lanes = V::lanes;
    constexpr size_t kColumnWords = 8;
    uint64_t ordinal[lanes];
    for (size_t i = 0; i < lanes; ++i) ordinal[i] = i + 1;
    for (size_t row = 0; row < count; ++row) {
        const uint64_t step = seeds[row].high | 1;
        V counter = V::broadcast(seeds[row].low) + V::broadcast(step).mul(V::load(ordinal));
        const V advance = V::broadcast(step * lanes);
        for (size_t column = 0; column < bytes; column += 8 * kColumnWords) {
            V words[kColumnWords / lanes];
            for (V& word : words) {
                word = mix(counter);
                counter = counter + advance;
            }
            V::write_run(words, rows[row] + column);
        }
        const size_t written = (bytes + 63) / 64 * 64;
        if (written != bytes) std::memset(rows[row] + bytes, 0, written - bytes);
    }
}

}  // namespace
}  // namespace addhash

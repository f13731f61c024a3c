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

// Hashes as many tokens as there are lanes.
template <class V> inline void sip_lanes(SipState<V> s, const uint8_t* const* data,
                                         const uint64_t* blocks, const uint64_t* last,
                                         uint64_t* low, uint64_t* high) {
    constexpr size_t lanes = V::lanes;
    uint64_t shortest = blocks[0], longest = blocks[0];
    for (size_t lane = 1; lane < lanes; ++lane) {
        shortest = blocks[lane] < shortest ? blocks[lane] : shortest;
        longest = blocks[lane] > longest ? blocks[lane] : longest;
    }
    for (uint64_t block = 0; block < longest; ++block) {
        uint64_t word[lanes], running[lanes];
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
    s.squeeze().store(low);
    s.v1 = s.v1 ^ V::broadcast(0xDD);
    s.squeeze().store(high);
}

// Where the words of some tokens are. Set before any is hashed: a register that is loaded right
// after its parts were stored waits for them.
template <size_t most> struct SipWords {
    const uint8_t* data[most];
    uint64_t blocks[most];  // whole words
    uint64_t last[most];    // the bytes behind them, and the length

    void set(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends, size_t count) {
        for (size_t i = 0; i < most; ++i) {
            // Those past the end repeat the first token; their output is dropped.
            const size_t token = i < count ? i : 0;
            const size_t size = ends[token] - starts[token];
            data[i] = bytes + starts[token];
            blocks[i] = size / 8;
            last[i] = low_bytes(load64(data[i] + 8 * blocks[i]), size % 8) |
                      (static_cast<uint64_t>(size) << 56);
        }
    }
};

template <class V> inline void siphash128_lanes(Seed key, const uint8_t* bytes,
                                                const uint32_t* starts, const uint32_t* ends,
                                                size_t count, Seed* seeds) {
    constexpr size_t lanes = V::lanes;
    constexpr size_t kTogether = 8 * lanes;
    const SipState<V> fresh = {V::broadcast(key.low ^ 0x736F6D6570736575u),
                               V::broadcast(key.high ^ 0x646F72616E646F6Du ^ 0xEE),
                               V::broadcast(key.low ^ 0x6C7967656E657261u),
                               V::broadcast(key.high ^ 0x7465646279746573u)};
    SipWords<kTogether> words;
    uint64_t low[kTogether], high[kTogether];
    for (size_t begin = 0; begin < count; begin += kTogether) {
        const size_t taken = count - begin < kTogether ? count - begin : kTogether;
        if (taken <= lanes) {
            // Few tokens, such as those of an edit, are not worth the whole table.
            SipWords<lanes> few;
            few.set(bytes, starts + begin, ends + begin, taken);
            sip_lanes<V>(fresh, few.data, few.blocks, few.last, low, high);
        } else {
            words.set(bytes, starts + begin, ends + begin, taken);
            for (size_t first = 0; first < taken; first += lanes) {
                sip_lanes<V>(fresh, words.data + first, words.blocks + first, words.last + first,
                             low + first, high + first);
            }
        }
        for (size_t i = 0; i < taken; ++i) seeds[begin + i] = {low[i], high[i]};
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

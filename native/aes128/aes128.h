// AES-CMAC of many tokens, and its expansion in counter mode to bit rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace addhash {

struct Seed {
    uint64_t low;
    uint64_t high;
    bool operator==(const Seed&) const = default;
};

constexpr size_t kAesBlock = 16;  // bytes
constexpr size_t kAesRounds = 10;

// Everything derived from one 128-bit key.
struct AesKey {
    uint8_t rounds[kAesRounds + 1][kAesBlock];
    uint8_t whole[kAesBlock];   // of a last block that is whole: RFC 4493's K1
    uint8_t padded[kAesBlock];  // of one that is not: K2
    bool operator==(const AesKey&) const = default;
};

AesKey aes_key(Seed key);

// Token i is bytes[starts[i] .. ends[i]), with kSlack readable bytes past the last one. Its seed is
// the 16 bytes of AES-CMAC (RFC 4493).
using AesCmac = void (*)(const AesKey& key, const uint8_t* bytes, const uint32_t* starts,
                         const uint32_t* ends, size_t count, Seed* seeds);

// The keys of the rounds that make rows. They are unrelated to an AesKey: anyone who recovers them
// from rows knows nothing about how tokens get their seeds.
constexpr size_t kRowRounds = 4;
struct RowKeys {
    uint8_t rounds[kRowRounds][kAesBlock];
    bool operator==(const RowKeys&) const = default;
};

// Block i of a seed's row is four rounds of AES of
// {low + (i + 1) * kRowStep.low, high + (i + 1) * kRowStep.high}. Writes `bytes` bytes to each row,
// then zeros up to the next multiple of 64 bytes.
using ExpandSeeds = void (*)(const RowKeys& keys, const Seed* seeds, uint8_t* const* rows,
                             size_t count, size_t bytes);

// 2^64 divided by the plastic number and by its square, made odd: multiples of the two fill the
// plane evenly.
constexpr Seed kRowStep = {0xC13FA9A902A6328F, 0x91E10DA5C79E7B1D};

// Adds the rows of `count` seeds to `planes`, which are those of AddRows, with the same limits.
// Bits past the end of a row are not zero here: the bits of planes there are meaningless.
using AddSeeds = void (*)(const RowKeys& keys, uint64_t* planes, size_t columns, const Seed* seeds,
                          size_t count, unsigned levels);

// A secret random key.
Seed random_key();

}  // namespace addhash

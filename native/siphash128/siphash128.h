// SipHash-2-4 with 128-bit output of many tokens, and its expansion in counter mode to bit rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace addhash {

struct Seed {
    uint64_t low;
    uint64_t high;
    bool operator==(const Seed&) const = default;
};

// Token i is bytes[starts[i] .. ends[i]), with kSlack readable bytes past the last one.
using SipHash128 = void (*)(Seed key, const uint8_t* bytes, const uint32_t* starts,
                            const uint32_t* ends, size_t count, Seed* seeds);

// Word i (little-endian) of a seed's row is mix(low + (i + 1) * (high | 1)), see
// siphash128/lanes.h. Writes `bytes` bytes to each row, then zeros up to the next multiple of 64
// bytes.
using ExpandSeeds = void (*)(const Seed* seeds, uint8_t* const* rows, size_t count, size_t bytes);

// Adds the rows of `count` seeds to `planes`, which are those of AddRows, with the same limits.
// What is past the last bit of a row is not zero here: the bits of planes there have no meaning.
using AddSeeds = void (*)(uint64_t* planes, size_t columns, const Seed* seeds, size_t count,
                          unsigned levels);

// A key that nobody knows.
Seed random_key();

}  // namespace addhash

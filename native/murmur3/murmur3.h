// MurmurHash3 x86 32-bit of many tokens at once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace addhash {

// Token i is bytes[starts[i] .. ends[i]); hashes[i] receives its hash.
// Offsets are below 2^31 and `bytes` has kSlack readable bytes past the last token.
using Murmur3 = void (*)(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                         size_t count, uint32_t seed, uint32_t* hashes);

}  // namespace addhash

#include "simd/avx2.h"

#include "murmur3/lanes.h"
#include "murmur3/murmur3.h"

namespace addhash::avx2 {

void murmur3(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends, size_t count,
             uint32_t seed, uint32_t* hashes) {
    murmur3_lanes<Lanes32>(bytes, starts, ends, count, seed, hashes);
}

}  // namespace addhash::avx2

#include "simd/avx2.h"

#include "shake256/lanes.h"

namespace addhash::avx2 {

void shake256(const uint64_t* initial, const Slice* tokens, uint8_t* const* rows, size_t count,
              size_t digest_bytes) {
    shake256_lanes<Lanes64>(initial, tokens, rows, count, digest_bytes);
}

}  // namespace addhash::avx2

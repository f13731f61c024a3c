#include "simd/baseline.h"

#include "siphash128/lanes.h"

namespace addhash::baseline {

void siphash128(Seed key, const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                size_t count, Seed* seeds) {
    siphash128_lanes<Lanes64>(key, bytes, starts, ends, count, seeds);
}

void expand_seeds(const Seed* seeds, uint8_t* const* rows, size_t count, size_t bytes) {
    expand_seeds_lanes<Lanes64>(seeds, rows, count, bytes);
}

}  // namespace addhash::baseline

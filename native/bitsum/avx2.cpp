#include "simd/avx2.h"

#include "bitsum/lanes.h"

namespace addhash::avx2 {

void add_rows(uint64_t* planes, size_t columns, const uint8_t* const* rows, size_t count,
              unsigned levels) {
    add_rows_lanes<Bits>(planes, columns, rows, count, levels);
}

}  // namespace addhash::avx2

// Plain C++: every processor runs it.
#include "simd/baseline.h"

#include "aes128/tables.h"
#include "isa/usual.h"
#include "search/widened.h"
#include "unpack/baseline.h"

namespace addhash {

constinit const Kernels kBaseline = usual_kernels<Lanes32, Lanes64, Bits, TableBlock, TableBlock>({
    .name = "baseline",
    .is_available = is_always_available,
    .unpack_planes = unpack_planes,
    .few_queries = 12,
    .pack_rows = pack_rows_widened,
    .pack_queries = pack_queries_widened,
    .score_tile = score_tile_widened,
    .score_rows = score_rows_widened,
});

}  // namespace addhash

// 512-bit registers: AVX-512 F, BW, DQ and VL.
#include "isa/avx512.h"

#include "search/pairs.h"
#include "simd/aesni.h"

namespace addhash {

constinit const Kernels kAvx512 = avx512_kernels<AesBlock, AesBlock>({
    .name = "avx512",
    .is_available = is_avx512_available,
    .unpack_planes = unpack_planes,
    .few_queries = 24,
    .pack_rows = pack_row_pairs,
    .pack_queries = pack_query_pairs,
    .score_tile = score_tile_pairs<PairSums, 12>,
    .score_rows = score_rows_pairs<PairSums>,
});

}  // namespace addhash

// AVX2, and AES on whole registers.
#include "aes128/add.h"
#include "aes128/lanes.h"
#include "bayes/evidence_loop.h"
#include "bitsum/lanes.h"
#include "elementary/loop.h"
#include "isa/available.h"
#include "isa/tables.h"
#include "keys/avx2.h"
#include "murmur3/lanes.h"
#include "normalize/avx2.h"
#include "normalize/lanes.h"
#include "search/avx2.h"
#include "shake256/lanes.h"
#include "simd/avx2.h"
#include "simd/vaes256.h"
#include "unpack/avx2.h"
#include "weigh/loop.h"
#include "weigh/tables.h"

namespace addhash {

constinit const Kernels kAvx2Vaes = {
    .name = "avx2vaes",
    .is_available = is_avx2vaes_available,
    .murmur3 = murmur3_lanes<Lanes32>,
    .sort_keys = sort_keys,
    .sum_keys = sum_keys,
    .shake256 = shake256_lanes<Lanes64>,
    .aes_cmac = aes_cmac_lanes<AesBlocks, AesBlock>,
    .expand_seeds = expand_seeds_lanes<AesBlocks>,
    .add_rows = add_rows_lanes<Bits>,
    .add_seeds = add_seeds_lanes<Bits, AesBlocks>,
    .add_weighted_rows = add_weighted_rows_tables,
    .add_narrow = add_narrow_loop,
    .add_masked = add_masked_loop,
    .add_evidence = add_evidence_loop,
    .add_evidence_times = add_evidence_times_loop,
    .unpack_planes = unpack_planes,
    .sum_squares = sum_squares_lanes<Shorts, Lanes32, Lanes64>,
    .sum_magnitudes = sum_magnitudes_loop,
    .scale_to_float = scale_to_float_avx2,
    .finish_stream = finish_stream_lanes<Shorts>,
    .scale_to_double = scale_loop<int16_t, double>,
    .magnitude_bits = magnitude_bits_loop,
    .sum_wide_squares = sum_wide_squares_lanes<Lanes64>,
    .scale_wide_to_float = scale_wide_to_float_avx2,
    .scale_wide_to_double = scale_wide_to_double_avx2,
    .exponentials = exponentials_loop,
    .scan = {.few_queries = 24,
             .pack_rows = pack_row_pairs_avx2,
             .pack_queries = pack_query_pairs,
             .score_tile = score_tile_pairs<PairSums, 6>,
             .score_rows = score_rows_pairs<PairSums>,
             .any_reaches = any_reaches_loop,
             .exact_dot = exact_dot_loop},
};

}  // namespace addhash

// 128-bit registers: every 64-bit ARM processor.
#include "simd/neon.h"

#include "aes128/add.h"
#include "aes128/lanes.h"
#include "aes128/tables.h"
#include "bayes/evidence_loop.h"
#include "bitsum/lanes.h"
#include "elementary/loop.h"
#include "isa/available.h"
#include "isa/tables.h"
#include "keys/loop.h"
#include "murmur3/lanes.h"
#include "normalize/lanes.h"
#include "search/neon.h"
#include "shake256/lanes.h"
#include "unpack/neon.h"
#include "weigh/loop.h"
#include "weigh/tables.h"

namespace addhash {

constinit const Kernels kNeon = {
    .name = "neon",
    .is_available = is_always_available,
    .murmur3 = murmur3_lanes<Lanes32>,
    .sort_keys = sort_keys_loop,
    .sum_keys = sum_keys_loop,
    .shake256 = shake256_lanes<Lanes64>,
    .aes_cmac = aes_cmac_lanes<TableBlock, TableBlock>,
    .expand_seeds = expand_seeds_lanes<TableBlock>,
    .add_rows = add_rows_lanes<Bits>,
    .add_seeds = add_seeds_lanes<Bits, TableBlock>,
    .add_weighted_rows = add_weighted_rows_tables,
    .add_narrow = add_narrow_loop,
    .add_masked = add_masked_loop,
    .add_evidence = add_evidence_loop,
    .add_evidence_times = add_evidence_times_loop,
    .unpack_planes = unpack_planes,
    .sum_squares = sum_squares_lanes<Shorts, Lanes32, Lanes64>,
    .sum_magnitudes = sum_magnitudes_loop,
    .scale_to_float = scale_to_float_loop,
    .finish_stream = finish_stream_none,
    .scale_to_double = scale_loop<int16_t, double>,
    .magnitude_bits = magnitude_bits_loop,
    .sum_wide_squares = sum_wide_squares_loop,
    .scale_wide_to_float = scale_wide_to_float_loop,
    .scale_wide_to_double = scale_loop<int64_t, double>,
    .exponentials = exponentials_loop,
    .scan = {.few_queries = 7,
             .pack_rows = pack_rows_neon<LongProducts>,
             .pack_queries = pack_queries_neon<LongProducts>,
             .score_tile = score_tile_neon<LongProducts>,
             .score_rows = score_rows_neon<LongProducts>,
             .any_reaches = any_reaches_loop,
             .exact_dot = exact_dot_loop},
};

}  // namespace addhash

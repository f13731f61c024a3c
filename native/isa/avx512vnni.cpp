// AVX-512 with a product of 8-bit integers, used by the search.
#include "search/avx512vnni.h"

#include "aes128/add.h"
#include "aes128/lanes.h"
#include "bayes/evidence_avx512.h"
#include "bayes/evidence_loop.h"
#include "bitsum/lanes.h"
#include "elementary/loop.h"
#include "isa/available.h"
#include "isa/tables.h"
#include "keys/avx512.h"
#include "murmur3/lanes.h"
#include "normalize/avx512.h"
#include "normalize/lanes.h"
#include "shake256/lanes.h"
#include "simd/aesni.h"
#include "simd/avx512.h"
#include "unpack/avx512.h"
#include "weigh/avx512.h"
#include "weigh/loop.h"

namespace addhash {

constinit const Kernels kAvx512Vnni = {
    .name = "avx512vnni",
    .is_available = is_avx512vnni_available,
    .murmur3 = murmur3_lanes<Lanes32>,
    .sort_keys = sort_keys,
    .sum_keys = sum_keys,
    .shake256 = shake256_lanes<Lanes64>,
    .aes_cmac = aes_cmac_lanes<AesBlock, AesBlock>,
    .expand_seeds = expand_seeds_lanes<AesBlock>,
    .add_rows = add_rows_lanes<Bits>,
    .add_seeds = add_seeds_lanes<Bits, AesBlock>,
    .add_weighted_rows = add_weighted_rows,
    .add_narrow = add_narrow_loop,
    .add_masked = add_masked_avx512,
    .add_evidence = add_evidence_loop,
    .add_evidence_times = add_evidence_times_loop,
    .unpack_planes = unpack_planes,
    .sum_squares = sum_squares_lanes<Shorts, Lanes32, Lanes64>,
    .sum_magnitudes = sum_magnitudes_loop,
    .scale_to_float = scale_to_float_avx512,
    .finish_stream = finish_stream_lanes<Shorts>,
    .scale_to_double = scale_loop<int16_t, double>,
    .magnitude_bits = magnitude_bits_loop,
    .sum_wide_squares = sum_wide_squares_lanes<Lanes64>,
    .scale_wide_to_float = scale_wide_to_float_avx512,
    .scale_wide_to_double = scale_loop<int64_t, double>,
    .exponentials = exponentials_loop,
    .scan = {.few_queries = 3,
             .pack_rows = pack_rows_vnni,
             .pack_queries = pack_queries_vnni,
             .score_tile = score_tile_vnni,
             .score_rows = score_rows_vnni,
             .any_reaches = any_reaches_loop,
             .exact_dot = exact_dot_loop},
};

}  // namespace addhash

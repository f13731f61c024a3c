// The kernels that suit every instruction set, written once over its registers. A set starts from
// this table and overrides what it does better.
#pragma once

#include "aes128/add.h"
#include "aes128/lanes.h"
#include "bayes/evidence_loop.h"
#include "bitsum/lanes.h"
#include "bucket_sort/loop.h"
#include "detection/add_units_loop.h"
#include "dispatch/kernels.h"
#include "elementary/loop.h"
#include "isa/available.h"
#include "isa/tables.h"
#include "murmur3/lanes.h"
#include "near/loop.h"
#include "normalize/lanes.h"
#include "search/loops.h"
#include "shake256/lanes.h"
#include "weigh/loop.h"
#include "weigh/tables.h"

namespace addhash {
namespace {

// What each set has of its own.
struct OwnKernels {
    const char* name;
    bool (*is_available)();
    UnpackPlanes unpack_planes;
    // As in Scan.
    size_t few_queries;
    PackRows pack_rows;
    PackQueries pack_queries;
    ScoreTile score_tile;
    ScoreRows score_rows;
};

// Lanes32, Lanes64 and Bits are registers of simd/<set>.h. AesBlock is one block of AES; AesBlocks
// are those that fit in one register.
template <class Lanes32, class Lanes64, class Bits, class AesBlocks, class AesBlock>
constexpr Kernels usual_kernels(const OwnKernels& own) {
    return {
        .name = own.name,
        .is_available = own.is_available,
        .murmur3 = murmur3_lanes<Lanes32>,
        .sort_keys = sort_keys_loop,
        .sum_keys = sum_keys_loop,
        .shake256 = shake256_lanes<Lanes64>,
        .aes_cmac = aes_cmac_lanes<AesBlocks, AesBlock>,
        .expand_seeds = expand_seeds_lanes<AesBlocks>,
        .add_rows = add_rows_lanes<Bits>,
        .add_seeds = add_seeds_lanes<Bits, AesBlocks>,
        .add_weighted_rows = add_weighted_rows_tables,
        .add_narrow = add_narrow_loop,
        .add_masked = add_masked_loop,
        .add_evidence = add_evidence_loop,
        .add_units = add_units_loop,
        .unpack_planes = own.unpack_planes,
        .sum_squares = sum_squares_loop,
        .sum_magnitudes = sum_magnitudes_loop,
        .scale_to_float = scale_to_float_loop,
        .finish_stream = finish_stream_none,
        .scale_to_double = scale_loop<int16_t, double>,
        .magnitude_bits = magnitude_bits_loop,
        .sum_wide_squares = sum_wide_squares_loop,
        .scale_wide_to_float = scale_wide_to_float_loop,
        .scale_wide_to_double = scale_loop<int64_t, double>,
        .exponentials = exponentials_loop,
        .select_near = select_near_loop,
        .select_cheap = select_cheap_loop,
        .scan = {.few_queries = own.few_queries,
                 .pack_rows = own.pack_rows,
                 .pack_queries = own.pack_queries,
                 .score_tile = own.score_tile,
                 .score_rows = own.score_rows,
                 .any_reaches = any_reaches_loop,
                 .exact_dot = exact_dot_loop},
    };
}

}  // namespace
}  // namespace addhash

// What AVX2 does better. Only files compiled for AVX2 include this.
#pragma once

#include "bucket_sort/avx2.h"
#include "isa/usual.h"
#include "near/avx2.h"
#include "normalize/avx2.h"
#include "search/avx2.h"
#include "simd/avx2.h"
#include "unpack/avx2.h"

namespace addhash {
namespace {

template <class AesBlocks, class AesBlock>
constexpr Kernels avx2_kernels(const char* name, bool (*is_available)()) {
    Kernels kernels = usual_kernels<Lanes32, Lanes64, Bits, AesBlocks, AesBlock>({
        .name = name,
        .is_available = is_available,
        .unpack_planes = unpack_planes,
        .few_queries = 24,
        .pack_rows = pack_row_pairs_avx2,
        .pack_queries = pack_query_pairs,
        .score_tile = score_tile_pairs<PairSums, 6>,
        .score_rows = score_rows_pairs<PairSums>,
    });
    kernels.sort_keys = sort_keys;
    kernels.sum_keys = sum_keys;
    kernels.sum_squares = sum_squares_lanes<Shorts, Lanes32, Lanes64>;
    kernels.scale_to_float = scale_to_float_avx2;
    kernels.finish_stream = finish_stream_lanes<Shorts>;
    kernels.sum_wide_squares = sum_wide_squares_lanes<Lanes64>;
    kernels.scale_wide_to_float = scale_wide_to_float_avx2;
    kernels.scale_wide_to_double = scale_wide_to_double_avx2;
    kernels.select_cheap = select_cheap_lanes<NearBytes>;
    return kernels;
}

}  // namespace
}  // namespace addhash

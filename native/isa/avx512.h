// What AVX-512 does better. Only files compiled for AVX-512 F, BW, DQ and VL include this.
#pragma once

#include "bayes/evidence_avx512.h"
#include "bucket_sort/avx512.h"
#include "isa/usual.h"
#include "near/avx512.h"
#include "normalize/avx512.h"
#include "simd/avx512.h"
#include "unpack/avx512.h"
#include "weigh/avx512.h"

namespace addhash {
namespace {

template <class AesBlocks, class AesBlock> constexpr Kernels avx512_kernels(const OwnKernels& own) {
    Kernels kernels = usual_kernels<Lanes32, Lanes64, Bits, AesBlocks, AesBlock>(own);
    kernels.sort_keys = sort_keys;
    kernels.sum_keys = sum_keys;
    kernels.add_weighted_rows = add_weighted_rows;
    kernels.add_masked = add_masked_avx512;
    kernels.sum_squares = sum_squares_lanes<Shorts, Lanes32, Lanes64>;
    kernels.scale_to_float = scale_to_float_avx512;
    kernels.finish_stream = finish_stream_lanes<Shorts>;
    kernels.sum_wide_squares = sum_wide_squares_lanes<Lanes64>;
    kernels.scale_wide_to_float = scale_wide_to_float_avx512;
    kernels.select_near = select_near;
    kernels.select_cheap = select_cheap_lanes<NearBytes>;
    return kernels;
}

}  // namespace
}  // namespace addhash

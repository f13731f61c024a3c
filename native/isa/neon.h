// What NEON does better. `Products` are those of the search.
#pragma once

#include "isa/usual.h"
#include "search/neon.h"
#include "simd/neon.h"
#include "unpack/neon.h"

namespace addhash {
namespace {

template <class Products, class AesBlock>
constexpr Kernels neon_kernels(const char* name, bool (*is_available)(), size_t few_queries) {
    Kernels kernels = usual_kernels<Lanes32, Lanes64, Bits, AesBlock, AesBlock>({
        .name = name,
        .is_available = is_available,
        .unpack_planes = unpack_planes,
        .few_queries = few_queries,
        .pack_rows = pack_rows_neon<Products>,
        .pack_queries = pack_queries_neon<Products>,
        .score_tile = score_tile_neon<Products>,
        .score_rows = score_rows_neon<Products>,
    });
    kernels.sum_squares = sum_squares_lanes<Shorts, Lanes32, Lanes64>;
    return kernels;
}

}  // namespace
}  // namespace addhash

// AVX-512 with a product of 8-bit integers, used by the search. Only files compiled for
// AVX512_VNNI include this.
#pragma once

#include "isa/avx512.h"
#include "search/avx512vnni.h"

namespace addhash {
namespace {

template <class AesBlocks, class AesBlock>
constexpr Kernels avx512vnni_kernels(const char* name, bool (*is_available)()) {
    return avx512_kernels<AesBlocks, AesBlock>({
        .name = name,
        .is_available = is_available,
        .unpack_planes = unpack_planes,
        .few_queries = 3,
        .pack_rows = pack_rows_vnni,
        .pack_queries = pack_queries_vnni,
        .score_tile = score_tile_vnni,
        .score_rows = score_rows_vnni,
    });
}

}  // namespace
}  // namespace addhash

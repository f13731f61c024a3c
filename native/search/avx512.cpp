#include <immintrin.h>

#include "search/pairs.h"

namespace addhash::avx512 {
namespace {

struct Sums {
    static constexpr size_t count = 16;
    __m512i v;

    static Sums zero() { return {_mm512_setzero_si512()}; }
    static Sums load(const Pair* p) { return {_mm512_loadu_si512(p)}; }
    static Sums broadcast(const Pair* p) {
        int32_t bits;
        std::memcpy(&bits, p, sizeof bits);
        return {_mm512_set1_epi32(bits)};
    }
    Sums add_product(Sums a, Sums b) const {
        return {_mm512_add_epi32(v, _mm512_madd_epi16(a.v, b.v))};
    }
    void store(int32_t* p) const { _mm512_storeu_si512(p, v); }
};

void score_tile(const void* tile, const void* queries, size_t group, size_t width, double* dots) {
    score_tile_pairs<Sums, 12>(tile, queries, group, width, dots);
}

}  // namespace

extern const Scan scan = {pack_row_pairs, pack_query_pairs, score_tile, any_reaches_loop,
                          exact_dot_loop};

}  // namespace addhash::avx512

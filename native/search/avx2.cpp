#include <immintrin.h>

#include "search/pairs.h"

namespace addhash::avx2 {
namespace {

struct Sums {
    static constexpr size_t count = 8;
    __m256i v;

    static Sums zero() { return {_mm256_setzero_si256()}; }
    static Sums load(const Pair* p) {
        return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
    }
    static Sums broadcast(const Pair* p) {
        int32_t bits;
        std::memcpy(&bits, p, sizeof bits);
        return {_mm256_set1_epi32(bits)};
    }
    Sums add_product(Sums a, Sums b) const {
        return {_mm256_add_epi32(v, _mm256_madd_epi16(a.v, b.v))};
    }
    void store(int32_t* p) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
};

void score_tile(const void* tile, const void* queries, size_t group, size_t width, double* dots) {
    score_tile_pairs<Sums, 6>(tile, queries, group, width, dots);
}

}  // namespace

extern const Scan scan = {pack_row_pairs, pack_query_pairs, score_tile, any_reaches_loop,
                          exact_dot_loop};

}  // namespace addhash::avx2

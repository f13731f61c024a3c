#include "weigh/loop.h"

namespace addhash::avx512 {

void add_weighted_row(const uint8_t* row, size_t bits, int64_t weight, int64_t* sums) {
    add_weighted_row_loop(row, bits, weight, sums);
}

}  // namespace addhash::avx512

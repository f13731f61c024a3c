#include "additive/edits.h"

#include <algorithm>
#include <numeric>

namespace addhash {
namespace {

constexpr size_t kGroup = 16;  // tokens hashed together

}  // namespace

void edit_sums(const Kernels& kernels, const Randomizer& randomizer, const TokenBatch& tokens,
               std::span<const int64_t> weights, int64_t* sums) {
    const size_t count = std::min(weights.size(), tokens.tokens());
    RowTable table(std::min(count, kGroup), randomizer.bits);
    uint8_t* rows[kGroup];
    Slice slices[kGroup];
    Seed seeds[kGroup];
    for (size_t i = 0; i < std::min(count, kGroup); ++i) rows[i] = table.row(i);
    for (size_t first = 0; first < count; first += kGroup) {
        const size_t taken = std::min(kGroup, count - first);
        hash_tokens(kernels, randomizer, tokens.bytes(), tokens.starts() + first,
                    tokens.ends() + first, taken, slices, seeds, rows);
        const int64_t* own = weights.data() + first;
        kernels.add_weighted_rows(rows, own, taken, std::accumulate(own, own + taken, int64_t{0}),
                                  randomizer.bits, false, sums);
    }
}

}  // namespace addhash

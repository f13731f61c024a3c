#include "additive/edits.h"

#include <algorithm>

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
        kernels.add_weighted_rows(rows, weights.data() + first, taken, randomizer.bits, sums);
    }
}

}  // namespace addhash

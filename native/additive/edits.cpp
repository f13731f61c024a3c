#include "additive/edits.h"

#include <algorithm>

namespace addhash {
namespace {

constexpr size_t kGroup = 16;  // tokens hashed together

void hash_group(const Kernels& kernels, const Randomizer& randomizer, const TokenBatch& tokens,
                size_t first, size_t count, uint8_t* const* rows) {
    const uint32_t* starts = tokens.starts() + first;
    const uint32_t* ends = tokens.ends() + first;
    if (randomizer.kind == RandomizerKind::shake256) {
        Slice slices[kGroup];
        for (size_t i = 0; i < count; ++i) {
            slices[i] = {tokens.bytes() + starts[i], ends[i] - starts[i]};
        }
        kernels.shake256(randomizer.sponge, slices, rows, count, randomizer.bytes());
    } else {
        Seed seeds[kGroup];
        kernels.siphash128(randomizer.key, tokens.bytes(), starts, ends, count, seeds);
        kernels.expand_seeds(seeds, rows, count, randomizer.bytes());
    }
}

}  // namespace

void edit_sums(const Kernels& kernels, const Randomizer& randomizer, const TokenBatch& tokens,
               std::span<const int64_t> weights, int64_t* sums) {
    const size_t count = std::min(weights.size(), tokens.tokens());
    RowTable table(std::min(count, kGroup), randomizer.bits);
    uint8_t* rows[kGroup];
    for (size_t i = 0; i < std::min(count, kGroup); ++i) rows[i] = table.row(i);
    for (size_t first = 0; first < count; first += kGroup) {
        const size_t taken = std::min(kGroup, count - first);
        hash_group(kernels, randomizer, tokens, first, taken, rows);
        for (size_t i = 0; i < taken; ++i) {
            kernels.add_weighted_row(rows[i], randomizer.bits, weights[first + i], sums);
        }
    }
}

}  // namespace addhash

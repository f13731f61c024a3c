// The distinct sets among many, by size.
#pragma once

#include <optional>
#include <vector>

#include "duplicates/token_sets.h"

namespace addhash {

// A rank is the place of a set among the distinct ones, the smallest first.
struct RankedSets {
    // With a boundary, it is known on which side of it the sets of each rank are.
    RankedSets(const TokenSets& sets, std::optional<size_t> boundary, size_t threads);

    size_t size() const { return sets.size(); }

    std::vector<uint32_t> first_equal;  // for each set that was given, the first one that equals it
    std::vector<uint32_t> numbers;      // the set that was given, by rank
    std::vector<TokenSet> sets;         // by rank
    std::vector<uint32_t> sizes;        // by rank, ascending
    std::vector<uint8_t> sides;         // by rank, with a boundary: 1 below it, 2 not below it
};

}  // namespace addhash

// Every pair of similar sets: a join by prefixes, verified on the full sets.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "duplicates/threshold.h"
#include "duplicates/token_sets.h"

namespace addhash {

struct SimilarPair {
    uint32_t left, right;  // left < right
    uint32_t shared;       // tokens in both
    bool operator==(const SimilarPair&) const = default;
};

struct SimilarSets {
    std::vector<uint32_t> first_equal;  // for each set the first one that equals it: often itself
    std::vector<SimilarPair> pairs;     // of sets that are their own first_equal, in order
    bool is_complete = true;            // false if there are more pairs than asked for
};

// With a boundary, only what is needed for pairs of a set below it and one not below it. Stops soon
// after `most_pairs` pairs, which bounds the memory they take.
SimilarSets join(const Kernels& kernels, const TokenSets& sets, const Threshold& threshold,
                 std::optional<size_t> boundary, size_t most_pairs, size_t threads);

// What becomes of pairs that are too many to be held: `begin` is told first_equal, then `use` is
// called with pairs, each once, in any order and by several threads at a time.
struct PairUse {
    std::function<void(const std::vector<uint32_t>& first_equal)> begin;
    std::function<void(std::span<const SimilarPair>)> use;
};
void for_each_similar(const Kernels& kernels, const TokenSets& sets, const Threshold& threshold,
                      std::optional<size_t> boundary, const PairUse& use, size_t threads);

}  // namespace addhash

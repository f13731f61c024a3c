// Texts as sets of 64-bit hashes of their n-grams.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dispatch/kernels.h"
#include "duplicates/units.h"

namespace addhash {

// How texts become sets. Without an analyzer, they are split into units.
struct Cutting {
    bool in_units = true;
    Tokenization how = {Analyzer::word, {3, 3}};
};

// Hashes, ascending and each once.
using TokenSet = std::span<const uint64_t>;

// Sets of hashes. No set is empty: a text without tokens has one hash, that of the whole text under
// a separate key, and so equals only identical texts.
class TokenSets {
public:
    static constexpr size_t kMostSets = UINT32_MAX;

    TokenSets() = default;
    TokenSets(TokenSets&&) = default;
    TokenSets& operator=(TokenSets&&) = default;

    size_t size() const { return sets_.size(); }
    size_t tokens() const { return tokens_; }
    TokenSet operator[](size_t i) const { return sets_[i]; }
    // The memory that the sets take.
    size_t bytes() const {
        return tokens_ * sizeof(uint64_t) + sets_.capacity() * sizeof(sets_[0]);
    }

    // Adds the sets of all texts, or of none: the outcome is the first text that has none.
    Outcome add(const Kernels& kernels, const Cutting& cutting, std::span<const Text> texts,
                size_t threads);

    // Adds consecutive sets. False, and nothing added, unless every set is ascending and not empty
    // and their sizes use up the hashes.
    bool add(std::span<const uint32_t> sizes, std::span<const uint64_t> hashes);

private:
    std::vector<TokenSet> sets_;
    std::vector<std::unique_ptr<uint64_t[]>> blocks_;
    size_t tokens_ = 0;
};

// A number that sets with the same hashes share, and others hardly ever.
uint64_t digest(TokenSet set);

// 128 bits of AES-CMAC: sets on disk that share them are considered equal.
Seed wide_digest(const Kernels& kernels, TokenSet set);

// How many hashes two sets share; less than `least` if they do not share that many (it stops
// early).
size_t shared_hashes(TokenSet a, TokenSet b, uint64_t least);

// The same for many pairs, in full.
void shared_in_pairs(const TokenSets& sets, std::span<const uint32_t> left,
                     std::span<const uint32_t> right, uint32_t* shared, size_t threads);

}  // namespace addhash

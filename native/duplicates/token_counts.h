// Roughly how many sets each token occurs in, to put rare tokens first.
#pragma once

#include <span>
#include <vector>

#include "duplicates/token_sets.h"

namespace addhash {

// Tokens share counters, so a count is never too low, and a count of 1 means one set exactly. Any
// order of tokens gives the same pairs; a good one gives fewer candidates.
class TokenCounts {
public:
    TokenCounts() = default;  // no token has been seen
    TokenCounts(std::span<const TokenSet> sets, size_t threads);

    uint32_t operator[](uint64_t token) const {
        if (small_.empty()) return 0;
        const uint8_t count = small_[static_cast<size_t>(token >> small_shift_)];
        if (count < kFull) [[likely]]
            return count;
        const uint32_t more = large_[static_cast<size_t>(token >> large_shift_)];
        return more < UINT32_MAX - kFull ? kFull + more : UINT32_MAX;
    }
    // Prefetches a counter before it is read.
    void prefetch(uint64_t token) const {
        __builtin_prefetch(&small_[static_cast<size_t>(token >> small_shift_)]);
    }

private:
    static constexpr uint8_t kFull = 255;

    void count_range(std::span<const TokenSet> sets, uint64_t first, uint64_t last);

    std::vector<uint8_t> small_;
    std::vector<uint32_t> large_;  // what goes beyond kFull: few tokens are that frequent
    unsigned small_shift_ = 0, large_shift_ = 0;
};

// A place in the order of tokens, the rarest first.
struct RankedToken {
    uint32_t count;
    uint64_t token;
    auto operator<=>(const RankedToken&) const = default;
};

}  // namespace addhash

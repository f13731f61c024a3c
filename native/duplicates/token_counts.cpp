#include "duplicates/token_counts.h"

#include <algorithm>
#include <bit>

#include "parallel/parallel.h"

namespace addhash {
namespace {

constexpr unsigned kLeastBits = 10;
constexpr unsigned kMostBits = 32;
constexpr unsigned kLargeBitsFewer = 6;  // one large counter for 64 small ones
constexpr size_t kTokenRanges = 64;      // ranges of tokens that threads take, a power of two

}  // namespace

TokenCounts::TokenCounts(std::span<const TokenSet> sets, size_t threads) {
    size_t tokens = 0;
    for (TokenSet set : sets) tokens += set.size();
    const unsigned bits =
        std::clamp(static_cast<unsigned>(std::bit_width(tokens)), kLeastBits, kMostBits);
    const unsigned large_bits = bits - std::min(bits - 6, kLargeBitsFewer);
    small_shift_ = 64 - bits;
    large_shift_ = 64 - large_bits;
    small_.resize(size_t{1} << bits);
    large_.resize(size_t{1} << large_bits);
    // Each thread has its own range of counters: no locks, and the same counts every time. Both
    // tables have at least kTokenRanges counters, so that no counter lies in two ranges.
    const size_t parts = std::min(kTokenRanges, std::bit_ceil(std::max<size_t>(threads, 1)));
    constexpr uint64_t kLast = UINT64_MAX;
    const uint64_t width = parts == 1 ? 0 : uint64_t{1} << (64 - std::countr_zero(parts));
    run_parallel(threads, parts, [&](auto next) {
        for (size_t part = next(); part < parts; part = next()) {
            count_range(sets, part * width, part + 1 == parts ? kLast : (part + 1) * width - 1);
        }
    });
}

void TokenCounts::count_range(std::span<const TokenSet> sets, uint64_t first, uint64_t last) {
    constexpr size_t kAhead = 4;  // sets
    for (size_t i = 0; i < sets.size(); ++i) {
        if (i + kAhead < sets.size()) {
            for (uint64_t token : sets[i + kAhead]) prefetch(token);
        }
        const auto set = sets[i];
        const uint64_t* end = set.data() + set.size();
        const uint64_t* token = first == 0 ? set.data() : std::lower_bound(set.data(), end, first);
        for (; token != end && *token <= last; ++token) {
            uint8_t& count = small_[static_cast<size_t>(*token >> small_shift_)];
            if (count < kFull) {
                ++count;
            } else {
                uint32_t& more = large_[static_cast<size_t>(*token >> large_shift_)];
                more += more != UINT32_MAX;
            }
        }
    }
}

}  // namespace addhash

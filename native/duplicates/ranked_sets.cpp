#include "duplicates/ranked_sets.h"

#include <algorithm>

#include "parallel/parallel.h"

namespace addhash {
namespace {

constexpr size_t kSetChunk = 256;  // sets that a thread takes at a time

struct Key {
    uint32_t size, number;
    uint64_t digest;
    bool operator<(const Key& other) const {
        if (size != other.size) return size < other.size;
        return digest != other.digest ? digest < other.digest : number < other.number;
    }
};

std::vector<Key> sorted_keys(const TokenSets& sets, size_t threads) {
    std::vector<Key> keys(sets.size());
    const size_t chunks = (keys.size() + kSetChunk - 1) / kSetChunk;
    run_parallel(threads, chunks, [&](auto next) {
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            const size_t last = std::min(keys.size(), (chunk + 1) * kSetChunk);
            for (size_t i = chunk * kSetChunk; i < last; ++i) {
                keys[i] = {static_cast<uint32_t>(sets[i].size()), static_cast<uint32_t>(i),
                           digest(sets[i])};
            }
        }
    });
    // Halves in parallel, then one merge.
    const auto half = static_cast<ptrdiff_t>(keys.size() / 2);
    run_parallel(threads, 2, [&](auto next) {
        for (size_t part = next(); part < 2; part = next()) {
            part == 0 ? std::sort(keys.begin(), keys.begin() + half)
                      : std::sort(keys.begin() + half, keys.end());
        }
    });
    std::vector<Key> sorted(keys.size());
    std::merge(keys.begin(), keys.begin() + half, keys.begin() + half, keys.end(), sorted.begin());
    return sorted;
}

}  // namespace

RankedSets::RankedSets(const TokenSets& all, std::optional<size_t> boundary, size_t threads) {
    const std::vector<Key> keys = sorted_keys(all, threads);
    first_equal.resize(keys.size());
    size_t start = 0;  // the first rank of this size and digest
    for (size_t i = 0; i < keys.size(); ++i) {
        const Key& key = keys[i];
        if (i == 0 || key.size != keys[i - 1].size || key.digest != keys[i - 1].digest) {
            start = numbers.size();
        }
        const TokenSet set = all[key.number];
        size_t rank = start;
        while (rank < numbers.size() && !std::ranges::equal(set, sets[rank])) ++rank;
        if (rank == numbers.size()) {
            numbers.push_back(key.number);
            sets.push_back(set);
            sizes.push_back(key.size);
            if (boundary) sides.push_back(0);
        }
        first_equal[key.number] = numbers[rank];
        if (boundary) sides[rank] |= key.number < *boundary ? uint8_t{1} : uint8_t{2};
    }
}

}  // namespace addhash

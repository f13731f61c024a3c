// Counts of n-grams as the tests see them.
#pragma once

#include <map>
#include <vector>

#include "detection/ngram_counts.h"
#include "tests/support.h"

namespace addhash::test {

using Counts = std::map<NgramKey, std::map<uint16_t, int64_t>>;

inline std::vector<NgramCount> flat(const Counts& counts) {
    std::vector<NgramCount> all;
    for (const auto& [key, list] : counts) {
        for (const auto& [label, count] : list) all.push_back({key, label, count});
    }
    return all;
}

inline Counts nested(const NgramCounts& counts) {
    Counts all;
    for (const NgramCount& c : counts.unpacked()) all[c.key][c.label] = c.count;
    return all;
}

inline Counts random_counts(Random& random, size_t keys, uint16_t classes) {
    Counts counts;
    const size_t scripts = 3;
    for (size_t i = 0; i < keys; ++i) {
        const NgramKey key = (1 + random() % scripts) << 32 | (random() & 0xFFFFFFFF);
        const size_t size = 1 + random() % (i % 7 == 0 ? classes : 4);
        for (size_t j = 0; j < size; ++j) {
            const int64_t count = 1 + static_cast<int64_t>(random() % (i % 3 == 0 ? 100'000 : 9));
            counts[key][static_cast<uint16_t>(random() % classes)] = count;
        }
    }
    return counts;
}

}  // namespace addhash::test

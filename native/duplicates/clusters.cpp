#include "duplicates/clusters.h"

#include <algorithm>
#include <numeric>

namespace addhash {

void group_by_representative(std::span<const uint32_t> items, std::span<const uint32_t> others,
                             std::span<uint32_t> representatives) {
    std::iota(representatives.begin(), representatives.end(), 0u);
    for (size_t i = 0; i < items.size(); ++i) {
        const uint32_t item = items[i], other = others[i];
        if (representatives[item] == item && representatives[other] == other) {
            representatives[item] = other;
        }
    }
}

void group_connected(std::span<const uint32_t> items, std::span<const uint32_t> others,
                     std::span<uint32_t> representatives) {
    std::iota(representatives.begin(), representatives.end(), 0u);
    const auto root = [&](uint32_t item) {
        while (representatives[item] != item) {
            representatives[item] = representatives[representatives[item]];
            item = representatives[item];
        }
        return item;
    };
    for (size_t i = 0; i < items.size(); ++i) {
        const auto [low, high] = std::minmax({root(items[i]), root(others[i])});
        representatives[high] = low;
    }
    for (uint32_t& representative : representatives) {
        representative = representatives[representative];  // lower items are done already
    }
}

}  // namespace addhash

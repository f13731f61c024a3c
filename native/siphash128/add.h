// Rows of the fast randomizer added up as they are made: they never go to memory.
#pragma once

#include "bitsum/lanes.h"
#include "siphash128/lanes.h"

namespace addhash {
namespace {

template <class V> class SeedGroup {
public:
    // Up to kRowGroup seeds. Rows past `count` are zero.
    SeedGroup(const Seed* seeds, size_t count) : count_(count) {
        uint64_t ordinals[V::lanes];
        for (size_t i = 0; i < V::lanes; ++i) ordinals[i] = i + 1;
        const V first = V::load(ordinals);
        for (size_t j = 0; j < count; ++j) {
            const uint64_t step = seeds[j].high | 1;
            counters_[j] = V::broadcast(seeds[j].low) + V::broadcast(step).mul(first);
            steps_[j] = step * V::lanes;
        }
    }

    // The next words of row j.
    template <bool is_full> V next(size_t j) {
        if (!is_full && j >= count_) return V::broadcast(0);
        const V words = mix(counters_[j]);
        counters_[j] = counters_[j] + V::broadcast(steps_[j]);
        return words;
    }

private:
    size_t count_;
    V counters_[kRowGroup];
    uint64_t steps_[kRowGroup];
};

template <class V, bool is_full> inline void add_seed_group(uint64_t* planes, size_t columns,
                                                            const Seed* seeds, size_t count,
                                                            unsigned levels) {
    SeedGroup<V> group(seeds, count);
    for (size_t word = 0; word < columns * kColumnWords; word += V::lanes) {
        uint64_t* plane =
            planes + word / kColumnWords * kPlanes * kColumnWords + word % kColumnWords;
        add_group<V>(plane, levels, [&](size_t j) { return group.template next<is_full>(j); });
    }
}

template <class V> inline void add_seeds_lanes(uint64_t* planes, size_t columns, const Seed* seeds,
                                               size_t count, unsigned levels) {
    size_t i = 0;
    for (; i + kRowGroup <= count; i += kRowGroup) {
        add_seed_group<V, true>(planes, columns, seeds + i, kRowGroup, levels);
    }
    if (i < count) add_seed_group<V, false>(planes, columns, seeds + i, count - i, levels);
}

}  // namespace
}  // namespace addhash

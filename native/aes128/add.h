// Rows of the fast randomizer, added up as they are made without going through memory.
#pragma once

#include <type_traits>

#include "aes128/lanes.h"
#include "bitsum/lanes.h"

namespace addhash {
namespace {

// Whether made blocks can be added as they are, from the register where they are made.
template <class V, class B>
concept SameRegister = std::is_same_v<decltype(V::v), decltype(B::v)>;

inline size_t group_size(size_t rows) { return rows < kRowGroup ? rows : kRowGroup; }

// Adds `count` rows, which row(0), row(1) and so on return.
template <class V, class Row> inline void add_up_to_group(LowPlanes<V>& low, uint64_t* plane,
                                                          unsigned levels, size_t count,
                                                          Row&& row) {
    if (count == kRowGroup) {
        low.add_group(plane, levels, row);
    } else {
        low.add_few(plane, levels, count, row);
    }
}

// One column of all rows. V holds bits to add, B the blocks that they come from.
template <class V, class B> inline void add_seed_column(uint64_t* plane, RowBlocks<B>& blocks,
                                                        const Seed* seeds, size_t count,
                                                        unsigned levels) {
    if constexpr (SameRegister<V, B>) {
        for (size_t word = 0; word < kColumnWords; word += V::lanes) {
            LowPlanes<V> low(plane + word);
            for (size_t i = 0; i < count; i += kRowGroup) {
                add_up_to_group(low, plane + word, levels, group_size(count - i),
                                [&](size_t j) { return V{blocks.of(seeds[i + j]).v}; });
            }
            low.store(plane + word);
            blocks.advance();
        }
    } else {
        // Through the first cache level: a register that is loaded right after its parts were
        // stored waits for them.
        alignas(64) uint8_t rows[kRowGroup][kColumnBytes];
        const RowBlocks<B> first = blocks;
        for (size_t i = 0; i < count; i += kRowGroup) {
            const size_t taken = group_size(count - i);
            blocks = first;
            for (size_t at = 0; at < kColumnBytes; at += B::blocks * kAesBlock) {
                for (size_t j = 0; j < taken; ++j) blocks.of(seeds[i + j]).store(rows[j] + at);
                blocks.advance();
            }
            for (size_t word = 0; word < kColumnWords; word += V::lanes) {
                LowPlanes<V> low(plane + word);
                add_up_to_group(low, plane + word, levels, taken, [&](size_t j) {
                    return V::load(reinterpret_cast<const uint64_t*>(rows[j]) + word);
                });
                low.store(plane + word);
            }
        }
    }
}

template <class V, class B> inline void add_seeds_lanes(const RowKeys& keys, uint64_t* planes,
                                                        size_t columns, const Seed* seeds,
                                                        size_t count, unsigned levels) {
    if (count == 0) return;
    RowBlocks<B> blocks(keys);
    for (size_t column = 0; column < columns; ++column) {
        add_seed_column<V>(planes + column * kPlanes * kColumnWords, blocks, seeds, count, levels);
    }
}

}  // namespace
}  // namespace addhash

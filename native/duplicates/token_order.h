// One order of all tokens, the rarest first, and the first tokens of each set in it.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "duplicates/token_counts.h"
#include "parallel/parallel.h"

namespace addhash {

// A token's place in the order: 8 bits that grow with its count, then 56 bits of its hash. Two
// tokens of one key are treated as one, which makes a few more sets meet and loses none.
inline uint64_t order_key(uint64_t token, uint32_t count) {
    // Counts up to 15 as they are, then eight steps for each doubling.
    const auto width = static_cast<unsigned>(std::bit_width(count));
    const uint64_t step = width <= 4 ? count : 16 + 8 * (width - 5) + (count >> (width - 4) & 7);
    return step << 56 | token >> 8;
}

// The keys of items, those of an item ascending.
class Prefixes {
public:
    static constexpr size_t kChunk = 256;  // items whose keys are stored together

    explicit Prefixes(size_t count) : chunks_((count + kChunk - 1) / kChunk), places_(count) {}

    size_t size() const { return places_.size(); }
    size_t chunks() const { return chunks_.size(); }
    // Items of one chunk are appended in order, by one thread. `skipped` keys come before these and
    // are shared with no other item.
    void append(uint32_t item, std::span<const uint64_t> keys, size_t skipped) {
        std::vector<uint64_t>& all = chunks_[item / kChunk];
        places_[item] = {all.size(), static_cast<uint32_t>(keys.size()),
                         static_cast<uint32_t>(skipped)};
        all.insert(all.end(), keys.begin(), keys.end());
    }

    std::span<const uint64_t> operator[](uint32_t item) const {
        const Place& place = places_[item];
        return {chunks_[item / kChunk].data() + place.first, place.count};
    }
    uint32_t skipped(uint32_t item) const { return places_[item].skipped; }

    // Whether this is where two items, which share the key at these places, meet first: there they
    // are compared, and nowhere else. An item may have a key several times.
    bool meet_first(uint32_t a, size_t a_place, uint32_t b, size_t b_place) const {
        const uint64_t *x = (*this)[a].data(), *y = (*this)[b].data();
        if (a_place > 0 && x[a_place - 1] == x[a_place]) return false;
        if (b_place > 0 && y[b_place - 1] == y[b_place]) return false;
        for (size_t i = 0, j = 0; i < a_place && j < b_place;) {
            if (x[i] == y[j]) return false;
            x[i] < y[j] ? ++i : ++j;
        }
        return true;
    }

private:
    struct Place {
        size_t first;
        uint32_t count, skipped;
    };
    std::vector<std::vector<uint64_t>> chunks_;
    std::vector<Place> places_;
};

// Calls use(first, last) for the items of each chunk, with a `use` for each thread.
template <class Make> void for_each_chunk(size_t threads, size_t count, Make&& make) {
    constexpr size_t kChunk = Prefixes::kChunk;
    const size_t chunks = (count + kChunk - 1) / kChunk;
    run_parallel(threads, chunks, [&](auto next) {
        auto use = make();
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            use(chunk * kChunk, std::min(count, (chunk + 1) * kChunk));
        }
    });
}

}  // namespace addhash

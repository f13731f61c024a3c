// Which windows stand in several texts: a sieve that keeps all of them, and few others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

namespace addhash {

// Hashes that were seen before, hardly ever others: 4 bits of one 64-bit word each.
class SeenBefore {
public:
    explicit SeenBefore(size_t bytes);

    // Appends to `again` the hashes that were seen before, perhaps by another thread.
    void see(std::span<const uint64_t> hashes, std::vector<uint64_t>& again);
    size_t bytes() const { return size_ * sizeof(uint64_t); }

private:
    size_t place_of(uint64_t hash) const;

    struct Free {
        void operator()(uint64_t* words) const { std::free(words); }
    };
    size_t size_;
    std::unique_ptr<uint64_t[], Free> words_;  // zeros take no memory until they are used
};

// Hashes, each with how often it was counted.
class HashCounts {
public:
    // Adds hashes that may recur, before anything is counted.
    void add(const std::vector<uint64_t>& hashes);
    // Ends adding.
    void seal();
    // Counts those that are here, once for each text with `once_each`. Threads may do so at once,
    // each with texts of its own: then a hash may be counted too often, and never too rarely.
    void count(std::span<const uint64_t> hashes, uint32_t text, bool once_each);
    // Keeps those that were counted that often, and forgets the counts.
    void keep(uint32_t least);
    bool contains(uint64_t hash) const { return find(hash) != kNone; }

    size_t size() const { return hashes_.size(); }
    std::span<const uint64_t> hashes() const { return hashes_; }
    size_t bytes() const {
        return hashes_.capacity() * sizeof(uint64_t) + starts_.capacity() * sizeof(uint64_t) +
               (counts_.capacity() + texts_.capacity()) * sizeof(uint32_t);
    }

private:
    static constexpr size_t kNone = SIZE_MAX;

    size_t find(uint64_t hash) const;
    void sort();
    void index();

    std::vector<uint64_t> hashes_;  // ascending, each once, after seal()
    size_t sorted_ = 0;             // how many were left when they were last sorted
    std::vector<uint64_t> starts_;  // where the hashes with the same topmost bits begin
    unsigned shift_ = 63;
    std::vector<uint32_t> counts_, texts_;  // texts_: the last one that each was counted for
};

}  // namespace addhash

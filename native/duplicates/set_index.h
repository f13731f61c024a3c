// Similar sets in a changing collection.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "duplicates/threshold.h"
#include "duplicates/token_counts.h"
#include "duplicates/token_sets.h"

namespace addhash {

// Numbers filed under 64-bit keys, those of one key in any order.
class NumberLists {
public:
    void reserve(size_t keys);
    void add(uint64_t key, uint32_t number);
    void clear();

    template <class Use> void for_each(uint64_t key, Use&& use) const {
        if (slots_.empty()) return;
        for (uint32_t i = slots_[place(key)].head; i != kNone; i = links_[i].next) {
            use(links_[i].number);
        }
    }
    size_t bytes() const {
        return slots_.capacity() * sizeof(Slot) + links_.capacity() * sizeof(Link);
    }

private:
    static constexpr uint32_t kNone = UINT32_MAX;
    struct Slot {
        uint64_t key = 0;
        uint32_t head = kNone;
    };
    struct Link {
        uint32_t number, next;
    };
    size_t place(uint64_t key) const;

    std::vector<Slot> slots_;  // a power of two, or none
    std::vector<Link> links_;
    size_t used_ = 0;
};

struct SetMatch {
    uint32_t query, entry;
    uint32_t shared;
};

// Distinct sets, each with a number. The numbers of removed sets are reused later.
class SetIndex {
public:
    explicit SetIndex(const Threshold& threshold) : threshold_(threshold) {}
    SetIndex(SetIndex&&) = default;

    struct Added {
        std::vector<uint32_t> entries;  // for each set, the entry that equals it
        std::vector<uint8_t> is_new;    // whether the set made its entry
        std::vector<SetMatch>
            matches;  // of each new set with entries before it: `query` its number
    };
    Added add(const TokenSets& sets, size_t threads);
    // The entries must exist.
    void remove(std::span<const uint32_t> entries);
    // Similar entries of each set, in order of sets and entries.
    std::vector<SetMatch> query(const TokenSets& sets, size_t threads) const;

    bool contains(uint32_t entry) const { return entry < sets_.size() && sets_[entry].tokens; }
    TokenSet operator[](uint32_t entry) const { return sets_[entry].view(); }
    size_t size() const { return count_; }
    size_t bytes() const;

private:
    struct Set {
        std::unique_ptr<uint64_t[]> tokens;  // none: removed, or not given yet
        uint32_t size = 0;
        uint64_t serial = 0;  // counts up with each that is added
        TokenSet view() const { return {tokens.get(), size}; }
    };
    // Room for finding the matches of one set after the other.
    struct Search {
        std::vector<RankedToken> order;
        std::vector<uint32_t> candidates;
    };

    static std::span<const RankedToken> prefix(const Threshold& threshold,
                                               const TokenCounts& counts, TokenSet set,
                                               Search& search);
    void post(uint32_t entry, Search& search);
    template <class Find>
    static std::vector<SetMatch> find_all(size_t count, size_t threads, Find&& find);
    uint32_t insert(TokenSet set);
    void drop(uint32_t entry) noexcept;
    // Entries that are similar to a set and were added before `serial`.
    void match(uint32_t query, TokenSet set, uint64_t serial, Search& search,
               std::vector<SetMatch>& out) const;
    void rebuild(size_t threads);

    Threshold threshold_;
    TokenCounts counts_;     // when the index was last built
    NumberLists postings_;   // entries by the tokens of their prefixes, including some removed ones
    NumberLists by_digest_;  // entries by their digests, including some removed ones
    std::vector<Set> sets_;
    std::vector<uint32_t> free_;     // numbers that nothing refers to any more
    std::vector<uint32_t> removed_;  // numbers that postings may still refer to
    uint64_t next_serial_ = 1;
    size_t count_ = 0;
    size_t tokens_ = 0;
    size_t built_ = 0;  // how many there were when the index was last built
};

}  // namespace addhash

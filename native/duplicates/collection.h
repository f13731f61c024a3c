// A changing collection of texts with ids, as sets: which are similar, and which cluster each is
// in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "duplicates/set_index.h"

namespace addhash {

struct IdPair {
    int64_t left, right;  // ids, left < right
    uint32_t shared, left_size, right_size;
};

struct IdMatch {
    uint32_t query;
    int64_t id;
    uint32_t shared, size;
};

// A text, its cluster and the text kept in its place.
struct Placed {
    int64_t id, cluster, representative;
    uint32_t shared, size, representative_size;
};

// Everything, in the order in which texts and sets were added: what a file holds.
struct CollectionState {
    std::vector<int64_t> ids;       // of texts
    std::vector<uint32_t> sets;     // of each text, the number of its set
    std::vector<uint32_t> sizes;    // of sets
    std::vector<uint64_t> hashes;   // of sets, one after the other
    std::vector<uint32_t> leaders;  // of each set, the number of the one that represents it
    std::vector<int64_t> clusters;  // of each set
    int64_t next_id = 0;
};

// A new set joins the cluster of the representative it is most similar to, on ties the earliest, or
// starts one. A cluster keeps its id when the text that started it is removed.
class Collection {
public:
    explicit Collection(const Threshold& threshold) : threshold_(threshold), index_(threshold) {}
    Collection(Collection&&) = default;

    size_t size() const { return texts_.size(); }
    size_t bytes() const;
    int64_t next_id() const { return next_id_; }
    bool contains(int64_t id) const { return texts_.contains(id); }

    // Ids must be new and distinct. If memory runs out, nothing changes.
    void add(std::span<const int64_t> ids, const TokenSets& sets, size_t threads);
    // The ids must exist.
    void remove(std::span<const int64_t> ids);

    std::vector<IdMatch> query(const TokenSets& sets, size_t threads) const;
    std::vector<IdPair> pairs() const;
    std::vector<Placed> placed() const;  // in the order of adding

    CollectionState state() const;
    // Into an empty collection. False if the state cannot have come from state().
    bool restore(const CollectionState& state, size_t threads);

private:
    struct Near {
        uint32_t entry, shared;
    };
    struct Entry {
        std::vector<int64_t> ids;  // in the order of adding
        std::vector<Near> near;
        uint32_t leader = 0;
        int64_t cluster = 0;  // of a leader
        uint64_t age = 0;     // the lower, the older
    };
    struct Text {
        uint32_t entry;
        uint64_t serial;
    };

    double similarity(uint32_t entry, const Near& near) const;
    void link(const SetMatch& match);
    void choose_leader(uint32_t entry);
    void lead(uint32_t entry, std::optional<int64_t> cluster);
    void place(int64_t id, uint32_t entry);
    void undo(std::span<const int64_t> ids, const SetIndex::Added& added) noexcept;
    void succeed(uint32_t entry);
    std::vector<uint32_t> by_age() const;

    Threshold threshold_;
    SetIndex index_;
    std::vector<Entry> entries_;
    std::unordered_map<int64_t, Text> texts_;
    std::unordered_set<int64_t> clusters_;
    std::unordered_set<int64_t> spare_;  // nodes for clusters_, of any value
    std::vector<uint32_t> followers_;    // room for succeed()
    uint64_t next_serial_ = 1, next_age_ = 1;
    int64_t next_id_ = 0;
};

}  // namespace addhash

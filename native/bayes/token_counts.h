// How often each class has each bucket: what naive Bayes learns.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bayes/logarithms.h"
#include "bayes/token_rows.h"
#include "dispatch/kernels.h"
#include "status/status.h"

namespace addhash {

struct ClassCount {
    uint32_t bucket;
    uint32_t label;  // the number of a class
    int64_t count;
};

// The classes of one bucket in ascending order, each with its count.
struct ExactList {
    std::span<const uint32_t> labels;
    std::span<const int64_t> counts;
    int64_t total = 0;

    int64_t count_of(uint32_t label) const;
};

// The same for scoring: logarithms. Without labels, it has an element for each class from 0 on.
struct BucketList {
    const Steps* counts = nullptr;
    const uint32_t* labels = nullptr;
    uint32_t size = 0;  // 0: nobody has the bucket
    uint32_t position = 0;
    int32_t total = kNoSteps;
    bool is_recent = false;
};

// Lists of some buckets; never changed once made.
class CountLists {
public:
    // `counts` ascend by bucket and class, each pair once, of classes below `classes`. A count of 0
    // is left out, though its bucket has a list.
    CountLists(std::span<const ClassCount> counts, uint32_t classes);

    // Where the bucket's list is, on its way to the cache; nullptr if there is none here.
    const uint32_t* locate(uint32_t bucket) const;
    static BucketList read(const uint32_t* block);
    void prefetch(uint32_t bucket) const { __builtin_prefetch(&places_[bucket & mask_]); }

    size_t size() const { return buckets_.size(); }
    uint32_t bucket(size_t position) const { return buckets_[position]; }
    ExactList exact(size_t position) const;
    size_t entries() const { return counts_.size(); }

private:
    void append_block(uint32_t position, uint32_t classes);

    // For scoring: blocks of [position, size, total, counts..., labels...].
    uint32_t mask_;
    bool has_own_places_;           // every bucket stands where it is looked for first
    std::vector<uint32_t> places_;  // where blocks start; 0 is free
    std::vector<uint32_t> keys_;    // the buckets of places_, unless they have their own
    std::vector<uint32_t> blocks_;
    // The exact counts.
    std::vector<uint32_t> buckets_;
    std::vector<size_t> starts_;
    std::vector<int64_t> totals_;
    std::vector<uint32_t> labels_;
    std::vector<int64_t> counts_;
};

// A value: change() makes another one, and readers keep theirs. What changed lately lies in a small
// layer above the rest, so that a change costs little more than the text that is learnt.
class TokenCounts {
public:
    TokenCounts();

    // Adds changes, which ascend by bucket and class, each pair once. If a count would become
    // negative (out_of_range) or too large (overflow), `result` stays as it is and the position is
    // that of the change.
    Outcome change(std::span<const ClassCount> changes, TokenCounts& result) const;

    struct Place {
        const uint32_t* block;
        bool is_recent;
    };
    // In two steps, so that many lists are on their way to the cache at a time.
    Place locate(uint32_t bucket) const {
        if (recent_) {
            if (const uint32_t* block = recent_->locate(bucket)) return {block, true};
        }
        return {base_->locate(bucket), false};
    }
    static BucketList read(Place place) {
        if (place.block == nullptr) return {};
        BucketList list = CountLists::read(place.block);
        list.is_recent = place.is_recent;
        return list;
    }
    BucketList find(uint32_t bucket) const { return read(locate(bucket)); }
    ExactList exact(const BucketList& list) const {
        if (list.size == 0) return {};
        return (list.is_recent ? recent_ : base_)->exact(list.position);
    }
    void prefetch(uint32_t bucket) const { base_->prefetch(bucket); }
    // Everything, in order of bucket and class.
    std::vector<ClassCount> all() const;
    size_t entries() const { return entries_; }
    // No class has this number, or a higher one.
    uint32_t classes() const { return classes_; }

private:
    uint32_t classes_ = 0;
    std::shared_ptr<const CountLists> base_, recent_;
    size_t entries_ = 0;
};

// The texts' counts by class, ready for change(); each text counts `times` (1 or -1).
// `labels` has the number of each text's class.
std::vector<ClassCount> count_by_class(const TokenRows& rows, std::span<const uint32_t> labels,
                                       int64_t times);

}  // namespace addhash

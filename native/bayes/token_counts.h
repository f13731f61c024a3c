// How often each class has each bucket: what naive Bayes learns.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bayes/token_rows.h"
#include "dispatch/kernels.h"
#include "status/status.h"

namespace addhash {

struct ClassCount {
    uint32_t bucket;
    uint32_t label;  // the number of a class
    int64_t count;
};

// Counts as scores see them.
RoundedCount rounded(int64_t count);
float root_of(int64_t total);                        // its square root
float inverse_of(int64_t total, double smoothing);  // 1 / (smoothing * total)

// The classes of one bucket in ascending order, each with its count.
struct ExactList {
    std::span<const uint32_t> labels;
    std::span<const int64_t> counts;
    int64_t total = 0;

    int64_t count_of(uint32_t label) const;
};

// The same for scoring, rounded; without labels, it has an element for each class from 0 on.
struct BucketList {
    const RoundedCount* counts = nullptr;
    const uint32_t* labels = nullptr;
    uint32_t size = 0;  // 0: nobody has the bucket
    uint32_t position = 0;
    float root = 0;  // of the total
    float inverse = 0;
    bool is_recent = false;
};

// Lists of some buckets; never changed once made.
class CountLists {
public:
    // `counts` ascend by bucket and class, each pair once, of classes below `classes`. A count of 0
    // is left out, though its bucket has a list.
    CountLists(std::span<const ClassCount> counts, uint32_t classes, double smoothing);

    // False if the bucket has no list here.
    bool find(uint32_t bucket, BucketList& list) const;
    void prefetch(uint32_t bucket) const { __builtin_prefetch(&places_[bucket & mask_]); }

    size_t size() const { return buckets_.size(); }
    uint32_t bucket(size_t position) const { return buckets_[position]; }
    ExactList exact(size_t position) const;
    size_t entries() const { return counts_.size(); }

private:
    void append_block(uint32_t position, uint32_t classes, double smoothing);

    // For scoring: blocks of [position, size, root, inverse, counts..., labels...].
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
    // `smoothing` is above 0.
    explicit TokenCounts(double smoothing);

    // Adds changes, which ascend by bucket and class, each pair once. If a count would become
    // negative (out_of_range) or too large (overflow), `result` stays as it is and the position is
    // that of the change.
    Outcome change(std::span<const ClassCount> changes, TokenCounts& result) const;
    TokenCounts with_smoothing(double smoothing) const;

    BucketList find(uint32_t bucket) const {
        BucketList list;
        if (recent_ && recent_->find(bucket, list)) {
            list.is_recent = true;
        } else {
            base_->find(bucket, list);
        }
        return list;
    }
    ExactList exact(const BucketList& list) const {
        if (list.size == 0) return {};
        return (list.is_recent ? recent_ : base_)->exact(list.position);
    }
    void prefetch(uint32_t bucket) const { base_->prefetch(bucket); }
    // Everything, in order of bucket and class.
    std::vector<ClassCount> all() const;
    size_t entries() const { return entries_; }
    double smoothing() const { return smoothing_; }
    // No class has this number, or a higher one.
    uint32_t classes() const { return classes_; }

private:
    double smoothing_;
    uint32_t classes_ = 0;
    std::shared_ptr<const CountLists> base_, recent_;
    size_t entries_ = 0;
};

// The texts' counts by class, ready for change(); each text counts `times` (1 or -1).
// `labels` has the number of each text's class.
std::vector<ClassCount> count_by_class(const TokenRows& rows, std::span<const uint32_t> labels,
                                       int64_t times);

}  // namespace addhash

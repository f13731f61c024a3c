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

// The classes of one bucket, in ascending order, and how often each has it.
struct BucketList {
    const uint32_t* labels = nullptr;
    const int64_t* counts = nullptr;
    const float* rounded = nullptr;    // the counts as floats
    const int32_t* weights = nullptr;  // see CountLists
    size_t size = 0;
    int64_t total = 0;
};

// Lists of some buckets; never changed once made.
class CountLists {
public:
    // `counts` ascend by bucket and class, each pair once. A count of 0 is left out, though its
    // bucket has a list. `smoothing` is above 0.
    CountLists(const Kernels& kernels, std::span<const ClassCount> counts, double smoothing);

    // False if the bucket has no list here.
    bool find(uint32_t bucket, BucketList& list) const;
    void prefetch(uint32_t bucket) const { __builtin_prefetch(&slots_[bucket & mask_]); }

    std::span<const uint32_t> buckets() const { return buckets_; }
    size_t entries() const { return labels_.size(); }

private:
    struct Slot {
        uint32_t bucket;
        uint32_t size;
        size_t first;
        int64_t total;
    };
    static constexpr uint32_t kFree = UINT32_MAX;  // no bucket has this number

    void insert(const Slot& slot);

    uint32_t mask_;
    bool has_own_slots_;       // every bucket stands where it is looked for first
    std::vector<Slot> slots_;  // buckets are hashes: their lower bits say where to look first
    std::vector<uint32_t> buckets_;
    std::vector<uint32_t> labels_;
    std::vector<int64_t> counts_;
    std::vector<float> rounded_;
    // log2(1 + count / (smoothing * sqrt(total))): what the bucket costs as a prefix.
    std::vector<int32_t> weights_;
};

// A value: change() makes another one, and readers keep theirs. What changed lately lies in a small
// layer above the rest, so that a change costs little more than the text that is learnt.
class TokenCounts {
public:
    TokenCounts(const Kernels& kernels, double smoothing);

    // Adds changes, which ascend by bucket and class, each pair once. If a count would become
    // negative (out_of_range) or too large (overflow), `result` stays as it is and the position is
    // that of the change.
    Outcome change(const Kernels& kernels, std::span<const ClassCount> changes,
                   TokenCounts& result) const;
    TokenCounts with_smoothing(const Kernels& kernels, double smoothing) const;

    BucketList find(uint32_t bucket) const {
        BucketList list;
        if (!recent_ || !recent_->find(bucket, list)) base_->find(bucket, list);
        return list;
    }
    void prefetch(uint32_t bucket) const { base_->prefetch(bucket); }
    // Everything, in order of bucket and class.
    std::vector<ClassCount> all() const;
    size_t entries() const { return entries_; }
    double smoothing() const { return smoothing_; }

private:
    double smoothing_;
    std::shared_ptr<const CountLists> base_, recent_;
    size_t entries_ = 0;
};

// The texts' counts by class, ready for change(); each text counts `times` (1 or -1).
// `labels` has the number of each text's class.
std::vector<ClassCount> count_by_class(const TokenRows& rows, std::span<const uint32_t> labels,
                                       int64_t times);

}  // namespace addhash

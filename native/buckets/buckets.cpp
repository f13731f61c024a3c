#include "buckets/buckets.h"

#include <algorithm>
#include <bit>

namespace addhash {

BucketRule::BucketRule(uint32_t n_features, bool alternate_sign)
    : n_features_(n_features),
      sign_mask_(alternate_sign ? 1 : 0),
      is_power_of_two_(std::has_single_bit(n_features)),
      bucket_bits_(static_cast<unsigned>(std::bit_width(n_features - 1))) {}

void BucketSums::add(const uint32_t* hashes, size_t count) {
    sums_.add(count, [&](uint32_t* keys) {
        for (size_t i = 0; i < count; ++i) keys[i] = rule_.key(hashes[i]);
        return count;
    });
}

// Appends the sums of the keys, and forgets the keys.
void KeySums::reduce(SparseRows& out) {
    const size_t count = keys_.size();
    keys_.room(kKeySlack);
    scratch_.room(count + kKeySlack);
    const uint32_t* sorted = kernels_.sort_keys(keys_.data(), scratch_.data(), count, bits_);
    uint32_t* buckets = out.buckets.room(count + kKeySlack);
    double* sums = out.sums.room(count + kKeySlack);
    const size_t entries = kernels_.sum_keys(sorted, count, buckets, sums);
    out.buckets.grow(entries);
    out.sums.grow(entries);
    keys_.clear();
}

// Merges the sums of the keys so far into folded_.
void KeySums::fold() {
    SparseRows fresh, merged;
    reduce(fresh);
    size_t i = 0, j = 0;
    while (i < fresh.buckets.size() || j < folded_.buckets.size()) {
        const bool has_fresh = i < fresh.buckets.size(), has_old = j < folded_.buckets.size();
        const uint32_t bucket = !has_old     ? fresh.buckets[i]
                                : !has_fresh ? folded_.buckets[j]
                                             : std::min(fresh.buckets[i], folded_.buckets[j]);
        double sum = 0;
        if (has_fresh && fresh.buckets[i] == bucket) sum += fresh.sums[i++];
        if (has_old && folded_.buckets[j] == bucket) sum += folded_.sums[j++];
        merged.push_back(bucket, sum);
    }
    folded_ = std::move(merged);
}

void KeySums::finish(SparseRows& rows) {
    const size_t old = rows.buckets.size();
    if (folded_.buckets.size() == 0) {
        reduce(rows);
    } else {
        fold();
        for (size_t i = 0; i < folded_.buckets.size(); ++i) {
            rows.push_back(folded_.buckets[i], folded_.sums[i]);
        }
        folded_ = {};
    }
    rows.row_lengths.push_back(static_cast<uint32_t>(rows.buckets.size() - old));
}

}  // namespace addhash

#include "buckets/buckets.h"

#include <algorithm>
#include <bit>

namespace addhash {
namespace {

// A document with more keys than this is reduced as it comes, to bound memory.
constexpr size_t kMaxKeys = size_t{1} << 22;
constexpr size_t kInsertionSort = 24;

}  // namespace

BucketRule::BucketRule(uint32_t n_features, bool alternate_sign)
    : n_features_(n_features),
      sign_mask_(alternate_sign ? 1 : 0),
      is_power_of_two_(std::has_single_bit(n_features)),
      bucket_bits_(static_cast<unsigned>(std::bit_width(n_features - 1))) {}

void BucketSums::add(const uint32_t* hashes, size_t count) {
    while (count > 0) {
        const size_t taken = std::min(count, kMaxKeys - keys_.size());
        const size_t old = keys_.size();
        keys_.resize(old + taken);
        for (size_t i = 0; i < taken; ++i) keys_[old + i] = rule_.key(hashes[i]);
        hashes += taken;
        count -= taken;
        if (keys_.size() == kMaxKeys) fold();
    }
}

// Radix sort by bucket. The sign bit need not be sorted.
void BucketSums::sort_keys() {
    const size_t count = keys_.size();
    if (count <= kInsertionSort) {
        for (size_t i = 1; i < count; ++i) {
            const uint32_t key = keys_[i];
            size_t j = i;
            for (; j > 0 && keys_[j - 1] > key; --j) keys_[j] = keys_[j - 1];
            keys_[j] = key;
        }
        return;
    }
    // Wide digits save passes, narrow ones cost less to set up: few keys want narrow ones.
    const unsigned widest = count < 512 ? 7 : 11;
    const unsigned bits = rule_.bucket_bits();
    const unsigned passes = (bits + widest - 1) / widest;
    const unsigned digit = passes == 0 ? 0 : (bits + passes - 1) / passes;
    const uint32_t mask = (uint32_t{1} << digit) - 1;
    scratch_.resize(count);
    uint32_t offsets[1 << 11];
    for (unsigned pass = 0; pass < passes; ++pass) {
        const unsigned shift = 1 + pass * digit;
        std::fill_n(offsets, mask + 1, 0);
        for (uint32_t key : keys_) ++offsets[key >> shift & mask];
        uint32_t total = 0;
        for (uint32_t d = 0; d <= mask; ++d) {
            const uint32_t here = offsets[d];
            offsets[d] = total;
            total += here;
        }
        for (uint32_t key : keys_) scratch_[offsets[key >> shift & mask]++] = key;
        keys_.swap(scratch_);
    }
}

// Appends the sums of the sorted keys, and forgets the keys.
void BucketSums::reduce(SparseRows& out) {
    uint32_t* buckets = out.buckets.room(keys_.size());
    double* sums = out.sums.room(keys_.size());
    // Whether the next key begins a new bucket cannot be foreseen: every key writes its bucket's
    // entry, and a new bucket moves on by one.
    size_t entries = 0;
    uint32_t current = ~uint32_t{0};
    double sum = 0;
    for (const uint32_t key : keys_) {
        const uint32_t bucket = key >> 1;
        const bool is_new = bucket != current;
        entries += is_new;
        sum = (is_new ? 0 : sum) + (1 - 2 * static_cast<int>(key & 1));
        current = bucket;
        buckets[entries - 1] = bucket;
        sums[entries - 1] = sum;
    }
    out.buckets.grow(entries);
    out.sums.grow(entries);
    keys_.clear();
}

// Merges the sums of the keys so far into folded_.
void BucketSums::fold() {
    SparseRows fresh, merged;
    sort_keys();
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

void BucketSums::finish(SparseRows& rows) {
    const size_t old = rows.buckets.size();
    if (folded_.buckets.size() == 0) {
        sort_keys();
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

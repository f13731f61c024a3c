#include "bayes/token_counts.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "parallel/interrupt.h"

namespace addhash {
namespace {

constexpr size_t kMostRecent = size_t{1} << 16;  // entries of the layer above a small base
constexpr size_t kRecentShare = 16;              // a large base has a layer of that part of it

bool comes_before(const ClassCount& a, const ClassCount& b) {
    return a.bucket != b.bucket ? a.bucket < b.bucket : a.label < b.label;
}

void append(const BucketList& list, uint32_t bucket, std::vector<ClassCount>& out) {
    for (size_t i = 0; i < list.size; ++i) out.push_back({bucket, list.labels[i], list.counts[i]});
}

size_t end_of_bucket(std::span<const ClassCount> counts, size_t first) {
    size_t end = first;
    while (end < counts.size() && counts[end].bucket == counts[first].bucket) ++end;
    return end;
}

}  // namespace

CountLists::CountLists(const Kernels& kernels, std::span<const ClassCount> counts,
                       double smoothing) {
    for (size_t i = 0; i < counts.size(); i = end_of_bucket(counts, i)) {
        buckets_.push_back(counts[i].bucket);
    }
    // More than half of the slots stay free, or every bucket has its own.
    const uint32_t largest = buckets_.empty() ? 0 : buckets_.back();
    const size_t slots = std::min(std::bit_ceil(2 * buckets_.size() + 1),
                                  std::bit_ceil(static_cast<size_t>(largest) + 2));
    mask_ = static_cast<uint32_t>(slots - 1);
    has_own_slots_ = mask_ >= largest;
    slots_.assign(slots, {kFree, 0, 0, 0});
    labels_.reserve(counts.size());
    counts_.reserve(counts.size());
    for (size_t i = 0; i < counts.size();) {
        Slot slot = {counts[i].bucket, 0, labels_.size(), 0};
        for (const size_t end = end_of_bucket(counts, i); i < end; ++i) {
            if (counts[i].count == 0) continue;
            labels_.push_back(counts[i].label);
            counts_.push_back(counts[i].count);
            slot.total += counts[i].count;
        }
        slot.size = static_cast<uint32_t>(labels_.size() - slot.first);
        insert(slot);
    }
    rounded_.resize(counts_.size());
    for (size_t i = 0; i < counts_.size(); ++i) rounded_[i] = static_cast<float>(counts_[i]);
    weights_.resize(counts_.size());
    for (const Slot& slot : slots_) {
        if (slot.bucket == kFree || slot.size == 0) continue;
        const double scale = 1 / (smoothing * std::sqrt(static_cast<double>(slot.total)));
        kernels.weigh_counts(rounded_.data() + slot.first, slot.size, static_cast<float>(scale),
                             weights_.data() + slot.first);
    }
}

void CountLists::insert(const Slot& slot) {
    uint32_t at = slot.bucket & mask_;
    while (slots_[at].bucket != kFree) at = (at + 1) & mask_;
    slots_[at] = slot;
}

bool CountLists::find(uint32_t bucket, BucketList& list) const {
    uint32_t at = bucket & mask_;
    while (slots_[at].bucket != bucket) {
        if (has_own_slots_ || slots_[at].bucket == kFree) return false;
        at = (at + 1) & mask_;
    }
    const Slot& slot = slots_[at];
    list = {labels_.data() + slot.first,
            counts_.data() + slot.first,
            rounded_.data() + slot.first,
            weights_.data() + slot.first,
            slot.size,
            slot.total};
    return true;
}

TokenCounts::TokenCounts(const Kernels& kernels, double smoothing)
    : smoothing_(smoothing),
      base_(std::make_shared<CountLists>(kernels, std::span<const ClassCount>{}, smoothing)) {}

Outcome TokenCounts::change(const Kernels& kernels, std::span<const ClassCount> changes,
                            TokenCounts& result) const {
    std::vector<ClassCount> changed;  // whole lists of the buckets that change
    changed.reserve(2 * changes.size());
    size_t entries = entries_;
    for (size_t i = 0; i < changes.size();) {
        const uint32_t bucket = changes[i].bucket;
        const BucketList old = find(bucket);
        const size_t end = end_of_bucket(changes, i);
        int64_t total = old.total;
        entries -= old.size;
        for (size_t j = 0; i < end || j < old.size;) {
            ClassCount next;
            if (i == end || (j < old.size && old.labels[j] < changes[i].label)) {
                next = {bucket, old.labels[j], old.counts[j]};
                ++j;
            } else {
                const bool is_old = j < old.size && old.labels[j] == changes[i].label;
                next = {bucket, changes[i].label, is_old ? old.counts[j] : 0};
                j += is_old;
                if (__builtin_add_overflow(next.count, changes[i].count, &next.count) ||
                    __builtin_add_overflow(total, changes[i].count, &total)) {
                    return {Status::overflow, i};
                }
                if (next.count < 0) return {Status::out_of_range, i};
                ++i;
            }
            entries += next.count != 0;
            changed.push_back(next);
        }
    }
    if (recent_) {
        std::vector<ClassCount> both;
        both.reserve(changed.size() + recent_->entries());
        size_t i = 0;
        for (const uint32_t bucket : recent_->buckets()) {
            while (i < changed.size() && changed[i].bucket < bucket) both.push_back(changed[i++]);
            if (i < changed.size() && changed[i].bucket == bucket) continue;
            BucketList list;
            recent_->find(bucket, list);
            if (list.size == 0) both.push_back({bucket, 0, 0});  // empty here, not in the base
            append(list, bucket, both);
        }
        both.insert(both.end(), changed.begin() + static_cast<ptrdiff_t>(i), changed.end());
        changed.swap(both);
    }
    TokenCounts made = *this;
    made.entries_ = entries;
    if (changed.size() <= std::max(kMostRecent, base_->entries() / kRecentShare)) {
        made.recent_ = std::make_shared<CountLists>(kernels, changed, smoothing_);
    } else {
        std::vector<ClassCount> all;
        all.reserve(entries);
        size_t i = 0;
        const auto append_changed = [&] {
            if (changed[i].count != 0) all.push_back(changed[i]);
            ++i;
        };
        for (const uint32_t bucket : base_->buckets()) {
            while (i < changed.size() && changed[i].bucket < bucket) append_changed();
            if (i < changed.size() && changed[i].bucket == bucket) continue;
            BucketList list;
            base_->find(bucket, list);
            append(list, bucket, all);
        }
        while (i < changed.size()) append_changed();
        made.base_ = std::make_shared<CountLists>(kernels, all, smoothing_);
        made.recent_ = nullptr;
    }
    result = std::move(made);
    return {};
}

std::vector<ClassCount> TokenCounts::all() const {
    std::vector<ClassCount> counts;
    counts.reserve(entries_);
    const auto append_found = [&](uint32_t bucket) { append(find(bucket), bucket, counts); };
    const std::span<const uint32_t> recent =
        recent_ ? recent_->buckets() : std::span<const uint32_t>{};
    size_t i = 0;
    for (const uint32_t bucket : base_->buckets()) {
        while (i < recent.size() && recent[i] < bucket) append_found(recent[i++]);
        if (i < recent.size() && recent[i] == bucket) ++i;
        append_found(bucket);
    }
    while (i < recent.size()) append_found(recent[i++]);
    return counts;
}

TokenCounts TokenCounts::with_smoothing(const Kernels& kernels, double smoothing) const {
    TokenCounts made = *this;
    made.smoothing_ = smoothing;
    made.base_ = std::make_shared<CountLists>(kernels, all(), smoothing);
    made.recent_ = nullptr;
    return made;
}

std::vector<ClassCount> count_by_class(const TokenRows& rows, std::span<const uint32_t> labels,
                                       int64_t times) {
    // Texts in order of their classes leave each bucket's counts in that order, too.
    std::vector<uint32_t> order(rows.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<uint32_t>(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return labels[a] < labels[b]; });
    uint32_t largest = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
        if (!rows[i].empty()) largest = std::max(largest, rows[i].back().bucket);
    }
    std::vector<ClassCount> counts(rows.entries());
    if (rows.entries() > largest / 8) {
        std::vector<size_t> places(static_cast<size_t>(largest) + 2);
        for (size_t i = 0; i < rows.size(); ++i) {
            for (const CountedToken& token : rows[i]) ++places[token.bucket + 1];
        }
        for (size_t b = 1; b < places.size(); ++b) places[b] += places[b - 1];
        for (const uint32_t i : order) {
            check_interrupt();
            for (const CountedToken& token : rows[i]) {
                counts[places[token.bucket]++] = {token.bucket, labels[i], times * token.count};
            }
        }
    } else {
        size_t at = 0;
        for (const uint32_t i : order) {
            for (const CountedToken& token : rows[i]) {
                counts[at++] = {token.bucket, labels[i], times * token.count};
            }
        }
        std::sort(counts.begin(), counts.end(), comes_before);
    }
    size_t kept = 0;
    for (const ClassCount& next : counts) {
        if (kept > 0 && counts[kept - 1].bucket == next.bucket &&
            counts[kept - 1].label == next.label) {
            counts[kept - 1].count += next.count;
        } else {
            counts[kept++] = next;
        }
    }
    counts.resize(kept);
    return counts;
}

}  // namespace addhash

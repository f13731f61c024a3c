#include "bayes/token_counts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "parallel/interrupt.h"

namespace addhash {
namespace {

constexpr size_t kMostRecent = size_t{1} << 16;  // entries of the layer above a small base
constexpr size_t kCacheLine = 64;
constexpr size_t kHeader = 3;        // words of a block before its counts
constexpr size_t kRecentShare = 16;  // a large base has a layer of that part of it

bool comes_before(const ClassCount& a, const ClassCount& b) {
    return a.bucket != b.bucket ? a.bucket < b.bucket : a.label < b.label;
}

void append(const ExactList& list, uint32_t bucket, std::vector<ClassCount>& out) {
    for (size_t i = 0; i < list.labels.size(); ++i) {
        out.push_back({bucket, list.labels[i], list.counts[i]});
    }
}

size_t end_of_bucket(std::span<const ClassCount> counts, size_t first) {
    size_t end = first;
    while (end < counts.size() && counts[end].bucket == counts[first].bucket) ++end;
    return end;
}

// Whether a bucket that `known` of all classes have gets a place for each class: no labels to read,
// and no jumping about.
bool is_dense(size_t known, uint32_t classes) { return 3 * known >= 2 * size_t{classes}; }

// The lists of `below`, with those of `changed` in place of theirs. Empty lists stay as a count of
// 0 only if there is something further below that they hide.
std::vector<ClassCount> above(const CountLists& below, std::span<const ClassCount> changed,
                              bool keeps_empty) {
    std::vector<ClassCount> both;
    both.reserve(changed.size() + below.entries());
    size_t i = 0;
    const auto take_changed = [&] {
        for (const size_t end = end_of_bucket(changed, i); i < end; ++i) {
            if (keeps_empty || changed[i].count != 0) both.push_back(changed[i]);
        }
    };
    for (size_t position = 0; position < below.size(); ++position) {
        const uint32_t bucket = below.bucket(position);
        while (i < changed.size() && changed[i].bucket < bucket) take_changed();
        if (i < changed.size() && changed[i].bucket == bucket) continue;
        const ExactList list = below.exact(position);
        if (keeps_empty && list.total == 0) both.push_back({bucket, 0, 0});
        append(list, bucket, both);
    }
    while (i < changed.size()) take_changed();
    return both;
}

}  // namespace

int64_t ExactList::count_of(uint32_t label) const {
    const auto found = std::lower_bound(labels.begin(), labels.end(), label);
    if (found == labels.end() || *found != label) return 0;
    return counts[static_cast<size_t>(found - labels.begin())];
}

CountLists::CountLists(std::span<const ClassCount> counts, uint32_t classes) {
    starts_.push_back(0);
    for (size_t i = 0; i < counts.size();) {
        buckets_.push_back(counts[i].bucket);
        int64_t total = 0;
        for (const size_t end = end_of_bucket(counts, i); i < end; ++i) {
            if (counts[i].count == 0) continue;
            labels_.push_back(counts[i].label);
            counts_.push_back(counts[i].count);
            total += counts[i].count;
        }
        starts_.push_back(labels_.size());
        totals_.push_back(total);
    }
    // Half of the places stay free, or every bucket has its own.
    const uint32_t largest = buckets_.empty() ? 0 : buckets_.back();
    const size_t places = std::min(std::bit_ceil(2 * buckets_.size() + 1),
                                   std::bit_ceil(static_cast<size_t>(largest) + 1));
    mask_ = static_cast<uint32_t>(places - 1);
    has_own_places_ = mask_ >= largest;
    places_.assign(places, 0);
    if (!has_own_places_) keys_.assign(places, 0);
    blocks_.push_back(0);
    for (size_t i = 0; i < buckets_.size(); ++i) {
        uint32_t at = buckets_[i] & mask_;
        while (places_[at] != 0) at = (at + 1) & mask_;
        if (blocks_.size() > UINT32_MAX) throw std::bad_alloc();
        places_[at] = static_cast<uint32_t>(blocks_.size());
        if (!has_own_places_) keys_[at] = buckets_[i];
        append_block(static_cast<uint32_t>(i), classes);
    }
    blocks_.shrink_to_fit();
}

void CountLists::append_block(uint32_t position, uint32_t classes) {
    const ExactList list = exact(position);
    const bool has_all = !list.labels.empty() && is_dense(list.labels.size(), classes);
    const size_t size = has_all ? classes : list.labels.size();
    const size_t first = blocks_.size() + kHeader;
    blocks_.insert(blocks_.end(), {position, static_cast<uint32_t>(size) << 1 | has_all,
                                   static_cast<uint32_t>(steps_of(list.total))});
    blocks_.resize(first + (size + 1) / 2);
    std::vector<Steps> counts(size, kNoSteps);
    for (size_t i = 0; i < list.labels.size(); ++i) {
        counts[has_all ? list.labels[i] : i] = steps_of(list.counts[i]);
    }
    if (size > 0) std::memcpy(blocks_.data() + first, counts.data(), size * sizeof(Steps));
    if (!has_all) blocks_.insert(blocks_.end(), list.labels.begin(), list.labels.end());
}

ExactList CountLists::exact(size_t position) const {
    const size_t first = starts_[position], size = starts_[position + 1] - first;
    return {{labels_.data() + first, size}, {counts_.data() + first, size}, totals_[position]};
}

const uint32_t* CountLists::locate(uint32_t bucket) const {
    uint32_t at = bucket & mask_;
    if (has_own_places_) {
        if (bucket > mask_) return nullptr;
    } else {
        while (keys_[at] != bucket && places_[at] != 0) at = (at + 1) & mask_;
    }
    if (places_[at] == 0) return nullptr;
    const uint32_t* block = blocks_.data() + places_[at];
    __builtin_prefetch(block);
    __builtin_prefetch(block + kCacheLine / sizeof(uint32_t));
    return block;
}

BucketList CountLists::read(const uint32_t* block) {
    const uint32_t size = block[1] >> 1;
    return {.counts = reinterpret_cast<const Steps*>(block + kHeader),
            .labels = block[1] & 1 ? nullptr : block + kHeader + (size + 1) / 2,
            .size = size,
            .position = block[0],
            .total = static_cast<int32_t>(block[2])};
}

TokenCounts::TokenCounts()
    : base_(std::make_shared<CountLists>(std::span<const ClassCount>{}, 0)) {}

Outcome TokenCounts::change(std::span<const ClassCount> changes, TokenCounts& result) const {
    std::vector<ClassCount> changed;  // whole lists of the buckets that change
    changed.reserve(2 * changes.size());
    size_t entries = entries_;
    uint32_t classes = classes_;
    for (const ClassCount& next : changes) classes = std::max(classes, next.label + 1);
    for (size_t i = 0; i < changes.size();) {
        const uint32_t bucket = changes[i].bucket;
        const ExactList old = exact(find(bucket));
        const size_t end = end_of_bucket(changes, i);
        int64_t total = old.total;
        entries -= old.labels.size();
        for (size_t j = 0; i < end || j < old.labels.size();) {
            ClassCount next;
            if (i == end || (j < old.labels.size() && old.labels[j] < changes[i].label)) {
                next = {bucket, old.labels[j], old.counts[j]};
                ++j;
            } else {
                const bool is_old = j < old.labels.size() && old.labels[j] == changes[i].label;
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
    if (recent_) changed = above(*recent_, changed, true);
    TokenCounts made = *this;
    made.entries_ = entries;
    made.classes_ = classes;
    if (changed.size() <= std::max(kMostRecent, base_->entries() / kRecentShare)) {
        made.recent_ = std::make_shared<CountLists>(changed, classes);
    } else {
        made.base_ = std::make_shared<CountLists>(above(*base_, changed, false), classes);
        made.recent_ = nullptr;
    }
    result = std::move(made);
    return {};
}

std::vector<ClassCount> TokenCounts::all() const {
    std::vector<ClassCount> changed;
    for (size_t i = 0; recent_ && i < recent_->size(); ++i) {
        const ExactList list = recent_->exact(i);
        if (list.total == 0) changed.push_back({recent_->bucket(i), 0, 0});
        append(list, recent_->bucket(i), changed);
    }
    return above(*base_, changed, false);
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
        for (const CountedToken& token : rows[i]) largest = std::max(largest, token.bucket);
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

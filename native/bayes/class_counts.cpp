#include "bayes/class_counts.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "parallel/interrupt.h"

namespace addhash {
namespace {

constexpr size_t kMostRecent = size_t{1} << 16;  // entries of the layer above a small base
constexpr size_t kRecentShare = 16;              // a large base has a layer of that part of it
constexpr size_t kAhead = 128;                   // buckets whose places are on their way

bool comes_before(const ClassCount& a, const ClassCount& b) {
    return a.bucket != b.bucket ? a.bucket < b.bucket : a.label < b.label;
}

size_t end_of_bucket(std::span<const ClassCount> counts, size_t first) {
    size_t end = first;
    while (end < counts.size() && counts[end].bucket == counts[first].bucket) ++end;
    return end;
}

void read_list(CountReader& reader, std::vector<ClassCount>& list) {
    list.clear();
    for (uint32_t i = reader.size(); i > 0; --i) list.push_back(reader.next());
}

// The lists of `below`, with those of `changed` in place of theirs. Empty lists stay only if there
// is something further below that they hide.
std::vector<uint8_t> above(std::span<const uint8_t> below, std::span<const ClassCount> changed,
                           bool keeps_empty) {
    CountWriter both;
    std::vector<ClassCount> list;
    size_t i = 0;
    const auto take_changed = [&] {
        const size_t end = end_of_bucket(changed, i);
        const auto taken = changed.subspan(i, end - i);
        i = end;
        if (keeps_empty || std::any_of(taken.begin(), taken.end(),
                                       [](const ClassCount& entry) { return entry.count != 0; })) {
            both.append(taken);
        }
    };
    CountReader reader(below);
    while (reader.next_bucket()) {
        while (i < changed.size() && changed[i].bucket < reader.bucket()) take_changed();
        read_list(reader, list);
        if (i < changed.size() && changed[i].bucket == reader.bucket()) continue;
        if (list.empty()) list.push_back({reader.bucket(), 0, 0});
        both.append(list);
    }
    while (i < changed.size()) take_changed();
    return both.take();
}

// Every list; one that is empty as a count of 0.
std::vector<ClassCount> all_of(std::span<const uint8_t> coded) {
    std::vector<ClassCount> all, list;
    CountReader reader(coded);
    while (reader.next_bucket()) {
        read_list(reader, list);
        if (list.empty()) list.push_back({reader.bucket(), 0, 0});
        all.insert(all.end(), list.begin(), list.end());
    }
    return all;
}

}  // namespace

uint32_t BucketList::position(uint32_t wanted) const {
    if (form == Form::masked) {
        // What was learnt before there were more classes knows nothing of them.
        if (wanted >= 32 || (*head >> wanted & 1) == 0) return kNone;
        return static_cast<uint32_t>(std::popcount(*head & ((uint32_t{1} << wanted) - 1)));
    }
    if (form == Form::every) return wanted < size ? wanted : kNone;
    uint32_t first = 0;
    for (uint32_t end = size; first < end;) {
        const uint32_t middle = (first + end) / 2;
        (label(middle) < wanted ? first : end) = label(middle) < wanted ? middle + 1 : middle;
    }
    return first < size && label(first) == wanted ? first : kNone;
}

// Where a bucket has a good eighth of all classes, each class gets a place: there are no labels to
// read, and no jumping about. Eight are added in the time of one, once there is one more cache
// line.
BucketList::Form CountLists::form_of(uint32_t size) const {
    using enum BucketList::Form;
    if (has_only_masks()) return masked;
    if (size >= padded_classes() / 8 + 6) return every;
    return classes_ > kFewLabels ? wide_labels : narrow_labels;
}

size_t CountLists::block_size(uint32_t size) const {
    switch (form_of(size)) {
        case BucketList::Form::every: return 1 + padded_classes();
        case BucketList::Form::narrow_labels: return 1 + (size + 1) / 2 + size;
        case BucketList::Form::wide_labels: return 1 + 2 * size_t{size};
        default: return 1 + size_t{size};
    }
}

// Where the next block starts. One that fits into a cache line does not cross into the next.
size_t CountLists::next_start(size_t end, size_t size) const {
    const size_t line = (end + kCacheLine - 1) / kCacheLine * kCacheLine;
    return end + size > line && (size <= kCacheLine || has_only_masks()) ? line : end;
}

CountLists::CountLists(std::vector<uint8_t> coded, uint32_t classes, const EvidenceRule& rule)
    : classes_(classes), coded_(std::move(coded)) {
    coded_.shrink_to_fit();
    if (coded_.size() > UINT32_MAX) throw std::bad_alloc();
    std::vector<ClassCount> list;
    size_t buckets = 0, words = 1;  // no block is at 0
    uint32_t largest = 0;
    for (CountReader reader(coded_); reader.next_bucket(); read_list(reader, list)) {
        ++buckets;
        largest = reader.bucket();
        const size_t size = block_size(reader.size());
        words = next_start(words, size) + size;
        entries_ += reader.size();
    }
    if (words > UINT32_MAX / 4) throw std::bad_alloc();
    // Half of the places stay free, or every bucket has its own.
    const size_t places =
        std::min(std::bit_ceil(2 * buckets + 1), std::bit_ceil(static_cast<size_t>(largest) + 1));
    mask_ = static_cast<uint32_t>(places - 1);
    has_own_places_ = mask_ >= largest;
    places_.assign(places, 0);
    offsets_.assign(places, 0);
    if (!has_own_places_) keys_.assign(places, 0);
    blocks_.assign((words / kCacheLine + 2) * kCacheLine, 0);  // kernels read whole cache lines
    size_t end = 1;
    for (CountReader reader(coded_); reader.next_bucket();) {
        const uint32_t at = slot(reader.bucket());
        if (!has_own_places_) keys_[at] = reader.bucket();
        offsets_[at] = static_cast<uint32_t>(reader.offset());
        read_list(reader, list);
        const size_t size = block_size(static_cast<uint32_t>(list.size()));
        const size_t start = next_start(end, size);
        write_block(list, rule, blocks_.data() + start);
        end = start + size;
        const size_t lines = (end - 1) / kCacheLine - start / kCacheLine;
        places_[at] = static_cast<uint32_t>(start << 2 | std::min<size_t>(lines, 3));
    }
}

void CountLists::locate(const uint32_t* buckets, size_t count, const uint32_t** blocks) const {
    for (size_t i = 0; i < std::min(kAhead, count); ++i) {
        __builtin_prefetch(&places_[buckets[i] & mask_]);
    }
    for (size_t i = 0; i < count; ++i) {
        if (i + kAhead < count) __builtin_prefetch(&places_[buckets[i + kAhead] & mask_]);
        const uint32_t place = places_[slot(buckets[i])];
        const uint32_t* block = blocks_.data() + (place >> 2);
        __builtin_prefetch(block);
        for (uint32_t line = place & 3; line > 0; --line) {
            __builtin_prefetch(block + line * kCacheLine);
        }
        blocks[i] = place == 0 || (has_own_places_ && buckets[i] > mask_) ? nullptr : block;
    }
}

void CountLists::prepare_exact() const {
    std::call_once(is_prepared_, [this] {
        prepared_.resize(blocks_.size());
        for (CountReader reader(coded_); reader.next_bucket();) {
            const uint32_t* block = blocks_.data() + (places_[slot(reader.bucket())] >> 2);
            uint16_t* counts = prepared_.data() + (block - blocks_.data());
            const bool has_all = read(block).form == BucketList::Form::every;
            int64_t total = 0;
            for (uint32_t i = 0, size = reader.size(); i < size; ++i) {
                const ClassCount entry = reader.next();
                total = std::min<int64_t>(total + entry.count, ExactCounts::kLarge);
                counts[1 + (has_all ? entry.label : i)] =
                    static_cast<uint16_t>(std::min<int64_t>(entry.count, ExactCounts::kLarge));
            }
            counts[0] = static_cast<uint16_t>(total);
        }
        small_.store(prepared_.data(), std::memory_order_release);
    });
}

void CountLists::write_block(const std::vector<ClassCount>& list, const EvidenceRule& rule,
                             uint32_t* block) const {
    using enum BucketList::Form;
    const auto known = static_cast<uint32_t>(list.size());
    const BucketList::Form form = form_of(known);
    int64_t total = 0;
    for (const ClassCount& entry : list) total += entry.count;
    const int32_t shift = total > 0 ? rule.shift(total) : 0;
    const uint32_t size = form == every ? padded_classes() : known;
    if (form != masked) *block++ = size << 2 | static_cast<uint32_t>(form);
    auto* bytes = reinterpret_cast<uint8_t*>(block);
    uint8_t* values = bytes;
    if (form == narrow_labels) values += 2 * size_t{size};
    if (form == wide_labels) values += 4 * size_t{size};
    for (size_t i = 0; i < known; ++i) {
        const Evidence evidence = rule.of(list[i].count, shift);
        const uint32_t label = list[i].label;
        if (form == masked) {
            block[0] |= uint32_t{1} << label;
            std::memcpy(block + 1 + i, &evidence, sizeof evidence);
            continue;
        }
        const size_t at = form == every ? label : i;
        std::memcpy(values + 2 * at, &evidence.extended, 2);
        std::memcpy(values + 2 * (size + at), &evidence.alone, 2);
        if (form == wide_labels) std::memcpy(bytes + 4 * i, &label, 4);
        if (form == narrow_labels) {
            const auto narrow = static_cast<uint16_t>(label);
            std::memcpy(bytes + 2 * i, &narrow, 2);
        }
    }
}

ClassCounts::ClassCounts(double smoothing) : rule_(smoothing), base_(made({}, 0)) {}

ClassCounts::ClassCounts(double smoothing, std::vector<uint8_t> coded, uint32_t classes)
    : rule_(smoothing),
      classes_(classes),
      base_(made(std::move(coded), classes)),
      entries_(base_->entries()) {}

void ClassCounts::locate(const uint32_t* buckets, size_t count, const uint32_t** blocks) const {
    base_->locate(buckets, count, blocks);
    if (!recent_) return;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t* block = recent_->locate(buckets[i]);
        if (block != nullptr) blocks[i] = recent_->is_empty(block) ? nullptr : block;
    }
}

Outcome ClassCounts::change(std::span<const ClassCount> changes, ClassCounts& result) const {
    std::vector<ClassCount> changed;  // whole lists of the buckets that change
    changed.reserve(2 * changes.size());
    size_t entries = entries_;
    uint32_t classes = classes_;
    for (const ClassCount& next : changes) classes = std::max(classes, next.label + 1);
    std::vector<ClassCount> old;
    for (size_t i = 0; i < changes.size();) {
        const uint32_t bucket = changes[i].bucket;
        old.clear();
        int64_t total = 0;
        const uint32_t* block = nullptr;
        locate(&bucket, 1, &block);
        if (block != nullptr) {
            exact(bucket, block).for_each([&](uint32_t label, int64_t count) {
                old.push_back({bucket, label, count});
                total += count;
            });
        }
        const size_t end = end_of_bucket(changes, i);
        entries -= old.size();
        for (size_t j = 0; i < end || j < old.size();) {
            ClassCount next;
            if (i == end || (j < old.size() && old[j].label < changes[i].label)) {
                next = old[j++];
            } else {
                const bool is_old = j < old.size() && old[j].label == changes[i].label;
                next = {bucket, changes[i].label, is_old ? old[j].count : 0};
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
    ClassCounts next = *this;
    next.entries_ = entries;
    next.classes_ = classes;
    // Lists that change once more count twice here, which does no harm.
    const size_t recent = changed.size() + (recent_ ? recent_->entries() : 0);
    if (recent <= std::max(kMostRecent, base_->entries() / kRecentShare)) {
        const std::span<const uint8_t> below =
            recent_ ? std::span(recent_->coded()) : std::span<const uint8_t>();
        next.recent_ = made(above(below, changed, true), classes);
    } else {
        if (recent_) changed = all_of(above(recent_->coded(), changed, true));
        next.base_ = made(above(base_->coded(), changed, false), classes);
        next.recent_ = nullptr;
    }
    result = std::move(next);
    return {};
}

std::vector<uint8_t> ClassCounts::coded() const {
    if (!recent_) return base_->coded();
    return above(base_->coded(), all_of(recent_->coded()), false);
}

ClassCounts ClassCounts::with_smoothing(double smoothing) const {
    return ClassCounts(smoothing, coded(), classes_);
}

ClassCounts ClassCounts::renumbered(std::span<const uint32_t> numbers) const {
    const std::vector<uint8_t> old = coded();
    CountWriter writer;
    std::vector<ClassCount> list;
    uint32_t classes = 0;
    for (CountReader reader(old); reader.next_bucket();) {
        list.clear();
        for (uint32_t i = reader.size(); i > 0; --i) {
            const ClassCount entry = reader.next();
            const uint32_t number = numbers[entry.label];
            if (number == kDropped) continue;
            list.push_back({entry.bucket, number, entry.count});
            classes = std::max(classes, number + 1);
        }
        if (!list.empty()) writer.append(list);
    }
    return ClassCounts(rule_.smoothing(), writer.take(), classes);
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

#include "bayes/class_counts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "parallel/interrupt.h"

namespace addhash {
namespace {

constexpr size_t kMostRecent = size_t{1} << 16;  // entries of the layer above a small base
constexpr size_t kRecentShare = 16;              // a large base has a layer of that part of it
constexpr uint32_t kMany = UINT32_MAX;           // a total that has no place in a block
constexpr uint64_t kMostBytes = uint64_t{1} << 38;
constexpr uint32_t kFewLabels = uint32_t{1} << 16;

bool comes_before(const ClassCount& a, const ClassCount& b) {
    return a.bucket != b.bucket ? a.bucket < b.bucket : a.label < b.label;
}

size_t end_of_bucket(std::span<const ClassCount> counts, size_t first) {
    size_t end = first;
    while (end < counts.size() && counts[end].bucket == counts[first].bucket) ++end;
    return end;
}

size_t padded(uint32_t classes) {
    return (classes + kEvidenceBlock - 1) / kEvidenceBlock * kEvidenceBlock;
}

// Whether a bucket that `known` of all classes have gets a place for each class: no labels to read,
// and no jumping about. Eight are added in the time of one, once there is one more cache line.
bool is_dense(size_t known, uint32_t classes) { return known >= padded(classes) / 8 + 6; }

// The words of a block without its header.
size_t block_size(uint32_t known, uint32_t classes) {
    if (known > 0 && is_dense(known, classes)) return padded(classes);
    const size_t label = classes > kFewLabels ? 4 : 2;
    return (known * (label + 2 * sizeof(Weight)) + 3) / 4;
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

size_t CountLists::in_units(size_t words) { return (words + kUnit - 1) / kUnit * kUnit; }

CountLists::CountLists(std::vector<uint8_t> coded, uint32_t classes, const EvidenceRule& rule)
    : coded_(std::move(coded)) {
    coded_.shrink_to_fit();
    if (coded_.size() >= kMostBytes) throw std::bad_alloc();
    std::vector<ClassCount> list;
    size_t buckets = 0, words = kUnit;
    uint32_t largest = 0;
    for (CountReader reader(coded_); reader.next_bucket(); read_list(reader, list)) {
        ++buckets;
        largest = reader.bucket();
        words += in_units(kHeader + block_size(reader.size(), classes));
        entries_ += reader.size();
    }
    if (words / kUnit >= UINT32_MAX / 4) throw std::bad_alloc();
    // Half of the places stay free, or every bucket has its own.
    const size_t places =
        std::min(std::bit_ceil(2 * buckets + 1), std::bit_ceil(static_cast<size_t>(largest) + 1));
    mask_ = static_cast<uint32_t>(places - 1);
    has_own_places_ = mask_ >= largest;
    places_.assign(places, 0);
    if (!has_own_places_) keys_.assign(places, 0);
    blocks_.reserve(words);
    blocks_.resize(kUnit);
    for (CountReader reader(coded_); reader.next_bucket();) {
        uint32_t at = reader.bucket() & mask_;
        while (places_[at] != 0) at = (at + 1) & mask_;
        const size_t first = blocks_.size();
        if (!has_own_places_) keys_[at] = reader.bucket();
        append_block(reader, classes, rule, list);
        const BucketList made = read(blocks_.data() + first);
        const size_t end =
            static_cast<size_t>(reinterpret_cast<const uint32_t*>(made.alone + 1) - blocks_.data());
        const size_t lines = (end - 1) / kCacheLine - first / kCacheLine;
        places_[at] = static_cast<uint32_t>(first / kUnit << 2 | (lines >= 2) << 1 | (lines >= 1));
    }
}

void CountLists::append_block(CountReader& reader, uint32_t classes, const EvidenceRule& rule,
                              std::vector<ClassCount>& list) {
    const uint64_t offset = reader.offset();
    const uint32_t known = reader.size();
    read_list(reader, list);
    int64_t total = 0;
    for (const ClassCount& entry : list) total += entry.count;
    const bool has_all = known > 0 && is_dense(known, classes);
    const bool is_wide = !has_all && classes > kFewLabels;
    const size_t size = has_all ? padded(classes) : known;
    const size_t first = blocks_.size();
    blocks_.resize(first + in_units(kHeader + block_size(known, classes)));
    uint32_t* block = blocks_.data() + first;
    block[0] = static_cast<uint32_t>(offset);
    block[1] =
        static_cast<uint32_t>(size << 8 | (offset >> 32) << 2 |
                              static_cast<uint32_t>(is_wide) << 1 | static_cast<uint32_t>(has_all));
    block[2] = static_cast<uint32_t>(std::min<int64_t>(total, kMany));
    auto* bytes = reinterpret_cast<uint8_t*>(block + kHeader);
    const size_t label_bytes = has_all ? 0 : known * (is_wide ? 4 : 2);
    const int32_t shift = total > 0 ? rule.shift(total) : 0;
    for (size_t i = 0; i < list.size(); ++i) {
        const Evidence evidence = rule.of(list[i].count, shift);
        const size_t at = has_all ? list[i].label : i;
        std::memcpy(bytes + label_bytes + 2 * (size + at), &evidence.alone, 2);
        std::memcpy(bytes + label_bytes + 2 * at, &evidence.extended, 2);
        if (is_wide) {
            std::memcpy(bytes + 4 * i, &list[i].label, 4);
        } else if (!has_all) {
            const auto label = static_cast<uint16_t>(list[i].label);
            std::memcpy(bytes + 2 * i, &label, 2);
        }
    }
}

int64_t CountLists::total(const uint32_t* block) const {
    if (block[2] != kMany) return block[2];
    int64_t total = 0;
    for_each(block, [&](uint32_t, int64_t count) { total += count; });
    return total;
}

int64_t CountLists::count_of(const uint32_t* block, uint32_t label) const {
    CountReader reader(coded_);
    reader.seek(offset(block));
    for (uint32_t i = reader.size(); i > 0; --i) {
        const ClassCount entry = reader.next();
        if (entry.label >= label) return entry.label == label ? entry.count : 0;
    }
    return 0;
}

ClassCounts::ClassCounts(double smoothing) : rule_(smoothing), base_(made({}, 0)) {}

ClassCounts::ClassCounts(double smoothing, std::vector<uint8_t> coded, uint32_t classes)
    : rule_(smoothing),
      classes_(classes),
      base_(made(std::move(coded), classes)),
      entries_(base_->entries()) {}

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
        if (const Place place = locate(bucket); place.is_known()) {
            lists(place).for_each(place.block, [&](uint32_t label, int64_t count) {
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

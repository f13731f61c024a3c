#include "detection/ngram_counts.h"

#include <algorithm>
#include <iterator>

namespace addhash {
namespace {

constexpr NgramKey kEndOfKeys = NgramKey{1} << 40;

unsigned code_of(int64_t count) {
    const auto* found = std::lower_bound(std::begin(kCommonCounts), std::end(kCommonCounts), count);
    const bool is_common = found != std::end(kCommonCounts) && *found == count;
    return is_common ? static_cast<unsigned>(found - std::begin(kCommonCounts)) : kOtherCount;
}

// Reads a number of at most 41 bits; false at the end, or if it is longer than it need be.
bool read_number(const uint8_t*& at, const uint8_t* end, uint64_t& value) {
    if (at != end && at[0] < 0x80) {
        value = *at++;
        return true;
    }
    if (end - at >= 2 && at[1] - 1u < 0x7f) {  // the second is the last
        value = (at[0] & 0x7fu) | uint32_t{at[1]} << 7;
        at += 2;
        return true;
    }
    value = 0;
    for (unsigned shift = 0; shift < 42; shift += 7) {
        if (at == end) return false;
        const uint8_t byte = *at++;
        value |= uint64_t{byte & 0x7fu} << shift;
        if (byte < 0x80) return byte != 0 || shift == 0;
    }
    return false;
}

// What a list of entries has, whichever keys they belong to.
struct EntrySummary {
    size_t falls = 0;  // from an entry to one whose class is not larger
    uint16_t largest = 0;
};

size_t count_others(std::span<const uint16_t> entries) {
    return static_cast<size_t>(std::count_if(entries.begin(), entries.end(), [](uint16_t entry) {
        return (entry & kOtherCount) == kOtherCount;
    }));
}

bool falls(uint16_t entry, uint16_t next) {
    // With all bits of the count set, an entry is less than the next one if its class is.
    return (entry | kOtherCount) >= next;
}

EntrySummary summary_of(std::span<const uint16_t> entries) {
    constexpr size_t kPart = 1 << 15;  // fits the narrow sums, which make it fast
    EntrySummary summary;
    for (size_t first = 0; first < entries.size(); first += kPart) {
        const size_t end = std::min(entries.size(), first + kPart);
        uint16_t fallen = 0, largest = summary.largest;
        for (size_t i = first; i < end; ++i) largest = std::max(largest, entries[i]);
        for (size_t i = std::max<size_t>(first, 1); i < end; ++i) {
            fallen = static_cast<uint16_t>(fallen + falls(entries[i - 1], entries[i]));
        }
        summary.falls += fallen;
        summary.largest = largest;
    }
    return summary;
}

}  // namespace

NgramCounts::NgramCounts(std::span<const NgramCount> counts) {
    for (size_t first = 0; first < counts.size();) {
        size_t end = first;
        while (end < counts.size() && counts[end].key == counts[first].key) ++end;
        append(counts.subspan(first, end - first));
        first = end;
    }
}

void NgramCounts::put(uint64_t value) {
    for (; value >= 0x80; value >>= 7) keys_.push_back(static_cast<uint8_t>(value | 0x80));
    keys_.push_back(static_cast<uint8_t>(value));
}

void NgramCounts::append(std::span<const NgramCount> list) {
    const auto is_there = [](const NgramCount& c) { return c.count != 0; };
    const auto size = static_cast<size_t>(std::count_if(list.begin(), list.end(), is_there));
    if (size == 0) return;
    if (count_++ % kPerMark == 0) {
        marks_.push_back({list[0].key, keys_.size(), entries_.size(), others_.size()});
    }
    put(list[0].key - next_);
    next_ = list[0].key + 1;
    put(size - 1);
    Size& own = sizes_[list[0].key >> 32];
    ++own.keys;
    own.entries += size;
    for (const NgramCount& c : list) {
        if (c.count == 0) continue;
        const unsigned code = code_of(c.count);
        entries_.push_back(static_cast<uint16_t>(c.label << kCountBits | code));
        if (code == kOtherCount) others_.push_back(c.count);
    }
}

Status NgramCounts::parse(std::span<const uint8_t> keys, std::span<const uint16_t> entries,
                          std::span<const int64_t> others, size_t classes, NgramCounts& made) {
    const size_t scripts = script_count();
    const EntrySummary summary = summary_of(entries);
    if (!entries.empty() && summary.largest >> kCountBits >= classes) return Status::out_of_range;
    for (const int64_t other : others) {
        if (other <= 0 || code_of(other) != kOtherCount) return Status::out_of_range;
    }
    NgramCounts result;
    const uint8_t* at = keys.data();
    const uint8_t* const end = at + keys.size();
    size_t entry = 0, falls_between = 0;  // from the last class of a key to the first of the next
    for (NgramKey next = 0; at != end;) {
        const auto place = static_cast<size_t>(at - keys.data());
        uint64_t distance, size;
        if (!read_number(at, end, distance) || !read_number(at, end, size)) {
            return Status::out_of_range;
        }
        const NgramKey key = next + distance;
        if (key >= kEndOfKeys || key >> 32 >= scripts || size >= entries.size() - entry) {
            return Status::out_of_range;
        }
        next = key + 1;
        if (result.count_++ % kPerMark == 0) result.marks_.push_back({key, place, entry, 0});
        Size& own = result.sizes_[key >> 32];
        ++own.keys;
        own.entries += size + 1;
        falls_between += entry > 0 && falls(entries[entry - 1], entries[entry]);
        entry += size + 1;
        result.next_ = next;
    }
    // Within a key, classes rise.
    if (entry != entries.size() || falls_between != summary.falls) return Status::out_of_range;
    size_t other = 0;
    for (size_t i = 0; i < result.marks_.size(); ++i) {
        Mark& mark = result.marks_[i];
        const bool is_last = i + 1 == result.marks_.size();
        const size_t last = is_last ? entries.size() : result.marks_[i + 1].entry;
        mark.other = other;
        other += count_others(entries.subspan(mark.entry, last - mark.entry));
    }
    if (other != others.size()) return Status::out_of_range;
    result.keys_.assign(keys.begin(), keys.end());
    result.entries_.assign(entries.begin(), entries.end());
    result.others_.assign(others.begin(), others.end());
    made = std::move(result);
    return Status::done;
}

NgramCounts::List NgramCounts::find(NgramKey key) const {
    const auto after =
        std::upper_bound(marks_.begin(), marks_.end(), key,
                         [](NgramKey wanted, const Mark& mark) { return wanted < mark.key; });
    if (after == marks_.begin()) return {};
    const Mark& mark = *std::prev(after);
    const uint8_t* at = keys_.data() + mark.at;
    const uint8_t* const end = keys_.data() + (after == marks_.end() ? keys_.size() : after->at);
    number(at);
    NgramKey found = mark.key;
    size_t entry = mark.entry, size = static_cast<size_t>(number(at)) + 1;
    while (found < key && at != end) {
        found += number(at) + 1;
        entry += size;
        size = static_cast<size_t>(number(at)) + 1;
    }
    if (found != key) return {};
    const std::span<const uint16_t> skipped(entries_.data() + mark.entry, entry - mark.entry);
    return {{entries_.data() + entry, size}, others_.data() + mark.other + count_others(skipped)};
}

Outcome NgramCounts::change(std::span<const NgramCount> changes, NgramCounts& made) const {
    Outcome outcome;
    NgramCounts result;
    size_t next = 0;
    std::vector<NgramCount> sum;
    const auto fail = [&](Status status, size_t position) { outcome.merge({status, position}); };
    const auto append_new = [&](NgramKey bound) {  // keys that are not known, below a bound
        while (next < changes.size() && changes[next].key < bound) {
            size_t end = next;
            while (end < changes.size() && changes[end].key == changes[next].key) {
                if (changes[end].count < 0) fail(Status::out_of_range, end);
                ++end;
            }
            if (outcome.status == Status::done) result.append(changes.subspan(next, end - next));
            next = end;
        }
    };
    for_each_key([&](NgramKey key, std::span<const NgramCount> list) {
        append_new(key);
        if (outcome.status != Status::done) return;
        if (next == changes.size() || changes[next].key != key) {
            result.append(list);
            return;
        }
        sum.clear();
        size_t i = 0;
        for (; next < changes.size() && changes[next].key == key; ++next) {
            const NgramCount& change = changes[next];
            while (i < list.size() && list[i].label < change.label) sum.push_back(list[i++]);
            int64_t count = 0;
            if (i < list.size() && list[i].label == change.label) count = list[i++].count;
            if (__builtin_add_overflow(count, change.count, &count)) fail(Status::overflow, next);
            if (count < 0) fail(Status::out_of_range, next);
            sum.push_back({key, change.label, count});
        }
        sum.insert(sum.end(), list.begin() + static_cast<ptrdiff_t>(i), list.end());
        if (outcome.status == Status::done) result.append(sum);
    });
    append_new(kEndOfKeys);
    if (outcome.status == Status::done) made = std::move(result);
    return outcome;
}

NgramCounts NgramCounts::relabeled(std::span<const uint16_t> labels) const {
    NgramCounts result;
    std::vector<NgramCount> kept;
    for_each_key([&](NgramKey, std::span<const NgramCount> list) {
        kept.clear();
        for (NgramCount c : list) {
            c.label = labels[c.label];
            if (c.label < kMostClasses) kept.push_back(c);
        }
        if (!kept.empty()) result.append(kept);
    });
    return result;
}

std::vector<NgramCount> NgramCounts::unpacked() const {
    std::vector<NgramCount> counts;
    counts.reserve(entries_.size());
    for_each_key([&](NgramKey, std::span<const NgramCount> list) {
        counts.insert(counts.end(), list.begin(), list.end());
    });
    return counts;
}

}  // namespace addhash

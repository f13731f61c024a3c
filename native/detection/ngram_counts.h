// How often each class has each n-gram: exact integers, sorted and packed.
//
// `keys` has, for each key in ascending order, its distance from the one before, less 1, and the
// number of its classes, less 1: seven bits in a byte, the lowest first, with the eighth bit set in
// all bytes but the last. `entries` has, for each class of each key in ascending order, the class
// in bits 5-15 and a code of its count in bits 0-4: the place in kCommonCounts, or 31 for the next
// number in `others`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "detection/ngrams.h"
#include "status/status.h"

namespace addhash {

constexpr size_t kMostClasses = 2048;
constexpr unsigned kCountBits = 5, kOtherCount = (1 << kCountBits) - 1;
// Each number, then steps of half an octave: a trained model rounds to these.
constexpr int64_t kCommonCounts[kOtherCount] = {
    1,   2,   3,   4,   5,   6,    7,    8,    11,   16,   23,   32,   45,    64,    91,   128,
    181, 256, 362, 512, 724, 1024, 1448, 2048, 2896, 4096, 5793, 8192, 11585, 16384, 23170};

struct NgramCount {
    NgramKey key;
    uint16_t label;  // the number of a class
    int64_t count;
};

class NgramCounts {
public:
    NgramCounts() = default;
    // Of counts sorted by key and class, each pair once; those of 0 are left out.
    explicit NgramCounts(std::span<const NgramCount> counts);

    // Checks every number: out_of_range if it is not what another one had, for `classes` classes.
    static Status parse(std::span<const uint8_t> keys, std::span<const uint16_t> entries,
                        std::span<const int64_t> others, size_t classes, NgramCounts& made);

    std::span<const uint8_t> keys() const { return keys_; }
    std::span<const uint16_t> entries() const { return entries_; }
    std::span<const int64_t> others() const { return others_; }

    // How much there is of each script.
    struct Size {
        size_t keys = 0, entries = 0;
    };
    std::span<const Size> sizes() const { return sizes_; }

    // Calls visit(key, entries, others) with the packed counts of each key, in ascending order:
    // `others` points to the counts of those entries whose code is kOtherCount.
    template <class Visit> void for_each_list(Visit&& visit) const {
        const uint8_t* at = keys_.data();
        const uint8_t* const end = at + keys_.size();
        const uint16_t* entry = entries_.data();
        const int64_t* other = others_.data();
        for (NgramKey next = 0; at != end;) {
            const NgramKey key = next + number(at);
            next = key + 1;
            const size_t size = static_cast<size_t>(number(at)) + 1;
            other += visit(key, std::span<const uint16_t>(entry, size), other);
            entry += size;
        }
    }

    // The packed counts of a key, as `for_each_list` passes them; none if it is not known.
    struct List {
        std::span<const uint16_t> entries;
        const int64_t* others = nullptr;
    };
    List find(NgramKey key) const;

    // Calls visit(key, list) with the counts of each key, in ascending order.
    template <class Visit> void for_each_key(Visit&& visit) const {
        std::vector<NgramCount> list;
        for_each_list([&](NgramKey key, std::span<const uint16_t> entries, const int64_t* others) {
            const int64_t* other = others;
            list.clear();
            for (const uint16_t entry : entries) {
                const unsigned code = entry & kOtherCount;
                const auto label = static_cast<uint16_t>(entry >> kCountBits);
                list.push_back({key, label, code == kOtherCount ? *other++ : kCommonCounts[code]});
            }
            visit(key, std::span<const NgramCount>(list));
            return other - others;
        });
    }

    // The sum with changes, sorted by key and class, each pair once. out_of_range, at the position
    // of the change, if a count would be negative; overflow if it would not fit.
    Outcome change(std::span<const NgramCount> changes, NgramCounts& made) const;

    // With other numbers of classes: `labels` has the new one of each, or kMostClasses to leave it
    // out. The order of those that stay must be the same.
    NgramCounts relabeled(std::span<const uint16_t> labels) const;

    std::vector<NgramCount> unpacked() const;

private:
    static uint64_t number(const uint8_t*& at) {
        if (*at < 0x80) return *at++;
        uint64_t value = *at & 0x7f;
        for (unsigned shift = 7; *at++ & 0x80; shift += 7) value |= uint64_t{*at & 0x7fu} << shift;
        return value;
    }
    // Where some keys are, so that others are found from there on.
    struct Mark {
        NgramKey key;
        size_t at, entry, other;  // in `keys_`, `entries_` and `others_`
    };
    static constexpr size_t kPerMark = 64;

    void put(uint64_t value);
    void append(std::span<const NgramCount> list);

    std::vector<uint8_t> keys_;
    std::vector<uint16_t> entries_;
    std::vector<int64_t> others_;
    std::vector<Size> sizes_ = std::vector<Size>(script_count());
    std::vector<Mark> marks_;  // the first of so many keys
    size_t count_ = 0;         // of keys
    NgramKey next_ = 0;
};

}  // namespace addhash

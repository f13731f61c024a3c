// How often each class has each n-gram: exact integers, sorted and packed.
//
// The n-grams of a script and a kind are a section. Their hashes rise, so each is told by its
// distance from the one before; then comes how many classes have it. The classes of a list are
// numbered by how many n-grams of the script they have, the largest first, and told by distances as
// well: short ones, as common classes are in most lists. Counts are numbered by how often the class
// has them. All these numbers have Rice's code (rice.h), with parameters for each section, number
// of classes that are left, and class. So an n-gram takes about 16 bits, and each of its
// classes 8.5.
//
// Little-endian, whole bytes:
//
//   u16  classes C, then for each
//          u8 parameter of its counts | 31 u8 codes of counts, the most frequent first
//   u16  scripts S, then for each, in ascending order
//          u16 script | u16 its classes | u16 each class, that of most n-grams first
//          for each kind: u32 n-grams | u8 parameter of distances | u8 of the numbers of classes
//            | 12 u8 of the distances of classes, by how many are left
//   u64  bits of each of the three streams | u64 other counts O
//   the streams, each to a whole byte, and eight bytes 0:
//     for each n-gram: the distance of its hash from the one before, less 1 | its classes, less 1
//     for each class of each n-gram: the distance of its number from the one before, less 1
//     for each class of each n-gram: the number of its count's code
//   i64  O counts, in the order of n-grams and classes
//
// A code of a count is a place in kCommonCounts; 31, whose number is always 31, stands for the next
// one of the other counts. Every bit is checked when it is read the first time. Then every 64th
// n-gram of a section is marked, so that any is found by reading 63 at most.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "detection/ngrams.h"
#include "detection/rice.h"
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
    NgramCounts();
    // Of counts sorted by key and class, each pair once; those of 0 are left out.
    explicit NgramCounts(std::span<const NgramCount> counts);

    // Checks every bit: out_of_range if it is not what another one had, for `classes` classes. The
    // bytes are kept as they are, and must live and stay the same as long as `owner` does.
    static Status parse(std::span<const uint8_t> bytes, std::shared_ptr<const void> owner,
                        size_t classes, NgramCounts& made);

    std::span<const uint8_t> bytes() const { return bytes_; }

    // How much there is of each kind of each script.
    struct Size {
        size_t keys = 0, entries = 0;
    };
    std::span<const Size> sizes() const { return sizes_; }

    // The classes that have a key, ascending, in bits 5-15 of an entry, and the codes of their
    // counts in bits 0-4; the counts of those entries whose code is kOtherCount.
    struct List {
        std::span<const uint16_t> entries;
        std::span<const int64_t> others;
    };
    // Calls visit(key, list) for each key, in ascending order.
    template <class Visit> void for_each_list(Visit&& visit) const {
        Room room;
        for (const Section& section : sections_) {
            Streams streams = at(marks_[section.first_mark]);
            uint32_t hash = streams.hash;
            for (size_t i = 0; i < section.keys; ++i) {
                const auto [distance, more] = streams.keys.next(section.distance, section.size);
                hash += static_cast<uint32_t>(distance) + 1;
                const size_t size = static_cast<size_t>(more) + 1;
                visit(section.key(hash), read_list(section, size, streams, room));
            }
        }
    }

    // What a list is read into; and what sorts a long one.
    struct Room {
        std::array<uint16_t, kMostClasses> entries;
        std::array<uint8_t, kMostClasses> codes;
        std::array<uint64_t, kMostClasses / 64> labels{};

        void sort(size_t size);
    };
    // The list of a key; an empty one if it is not known.
    List find(NgramKey key, Room& room) const;

    // Calls visit(key, counts) for each key, in ascending order.
    template <class Visit> void for_each_key(Visit&& visit) const {
        std::vector<NgramCount> counts;
        for_each_list([&](NgramKey key, const List& list) {
            const int64_t* other = list.others.data();
            counts.clear();
            for (const uint16_t entry : list.entries) {
                const unsigned code = entry & kOtherCount;
                const auto label = static_cast<uint16_t>(entry >> kCountBits);
                counts.push_back(
                    {key, label, code == kOtherCount ? *other++ : kCommonCounts[code]});
            }
            visit(key, std::span<const NgramCount>(counts));
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
    static constexpr size_t kPerMark = 64, kLefts = 12;

    // The parameter of a class of a list is that of its number of classes that are left.
    static size_t place_of(size_t left) {
        if (left <= 8) return left - 1;
        return std::min<size_t>(static_cast<size_t>(std::bit_width(left)) + 4, kLefts - 1);
    }

    struct Section {
        uint32_t number = 0;  // of the script and the kind: the key without the hash
        size_t keys = 0;
        size_t first_mark = 0;
        uint8_t distance = 0, size = 0;  // parameters
        std::array<uint8_t, kLefts> lefts{};
        size_t first_class = 0, classes_of_script = 0;  // in `order_`

        NgramKey key(uint32_t hash) const { return NgramKey{number} << kHashBits | hash; }
    };
    struct ClassCodes {
        uint8_t parameter = 0;
        std::array<uint8_t, kOtherCount + 1> codes{};
    };
    // Where the first of some n-grams is.
    struct Mark {
        uint32_t before = 0;  // the hash of the n-gram before it
        uint64_t keys = 0, classes = 0, counts = 0, others = 0;
    };
    struct Streams {
        uint32_t hash;  // of the last n-gram
        RiceReader keys, classes, counts;
        size_t others;  // before it
    };
    class Lists;  // what is to be packed
    class Head;   // reads the first part

    explicit NgramCounts(Lists lists);
    using Ends = std::array<uint64_t, 3>;  // of the streams, in bits
    void read_head(Head& head, size_t classes);
    bool read_section(Section& section, Streams& streams, const Ends& ends);
    Streams at(const Mark& mark) const;

    List read_list(const Section& section, size_t size, Streams& streams, Room& room) const {
        const uint16_t* const order = order_.data() + section.first_class;
        RiceReader classes = streams.classes, counts = streams.counts;  // in registers
        size_t number = ~size_t{0}, others = 0;
        for (size_t i = 0; i < size; ++i) {
            number += classes.next(section.lefts[place_of(size - i)]) + 1;
            const uint16_t label = order[number];
            const ClassCodes& own = codes_[label];
            const unsigned code = own.codes[static_cast<size_t>(counts.next(own.parameter))];
            others += code == kOtherCount;
            room.entries[i] = static_cast<uint16_t>(label << kCountBits | code);
        }
        streams.classes = classes;
        streams.counts = counts;
        room.sort(size);
        const size_t first = std::exchange(streams.others, streams.others + others);
        return {{room.entries.data(), size}, {others_.data() + first, others}};
    }
    void skip_lists(const Section& section, std::span<const size_t> sizes, Streams& streams) const {
        const uint16_t* const order = order_.data() + section.first_class;
        RiceReader classes = streams.classes, counts = streams.counts;
        for (const size_t size : sizes) {
            size_t number = ~size_t{0};
            for (size_t left = size; left > 0; --left) {
                number += classes.next(section.lefts[place_of(left)]) + 1;
                streams.others += counts.next(codes_[order[number]].parameter) == kOtherCount;
            }
        }
        streams.classes = classes;
        streams.counts = counts;
    }
    std::shared_ptr<const void> owner_;
    std::span<const uint8_t> bytes_, streams_;  // those with their tail
    std::vector<ClassCodes> codes_;             // by class
    std::vector<uint16_t> order_;               // of the classes of each script
    std::vector<Section> sections_;
    std::vector<Mark> marks_;
    std::vector<int64_t> others_;
    std::vector<Size> sizes_;
};

}  // namespace addhash

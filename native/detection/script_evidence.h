// The evidence of the n-grams of one script, compiled from counts for adding it up fast.
//
// Each n-gram has a list of the classes that write the script and have it, with the evidence for
// each in units. A list of one stands in the table itself; others are made of blocks of four. That
// of a frequent n-gram is a row with a byte for each class, which is added up like a vector.
//
// The table is made of cache lines of twelve n-grams, 40 bits each: 24 of the hash, as the line
// says the others, and 16 of what is known. Hashes rise, and so do places: an n-gram stands in the
// line of its hash or, if that is full, in the next free place.
//
// What takes the time is waiting for memory and mispredicted branches. So n-grams are looked up
// many at a time, a line is compared without branches, and lists of one kind are added together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "detection/script_classes.h"
#include "memory/large_pages.h"

namespace addhash {

class ScriptEvidence {
public:
    // For so many n-grams and lists of so many classes, in rows of `width`.
    ScriptEvidence(std::span<const NgramCounts::Size, kKinds> sizes, size_t width);

    // Hashes, with the kind above them, in ascending order.
    void add(uint32_t hash, const ScriptClasses::Evidence& evidence);
    // To be called after the last one.
    void finish();

    void prefetch(uint32_t hash) const {
        const Line* const line = &lines_[home(hash).line];
        __builtin_prefetch(line);
        __builtin_prefetch(line + 1);
    }

    // N-grams to add up; the same one for every text.
    struct Batch {
        explicit Batch(size_t size)
            : single(new uint32_t[size + 1]),
              blocks(new uint32_t[size * kMostBlocks + kMostCode]),
              long_lists(new uint32_t[size + 1]),
              rows(new uint32_t[kKinds * (size + 1)]),
              starts(new const uint8_t*[size]),
              size(size) {}
        std::unique_ptr<uint32_t[]> single, blocks, long_lists, rows;  // rows of each kind apart
        std::unique_ptr<const uint8_t*[]> starts;                      // of the rows of one kind
        size_t size;
    };
    // Adds the evidence of n-grams for each writer to `sums`, in units: at most kMostUnits for
    // each, times its weight.
    void add_up(std::span<const NgramKey> keys, AddUnits add_units, Batch& batch,
                uint16_t* sums) const;

private:
    static constexpr size_t kBlock = 4, kMostBlocks = 15;

    using Four = uint32_t __attribute__((vector_size(16)));
    using Two = uint64_t __attribute__((vector_size(16)));
    // Of each n-gram 24 bits of its hash and the low 8 bits of its value; the high ones.
    static constexpr size_t kPerLine = 12;
    static constexpr uint32_t kPassed = uint32_t{1} << 31;
    struct alignas(64) Line {
        Four slots[kPerLine / 4];
        uint8_t high[kPerLine];
        uint32_t first_block;  // of the line; and kPassed if n-grams of it stand behind it
    };
    // A value is a single entry; or it has no units, and bits 8-15 say which of the line's blocks
    // is the first, bits 5-7 how many there are and 2 more: 1 is a row, whose number is in the
    // block, and 2 more blocks than that, whose number is. So the low byte is never 0.
    static constexpr unsigned kRowCode = 1, kLongCode = 2, kMostCode = 7;
    // An n-gram that stands behind its line stands in one of the next three. The 22 bits of the
    // hash that are left are enough for so many lines.
    static constexpr unsigned kTagBits = 22, kMostBehind = 3;
    static constexpr size_t kFewestLines = size_t{1} << (kHashBits - kTagBits);
    // Entries: the writer in bits 5-15, units in 0-4. Those without units fill a block.
    struct Block {
        uint16_t entries[kBlock];
    };
    template <class T> using Table = std::vector<T, LargePages<T>>;

    struct Home {
        size_t line;
        uint32_t tag;
    };
    Home home(uint32_t hash) const {
        const Kind& kind = kinds_[hash >> kHashBits];
        const uint64_t product = (hash & (kHashes - 1)) * kind.lines;
        // Different hashes of one line differ by as many as there are lines.
        const auto tag = static_cast<uint32_t>((product & (kHashes - 1)) >> kind.shift);
        return {kind.first + static_cast<size_t>(product >> kHashBits), tag};
    }
    // What is known of an n-gram of a line; 0 if nothing is.
    static unsigned value_in(const Line& line, uint32_t tag) {
        constexpr Four kLow = {0xFF, 0xFF, 0xFF, 0xFF};
        const uint32_t shifted = tag << 8;
        const Four wanted = {shifted, shifted, shifted, shifted};
        Four found = {};
        for (uint32_t i = 0; i < kPerLine / 4; ++i) {
            const Four number = {4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3};
            const auto is_same = reinterpret_cast<Four>((line.slots[i] & ~kLow) == wanted);
            // At most one that is not empty is the same, and empty ones are 0.
            const auto is_used = reinterpret_cast<Four>((line.slots[i] & kLow) != Four{});
            found |= is_same & is_used & ((line.slots[i] & kLow) | number << 8);
        }
        const auto halves = reinterpret_cast<Two>(found);
        const uint64_t both = halves[0] | halves[1];
        const auto any = static_cast<uint32_t>(both | both >> 32);
        const uint32_t high = uint32_t{line.high[any >> 8]} << 8;
        return (any & 0xFF) | (any == 0 ? 0 : high);
    }
    // What is known of an n-gram: a value, 0 if nothing is, and the first block of its line.
    struct Found {
        uint32_t value, first_block;
    };
    Found find(uint32_t hash) const {
        const Home home = this->home(hash);
        for (uint32_t behind = 0; behind <= kMostBehind; ++behind) {
            const Line& line = lines_[home.line + behind];
            const unsigned value = value_in(line, behind << kTagBits | home.tag);
            const bool is_sure = static_cast<unsigned>(value != 0) | (line.first_block < kPassed);
            if (is_sure) [[likely]]
                return {value, line.first_block & (kPassed - 1)};
        }
        return find_spilt(hash);
    }
    Found find_spilt(uint32_t hash) const;
    static uint32_t number_in(const Block& block) {
        return block.entries[0] | uint32_t{block.entries[1]} << 16;
    }
    // Keeps a list, and returns its value for a line with that first block.
    uint32_t keep(std::span<const uint16_t> list, bool is_frequent, uint32_t first_block);

    static constexpr uint64_t kHashes = uint64_t{1} << kHashBits;

    size_t width_;
    struct Kind {
        size_t first = 0;
        uint64_t lines = 0;
        unsigned shift = 0;
    } kinds_[kKinds];
    size_t next_ = 0;  // the first free place
    Table<Line> lines_;
    Table<Block> blocks_;
    Table<uint8_t> rows_;
    // Those that would stand too far behind, by hash; their lists until all are there.
    struct Spilt {
        uint32_t hash;
        Found found;
        size_t first;
    };
    std::vector<Spilt> spilt_;
    std::vector<uint16_t> spilt_entries_;
};

}  // namespace addhash

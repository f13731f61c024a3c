// The evidence of the n-grams of one script, compiled from counts for adding it up fast.
//
// Each n-gram has a list of the classes that write the script and have it, with the evidence for
// each in units. A list of one stands in the table itself; others are made of blocks of four. That
// of a frequent n-gram is a row with a byte for each class, which is added up like a vector.
//
// What takes the time is waiting for memory and mispredicted branches. So n-grams are looked up
// many at a time, a bucket of the table is a cache line that is compared without branches, and
// lists of one kind are added together.
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

    // Hashes in ascending order.
    void add(uint32_t hash, const ScriptClasses::Evidence& evidence);

    void prefetch(uint32_t hash) const { __builtin_prefetch(&buckets_[place(hash)]); }

    // N-grams to add up; the same one for every text.
    struct Batch {
        explicit Batch(size_t size)
            : single(new uint32_t[size + 1]),
              blocks(new uint32_t[size * kMostBlocks + 4]),
              rows(new const uint8_t*[kKinds * (size + 1)]),
              size(size) {}
        std::unique_ptr<uint32_t[]> single, blocks;
        std::unique_ptr<const uint8_t*[]> rows;  // of each kind apart
        size_t size;
    };
    // Adds the evidence of n-grams for each writer to `sums`, in units: at most kMostUnits for
    // each, times its weight.
    void add_up(std::span<const NgramKey> keys, AddUnits add_units, Batch& batch,
                uint16_t* sums) const;

private:
    // What is known of an n-gram: 0 if nothing is. The entry itself; the number of a row; or the
    // first of its blocks and, in bits 26-29, how many there are.
    using Found = uint32_t;
    static constexpr Found kSingle = Found{1} << 31, kRow = Found{1} << 30;
    static constexpr unsigned kPlaceBits = 26;
    static constexpr size_t kBlock = 4, kMostBlocks = 15, kBucket = 8;

    using Four = uint32_t __attribute__((vector_size(16)));
    using Two = uint64_t __attribute__((vector_size(16)));
    struct alignas(64) Bucket {
        Four hashes[kBucket / 4], found[kBucket / 4];
    };
    // Entries: the writer in bits 5-15, units in 0-4. Those without units fill a block.
    struct Block {
        uint16_t entries[kBlock];
    };
    template <class T> using Table = std::vector<T, LargePages<T>>;

    size_t place(uint32_t hash) const {
        const Kind& kind = kinds_[hash >> kHashBits];
        return kind.first + ((hash & ((1u << kHashBits) - 1)) * kind.capacity >> kHashBits);
    }
    Found find(uint32_t hash) const {
        const Four wanted = {hash, hash, hash, hash};
        for (const Bucket* bucket = &buckets_[place(hash)];; ++bucket) {
            const Four found =
                (reinterpret_cast<Four>(bucket->hashes[0] == wanted) & bucket->found[0]) |
                (reinterpret_cast<Four>(bucket->hashes[1] == wanted) & bucket->found[1]);
            const auto halves = reinterpret_cast<Two>(found);
            const uint64_t both = halves[0] | halves[1];
            const auto any = static_cast<Found>(both | both >> 32);
            if (any != 0 || bucket->found[1][3] == 0) return any;
        }
    }
    Found keep(std::span<const uint16_t> list, bool is_frequent);
    void insert(uint32_t hash, Found found);

    size_t width_;
    struct Kind {
        size_t first;
        uint64_t capacity;
    } kinds_[kKinds];
    size_t next_ = 0;  // the first free place
    Table<Bucket> buckets_;
    Table<Block> blocks_;
    Table<uint8_t> rows_;
};

}  // namespace addhash

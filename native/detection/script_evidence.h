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

#include "detection/add_units.h"
#include "detection/ngram_counts.h"
#include "memory/large_pages.h"

namespace addhash {

// The number of a class among those that write a script.
using Writer = uint16_t;
constexpr Writer kNoWriter = 0xFFFF;

constexpr double kShared = 0.05;
constexpr double kUnseenTokens = 3000;      // as if a class had so many n-grams more, all unknown
constexpr double kLeastProbability = 1e-8;  // added to p(g)
// Classes of an n-gram; more are cut down to what sets them apart.
constexpr size_t kLongestList = 50;
// An n-gram with a larger p(g) has a row. Few do, so their rows stay in the cache.
constexpr double kFrequent = 1e-5;
constexpr double kBitsPerUnit = 0.5;
constexpr unsigned kUnitBits = 5, kMostUnits = (1 << kUnitBits) - 1;

class ScriptEvidence {
public:
    // A class that writes the script.
    struct Class {
        uint16_t label;
        bool is_rare;
        int64_t total;  // of its n-grams in this script
    };

    ScriptEvidence() = default;
    ScriptEvidence(std::span<const Class> classes, size_t labels, NgramCounts::Size size,
                   bool is_cut);

    // Keys in ascending order; `others` as NgramCounts has it. Returns the number of others.
    size_t add(NgramKey key, std::span<const uint16_t> entries, const int64_t* others);

    std::span<const uint16_t> labels() const { return labels_; }
    // The number of writers, rounded up: what `add_to` needs.
    size_t width() const { return width_; }
    Writer writer(size_t label) const { return writers_.empty() ? kNoWriter : writers_[label]; }

    bool is_empty() const { return buckets_.empty(); }
    void prefetch(uint32_t hash) const { __builtin_prefetch(&buckets_[place(hash)]); }

    // N-grams to add up; the same one for every text.
    struct Batch {
        explicit Batch(size_t size)
            : single(new uint32_t[2 * size + 1]),
              blocks(new uint32_t[2 * size * kMostBlocks + 4]),
              rows(new const uint8_t*[2 * size + 1]) {}
        std::unique_ptr<uint32_t[]> single, blocks;
        std::unique_ptr<const uint8_t*[]> rows;
    };
    // Adds the evidence of n-grams for each writer to `sums`, in units: at most kMostUnits for
    // each, twice for words.
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

    size_t place(uint32_t hash) const { return hash * capacity_ >> 32; }
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

    std::vector<uint16_t> labels_;
    std::vector<Writer> writers_;  // by label
    std::vector<double> inverse_;  // 1 / n-grams, by label; 0 if it does not write the script
    std::vector<uint8_t> is_rare_;
    double usual_ = 0;  // classes that are not rare
    bool is_cut_ = true;
    uint64_t capacity_ = 0;
    size_t width_ = 0, next_ = 0;  // the first free place
    Table<Bucket> buckets_;
    Table<Block> blocks_;
    Table<uint8_t> rows_;
    std::vector<double> shares_, sorted_;
    std::vector<uint16_t> kept_;
};

}  // namespace addhash

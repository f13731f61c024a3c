#include "detection/script_evidence.h"

#include <algorithm>

namespace addhash {
namespace {

constexpr size_t kPerBucket = 6;  // n-grams, on average
// A row with fewer than one class in so many is not worth it.
constexpr size_t kSparser = 32;
// Above the number of a block, or an entry, in what is added up.
constexpr unsigned kWeightShift = 26;
static_assert(kMostWeight < 1u << (32 - kWeightShift));

}  // namespace

ScriptEvidence::ScriptEvidence(std::span<const NgramCounts::Size, kKinds> sizes, size_t width)
    : width_(width) {
    size_t entries = 0, next = 0;
    for (size_t i = 0; i < kKinds; ++i) {
        kinds_[i] = {next, sizes[i].keys / kPerBucket + 1};
        next += kinds_[i].capacity;
        entries += sizes[i].entries;
    }
    buckets_.resize(next + 16);
    blocks_.reserve(entries / kBlock + 1);
}

void ScriptEvidence::add(uint32_t hash, const ScriptClasses::Evidence& evidence) {
    if (!evidence.list.empty()) insert(hash, keep(evidence.list, evidence.is_frequent));
}

ScriptEvidence::Found ScriptEvidence::keep(std::span<const uint16_t> list, bool is_frequent) {
    if (list.size() == 1) return kSingle | list[0];
    const size_t blocks = (list.size() + kBlock - 1) / kBlock;
    if ((is_frequent && list.size() * kSparser > width_) || blocks > kMostBlocks) {
        const size_t row = rows_.size() / width_;
        rows_.resize(rows_.size() + width_);
        for (const uint16_t entry : list) {
            rows_[row * width_ + (entry >> kUnitBits)] = entry & kMostUnits;
        }
        return kRow | static_cast<Found>(row);
    }
    const auto start = static_cast<Found>(blocks_.size());
    for (size_t i = 0; i < list.size(); i += kBlock) {
        Block block;
        for (size_t j = 0; j < kBlock; ++j) {
            const size_t none = j << kUnitBits;
            block.entries[j] = i + j < list.size() ? list[i + j] : static_cast<uint16_t>(none);
        }
        blocks_.push_back(block);
    }
    return static_cast<Found>(blocks << kPlaceBits) | start;
}

// Keys come in ascending order, so each takes the first free place from its own bucket on.
void ScriptEvidence::insert(uint32_t hash, Found found) {
    next_ = std::max(next_, place(hash) * kBucket);
    // The last bucket stays empty: it ends the search.
    if (next_ / kBucket + 1 >= buckets_.size()) buckets_.resize(buckets_.size() + 16);
    Bucket& bucket = buckets_[next_ / kBucket];
    bucket.hashes[next_ % kBucket / 4][next_ % 4] = hash;
    bucket.found[next_ % kBucket / 4][next_ % 4] = found;
    ++next_;
}

void ScriptEvidence::add_up(std::span<const NgramKey> keys, AddUnits add_units, Batch& batch,
                            uint16_t* sums) const {
    uint32_t* single = batch.single.get();
    const uint8_t **starts[kKinds], **rows[kKinds];
    for (size_t kind = 0; kind < kKinds; ++kind) {
        starts[kind] = rows[kind] = batch.rows.get() + kind * (batch.size + 1);
    }
    uint32_t* blocks = batch.blocks.get();
    for (const NgramKey key : keys) {
        const Found found = find(static_cast<uint32_t>(key));
        // What is written is kept if the end moves past it.
        const unsigned weight = weight_of(key);
        const bool is_single = found & kSingle, is_row = !is_single && (found & kRow);
        *single = (found & 0xFFFF) | weight << kWeightShift;
        single += is_single;
        const uint8_t**& row = rows[kind_of(key)];
        *row = rows_.data() + (found & (kRow - 1)) * width_;
        row += is_row;
        if (is_single || is_row) continue;
        const Found first = found & ((Found{1} << kPlaceBits) - 1);
        const unsigned count = found >> kPlaceBits;
        __builtin_prefetch(blocks_.data() + first);
        const Found weighted = first | weight << kWeightShift;
        for (unsigned i = 0; i < 4; ++i) blocks[i] = weighted + i;
        for (unsigned i = 4; i < count; ++i) blocks[i] = weighted + i;
        blocks += count;
    }
    const auto add = [&](unsigned entry, unsigned weight) {
        uint16_t& sum = sums[entry >> kUnitBits];
        sum = static_cast<uint16_t>(sum + (entry & kMostUnits) * weight);
    };
    for (size_t kind = 0; kind < kKinds; ++kind) {
        add_units(starts[kind], static_cast<size_t>(rows[kind] - starts[kind]), width_,
                  static_cast<uint16_t>(kKindWeights[kind]), sums);
    }
    for (const uint32_t* at = batch.single.get(); at != single; ++at) {
        add(*at & 0xFFFF, *at >> kWeightShift);
    }
    for (const uint32_t* at = batch.blocks.get(); at != blocks; ++at) {
        const Block block = blocks_[*at & ((uint32_t{1} << kWeightShift) - 1)];
        for (const uint16_t entry : block.entries) add(entry, *at >> kWeightShift);
    }
}

}  // namespace addhash

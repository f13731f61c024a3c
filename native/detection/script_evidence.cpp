#include "detection/script_evidence.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace addhash {
namespace {

constexpr size_t kPerBucket = 5;  // n-grams, on average
// A row with fewer than one class in so many is not worth it.
constexpr size_t kSparser = 32;

// log2(x) in units, rounded, for x from 1 on: of the bits of a double, so that it is exact.
unsigned units_of(double x) {
    static_assert(kBitsPerUnit == 0.5);
    constexpr double kQuarterOctave = 0x1.306fe0a31b715p+0;  // 2^(1/4)
    constexpr uint64_t kHalfOctave = 0x6a09e667f3bcd;        // the fraction of 2^(1/2)
    const auto bits = std::bit_cast<uint64_t>(x * kQuarterOctave);
    const auto exponent = static_cast<unsigned>(bits >> 52) - 1023;
    const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
    return std::min(2 * exponent + (fraction >= kHalfOctave), kMostUnits);
}

constexpr auto kCounts = [] {
    struct {
        double of[kOtherCount + 1] = {};
    } counts;
    for (size_t i = 0; i < kOtherCount; ++i) counts.of[i] = static_cast<double>(kCommonCounts[i]);
    return counts;
}();

}  // namespace

ScriptEvidence::ScriptEvidence(std::span<const Class> classes, size_t labels,
                               NgramCounts::Size size, bool is_cut)
    : writers_(labels, kNoWriter), inverse_(labels), is_rare_(labels), is_cut_(is_cut) {
    for (const Class& c : classes) {
        writers_[c.label] = static_cast<Writer>(labels_.size());
        labels_.push_back(c.label);
        inverse_[c.label] = 1 / (static_cast<double>(c.total) + kUnseenTokens);
        is_rare_[c.label] = c.is_rare;
        usual_ += !c.is_rare;
    }
    usual_ = std::max(usual_, 1.0);
    width_ = (labels_.size() + kRowUnit - 1) / kRowUnit * kRowUnit;
    if (size.keys == 0) return;
    capacity_ = size.keys / kPerBucket + 1;
    buckets_.resize(capacity_ + 16);
    blocks_.reserve(size.entries / kBlock + 1);
}

size_t ScriptEvidence::add(NgramKey key, std::span<const uint16_t> entries, const int64_t* others) {
    shares_.resize(entries.size());
    double sums[2] = {0, 0};
    size_t coded = 0;
    for (size_t i = 0; i < entries.size(); ++i) {
        const size_t label = entries[i] >> kCountBits;
        const unsigned code = entries[i] & kOtherCount;
        double count = kCounts.of[code];
        if (code == kOtherCount) count = static_cast<double>(others[coded++]);
        shares_[i] = count * inverse_[label];
        sums[is_rare_[label]] += shares_[i];
    }
    const double sum = sums[0] > 0 ? sums[0] : sums[1];
    if (sum == 0) return coded;
    const double mean = sum / usual_ + kLeastProbability;
    const double scale = (1 - kShared) / (kShared * mean);
    double least = 0;
    unsigned base = 0;
    if (is_cut_ && entries.size() > kLongestList) {
        sorted_ = shares_;
        std::nth_element(sorted_.begin(), sorted_.begin() + kLongestList, sorted_.end(),
                         std::greater<>());
        least = sorted_[kLongestList];
        base = units_of(1 + scale * least);
    }
    kept_.resize(entries.size());
    size_t kept = 0;
    for (size_t i = 0; i < entries.size(); ++i) {
        const unsigned units = units_of(1 + scale * shares_[i]);
        const Writer writer = writers_[entries[i] >> kCountBits];
        kept_[kept] = static_cast<uint16_t>(writer << kUnitBits | (units - base));
        kept += shares_[i] > least && units > base;
    }
    if (kept > 0) {
        insert(static_cast<uint32_t>(key), keep({kept_.data(), kept}, mean > kFrequent));
    }
    return coded;
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
    const uint8_t** rows = batch.rows.get();
    uint32_t* blocks = batch.blocks.get();
    for (const NgramKey key : keys) {
        const Found found = find(static_cast<uint32_t>(key));
        // A word counts twice: what is written is kept if the end moves past it.
        const unsigned times = is_word(key) ? 2 : 1;
        const bool is_single = found & kSingle, is_row = !is_single && (found & kRow);
        single[0] = single[1] = found;
        single += is_single ? times : 0;
        rows[0] = rows[1] = rows_.data() + (found & (kRow - 1)) * width_;
        rows += is_row ? times : 0;
        if (is_single || is_row) continue;
        const Found first = found & ((Found{1} << kPlaceBits) - 1);
        const unsigned count = found >> kPlaceBits;
        __builtin_prefetch(blocks_.data() + first);
        for (unsigned time = 0; time < times; ++time) {
            for (unsigned i = 0; i < 4; ++i) blocks[i] = first + i;
            for (unsigned i = 4; i < count; ++i) blocks[i] = first + i;
            blocks += count;
        }
    }
    const auto add = [&](uint16_t entry) {
        uint16_t& sum = sums[entry >> kUnitBits];
        sum = static_cast<uint16_t>(sum + (entry & kMostUnits));
    };
    add_units(batch.rows.get(), static_cast<size_t>(rows - batch.rows.get()), width_, sums);
    for (const uint32_t* at = batch.single.get(); at != single; ++at) {
        add(static_cast<uint16_t>(*at));
    }
    for (const uint32_t* at = batch.blocks.get(); at != blocks; ++at) {
        const Block block = blocks_[*at];
        for (const uint16_t entry : block.entries) add(entry);
    }
}

}  // namespace addhash

#include "detection/script_evidence.h"

#include <algorithm>
#include <bit>

namespace addhash {
namespace {

// N-grams of a line on average, in eighths.
constexpr size_t kFull = 84;
// A row with fewer than one class in so many is not worth it.
constexpr size_t kSparser = 32;
// Above the number of a block, or an entry, in what is added up.
constexpr unsigned kWeightShift = 26;
constexpr uint32_t kPlaces = (uint32_t{1} << kWeightShift) - 1;
static_assert(kMostWeight < 1u << (32 - kWeightShift));

}  // namespace

ScriptEvidence::ScriptEvidence(std::span<const NgramCounts::Size, kKinds> sizes, size_t width)
    : width_(width) {
    size_t next = 0, entries = 0;
    for (size_t i = 0; i < kKinds; ++i) {
        kinds_[i].first = next;
        if (sizes[i].keys > 0) {
            kinds_[i].lines = std::max(8 * sizes[i].keys / kFull + 1, kFewestLines);
            kinds_[i].shift = static_cast<unsigned>(std::bit_width(kinds_[i].lines)) - 1;
        }
        next += kinds_[i].lines + kMostBehind + 1;
        entries += sizes[i].entries;
    }
    lines_.resize(next);
    blocks_.reserve(entries / kBlock + 1);
}

void ScriptEvidence::add(uint32_t hash, const ScriptClasses::Evidence& evidence) {
    if (evidence.list.empty()) return;
    const Home home = this->home(hash);
    const size_t place = std::max(next_, home.line * kPerLine);
    const size_t behind = place / kPerLine - home.line;
    for (size_t i = 0; i < std::min(behind, kMostBehind + size_t{1}); ++i) {
        lines_[home.line + i].first_block |= kPassed;
    }
    if (behind > kMostBehind) {
        spilt_.push_back({hash, {}, spilt_entries_.size()});
        spilt_entries_.insert(spilt_entries_.end(), evidence.list.begin(), evidence.list.end());
        return;
    }
    Line& line = lines_[place / kPerLine];
    if (place % kPerLine == 0) line.first_block = static_cast<uint32_t>(blocks_.size());
    const uint32_t value = keep(evidence.list, evidence.is_frequent, line.first_block);
    const uint32_t tag = static_cast<uint32_t>(behind) << kTagBits | home.tag;
    line.slots[place % kPerLine / 4][place % 4] = tag << 8 | (value & 0xFF);
    line.high[place % kPerLine] = static_cast<uint8_t>(value >> 8);
    next_ = place + 1;
}

void ScriptEvidence::finish() {
    for (size_t i = 0; i < spilt_.size(); ++i) {
        const size_t end = i + 1 < spilt_.size() ? spilt_[i + 1].first : spilt_entries_.size();
        const std::span list(spilt_entries_.data() + spilt_[i].first, end - spilt_[i].first);
        const auto first_block = static_cast<uint32_t>(blocks_.size());
        spilt_[i].found = {keep(list, false, first_block), first_block};
    }
    spilt_entries_ = {};
}

uint32_t ScriptEvidence::keep(std::span<const uint16_t> list, bool is_frequent,
                              uint32_t first_block) {
    if (list.size() == 1) return list[0];
    const auto place = static_cast<uint32_t>(blocks_.size() - first_block) << 8;
    const auto add_number = [&](size_t number) {
        blocks_.push_back({{static_cast<uint16_t>(number), static_cast<uint16_t>(number >> 16)}});
    };
    const size_t blocks = (list.size() + kBlock - 1) / kBlock;
    if ((is_frequent && list.size() * kSparser > width_) || blocks > kMostBlocks) {
        const size_t first = rows_.size();
        add_number(first / width_);
        rows_.resize(first + width_);
        for (const uint16_t entry : list) rows_[first + (entry >> kUnitBits)] = entry & kMostUnits;
        return place | kRowCode << kUnitBits;
    }
    const bool is_long = blocks + kLongCode > kMostCode;
    if (is_long) add_number(blocks);
    for (size_t i = 0; i < list.size(); i += kBlock) {
        Block block;
        for (size_t j = 0; j < kBlock; ++j) {
            const size_t none = j << kUnitBits;
            block.entries[j] = i + j < list.size() ? list[i + j] : static_cast<uint16_t>(none);
        }
        blocks_.push_back(block);
    }
    const auto code = static_cast<uint32_t>(is_long ? kLongCode : blocks + kLongCode);
    return place | code << kUnitBits;
}

ScriptEvidence::Found ScriptEvidence::find_spilt(uint32_t hash) const {
    const auto spilt =
        std::lower_bound(spilt_.begin(), spilt_.end(), hash,
                         [](const Spilt& each, uint32_t wanted) { return each.hash < wanted; });
    return spilt != spilt_.end() && spilt->hash == hash ? spilt->found : Found{0, 0};
}

void ScriptEvidence::add_up(std::span<const NgramKey> keys, AddUnits add_units, Batch& batch,
                            uint16_t* sums) const {
    uint32_t* single = batch.single.get();
    uint32_t *starts[kKinds], *rows[kKinds];
    for (size_t kind = 0; kind < kKinds; ++kind) {
        starts[kind] = rows[kind] = batch.rows.get() + kind * (batch.size + 1);
    }
    uint32_t *blocks = batch.blocks.get(), *long_list = batch.long_lists.get();
    for (const NgramKey key : keys) {
        const Found found = find(static_cast<uint32_t>(key));
        // What is written is kept if the end moves past it.
        const unsigned weight = weight_of(key);
        const bool is_single = (found.value & kMostUnits) != 0;
        *single = (found.value & 0xFFFF) | weight << kWeightShift;
        single += is_single;
        const unsigned code = is_single ? 0 : found.value >> kUnitBits & kMostCode;
        const uint32_t first = found.first_block + (found.value >> 8);
        uint32_t*& row = rows[kind_of(key)];
        *row = first;
        row += code == kRowCode;
        const uint32_t weighted = first | weight << kWeightShift;
        for (unsigned i = 0; i < kMostCode - kLongCode; ++i) blocks[i] = weighted + i;
        blocks += code > kLongCode ? code - kLongCode : 0;
        *long_list = weighted;
        long_list += code == kLongCode;
        __builtin_prefetch(blocks_.data() + (is_single ? 0 : first));
    }
    const auto add = [&](unsigned entry, unsigned weight) {
        uint16_t& sum = sums[entry >> kUnitBits];
        sum = static_cast<uint16_t>(sum + (entry & kMostUnits) * weight);
    };
    for (size_t kind = 0; kind < kKinds; ++kind) {
        const uint8_t** start = batch.starts.get();
        for (const uint32_t* row = starts[kind]; row != rows[kind]; ++row) {
            *start++ = rows_.data() + number_in(blocks_[*row]) * width_;
        }
        add_units(batch.starts.get(), static_cast<size_t>(start - batch.starts.get()), width_,
                  static_cast<uint16_t>(kKindWeights[kind]), sums);
    }
    for (const uint32_t* at = batch.long_lists.get(); at != long_list; ++at) {
        const uint32_t count = number_in(blocks_[*at & kPlaces]);
        for (uint32_t i = 1; i <= count; ++i) *blocks++ = *at + i;
    }
    for (const uint32_t* at = batch.single.get(); at != single; ++at) {
        add(*at & 0xFFFF, *at >> kWeightShift);
    }
    for (const uint32_t* at = batch.blocks.get(); at != blocks; ++at) {
        const Block block = blocks_[*at & kPlaces];
        for (const uint16_t entry : block.entries) add(entry, *at >> kWeightShift);
    }
}

}  // namespace addhash

#include "duplicates/record_signatures.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "parallel/parallel.h"

namespace addhash {
namespace {

// What the kernels see of 64 bits.
uint32_t folded(uint64_t bits) { return static_cast<uint32_t>(bits ^ bits >> 32); }

}  // namespace

RecordSignatures::RecordSignatures(const RecordBounds& bounds, const Records& records,
                                   const RecordRule& rule, size_t threads)
    : records_(records),
      allowed_(1 - rule.threshold + 2 * RecordRule::kRounding),
      unit_(allowed_ * records.weight(UINT32_MAX) / 250) {
    for (size_t f = 0; f < records.fields.size(); ++f) {
        const RecordField& field = records.fields[f];
        if (field.sets != nullptr) fields_.push_back({f, field.weight, {}});
    }
    std::stable_sort(fields_.begin(), fields_.end(),
                     [](const auto& a, const auto& b) { return a.weight > b.weight; });
    bits_.resize(records.size() * fields_.size());
    sizes_.resize(bits_.size());
    constexpr size_t kChunk = 1024;
    const size_t chunks = (records.size() + kChunk - 1) / kChunk;
    run_parallel(threads, chunks, [&](auto next) {
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            sign(bounds, chunk * kChunk, std::min(records.size(), (chunk + 1) * kChunk));
        }
    });
    for (size_t f = 0; f < fields_.size(); ++f) {
        size_t most = 0;
        for (size_t i = f; i < sizes_.size(); i += fields_.size()) {
            most = std::max<size_t>(most, sizes_[i]);
        }
        for (size_t size = 0; size <= most; ++size) {
            fields_[f].costs.push_back(costs_of(fields_[f].weight, size, most));
        }
    }
}

void RecordSignatures::sign(const RecordBounds& bounds, size_t first, size_t last) {
    size_t at = first * fields_.size();
    for (size_t rank = first; rank < last; ++rank) {
        const uint32_t number = bounds.number(static_cast<uint32_t>(rank));
        for (const SignedField& field : fields_) {
            const TokenSet set = (*records_.fields[field.number].sets)[number];
            uint64_t bits = 0;
            for (uint64_t token : set) bits ^= uint64_t{1} << token % 64;
            bits_[at] = bits;
            sizes_[at++] = static_cast<uint16_t>(std::min(set.size(), kMostSize));
        }
    }
}

// What a set of that size loses at least, if others have up to `most` tokens. For a given d, that
// is least where the other set is the largest one that can differ in d tokens.
RecordSignatures::Costs RecordSignatures::costs_of(double weight, size_t size, size_t most) const {
    Costs costs{};
    if (size >= kMostSize) return costs;
    for (size_t i = 0; i < costs.size(); ++i) {
        const size_t d = 2 * i;
        const size_t other = most >= kMostSize ? size + d : std::min(most, size + d);
        if (d == 0) continue;
        const double lost = weight * static_cast<double>(2 * d) /
                            static_cast<double>(size + std::max(other, size) + d);
        costs[i] = static_cast<uint8_t>(std::min(255.0, lost / unit_));
    }
    return costs;
}

void RecordSignatures::gather(std::span<const uint32_t> ranks, Columns& columns) const {
    columns.ranks = ranks;
    columns.stride = ranks.size() + FieldBits::kSlack;
    columns.bytes.resize(bytes() * columns.stride);
    for (size_t i = 0; i < ranks.size(); ++i) {
        const uint64_t* bits = bits_.data() + ranks[i] * fields_.size();
        uint8_t* at = columns.bytes.data() + i;
        for (size_t f = 0; f < fields_.size(); ++f) {
            for (size_t k = 0; k < FieldBits::kBytes; ++k, at += columns.stride) {
                *at = static_cast<uint8_t>(folded(bits[f]) >> 8 * k);
            }
        }
    }
}

// Sets that share s of a + b tokens differ in a + b - 2 s. Sizes that are cut off say nothing.
bool RecordSignatures::is_near(uint32_t rank, uint32_t other, uint32_t fields,
                               double allowed) const {
    size_t at = rank * fields_.size(), other_at = other * fields_.size();
    for (const SignedField& field : fields_) {
        const int size = sizes_[at], other_size = sizes_[other_at];
        const int bits = std::popcount(bits_[at++] ^ bits_[other_at++]);
        if (!(fields >> field.number & 1) || std::max(size, other_size) == kMostSize) continue;
        const int apart = std::max(bits, std::abs(size - other_size));
        allowed -= field.weight * (2 * apart) / (size + other_size + apart);
        if (allowed < 0) return false;
    }
    return true;
}

size_t RecordSignatures::select(const Kernels& kernels, const Columns& columns, uint32_t rank,
                                uint32_t both, uint32_t known, double lost, size_t first,
                                size_t last, uint32_t* near) const {
    const double allowed = allowed_ * records_.weight(both) - lost;
    if (allowed < 0) return 0;
    std::array<FieldBits, Records::kMostFields> chosen;
    size_t count = 0;
    for (size_t f = 0; f < fields_.size(); ++f) {
        if (!((both & ~known) >> fields_[f].number & 1)) continue;
        const size_t at = rank * fields_.size() + f;
        FieldBits& field = chosen[count++];
        field.bytes = columns.bytes.data() + f * FieldBits::kBytes * columns.stride;
        for (size_t k = 0; k < FieldBits::kBytes; ++k) {
            field.signature[k] = static_cast<uint8_t>(folded(bits_[at]) >> 8 * k);
        }
        field.costs = fields_[f].costs[sizes_[at]].data();
    }
    const auto most = static_cast<uint8_t>(allowed / unit_ + 1e-6);
    const size_t cheap =
        kernels.select_cheap(chosen.data(), count, columns.stride, most, first, last, near);
    size_t left = 0;
    constexpr size_t kAhead = 8;
    for (size_t i = 0; i < cheap; ++i) {
        if (i + kAhead < cheap) {
            const size_t at = columns.ranks[near[i + kAhead]] * fields_.size();
            __builtin_prefetch(bits_.data() + at);
            __builtin_prefetch(sizes_.data() + at);
        }
        if (is_near(rank, columns.ranks[near[i]], both & ~known, allowed)) near[left++] = near[i];
    }
    return left;
}

}  // namespace addhash

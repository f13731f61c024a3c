// A few bits of each field of a record, by which most pairs are known to be different.
#pragma once

#include <array>
#include <vector>

#include "dispatch/kernels.h"
#include "duplicates/record_bounds.h"

namespace addhash {

// Bit `token % 64` of a field is flipped once for each token, so that two sets differ in at least
// as many tokens, d, as their bits. If they have a and b tokens, the field loses 2 d / (a + b + d)
// of its weight. All fields together may lose 1 - threshold of the weight.
//
// Kernels look at 32 bits, one half flipped by the other, and do not know b: d / (a + d) is lost at
// least. Their costs are in a 250th of what may be lost. What they leave is looked at once more,
// with all bits and both sizes.
class RecordSignatures {
public:
    RecordSignatures(const RecordBounds& bounds, const Records& records, const RecordRule& rule,
                     size_t threads);

    // The bytes that an item takes.
    size_t bytes() const { return std::max<size_t>(1, fields_.size() * FieldBits::kBytes); }

    // The signatures of some items, as the kernel wants them.
    struct Columns {
        std::span<const uint32_t> ranks;
        std::vector<uint8_t> bytes;
        size_t stride = 0;
    };
    // `ranks` stay where they are.
    void gather(std::span<const uint32_t> ranks, Columns& columns) const;

    // Writes to `near` which of the items in [first, last) may be similar to the record of that
    // rank, if those have the fields `both` in common with it, of which `known` is known to lose as
    // much weight as `lost`.
    size_t select(const Kernels& kernels, const Columns& columns, uint32_t rank, uint32_t both,
                  uint32_t known, double lost, size_t first, size_t last, uint32_t* near) const;

private:
    static constexpr size_t kMostSize = 4096;  // of sets that have costs of their own
    using Costs = std::array<uint8_t, FieldBits::kCosts>;

    struct SignedField {
        size_t number;
        double weight;
        std::vector<Costs> costs;  // by the size of the set
    };
    void sign(const RecordBounds& bounds, size_t first, size_t last);
    Costs costs_of(double weight, size_t size, size_t most) const;
    bool is_near(uint32_t rank, uint32_t other, uint32_t fields, double allowed) const;

    const Records& records_;
    const double allowed_;             // share of the weight that may be lost
    const double unit_;                // of costs
    std::vector<SignedField> fields_;  // of sets, the greatest weight first
    std::vector<uint64_t> bits_;       // by rank and field
    std::vector<uint16_t> sizes_;      // by rank and field, at most kMostSize
};

}  // namespace addhash

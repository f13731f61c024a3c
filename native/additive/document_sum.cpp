#include "additive/document_sum.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace addhash {
namespace {

unsigned planes_for(size_t count) { return static_cast<unsigned>(std::bit_width(count)); }

}  // namespace

DocumentSum::DocumentSum(size_t bits)
    : bits_(bits),
      columns_((bits / 8 + kColumnBytes - 1) / kColumnBytes),
      planes_(columns_ * kPlanes * kColumnWords),
      narrow_(kComponentSlack + bits),
      zero_row_(columns_ * kColumnBytes) {}

void DocumentSum::add(const Kernels& kernels, const uint8_t** rows, size_t count,
                      WeightScale scale) {
    scale_ = scale;
    total_ += static_cast<int64_t>(count) * scale.unit;
    while (count > 0) {
        if (in_planes_ == kMaxPlaneCount) spill(kernels);
        const size_t taken = std::min(count, kMaxPlaneCount - in_planes_);
        const size_t padded = (taken + kRowGroup - 1) / kRowGroup * kRowGroup;
        // Rows that pad the last group are put back: they may be the next to be taken.
        const uint8_t* displaced[kRowGroup];
        for (size_t i = taken; i < padded; ++i) {
            displaced[i - taken] = rows[i];
            rows[i] = zero_row_.data();
        }
        in_planes_ += taken;
        kernels.add_rows(planes_.data(), columns_, rows, padded,
                         std::max(5u, planes_for(in_planes_)));
        for (size_t i = taken; i < padded; ++i) rows[i] = displaced[i - taken];
        rows += taken;
        count -= taken;
    }
}

void DocumentSum::add_seeds(const Kernels& kernels, const Seed* seeds, size_t count) {
    total_ += static_cast<int64_t>(count);
    while (count > 0) {
        if (in_planes_ == kMaxPlaneCount) spill(kernels);
        const size_t taken = std::min(count, kMaxPlaneCount - in_planes_);
        in_planes_ += taken;
        kernels.add_seeds(planes_.data(), columns_, seeds, taken,
                          std::max(5u, planes_for(in_planes_)));
        seeds += taken;
        count -= taken;
    }
}

void DocumentSum::add_weighted(const Kernels& kernels, const uint8_t* const* rows,
                               const int64_t* weights, size_t count, WeightScale scale) {
    scale_ = scale;
    if (scale.unit != 1 || scale.exponent != 0) {
        if (!is_wide_) spill(kernels);
        kernels.add_weighted_rows(rows, weights, count, bits_, wide_.data());
        for (size_t i = 0; i < count; ++i) total_ += weights[i];
        return;
    }
    while (count > 0) {
        size_t taken = add_to_planes(kernels, rows, weights, count);
        if (taken == 0) {
            spill(kernels);
            const bool is_small = *weights >= 0 && *weights <= kMostPlaneWeight;
            if (is_small) continue;
            kernels.add_weighted_rows(rows, weights, 1, bits_, wide_.data());
            total_ += *weights;
            taken = 1;
        }
        rows += taken;
        weights += taken;
        count -= taken;
    }
}

// Adds rows up to the first whose weight is not one for the planes or leaves no room there.
// A row of weight 2^k is added to the planes from k on: a weight's row once for each of its bits.
size_t DocumentSum::add_to_planes(const Kernels& kernels, const uint8_t* const* rows,
                                  const int64_t* weights, size_t count) {
    static_assert(std::bit_width(uint64_t{kMostPlaneWeight}) - 1 + 5 == kPlanes);
    size_t taken = 0;
    int64_t all_bits = 0;
    auto room = static_cast<int64_t>(kMaxPlaneCount - in_planes_);
    for (; taken < count; ++taken) {
        const int64_t weight = weights[taken];
        if (weight < 0 || weight > kMostPlaneWeight || weight > room) break;
        room -= weight;
        all_bits |= weight;
    }
    const size_t before = in_planes_;
    in_planes_ = kMaxPlaneCount - static_cast<size_t>(room);
    total_ += static_cast<int64_t>(in_planes_ - before);
    if (chosen_.size() < taken + kRowGroup) chosen_.resize(taken + kRowGroup);
    for (unsigned bit = 0; all_bits >> bit != 0; ++bit) {
        size_t chosen = 0;
        for (size_t i = 0; i < taken; ++i) {
            chosen_[chosen] = rows[i];
            chosen += weights[i] >> bit & 1;
        }
        if (chosen == 0) continue;
        while (chosen % kRowGroup != 0) chosen_[chosen++] = zero_row_.data();
        kernels.add_rows(planes_.data() + bit * kColumnWords, columns_, chosen_.data(), chosen,
                         std::max(5u, planes_for(in_planes_ >> bit)));
    }
    return taken;
}

// The planes' sums to narrow_; leaves the planes zero.
void DocumentSum::unpack(const Kernels& kernels) {
    kernels.unpack_planes(planes_.data(), bits_, std::max(1u, planes_for(in_planes_)),
                          static_cast<int16_t>(in_planes_), narrow_.data() + kComponentSlack);
    const size_t used = std::max(5u, planes_for(in_planes_)) * kColumnBytes;
    for (size_t column = 0; column < columns_; ++column) {
        std::memset(planes_.data() + column * kPlanes * kColumnWords, 0, used);
    }
    in_planes_ = 0;
}

void DocumentSum::spill(const Kernels& kernels) {
    if (!is_wide_) wide_.assign(bits_, 0);
    is_wide_ = true;
    if (in_planes_ == 0) return;
    unpack(kernels);
    kernels.add_narrow(narrow_.data() + kComponentSlack, bits_, scale_.unit, wide_.data());
}

Components DocumentSum::finish(const Kernels& kernels, bool is_signed) {
    Components result = {narrow_.data() + kComponentSlack, nullptr, bits_, total_, scale_.exponent};
    if (is_wide_) {
        spill(kernels);
        result.wide = wide_.data();
    } else {
        unpack(kernels);
    }
    if (!is_signed) {
        // The signed sum is (weight of set bits) - (weight of clear bits); the two make the total.
        for (size_t i = 0; i < bits_; ++i) {
            if (is_wide_) {
                wide_[i] = (wide_[i] + total_) / 2;
            } else {
                int16_t& narrow = narrow_[kComponentSlack + i];
                narrow = static_cast<int16_t>((narrow + total_) / 2);
            }
        }
    }
    total_ = 0;
    scale_ = {};
    is_wide_ = false;
    return result;
}

}  // namespace addhash

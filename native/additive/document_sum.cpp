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
      narrow_(kComponentSlack + bits) {}

void DocumentSum::add(const Kernels& kernels, const uint8_t* const* rows, size_t count) {
    total_ += static_cast<int64_t>(count);
    while (count > 0) {
        if (in_planes_ == kMaxPlaneCount) spill(kernels);
        const size_t taken = std::min(count, kMaxPlaneCount - in_planes_);
        in_planes_ += taken;
        kernels.add_rows(planes_.data(), columns_, rows, &taken, 1, planes_for(in_planes_));
        rows += taken;
        count -= taken;
    }
}

void DocumentSum::add_seeds(const Kernels& kernels, const RowKeys& keys, const Seed* seeds,
                            size_t count) {
    total_ += static_cast<int64_t>(count);
    while (count > 0) {
        if (in_planes_ == kMaxPlaneCount) spill(kernels);
        const size_t taken = std::min(count, kMaxPlaneCount - in_planes_);
        in_planes_ += taken;
        kernels.add_seeds(keys, planes_.data(), columns_, seeds, taken, planes_for(in_planes_));
        seeds += taken;
        count -= taken;
    }
}

void DocumentSum::add_weighted(const Kernels& kernels, const uint8_t* const* rows,
                               const int64_t* weights, size_t count, int exponent) {
    exponent_ = exponent;
    if (exponent != 0) {
        add_to_wide(kernels, rows, weights, count);
        return;
    }
    while (count > 0) {
        size_t taken = add_to_planes(kernels, rows, weights, count);
        if (taken == 0) {
            spill(kernels);
            const bool is_small = *weights >= 0 && *weights <= kMostPlaneWeight;
            if (is_small) continue;
            add_to_wide(kernels, rows, weights, 1);
            taken = 1;
        }
        rows += taken;
        weights += taken;
        count -= taken;
    }
}

// Counts the first rows if they weigh 1, such as the categories of a record, in the planes, and
// chooses the planes and the other rows to be added. Returns false if they would not be fewer.
bool DocumentSum::choose_counted(const Kernels& kernels, const uint8_t* const* rows,
                                 const int64_t* weights, size_t count) {
    if (exponent_ > 0 || exponent_ <= -62) return false;
    const int64_t one = int64_t{1} << -exponent_;
    size_t ones = 0;
    while (ones < count && weights[ones] == one) ++ones;
    const unsigned levels = planes_for(ones);
    if (levels >= ones || ones > kMaxPlaneCount) return false;
    kernels.add_rows(planes_.data(), columns_, rows, &ones, 1, levels);
    chosen_.resize(levels + count - ones);
    chosen_weights_.resize(levels + count - ones);
    std::copy(rows + ones, rows + count, chosen_.begin() + levels);
    std::copy(weights + ones, weights + count, chosen_weights_.begin() + levels);
    const size_t row_words = columns_ * kColumnWords;
    plane_rows_.resize(levels * row_words);
    for (unsigned level = 0; level < levels; ++level) {
        uint64_t* row = plane_rows_.data() + level * row_words;
        for (size_t column = 0; column < columns_; ++column) {
            uint64_t* plane = planes_.data() + (column * kPlanes + level) * kColumnWords;
            std::copy_n(plane, kColumnWords, row + column * kColumnWords);
            std::fill_n(plane, kColumnWords, 0);
        }
        chosen_[level] = reinterpret_cast<const uint8_t*>(row);
        chosen_weights_[level] = one << level;
    }
    return true;
}

void DocumentSum::add_to_wide(const Kernels& kernels, const uint8_t* const* rows,
                              const int64_t* weights, size_t count) {
    int64_t total = 0;
    for (size_t i = 0; i < count; ++i) total += weights[i];
    total_ += total;
    if (choose_counted(kernels, rows, weights, count)) {
        rows = chosen_.data();
        weights = chosen_weights_.data();
        count = chosen_.size();
    }
    wide_.resize(bits_);
    kernels.add_weighted_rows(rows, weights, count, total, bits_, !is_wide_, wide_.data());
    is_wide_ = true;
}

// Adds rows up to the first whose weight is not one for the planes or leaves no room there.
// A row of weight 2^k is added to plane k: a weight's row once for each of its bits.
size_t DocumentSum::add_to_planes(const Kernels& kernels, const uint8_t* const* rows,
                                  const int64_t* weights, size_t count) {
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
    const auto weighing = static_cast<unsigned>(std::bit_width(static_cast<uint64_t>(all_bits)));
    if (weighing == 0) return taken;
    if (chosen_.size() < taken * weighing + 1) chosen_.resize(taken * weighing + 1);
    size_t counts[kPlanes];
    size_t chosen = 0;
    for (unsigned bit = 0; bit < weighing; ++bit) {
        const size_t first = chosen;
        for (size_t i = 0; i < taken; ++i) {
            chosen_[chosen] = rows[i];
            chosen += weights[i] >> bit & 1;
        }
        counts[bit] = chosen - first;
    }
    kernels.add_rows(planes_.data(), columns_, chosen_.data(), counts, weighing,
                     planes_for(in_planes_));
    return taken;
}

// The planes' sums to narrow_; leaves the planes zero.
void DocumentSum::unpack(const Kernels& kernels) {
    kernels.unpack_planes(planes_.data(), bits_, std::max(1u, planes_for(in_planes_)),
                          static_cast<int16_t>(in_planes_), narrow_.data() + kComponentSlack);
    in_planes_ = 0;
}

void DocumentSum::spill(const Kernels& kernels) {
    if (!is_wide_) wide_.assign(bits_, 0);
    is_wide_ = true;
    if (in_planes_ == 0) return;
    unpack(kernels);
    kernels.add_narrow(narrow_.data() + kComponentSlack, bits_, wide_.data());
}

Components DocumentSum::finish(const Kernels& kernels, bool is_signed) {
    Components result = {narrow_.data() + kComponentSlack, nullptr, bits_,
                         static_cast<int16_t>(in_planes_), total_,  exponent_};
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
    exponent_ = 0;
    is_wide_ = false;
    return result;
}

}  // namespace addhash

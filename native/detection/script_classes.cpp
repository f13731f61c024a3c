#include "detection/script_classes.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace addhash {
namespace {

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

ScriptClasses::ScriptClasses(std::span<const Class> classes, size_t labels, bool is_cut)
    : writers_(labels, kNoWriter), is_cut_(is_cut) {
    for (const Class& c : classes) {
        writers_[c.label] = static_cast<Writer>(labels_.size());
        labels_.push_back(c.label);
        inverse_.push_back(1 / (static_cast<double>(c.total) + kUnseenTokens));
        is_usual_.push_back(c.is_rare ? 0 : 1);
        usual_ += !c.is_rare;
    }
    inverse_.push_back(0);
    is_usual_.push_back(0);
    usual_ = std::max(usual_, 1.0);
    width_ = (labels_.size() + kRowUnit - 1) / kRowUnit * kRowUnit;
}

void ScriptClasses::weigh(const NgramCounts::List& counts, Evidence& evidence) const {
    const std::span<const uint16_t> entries = counts.entries;
    const int64_t* other = counts.others.data();
    evidence.list.resize(entries.size());
    evidence.shares.resize(entries.size());
    double* const shares = evidence.shares.data();
    uint16_t* const list = evidence.list.data();
    double usual = 0, all = 0;
    size_t size = 0;
    for (const uint16_t entry : entries) {
        const Writer writer = writers_[entry >> kCountBits];
        const size_t place = std::min<size_t>(writer, labels_.size());
        const unsigned code = entry & kOtherCount;
        double count = kCounts.of[code];
        if (code == kOtherCount) count = static_cast<double>(*other++);
        const double share = count * inverse_[place];
        usual += share * is_usual_[place];
        all += share;
        // What is written is kept if the end moves past it.
        shares[size] = share;
        list[size] = writer;
        size += writer != kNoWriter;
    }
    const double mean = (usual > 0 ? usual : all) / usual_ + kLeastProbability;
    const double scale = (1 - kShared) / (kShared * mean);
    evidence.is_frequent = mean > kFrequent;
    double least = 0;
    unsigned base = 0;
    if (is_cut_ && size > kLongestList) {
        auto& sorted = evidence.sorted;
        sorted.assign(shares, shares + size);
        std::nth_element(sorted.begin(), sorted.begin() + kLongestList, sorted.end(),
                         std::greater<>());
        least = sorted[kLongestList];
        base = units_of(1 + scale * least);
    }
    size_t kept = 0;
    for (size_t i = 0; i < size; ++i) {
        const unsigned units = units_of(1 + scale * shares[i]);
        list[kept] = static_cast<uint16_t>(list[i] << kUnitBits | (units - base));
        kept += shares[i] > least && units > base;
    }
    evidence.list.resize(kept);
}

}  // namespace addhash

#include "unpack/unpack.h"

#include <algorithm>
#include <bit>

#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

std::vector<uint64_t> planes_of(const std::vector<size_t>& counts) {
    const size_t columns = (counts.size() / 8 + kColumnBytes - 1) / kColumnBytes;
    std::vector<uint64_t> planes(columns * kPlanes * kColumnWords);
    auto* bytes = reinterpret_cast<uint8_t*>(planes.data());
    for (size_t bit = 0; bit < counts.size(); ++bit) {
        const size_t column = bit / 8 / kColumnBytes, byte = bit / 8 % kColumnBytes;
        for (size_t level = 0; level < kPlanes; ++level) {
            const size_t set = counts[bit] >> level & 1;
            bytes[(column * kPlanes + level) * kColumnBytes + byte] |=
                static_cast<uint8_t>(set << bit % 8);
        }
    }
    return planes;
}

// Random counts up to `total`, both ends among them.
std::vector<size_t> random_counts(Random& random, size_t bits, size_t total) {
    std::vector<size_t> counts(bits);
    for (size_t& count : counts) count = random() % (total + 1);
    counts.front() = total;
    counts.back() = 0;
    counts[bits / 2] = total;
    return counts;
}

void check_unpacking(const std::vector<size_t>& counts, unsigned levels, size_t total) {
    constexpr int16_t kGuard = 0x6B6B;
    constexpr size_t kGuarded = 64;
    const std::vector<uint64_t> planes = planes_of(counts);
    std::vector<int16_t> expected;
    for (size_t c = 0; c < counts.size(); ++c) {
        const auto count = static_cast<int>(counts[counts.size() - 1 - c]);
        expected.push_back(static_cast<int16_t>(2 * count - static_cast<int>(total)));
    }
    for_each_set([&](const Kernels& kernels) {
        std::vector<int16_t> sums(kComponentSlack + counts.size() + kGuarded, kGuard);
        std::vector<uint64_t> own = planes;
        kernels.unpack_planes(own.data(), counts.size(), levels, static_cast<int16_t>(total),
                              sums.data() + kComponentSlack);
        CHECK(std::all_of(own.begin(), own.end(), [](uint64_t word) { return word == 0; }));
        CHECK(same_bits(sums.data() + kComponentSlack, expected.data(), expected.size()));
        for (size_t i = 0; i < kGuarded; ++i) CHECK(sums[sums.size() - 1 - i] == kGuard);
    });
}

}  // namespace

TEST(unpacked_counts_are_sums_at_every_length_and_level) {
    Random random(10);
    for (size_t bits : kEdgeBits) {
        for (unsigned levels = 1; levels <= kPlanes; ++levels) {
            // The fewest and the most tokens that need this many planes.
            for (size_t total : {size_t{1} << (levels - 1), (size_t{1} << levels) - 1}) {
                check_unpacking(random_counts(random, bits, total), levels, total);
            }
        }
    }
    check_unpacking(random_counts(random, kMostBits, kMaxPlaneCount), kPlanes, kMaxPlaneCount);
}

TEST(planes_that_are_zero_may_be_unpacked_too) {
    Random random(11);
    for (size_t total : kEdgeCounts) {
        const auto counts = random_counts(random, 520, total);
        for (unsigned levels = std::max(1u, static_cast<unsigned>(std::bit_width(total)));
             levels <= kPlanes; ++levels) {
            check_unpacking(counts, levels, total);
        }
    }
}

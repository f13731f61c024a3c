#include "bitsum/bitsum.h"

#include <algorithm>
#include <bit>

#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

size_t plane_words(size_t columns) { return columns * kPlanes * kColumnWords; }

// The count of every bit, read from the planes one bit at a time.
std::vector<size_t> counts_in(const std::vector<uint64_t>& planes, size_t columns,
                              unsigned levels) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(planes.data());
    std::vector<size_t> counts(columns * kColumnBytes * 8);
    for (size_t bit = 0; bit < counts.size(); ++bit) {
        const size_t column = bit / 8 / kColumnBytes, byte = bit / 8 % kColumnBytes;
        for (size_t level = 0; level < levels; ++level) {
            const uint8_t here = bytes[(column * kPlanes + level) * kColumnBytes + byte];
            counts[bit] += size_t{here >> bit % 8 & 1u} << level;
        }
    }
    return counts;
}

void count_row(const uint8_t* row, std::vector<size_t>& counts) {
    for (size_t bit = 0; bit < counts.size(); ++bit) counts[bit] += row[bit / 8] >> bit % 8 & 1;
}

}  // namespace

TEST(added_rows_are_counted_bit_by_bit) {
    Random random(7);
    for (size_t columns : {1, 2, 3, 16}) {
        std::vector<Bytes> storage;
        for (size_t i = 0; i < 144; ++i) {
            storage.push_back(random_bytes(random, columns * kColumnBytes));
        }
        std::vector<const uint8_t*> rows;
        for (const Bytes& row : storage) rows.push_back(row.data());
        for_each_set([&](const Kernels& kernels) {
            for (size_t count = 0; count <= 144; count += count < 40 ? 1 : 13) {
                const auto levels = static_cast<unsigned>(std::bit_width(count));
                std::vector<uint64_t> planes(plane_words(columns));
                kernels.add_rows(planes.data(), columns, rows.data(), &count, 1, levels);
                std::vector<size_t> expected(columns * kColumnBytes * 8);
                for (size_t i = 0; i < count; ++i) count_row(rows[i], expected);
                CHECK(counts_in(planes, columns, kPlanes) == expected);
            }
        });
    }
}

TEST(rows_add_to_what_the_planes_hold_up_to_their_limit) {
    Random random(8);
    constexpr size_t kColumns = 2;
    const Bytes all_set(kColumns * kColumnBytes, 0xFF);
    std::vector<Bytes> storage;
    for (size_t i = 0; i < 97; ++i) {
        storage.push_back(random_bytes(random, kColumns * kColumnBytes));
        storage.back()[0] |= 1;                  // bit 0 counts every row: it reaches the limit
        storage.back().back() &= uint8_t{0x7F};  // the last bit counts none
    }
    std::vector<const uint8_t*> rows;
    std::vector<size_t> expected(kColumns * kColumnBytes * 8);
    for (size_t i = 0; i < kMaxPlaneCount; ++i) rows.push_back(storage[i % 97].data());
    for (const uint8_t* row : rows) count_row(row, expected);
    CHECK(expected[0] == kMaxPlaneCount);
    for_each_set([&](const Kernels& kernels) {
        // In steps that double, as a document grows.
        std::vector<uint64_t> planes(plane_words(kColumns));
        size_t added = 0;
        for (size_t step = kRowGroup; added < rows.size(); step *= 2) {
            const size_t taken = std::min(step, rows.size() - added);
            const auto levels = static_cast<unsigned>(std::bit_width(added + taken));
            kernels.add_rows(planes.data(), kColumns, rows.data() + added, &taken, 1, levels);
            added += taken;
        }
        CHECK(counts_in(planes, kColumns, kPlanes) == expected);

        // Every plane of every column full.
        const std::vector<const uint8_t*> full(kMaxPlaneCount, all_set.data());
        planes.assign(planes.size(), 0);
        kernels.add_rows(planes.data(), kColumns, full.data(), &kMaxPlaneCount, 1, kPlanes);
        CHECK(planes == std::vector<uint64_t>(planes.size(), ~uint64_t{0}));
    });
}

TEST(rows_with_weights_are_counted_as_often) {
    Random random(10);
    constexpr size_t kColumns = 2;
    std::vector<Bytes> storage;
    for (size_t i = 0; i < 64; ++i) {
        storage.push_back(random_bytes(random, kColumns * kColumnBytes));
        storage.back()[0] |= 1;  // bit 0 counts every row
    }
    for (size_t repeat = 0; repeat < 300; ++repeat) {
        // How many rows weigh 1, 2, 4 and so on: none, few, or groups and more.
        const auto weights = static_cast<unsigned>(1 + random() % 8);
        std::vector<size_t> counts(weights);
        std::vector<const uint8_t*> rows;
        std::vector<size_t> expected(kColumns * kColumnBytes * 8);
        size_t total = 0;
        for (unsigned k = 0; k < weights; ++k) {
            const size_t most[] = {1, 2, kRowGroup, 3 * kRowGroup};
            counts[k] = random() % most[random() % 4];
            total += counts[k] << k;
            for (size_t i = 0; i < counts[k]; ++i) {
                rows.push_back(storage[random() % 64].data());
                for (size_t j = 0; j < size_t{1} << k; ++j) count_row(rows.back(), expected);
            }
        }
        CHECK(expected[0] == total);
        for_each_set([&](const Kernels& kernels) {
            std::vector<uint64_t> planes(plane_words(kColumns));
            kernels.add_rows(planes.data(), kColumns, rows.data(), counts.data(), weights,
                             static_cast<unsigned>(std::bit_width(total)));
            CHECK(counts_in(planes, kColumns, kPlanes) == expected);
        });
    }
}

TEST(planes_from_the_given_level_up_are_not_touched) {
    constexpr uint64_t kPattern = 0x0123456789ABCDEF;
    Random random(9);
    const Bytes row = random_bytes(random, 2 * kColumnBytes);
    const std::vector<const uint8_t*> rows(kRowGroup, row.data());
    for_each_set([&](const Kernels& kernels) {
        for (unsigned levels = 5; levels <= kPlanes; ++levels) {
            std::vector<uint64_t> planes(plane_words(2));
            const auto is_above = [&](size_t i) { return i / kColumnWords % kPlanes >= levels; };
            for (size_t i = 0; i < planes.size(); ++i) planes[i] = is_above(i) ? kPattern : 0;
            kernels.add_rows(planes.data(), 2, rows.data(), &kRowGroup, 1, levels);
            for (size_t i = 0; i < planes.size(); ++i) {
                if (is_above(i)) CHECK(planes[i] == kPattern);
            }
            std::vector<size_t> expected(2 * kColumnBytes * 8);
            for (const uint8_t* added : rows) count_row(added, expected);
            CHECK(counts_in(planes, 2, levels) == expected);
        }
    });
}

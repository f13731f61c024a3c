#include "search/search.h"

#include <random>

#include "search/encode.h"
#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

struct Encoded {
    Encoded(const std::vector<int32_t>& values, size_t count, size_t width)
        : codes(count * width),
          scales(count),
          norms(count),
          slacks(count),
          kinds(count),
          places(count, kNoPlace) {
        const EncodedOutput output = {codes.data(), scales.data(), norms.data(), slacks.data(),
                                      kinds.data()};
        status = encode_rows(values.data(), count, width, output, 2).status;
        rows = {count,         width,         codes.data(), scales.data(), norms.data(),
                slacks.data(), places.data(), nullptr,      nullptr,       nullptr};
    }
    std::vector<int8_t> codes;
    std::vector<double> scales, norms, slacks;
    std::vector<RowKind> kinds;
    std::vector<int64_t> places;
    EncodedRows rows;
    EncodeStatus status;
};

std::vector<int32_t> random_values(size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<int32_t> values(count);
    for (int32_t& value : values) value = static_cast<int32_t>(random() % 255) - 127;
    return values;
}

}  // namespace

TEST(every_set_finds_what_a_plain_loop_finds) {
    for (size_t width : {1, 3, 64, 65, 300}) {
        for (size_t count : {1, 33, 200}) {
            const size_t queries = 15;
            const auto values = random_values(count * width, 1);
            const auto asked = random_values(queries * width, 2);
            const Encoded rows(values, count, width), encoded(asked, queries, width);
            CHECK(rows.status == EncodeStatus::done);
            const SearchableRows searchable(rows.rows), searched(encoded.rows);
            for_each_set([&](const Kernels& kernels) {
                std::vector<int64_t> best(queries);
                std::vector<double> scores(queries);
                search(kernels, searchable, searched, {}, 1, 2, best.data(), scores.data());
                for (size_t q = 0; q < queries; ++q) {
                    double highest = -2;
                    int64_t expected = -1;
                    for (size_t r = 0; r < count; ++r) {
                        int64_t dot = 0;
                        for (size_t i = 0; i < width; ++i) {
                            dot += values[r * width + i] * asked[q * width + i];
                        }
                        const double norms = encoded.norms[q] * rows.norms[r];
                        const double score = norms == 0 ? 0 : static_cast<double>(dot) / norms;
                        if (score > highest) expected = static_cast<int64_t>(r);
                        highest = std::max(highest, score);
                    }
                    CHECK(best[q] == expected);
                    CHECK(scores[q] == highest);
                }
            });
        }
    }
}

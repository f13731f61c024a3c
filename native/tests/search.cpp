#include "search/search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "search/encode.h"
#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

// Rows as the index keeps them, tails and wide rows included. No array has an element to spare, so
// that the address sanitizer sees a kernel that reads further.
struct Encoded {
    Encoded(const std::vector<double>& values, size_t count, size_t width)
        : exact(values),
          codes(count * width),
          scales(count),
          norms(count),
          slacks(count),
          kinds(count),
          places(count, kNoPlace) {
        const EncodedOutput output = {codes.data(), scales.data(), norms.data(), slacks.data(),
                                      kinds.data()};
        status = encode_rows(values.data(), count, width, output, 2).status;
        for (size_t row = 0; row < count; ++row) {
            const double* v = values.data() + row * width;
            if (kinds[row] == RowKind::tailed) {
                places[row] = static_cast<int64_t>(tails.size() / width);
                for (size_t i = 0; i < width; ++i) {
                    const int whole = whole_of(scale_parts(scales[row]), codes[row * width + i]);
                    tails.push_back(static_cast<int8_t>(static_cast<int>(v[i]) - whole));
                }
            } else if (kinds[row] == RowKind::wide) {
                places[row] = kFirstWide - static_cast<int64_t>(wides.size() / width);
                wides.insert(wides.end(), v, v + width);
            }
        }
        rows = {count,         width,         codes.data(), scales.data(), norms.data(),
                slacks.data(), places.data(), tails.data(), nullptr,       wides.data()};
    }
    std::vector<double> exact;
    std::vector<int8_t> codes, tails;
    std::vector<double> scales, norms, slacks, wides;
    std::vector<RowKind> kinds;
    std::vector<int64_t> places;
    EncodedVectors rows;
    Status status;
};

enum class Content { lossless, tailed, wide, mixed };

// Every seventh row is zero, every fifth a copy of the one before: ties are everywhere.
std::vector<double> random_rows(size_t count, size_t width, Content content, unsigned seed) {
    Random random(seed);
    std::vector<double> values(count * width);
    for (size_t row = 0; row < count; ++row) {
        double* v = values.data() + row * width;
        if (row % 7 == 6) continue;
        if (row % 5 == 4) {
            std::copy_n(v - width, width, v);
            continue;
        }
        constexpr Content kAll[] = {Content::lossless, Content::tailed, Content::wide};
        const Content kind = content == Content::mixed ? kAll[row % 3] : content;
        for (size_t i = 0; i < width; ++i) {
            const auto wide = static_cast<int64_t>(random() % 63501) - 31750;
            switch (kind) {
                case Content::lossless: v[i] = static_cast<double>(wide % 128); break;
                case Content::tailed: v[i] = static_cast<double>(wide); break;
                case Content::wide:
                case Content::mixed: v[i] = std::sin(static_cast<double>(wide)); break;
            }
        }
    }
    return values;
}

double slow_dot(const double* a, const double* b, size_t width) {
    double lanes[16] = {};
    for (size_t i = 0; i < width; ++i) lanes[i % 16] += a[i] * b[i];
    for (size_t step = 8; step > 0; step /= 2) {
        for (size_t j = 0; j < step; ++j) lanes[j] = lanes[2 * j] + lanes[2 * j + 1];
    }
    return lanes[0];
}

struct Answer {
    std::vector<int64_t> rows;
    std::vector<double> scores;
};

// By definition: every score in float64, sorted.
Answer slow_search(const Encoded& rows, const Encoded& queries, const SearchRules& rules,
                   size_t k) {
    const size_t width = rows.rows.width;
    Answer answer;
    for (size_t q = 0; q < queries.rows.count; ++q) {
        std::vector<std::pair<double, size_t>> all;
        for (size_t r = 0; r < rows.rows.count; ++r) {
            if (rules.groups != nullptr && rules.groups[r] == rules.excluded[q]) continue;
            const double norms = queries.norms[q] * rows.norms[r];
            const double dot =
                slow_dot(queries.exact.data() + q * width, rows.exact.data() + r * width, width);
            all.emplace_back(norms == 0 ? 0 : dot / norms, r);
        }
        std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
            if (a.first != b.first) return a.first > b.first;
            return rules.ranks == nullptr ? a.second < b.second
                                          : rules.ranks[a.second] < rules.ranks[b.second];
        });
        for (size_t i = 0; i < k; ++i) {
            const bool is_there = i < all.size();
            answer.rows.push_back(is_there ? static_cast<int64_t>(all[i].second) : -1);
            answer.scores.push_back(is_there ? all[i].first
                                             : std::numeric_limits<double>::quiet_NaN());
        }
    }
    return answer;
}

void check_search(const Kernels& kernels, const Encoded& rows, const Encoded& queries,
                  const SearchRules& rules, size_t k, size_t threads, const Answer& expected) {
    const SearchableRows searchable(rows.rows), searched(queries.rows);
    std::vector<int64_t> best(queries.rows.count * k);
    std::vector<double> scores(queries.rows.count * k);
    search(kernels, searchable, searched, rules, k, threads, best.data(), scores.data());
    CHECK(best == expected.rows);
    for (size_t i = 0; i < scores.size(); ++i) {
        CHECK(scores[i] == expected.scores[i] ||
              (std::isnan(scores[i]) && std::isnan(expected.scores[i])));
    }
}

}  // namespace

// A few queries are scored with rows as they lie in memory, more with packed ones.
TEST(every_set_finds_what_a_plain_loop_finds) {
    for (const Content content :
         {Content::lossless, Content::tailed, Content::wide, Content::mixed}) {
        for (const size_t width : {1, 3, 31, 32, 63, 64, 65, 127, 129, 255, 256, 300}) {
            for (const size_t count : {1, 31, 32, 33, 100}) {
                const Encoded rows(random_rows(count, width, content, 1), count, width);
                CHECK(rows.status == Status::done);
                for (const size_t asked : {1, 3, 4, 15, 25}) {
                    // Every second combination: each pair of numbers is among them.
                    if ((width + count + asked + static_cast<size_t>(content)) % 2 != 0) continue;
                    const Encoded queries(random_rows(asked, width, content, 2), asked, width);
                    for (const size_t k : {size_t{1}, std::min<size_t>(3, count), count}) {
                        const Answer expected = slow_search(rows, queries, {}, k);
                        for_each_set([&](const Kernels& kernels) {
                            check_search(kernels, rows, queries, {}, k, 2, expected);
                        });
                    }
                }
            }
        }
    }
}

TEST(ranks_and_groups_decide_on_every_path) {
    const size_t width = 40, count = 150;
    const Encoded rows(random_rows(count, width, Content::mixed, 3), count, width);
    std::vector<int64_t> ranks(count), groups(count);
    for (size_t i = 0; i < count; ++i) {
        ranks[i] = static_cast<int64_t>((i * 7919) % count);
        groups[i] = static_cast<int64_t>(i % 3);
    }
    for (const size_t asked : {1, 30}) {
        const Encoded queries(random_rows(asked, width, Content::mixed, 4), asked, width);
        std::vector<int64_t> excluded(asked);
        for (size_t q = 0; q < asked; ++q) excluded[q] = static_cast<int64_t>(q % 3);
        const SearchRules rules = {ranks.data(), groups.data(), excluded.data()};
        const Answer expected = slow_search(rows, queries, rules, count);
        for_each_set([&](const Kernels& kernels) {
            check_search(kernels, rows, queries, rules, count, 1, expected);
        });
    }
}

// Wide enough for the sums of 2^15 components to be added in pieces, with the largest codes.
TEST(long_rows_do_not_overflow) {
    for (const size_t width : {kDepth - 1, kDepth, kDepth + 1, 2 * kDepth + 70}) {
        const size_t count = 3;
        std::vector<double> values(count * width, 127);
        for (size_t i = 0; i < width; ++i) values[width + i] = i % 2 == 0 ? -127 : 127;
        for (size_t i = 0; i < width; ++i) values[2 * width + i] = -127;
        const Encoded rows(values, count, width);
        for (const size_t asked : {1, 30}) {
            std::vector<double> wanted;
            for (size_t q = 0; q < asked; ++q) {
                wanted.insert(wanted.end(), values.begin() + q % 3 * width,
                              values.begin() + (q % 3 + 1) * width);
            }
            const Encoded queries(wanted, asked, width);
            const Answer expected = slow_search(rows, queries, {}, count);
            for_each_set([&](const Kernels& kernels) {
                check_search(kernels, rows, queries, {}, count, 1, expected);
            });
        }
    }
}

// Rows enough for several threads to be worth their while.
TEST(threads_do_not_change_what_is_found) {
    const size_t width = 512, count = 40000;
    const Encoded rows(random_rows(count, width, Content::tailed, 5), count, width);
    for (const size_t asked : {1, 13}) {
        const Encoded queries(random_rows(asked, width, Content::tailed, 6), asked, width);
        const Answer expected = slow_search(rows, queries, {}, 10);
        for (const size_t threads : {1, 2, 4, 100}) {
            check_search(active_kernels(), rows, queries, {}, 10, threads, expected);
        }
    }
}

TEST(score_rows_equals_a_plain_product) {
    Random random(7);
    for (const size_t width : {1, 2, 15, 16, 17, 63, 64, 65, 128, 200, 256, 257, 1000, 2048}) {
        for (const size_t count : {1, 2, 32}) {
            std::vector<int8_t> rows(count * width), query(width);
            for (int8_t& code : rows) code = static_cast<int8_t>(random() % 256);  // -128 as well
            for (int8_t& code : query) code = static_cast<int8_t>(random() % 255 - 127);
            for_each_set([&](const Kernels& kernels) {
                std::vector<uint8_t> packed(packed_bytes(width, 1));
                const int8_t* const queries[] = {query.data()};
                kernels.scan.pack_queries(queries, 1, width, packed.data());
                std::vector<double> dots(count);
                kernels.scan.score_rows(rows.data(), count, width, packed.data(), dots.data());
                for (size_t r = 0; r < count; ++r) {
                    int64_t expected = 0;
                    for (size_t i = 0; i < width; ++i) expected += rows[r * width + i] * query[i];
                    CHECK(dots[r] == static_cast<double>(expected));
                }
            });
        }
    }
}

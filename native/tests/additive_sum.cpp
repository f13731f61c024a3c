#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "additive/document_sum.h"
#include "additive/fixed_point.h"
#include "additive/seen_tokens.h"
#include "additive/token_tally.h"
#include "additive/token_weights.h"
#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

// Rows of whole columns, zero past `bits`, which are used again and again.
struct RowPool {
    RowPool(Random& random, size_t count, size_t bits) : bits(bits) {
        for (size_t i = 0; i < count; ++i) {
            rows.push_back(random_bytes(random, bits / 8));
            // Component 0 is set in every row, so that its sum is the number of rows.
            rows.back().back() |= 0x80;
            rows.back().resize((bits / 8 + kColumnBytes - 1) / kColumnBytes * kColumnBytes);
        }
    }
    std::vector<const uint8_t*> pointers(size_t count) const {
        std::vector<const uint8_t*> all;
        for (size_t i = 0; i < count; ++i) all.push_back(rows[i % rows.size()].data());
        return all;
    }
    size_t bits;
    std::vector<Bytes> rows;
};

std::vector<int64_t> slow_sum(const RowPool& pool, const std::vector<const uint8_t*>& rows,
                              const std::vector<int64_t>& weights, bool is_signed) {
    // How often each row of the pool comes in, so that a long document is quick to sum.
    std::vector<int64_t> weight_of(pool.rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
        const auto is_it = [&](const Bytes& row) { return row.data() == rows[i]; };
        const auto place = std::find_if(pool.rows.begin(), pool.rows.end(), is_it);
        weight_of[static_cast<size_t>(place - pool.rows.begin())] += weights[i];
    }
    std::vector<int64_t> sum(pool.bits);
    for (size_t i = 0; i < pool.rows.size(); ++i) {
        for (size_t c = 0; c < pool.bits; ++c) {
            const bool is_set = component_bit(pool.rows[i].data(), pool.bits, c);
            sum[c] += is_set ? weight_of[i] : is_signed ? -weight_of[i] : 0;
        }
    }
    return sum;
}

std::vector<int64_t> values_of(const Components& components) {
    std::vector<int64_t> values;
    for (size_t c = 0; c < components.count; ++c) {
        values.push_back(components.wide != nullptr ? components.wide[c] : components.narrow[c]);
    }
    return values;
}

void add_in_pieces(const Kernels& kernels, DocumentSum& sum,
                   const std::vector<const uint8_t*>& rows, size_t piece) {
    for (size_t first = 0; first < rows.size(); first += piece) {
        sum.add(kernels, rows.data() + first, std::min(piece, rows.size() - first));
    }
}

void check_document(const Kernels& kernels, DocumentSum& sum, const RowPool& pool, size_t count,
                    size_t piece, bool is_signed) {
    const std::vector<const uint8_t*> rows = pool.pointers(count);
    add_in_pieces(kernels, sum, rows, piece);
    const Components components = sum.finish(kernels, is_signed);
    CHECK(components.count == pool.bits && components.exponent == 0);
    CHECK(components.total == static_cast<int64_t>(count));
    CHECK((components.wide == nullptr) == (count <= kMaxPlaneCount));
    CHECK(values_of(components) == slow_sum(pool, rows, std::vector<int64_t>(count, 1), is_signed));
}

}  // namespace

TEST(a_document_sum_is_the_oracle_at_every_count_and_length) {
    Random random(26);
    for (size_t bits : kEdgeBits) {
        const RowPool pool(random, 37, bits);
        for_each_set([&](const Kernels& kernels) {
            DocumentSum sum(bits);  // one for all documents: each must leave it empty
            for (size_t count : kEdgeCounts) {
                check_document(kernels, sum, pool, count, 1000, true);
                check_document(kernels, sum, pool, count, 5, false);
            }
        });
    }
    const RowPool pool(random, 3, kMostBits);
    for_each_set([&](const Kernels& kernels) {
        DocumentSum sum(kMostBits);
        check_document(kernels, sum, pool, 20, 20, true);
    });
}

TEST(a_document_longer_than_the_planes_hold_is_spilt) {
    Random random(27);
    const RowPool pool(random, 37, 520);
    for_each_set([&](const Kernels& kernels) {
        DocumentSum sum(520);
        for (size_t count : {kMaxPlaneCount - 1, kMaxPlaneCount, kMaxPlaneCount + 1,
                             2 * kMaxPlaneCount, 2 * kMaxPlaneCount + 1, size_t{100000}}) {
            check_document(kernels, sum, pool, count, 1024, true);
            check_document(kernels, sum, pool, count, count, false);
            check_document(kernels, sum, pool, 3, 3, true);
        }
    });
}

TEST(weighted_rows_add_to_plain_ones) {
    Random random(28);
    for (size_t bits : {size_t{8}, size_t{520}}) {
        const RowPool pool(random, 37, bits);
        for (size_t plain : {0, 1, 50, 40000}) {
            for (size_t weighted : {1, 2, 33}) {
                const std::vector<const uint8_t*> rows = pool.pointers(plain + weighted);
                std::vector<int64_t> weights(plain, 1);
                for (size_t i = 0; i < weighted; ++i) {
                    weights.push_back((static_cast<int64_t>(random()) >> 9) % 1000000007);
                }
                for (bool is_signed : {true, false}) {
                    const auto expected = slow_sum(pool, rows, weights, is_signed);
                    for_each_set([&](const Kernels& kernels) {
                        DocumentSum sum(bits);
                        add_in_pieces(kernels, sum, {rows.begin(), rows.begin() + plain}, 1024);
                        sum.add_weighted(kernels, rows.data() + plain, weights.data() + plain,
                                         weighted, 0);
                        const Components components = sum.finish(kernels, is_signed);
                        CHECK(components.wide != nullptr && components.exponent == 0);
                        CHECK(values_of(components) == expected);
                        // The next document knows nothing of the weights.
                        check_document(kernels, sum, pool, 9, 9, is_signed);
                    });
                }
            }
        }
    }
}

TEST(rows_of_weight_one_add_to_fractional_ones) {
    Random random(45);
    for (size_t bits : {size_t{8}, size_t{520}}) {
        const RowPool pool(random, 37, bits);
        for (int exponent : {-1, -30, -45, -61, -62, -200, 3}) {
            for (size_t count : {0, 1, 3, 4, 20, 65, 40000}) {
                // No |weight| is above 2^45, so 40,000 of them stay below 2^61.
                if (count == 40000 && exponent != -45 && exponent != 3) continue;
                const std::vector<const uint8_t*> rows = pool.pointers(count);
                const int64_t one = exponent < 0 && exponent >= -45 ? int64_t{1} << -exponent : 1;
                for (unsigned other : {1u, 2u, 5u, 50000u}) {  // one row in so many
                    std::vector<int64_t> weights(count, one);
                    for (int64_t& weight : weights) {
                        if (random() % other == 0) weight = static_cast<int64_t>(random()) >> 18;
                    }
                    const auto expected = slow_sum(pool, rows, weights, true);
                    for_each_set([&](const Kernels& kernels) {
                        DocumentSum sum(bits);
                        for (int repeat = 0; repeat < 2; ++repeat) {
                            sum.add_weighted(kernels, rows.data(), weights.data(), count, exponent);
                            const Components components = sum.finish(kernels, true);
                            CHECK(components.wide != nullptr && components.exponent == exponent);
                            CHECK(values_of(components) == expected);
                        }
                    });
                }
            }
        }
    }
}

TEST(integer_weights_stay_exact) {
    std::vector<int64_t> integers;
    const std::vector<double> weights = {1, -2, 0, 3e9, -9007199254740992};
    const FixedPoint scale = to_fixed_point(weights.data(), weights.size(), integers);
    CHECK(scale.is_finite && !scale.is_unit && scale.exponent == 0);
    CHECK(integers == (std::vector<int64_t>{1, -2, 0, 3000000000, -9007199254740992}));

    const std::vector<double> ones(5, 1);
    CHECK(to_fixed_point(ones.data(), 5, integers).is_unit);
    CHECK(integers == std::vector<int64_t>(5, 1));
    CHECK(to_fixed_point(nullptr, 0, integers).is_unit);
    const double zero = 0;
    const FixedPoint of_zero = to_fixed_point(&zero, 1, integers);
    CHECK(of_zero.is_finite && !of_zero.is_unit && of_zero.exponent == 0 && integers[0] == 0);
}

TEST(weights_that_are_not_finite_are_refused) {
    std::vector<int64_t> integers;
    for (double bad : {INFINITY, -INFINITY, NAN}) {
        const double weights[] = {1, bad, 2};
        CHECK(!to_fixed_point(weights, 3, integers).is_finite);
    }
}

TEST(fixed_point_weights_keep_their_bits_and_never_overflow) {
    Random random(29);
    std::vector<int64_t> integers;
    for (size_t count : {1, 2, 3, 7, 8, 9, 1000}) {
        for (double size : {5e-324, 1e-310, 1e-30, 0.1, 1.0, 1e18, 1.2e18, 1e30, 1.7e308}) {
            std::vector<double> weights(count);
            for (double& weight : weights) {
                weight = size * (static_cast<double>(random() % 2000001) / 1e6 - 1);
            }
            weights[0] = size;
            const FixedPoint scale = to_fixed_point(weights.data(), count, integers);
            CHECK(scale.is_finite && integers.size() == count);
            uint64_t sum = 0;
            for (size_t i = 0; i < count; ++i) {
                sum += static_cast<uint64_t>(std::abs(integers[i]));
                // Within half a unit of the last place kept; long double holds both exactly.
                const long double error =
                    std::ldexp(static_cast<long double>(integers[i]), scale.exponent) -
                    static_cast<long double>(weights[i]);
                CHECK(std::fabs(error) <= std::ldexp(0.5L, scale.exponent));
            }
            CHECK(sum < uint64_t{1} << 61);
            // The largest has the bits that are promised. A double has 53.
            if (scale.exponent != 0) {
                CHECK(std::abs(integers[0]) >= int64_t{1} << (60 - std::bit_width(count)));
            }
        }
    }
}

TEST(a_token_set_tells_new_tokens_from_seen_ones) {
    Random random(30);
    for_each_set([&](const Kernels& kernels) {
        SeenTokens seen;
        // Few tokens, then enough to make the table grow several times, then few again.
        for (size_t distinct : {1, 3, 400, 9000, 2}) {
            std::vector<bool> is_seen(distinct);
            size_t found = 0;
            for (size_t round = 0; round < 3; ++round) {
                Tokens tokens;
                std::string all;
                std::vector<uint32_t> starts, ends, expected;
                for (size_t i = 0; i < 2 * distinct; ++i) {
                    const size_t number = random() % distinct;
                    starts.push_back(static_cast<uint32_t>(all.size()));
                    all += std::to_string(number);
                    ends.push_back(static_cast<uint32_t>(all.size()));
                    if (!is_seen[number]) expected.push_back(static_cast<uint32_t>(i));
                    is_seen[number] = true;
                }
                tokens.add(all);
                std::vector<uint32_t> fresh(starts.size());
                fresh.resize(seen.insert(kernels, tokens.bytes(), starts.data(), ends.data(),
                                         starts.size(), fresh.data()));
                CHECK(fresh == expected);
                found += fresh.size();
            }
            CHECK(found >= 1 && found <= distinct);
            seen.clear();
        }
    });
}

TEST(small_weights_go_through_the_planes_and_large_ones_beside_them) {
    Random random(61);
    constexpr int64_t kMost = DocumentSum::kMostPlaneWeight;
    for (size_t bits : {size_t{8}, size_t{520}, size_t{2048}}) {
        const RowPool pool(random, 37, bits);
        for (size_t count : {0, 1, 15, 16, 17, 33, 129, 1000}) {
            const std::vector<const uint8_t*> rows = pool.pointers(count);
            // The largest weight of each: within one plane, within all, just past them, and far.
            for (int64_t most :
                 {int64_t{0}, int64_t{1}, int64_t{9}, kMost, kMost + 1, int64_t{1} << 40}) {
                for (bool is_signed : {true, false}) {
                    std::vector<int64_t> weights(count);
                    int64_t total = 0;
                    for (int64_t& weight : weights) {
                        weight = static_cast<int64_t>(random() % (static_cast<uint64_t>(most) + 1));
                        // Negative weights among them, where the sum stays above 0.
                        if (most > kMost && random() % 4 == 0) weight = -weight / 8;
                        total += weight;
                    }
                    const auto expected = slow_sum(pool, rows, weights, is_signed);
                    for_each_set([&](const Kernels& kernels) {
                        DocumentSum sum(bits);
                        for (size_t piece : {size_t{7}, std::max<size_t>(count, 1)}) {
                            for (size_t first = 0; first < count; first += piece) {
                                const size_t taken = std::min(piece, count - first);
                                sum.add_weighted(kernels, rows.data() + first,
                                                 weights.data() + first, taken, {});
                            }
                            const Components found = sum.finish(kernels, is_signed);
                            CHECK(found.total == total);
                            CHECK(values_of(found) == expected);
                            if (most <= 9 && total <= static_cast<int64_t>(kMaxPlaneCount)) {
                                CHECK(found.wide == nullptr);
                            }
                        }
                    });
                }
            }
        }
    }
}

TEST(a_tally_counts_each_different_token) {
    Random random(62);
    TokenTally tally;
    // Long documents make it grow, and short ones after them find nothing of them.
    for (size_t count : {0, 1, 5, 3000, 3, 100000, 2, 1025, 1024}) {
        std::vector<std::string> tokens;
        std::map<std::string, uint64_t> expected;
        std::vector<std::string> order;
        for (size_t i = 0; i < count; ++i) {
            // Lengths around what stands for itself, zeros that only the length tells apart.
            constexpr size_t kLengths[] = {0, 1, 2, 7, 8, 9, 14, 15, 16, 17, 40};
            std::string token(kLengths[random() % std::size(kLengths)], '\0');
            for (char& c : token) c = static_cast<char>(random() % 2);
            if (token.size() > 4) token[1] = static_cast<char>(random() % 256);
            if (expected[token]++ == 0) order.push_back(token);
            tokens.push_back(token);
        }
        const Tokens batch(tokens);
        for_each_set([&](const Kernels& kernels) {
            for (size_t piece : {size_t{1000000}, size_t{1500}}) {
                for (size_t first = 0; first < count; first += piece) {
                    tally.add(kernels, batch.bytes(), batch.starts() + first, batch.ends() + first,
                              std::min(piece, count - first));
                }
                CHECK(tally.size() == order.size());
                for (size_t i = 0; i < order.size(); ++i) {
                    const char* start =
                        reinterpret_cast<const char*>(tally.bytes() + tally.start(i));
                    const std::string found(start, tally.start(i + 1) - tally.start(i));
                    CHECK(found == order[i] && tally.count(i) == expected[found]);
                }
                tally.clear();
                CHECK(tally.size() == 0);
            }
        });
    }
}

TEST(sublinear_weights_are_rounded_logarithms_that_no_machine_rounds_otherwise) {
    const SublinearWeight weigh;
    for (uint64_t count = 1; count < 65536; ++count) {
        const long double exact = 256 * (1 + std::log(static_cast<long double>(count)));
        // Far more than the error of any log() in double precision.
        CHECK(std::fabs(exact - std::floor(exact) - 0.5L) > 1e-9L);
        const auto factor = static_cast<int64_t>(std::floor(exact + 0.5L));
        for (uint8_t weight : {uint8_t{1}, uint8_t{3}, uint8_t{16}, TokenWeights::kMost}) {
            const int64_t expected = (weight * factor + 128) / 256;
            CHECK(weigh(weight, count) == rounded_weight(expected));
        }
    }
    CHECK(weigh(TokenWeights::kMost, UINT64_MAX) == weigh(TokenWeights::kMost, 65535));
    CHECK(weigh(TokenWeights::kMost, UINT64_MAX) <= DocumentSum::kMostPlaneWeight);
    CHECK(weigh(0, 7) == 0 && weigh(5, 1) == rounded_weight(5));
    for (int64_t weight = 0; weight < 4096; ++weight) {
        const int64_t rounded = rounded_weight(weight);
        CHECK(std::popcount(static_cast<uint64_t>(rounded)) <= 3);
        CHECK(std::abs(rounded - weight) * 9 <= weight);
        CHECK(rounded_weight(rounded) == rounded);
    }
}

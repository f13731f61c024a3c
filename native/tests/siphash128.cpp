#include "siphash128/siphash128.h"

#include "tests/check.h"
#include "tests/support.h"
#include "unpack/unpack.h"

using namespace addhash;
using namespace addhash::test;

namespace {

constexpr Seed kReferenceKey = {0x0706050403020100, 0x0F0E0D0C0B0A0908};

std::vector<Seed> hash_all(const Kernels& kernels, Seed key, const Tokens& tokens, size_t count) {
    std::vector<Seed> seeds(count);
    kernels.siphash128(key, tokens.bytes(), tokens.starts(), tokens.ends(), count, seeds.data());
    return seeds;
}

Seed seed_of(const char* hex) {
    const Bytes bytes = from_hex(hex);
    return {load64(bytes.data()), load64(bytes.data() + 8)};
}

}  // namespace

TEST(siphash128_gives_the_reference_hashes) {
    // Of the bytes 0, 1, 2, ... under the key 0 to 15.
    const struct {
        size_t length;
        const char* hash;
    } known[] = {
        {0, "a3817f04ba25a8e66df67214c7550293"},  {1, "da87c1d86b99af44347659119b22fc45"},
        {2, "8177228da4a45dc7fca38bdef60affe4"},  {3, "9c70b60c5267a94e5f33b6b02985ed51"},
        {7, "a1f1ebbed8dbc153c0b84aa61ff08239"},  {8, "3b62a9ba6258f5610f83e264f31497b4"},
        {9, "264499060ad9baabc47f8b02bb6d71ed"},  {15, "5493e99933b0a8117e08ec0f97cfc3d9"},
        {16, "6ee2a4ca67b054bbfd3315bf85230577"}, {31, "2939b0183223fafc1723de4f52c43d35"},
        {32, "7c3956ca5eeafc3e363e9d556546eb68"}, {63, "5150d1772f50834a503e069a973fbd7c"}};
    Tokens tokens;
    for (const auto& [length, hash] : known) {
        std::string counting;
        for (size_t i = 0; i < length; ++i) counting.push_back(static_cast<char>(i));
        tokens.add(counting);
        CHECK(slow_siphash128(kReferenceKey, counting) == seed_of(hash));
    }
    for_each_set([&](const Kernels& kernels) {
        const auto seeds = hash_all(kernels, kReferenceKey, tokens, tokens.count());
        for (size_t i = 0; i < tokens.count(); ++i) CHECK(seeds[i] == seed_of(known[i].hash));
    });
}

TEST(siphash128_is_the_oracle_at_every_count_and_length) {
    Random random(5);
    const std::vector<size_t> lengths = edge_token_lengths();
    for (size_t count : kEdgeCounts) {
        const Seed key = {random(), random()};
        Tokens tokens;
        std::vector<Seed> expected;
        for (size_t i = 0; i < count; ++i) {
            tokens.add(random_string(random, lengths[random() % lengths.size()]));
            expected.push_back(slow_siphash128(key, tokens[i]));
        }
        for_each_set([&](const Kernels& kernels) {
            CHECK(hash_all(kernels, key, tokens, count) == expected);
        });
    }
    // A whole register of each length: no lane is masked.
    for (size_t length : lengths) {
        Tokens tokens;
        for (size_t i = 0; i < 8; ++i) tokens.add(random_string(random, length));
        for_each_set([&](const Kernels& kernels) {
            const auto seeds = hash_all(kernels, kReferenceKey, tokens, 8);
            for (size_t i = 0; i < 8; ++i) {
                CHECK(seeds[i] == slow_siphash128(kReferenceKey, tokens[i]));
            }
        });
    }
}

TEST(expansion_is_the_oracle_at_every_count_and_row_size) {
    Random random(6);
    std::vector<Seed> seeds = {{0, 0}, {~uint64_t{0}, ~uint64_t{0}}, {1, 2}};
    while (seeds.size() < 129) seeds.push_back({random(), random()});
    for_each_set([&](const Kernels& kernels) {
        for (size_t count : kEdgeCounts) {
            Rows rows(count, 24);
            kernels.expand_seeds(seeds.data(), rows.places(), count, 24);
            for (size_t i = 0; i < count; ++i) {
                CHECK(is_row(rows[i], slow_expand(seeds[i], 24), 24));
            }
        }
        for (size_t bits : kEdgeBits) {
            Rows rows(5, bits / 8);
            kernels.expand_seeds(seeds.data(), rows.places(), 5, bits / 8);
            for (size_t i = 0; i < 5; ++i) {
                CHECK(is_row(rows[i], slow_expand(seeds[i], bits / 8), bits / 8));
            }
        }
        Rows longest(1, kMostBits / 8);
        kernels.expand_seeds(&seeds[3], longest.places(), 1, kMostBits / 8);
        CHECK(longest[0] == slow_expand(seeds[3], kMostBits / 8));
    });
}

TEST(seeds_add_up_like_their_rows) {
    Random random(61);
    for (size_t bits : kEdgeBits) {
        const size_t columns = (bits / 8 + kColumnBytes - 1) / kColumnBytes;
        for (size_t count : {0, 1, 2, 15, 16, 17, 31, 32, 33, 100}) {
            std::vector<Seed> seeds(count);
            for (Seed& seed : seeds) seed = {random(), random()};
            for_each_set([&](const Kernels& kernels) {
                // Twice, so that planes are not empty the second time.
                Rows rows(count, bits / 8);
                baseline_kernels().expand_seeds(seeds.data(), rows.places(), count, bits / 8);
                std::vector<uint64_t> planes(columns * kPlanes * kColumnWords);
                kernels.add_seeds(planes.data(), columns, seeds.data(), count, 8);
                kernels.add_seeds(planes.data(), columns, seeds.data(), count, 8);
                std::vector<int16_t> sums(kComponentSlack + bits);
                kernels.unpack_planes(planes.data(), bits, 8, static_cast<int16_t>(2 * count),
                                      sums.data() + kComponentSlack);
                for (size_t c = 0; c < bits; ++c) {
                    int expected = 0;
                    for (size_t i = 0; i < count; ++i) {
                        expected += component_bit(rows[i].data(), bits, c) ? 2 : -2;
                    }
                    CHECK(sums[kComponentSlack + c] == expected);
                }
            });
        }
    }
}

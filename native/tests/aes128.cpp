#include "aes128/aes128.h"

#include "tests/check.h"
#include "tests/support.h"
#include "unpack/unpack.h"

using namespace addhash;
using namespace addhash::test;

namespace {

// Of RFC 4493.
const AesKey kReferenceKey = aes_key({0xA6D2AE2816157E2B, 0x3C4FCF098815F7AB});
const RowKeys kRowKeys = row_keys(3);
constexpr char kReferenceText[] =
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";

std::vector<Seed> hash_all(const Kernels& kernels, const AesKey& key, const Tokens& tokens,
                           size_t count) {
    std::vector<Seed> seeds(count);
    kernels.aes_cmac(key, tokens.bytes(), tokens.starts(), tokens.ends(), count, seeds.data());
    return seeds;
}

Seed seed_of(const char* hex) {
    const Bytes bytes = from_hex(hex);
    return {load64(bytes.data()), load64(bytes.data() + 8)};
}

}  // namespace

TEST(aes_keys_are_those_of_the_standards) {
    // The last round key of FIPS 197's example, and the subkeys of RFC 4493's, which has its key.
    CHECK(seed_of("d014f9a8c9ee2589e13f0cc8b6630ca6") ==
          (Seed{load64(kReferenceKey.rounds[10]), load64(kReferenceKey.rounds[10] + 8)}));
    CHECK(seed_of("fbeed618357133667c85e08f7236a8de") ==
          (Seed{load64(kReferenceKey.whole), load64(kReferenceKey.whole + 8)}));
    CHECK(seed_of("f7ddac306ae266ccf90bc11ee46d513b") ==
          (Seed{load64(kReferenceKey.padded), load64(kReferenceKey.padded + 8)}));
}

TEST(aes_cmac_gives_the_reference_hashes) {
    const struct {
        size_t length;
        const char* hash;
    } known[] = {{0, "bb1d6929e95937287fa37d129b756746"},
                 {16, "070a16b46b4d4144f79bdd9dd04a287c"},
                 {40, "dfa66747de9ae63030ca32611497c827"},
                 {64, "51f0bebf7e3b9d92fc49741779363cfe"}};
    const Bytes text = from_hex(kReferenceText);
    Tokens tokens;
    for (const auto& [length, hash] : known) {
        const std::string token(text.begin(), text.begin() + static_cast<ptrdiff_t>(length));
        tokens.add(token);
        CHECK(slow_aes_cmac(kReferenceKey, token) == seed_of(hash));
    }
    for_each_set([&](const Kernels& kernels) {
        const auto seeds = hash_all(kernels, kReferenceKey, tokens, tokens.count());
        for (size_t i = 0; i < tokens.count(); ++i) CHECK(seeds[i] == seed_of(known[i].hash));
    });
}

TEST(aes_cmac_is_the_oracle_at_every_count_and_length) {
    Random random(5);
    const std::vector<size_t> lengths = edge_token_lengths();
    for (size_t count : kEdgeCounts) {
        const AesKey key = aes_key({random(), random()});
        Tokens tokens;
        std::vector<Seed> expected;
        for (size_t i = 0; i < count; ++i) {
            tokens.add(random_string(random, lengths[random() % lengths.size()]));
            expected.push_back(slow_aes_cmac(key, tokens[i]));
        }
        for_each_set([&](const Kernels& kernels) {
            CHECK(hash_all(kernels, key, tokens, count) == expected);
        });
    }
    // Some of each length.
    for (size_t length : lengths) {
        Tokens tokens;
        for (size_t i = 0; i < 8; ++i) tokens.add(random_string(random, length));
        for_each_set([&](const Kernels& kernels) {
            const auto seeds = hash_all(kernels, kReferenceKey, tokens, 8);
            for (size_t i = 0; i < 8; ++i) {
                CHECK(seeds[i] == slow_aes_cmac(kReferenceKey, tokens[i]));
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
            kernels.expand_seeds(kRowKeys, seeds.data(), rows.places(), count, 24);
            for (size_t i = 0; i < count; ++i) {
                CHECK(is_row(rows[i], slow_expand(kRowKeys, seeds[i], 24), 24));
            }
        }
        for (size_t bits : kEdgeBits) {
            Rows rows(5, bits / 8);
            kernels.expand_seeds(kRowKeys, seeds.data(), rows.places(), 5, bits / 8);
            for (size_t i = 0; i < 5; ++i) {
                CHECK(is_row(rows[i], slow_expand(kRowKeys, seeds[i], bits / 8), bits / 8));
            }
        }
        Rows longest(1, kMostBits / 8);
        kernels.expand_seeds(kRowKeys, &seeds[3], longest.places(), 1, kMostBits / 8);
        CHECK(longest[0] == slow_expand(kRowKeys, seeds[3], kMostBits / 8));
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
                baseline_kernels().expand_seeds(kRowKeys, seeds.data(), rows.places(), count,
                                                bits / 8);
                std::vector<uint64_t> planes(columns * kPlanes * kColumnWords);
                kernels.add_seeds(kRowKeys, planes.data(), columns, seeds.data(), count, 8);
                kernels.add_seeds(kRowKeys, planes.data(), columns, seeds.data(), count, 8);
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

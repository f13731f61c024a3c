#include "shake256/shake256.h"

#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

constexpr uint64_t kZeroSponge[kKeccakWords] = {};

}  // namespace

TEST(shake256_gives_the_published_digests) {
    const std::string long_token(200, '\xA3');
    const struct {
        std::string_view token;
        const char* digest;
    } known[] = {{"",
                  "46b9dd2b0ba88d13233b3feb743eeb243fcd52ea62b81b82b50c27646ed5762f"
                  "d75dc4ddd8c0f200cb05019d67b592f6fc821c49479ab48640292eacb3b7c4be"},
                 // NIST's example of a message of 1600 bits.
                 {long_token,
                  "cd8a920ed141aa0407a22d59288652e9d9f1a7ee0c1e7c1ca699424da84a904d"
                  "2d700caae7396ece96604440577da4f3aa22aeb8857f961c4cd8e06f0ae6610b"}};
    for (const auto& [token, hex] : known) {
        const Bytes digest = from_hex(hex);
        CHECK(digest.size() == 64);
        CHECK(slow_shake256(token, 64) == digest);
        for_each_set([&, token = token](const Kernels& kernels) {
            Tokens tokens;
            tokens.add(token);
            Rows rows(1, 64);
            kernels.shake256(kZeroSponge, tokens.slices().data(), rows.places(), 1, 64);
            CHECK(rows[0] == digest);
        });
    }
}

TEST(shake256_is_the_oracle_at_every_count_length_and_digest_size) {
    constexpr size_t kLongest = 8192 / 8;
    Random random(3);
    const std::vector<size_t> lengths = edge_token_lengths();
    Tokens tokens;
    std::vector<Bytes> expected;
    for (size_t i = 0; i < 129; ++i) {
        // Each length at least once; then short and long ones mixed.
        const size_t length = i < lengths.size() ? lengths[i] : lengths[random() % lengths.size()];
        tokens.add(random_string(random, length));
    }
    for (size_t i = 0; i < 129; ++i) expected.push_back(slow_shake256(tokens[i], kLongest));
    const std::vector<Slice> slices = tokens.slices();
    for_each_set([&](const Kernels& kernels) {
        for (size_t count : kEdgeCounts) {
            for (size_t bytes : {size_t{1}, size_t{256}}) {
                Rows rows(count, bytes);
                kernels.shake256(kZeroSponge, slices.data(), rows.places(), count, bytes);
                for (size_t i = 0; i < count; ++i) CHECK(is_row(rows[i], expected[i], bytes));
            }
        }
        for (size_t bits : kEdgeBits) {
            // From 30 on, so that lanes of one register hold tokens of one block and of several.
            Rows rows(21, bits / 8);
            kernels.shake256(kZeroSponge, slices.data() + 30, rows.places(), 21, bits / 8);
            for (size_t i = 0; i < 21; ++i) CHECK(is_row(rows[i], expected[30 + i], bits / 8));
        }
        // Digests that end on every byte of a word, and around the end of the rate.
        for (size_t bytes : {1, 2, 3, 4, 5, 6, 7, 8, 9, 63, 64, 65, 127, 135, 136, 137, 144, 272}) {
            Rows rows(3, bytes);
            kernels.shake256(kZeroSponge, slices.data(), rows.places(), 3, bytes);
            for (size_t i = 0; i < 3; ++i) CHECK(is_row(rows[i], expected[i], bytes));
        }
    });
}

TEST(shake256_squeezes_the_longest_row) {
    const Tokens tokens({"the longest row"});
    const Bytes expected = slow_shake256(tokens[0], kMostBits / 8);
    for_each_set([&](const Kernels& kernels) {
        Rows rows(1, kMostBits / 8);
        kernels.shake256(kZeroSponge, tokens.slices().data(), rows.places(), 1, kMostBits / 8);
        CHECK(rows[0] == expected);
    });
}

TEST(a_keyed_sponge_is_the_hash_of_key_block_and_token) {
    Random random(4);
    const std::string block = random_string(random, kShakeRate);
    uint64_t sponge[kKeccakWords] = {};
    shake256_absorb_block(sponge, reinterpret_cast<const uint8_t*>(block.data()));
    Tokens tokens;
    for (size_t length : edge_token_lengths()) tokens.add(random_string(random, length));
    for_each_set([&](const Kernels& kernels) {
        Rows rows(tokens.count(), 40);
        kernels.shake256(sponge, tokens.slices().data(), rows.places(), tokens.count(), 40);
        for (size_t i = 0; i < tokens.count(); ++i) {
            CHECK(is_row(rows[i], slow_shake256(block + std::string(tokens[i]), 40), 40));
        }
    });
}

#include "murmur3/murmur3.h"

#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

constexpr uint32_t kSeeds[] = {0, 1, 0x9747B28C, 0xFFFFFFFF};

std::vector<uint32_t> hash_all(const Kernels& kernels, const Tokens& tokens, size_t count,
                               uint32_t seed) {
    std::vector<uint32_t> hashes(count);
    kernels.murmur3(tokens.bytes(), tokens.starts(), tokens.ends(), count, seed, hashes.data());
    return hashes;
}

}  // namespace

TEST(murmur3_gives_the_published_hashes) {
    const struct {
        const char* token;
        uint32_t seed, hash;
    } known[] = {{"", 0, 0},
                 {"", 1, 0x514E28B7},
                 {"", 0xFFFFFFFF, 0x81F16F39},
                 {"test", 0, 0xBA6BD213},
                 {"test", 0x9747B28C, 0x704B81DC},
                 {"abc", 0, 0xB3DD93FA},
                 {"a", 0x9747B28C, 0x7FA09EA6},
                 {"aa", 0x9747B28C, 0x5D211726},
                 {"aaa", 0x9747B28C, 0x283E0130},
                 {"aaaa", 0x9747B28C, 0x5A97808A},
                 {"Hello, world!", 0, 0xC0363E43},
                 {"Hello, world!", 0x9747B28C, 0x24884CBA},
                 {"The quick brown fox jumps over the lazy dog", 0, 0x2E4FF723},
                 {"The quick brown fox jumps over the lazy dog", 0x9747B28C, 0x2FA826CD}};
    for (const auto& [token, seed, hash] : known) {
        CHECK(slow_murmur3(token, seed) == hash);
        for_each_set([&, token = token, seed = seed, hash = hash](const Kernels& kernels) {
            Tokens tokens;
            tokens.add(token);
            CHECK(hash_all(kernels, tokens, 1, seed)[0] == hash);
        });
    }
}

TEST(murmur3_is_the_oracle_at_every_count_and_length) {
    Random random(1);
    const std::vector<size_t> lengths = edge_token_lengths();
    for (size_t count : kEdgeCounts) {
        // Neighbouring lanes have lengths that differ: each runs out of blocks on its own.
        Tokens tokens;
        for (size_t i = 0; i < count; ++i) {
            tokens.add(random_string(random, lengths[random() % lengths.size()]));
        }
        for (uint32_t seed : kSeeds) {
            std::vector<uint32_t> expected;
            for (size_t i = 0; i < count; ++i) expected.push_back(slow_murmur3(tokens[i], seed));
            for_each_set([&](const Kernels& kernels) {
                CHECK(hash_all(kernels, tokens, count, seed) == expected);
            });
        }
    }
    for (size_t length : lengths) {
        Tokens tokens;
        for (size_t i = 0; i < 17; ++i) tokens.add(random_string(random, length));
        for_each_set([&](const Kernels& kernels) {
            const auto hashes = hash_all(kernels, tokens, 17, 7);
            for (size_t i = 0; i < 17; ++i) CHECK(hashes[i] == slow_murmur3(tokens[i], 7));
        });
    }
}

TEST(murmur3_takes_overlapping_tokens_and_writes_no_hash_too_many) {
    Random random(2);
    Tokens text;
    text.add(random_string(random, 200));
    std::vector<uint32_t> starts, ends;
    for (uint32_t i = 0; i < 190; ++i) {
        starts.push_back(i);
        ends.push_back(i + i % 11);
    }
    for_each_set([&](const Kernels& kernels) {
        for (size_t count : kEdgeCounts) {
            std::vector<uint32_t> hashes(count + 16, 0xDEADBEEF);
            kernels.murmur3(text.bytes(), starts.data(), ends.data(), count, 0, hashes.data());
            for (size_t i = 0; i < count; ++i) {
                CHECK(hashes[i] == slow_murmur3(text[0].substr(i, i % 11), 0));
            }
            for (size_t i = count; i < hashes.size(); ++i) CHECK(hashes[i] == 0xDEADBEEF);
        }
    });
}

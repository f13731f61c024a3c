#include "rows/rows.h"

#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

constexpr RandomizerKind kKinds[] = {RandomizerKind::shake256, RandomizerKind::aes128};

Randomizer randomizer_of(RandomizerKind kind, size_t bits) {
    Randomizer randomizer{};
    randomizer.kind = kind;
    randomizer.bits = bits;
    randomizer.key = aes_key({0x1122334455667788, 0x99AABBCCDDEEFF00});
    randomizer.row_keys = row_keys(7);
    return randomizer;
}

// Rows as they should be. Long ones come from the baseline kernels, which have tests of their own.
Bytes row_of(const Randomizer& randomizer, const std::string& token) {
    if (randomizer.bits <= 2048) return slow_row(randomizer, "", token);
    const Kernels& kernels = baseline_kernels();
    const Tokens tokens({token});
    Rows rows(1, randomizer.bytes());
    if (randomizer.kind == RandomizerKind::shake256) {
        kernels.shake256(randomizer.sponge, tokens.slices().data(), rows.places(), 1,
                         randomizer.bytes());
    } else {
        Seed seed;
        kernels.aes_cmac(randomizer.key, tokens.bytes(), tokens.starts(), tokens.ends(), 1, &seed);
        kernels.expand_seeds(randomizer.row_keys, &seed, rows.places(), 1, randomizer.bytes());
    }
    return rows[0];
}

class Checked {
public:
    Checked(const Kernels& kernels, const Randomizer& randomizer,
            const std::vector<std::string>& vocabulary)
        : kernels_(kernels), randomizer_(randomizer), vocabulary_(vocabulary), source_(randomizer) {
        for (const std::string& token : vocabulary) {
            expected_.push_back(row_of(randomizer, token));
            expected_.back().resize((randomizer.bytes() + 63) / 64 * 64);
        }
    }

    size_t capacity() const { return source_.capacity(); }

    // One request for the tokens with these numbers.
    void request(const std::vector<size_t>& wanted) {
        Tokens tokens;
        for (size_t i : wanted) tokens.add(vocabulary_[i]);
        const size_t old = rows_.size();
        rows_.resize(old + wanted.size());
        source_.request(kernels_, tokens.bytes(), tokens.starts(), tokens.ends(), wanted.size(),
                        rows_.data() + old);
        wanted_.insert(wanted_.end(), wanted.begin(), wanted.end());
        // The tokens' bytes are gone now: the source must have kept what it needs.
    }

    void resolve() {
        source_.resolve(kernels_);
        for (size_t i = 0; i < rows_.size(); ++i) {
            CHECK(same_bits(rows_[i], expected_[wanted_[i]].data(), expected_[wanted_[i]].size()));
        }
        rows_.clear();
        wanted_.clear();
    }

private:
    const Kernels& kernels_;
    Randomizer randomizer_;
    const std::vector<std::string>& vocabulary_;
    RowSource source_;
    std::vector<Bytes> expected_;
    std::vector<const uint8_t*> rows_;
    std::vector<size_t> wanted_;
};

// Tokens of every edge length; those up to 15 bytes stand for themselves in the cache.
std::vector<std::string> edge_vocabulary(Random& random) {
    std::vector<std::string> vocabulary;
    for (size_t length : edge_token_lengths()) vocabulary.push_back(random_string(random, length));
    // Tokens that differ only in trailing zeros, or only in the byte before the last.
    for (size_t length = 1; length <= 17; ++length) vocabulary.emplace_back(length, '\0');
    for (size_t length = 2; length <= 17; ++length) {
        std::string token(length, 'z');
        token[length - 2] = 'y';
        vocabulary.push_back(token);
    }
    return vocabulary;
}

}  // namespace

TEST(rows_are_the_oracle_for_both_randomizers_at_every_length) {
    Random random(18);
    const std::vector<std::string> vocabulary = edge_vocabulary(random);
    std::vector<size_t> all;
    for (size_t i = 0; i < vocabulary.size(); ++i) all.push_back(i);
    for (RandomizerKind kind : kKinds) {
        for (size_t bits : kEdgeBits) {
            if (bits > 2048) continue;
            for_each_set([&](const Kernels& kernels) {
                Checked source(kernels, randomizer_of(kind, bits), vocabulary);
                source.request(all);
                source.request(all);  // the same rows again, before and after they are there
                source.resolve();
                source.request(all);
                source.resolve();
                source.resolve();
            });
        }
    }
}

TEST(rows_of_several_requests_stay_until_the_next_block) {
    Random random(19);
    std::vector<std::string> vocabulary;
    for (size_t i = 0; i < 600; ++i) vocabulary.push_back("token " + std::to_string(i * i * i));
    for (RandomizerKind kind : kKinds) {
        for_each_set([&](const Kernels& kernels) {
            Checked source(kernels, randomizer_of(kind, 64), vocabulary);
            for (size_t block = 0; block < 30; ++block) {
                size_t left = source.capacity();
                for (size_t count : kEdgeCounts) {
                    if (count > left) break;
                    left -= count;
                    std::vector<size_t> wanted;
                    for (size_t i = 0; i < count; ++i) {
                        // Some tokens come again and again, most seldom.
                        wanted.push_back(random() % (random() % vocabulary.size() + 1));
                    }
                    source.request(wanted);
                }
                source.resolve();
            }
        });
    }
}

TEST(a_full_cache_gives_rows_away_but_never_one_in_use) {
    Random random(20);
    struct Case {
        RandomizerKind kind;
        size_t bits, vocabulary, blocks;
    };
    // Few rows of these lengths fit the cache; of the last ones none does.
    const Case cases[] = {{RandomizerKind::shake256, size_t{1} << 17, 2500, 3},
                          {RandomizerKind::aes128, size_t{1} << 16, 1500, 6},
                          {RandomizerKind::shake256, kMostBits, 170, 8},
                          {RandomizerKind::aes128, kMostBits, 100, 4}};
    for (const Case& c : cases) {
        std::vector<std::string> vocabulary;
        for (size_t i = 0; i < c.vocabulary; ++i) {
            vocabulary.push_back(random_string(random, i % 23) + std::to_string(i));
        }
        // The widest set, and the baseline: the cache is the same code for all.
        for (const Kernels* kernels : {&baseline_kernels(), &active_kernels()}) {
            Checked source(*kernels, randomizer_of(c.kind, c.bits), vocabulary);
            size_t next = 0;
            for (size_t block = 0; block < c.blocks; ++block) {
                std::vector<size_t> wanted;
                while (wanted.size() < source.capacity()) {
                    // Every token in turn, which no cache can hold, and some at random.
                    wanted.push_back(random() % 2 ? next++ % vocabulary.size()
                                                  : random() % vocabulary.size());
                }
                source.request(wanted);
                source.resolve();
            }
        }
    }
}

TEST(tokens_that_wait_to_be_hashed_take_bounded_memory) {
    constexpr size_t kCount = 200, kLength = size_t{1} << 20;
    Random random(39);
    // Overlapping, as n-grams are: 200 MB of tokens in a text of one.
    Tokens text({random_string(random, kLength + kCount)});
    std::vector<uint32_t> starts, ends;
    for (size_t i = 0; i < kCount; ++i) {
        starts.push_back(static_cast<uint32_t>(i));
        ends.push_back(static_cast<uint32_t>(i + kLength));
    }
    const Randomizer randomizer = randomizer_of(RandomizerKind::aes128, 64);
    const Kernels& kernels = active_kernels();
    RowSource source(randomizer);
    std::vector<const uint8_t*> rows(kCount + 2);
    const Tokens small({"small"});
    take_largest_allocation();
    source.request(kernels, small.bytes(), small.starts(), small.ends(), 1, &rows[kCount]);
    source.request(kernels, text.bytes(), starts.data(), ends.data(), kCount, rows.data());
    source.request(kernels, small.bytes(), small.starts(), small.ends(), 1, &rows[kCount + 1]);
    source.resolve(kernels);
    CHECK(take_largest_allocation() < 150 * kLength);
    for (size_t i : {size_t{0}, size_t{1}, size_t{64}, size_t{130}, kCount - 1}) {
        const Bytes expected = slow_row(randomizer, "", text[0].substr(i, kLength));
        CHECK(same_bits(rows[i], expected.data(), expected.size()));
    }
    for (size_t i : {kCount, kCount + 1}) {
        CHECK(same_bits(rows[i], slow_row(randomizer, "", "small").data(), 8));
    }
}

TEST(a_keyed_shake256_row_is_that_of_key_block_and_token) {
    Random random(21);
    const std::string block = random_string(random, kShakeRate);
    Randomizer randomizer = randomizer_of(RandomizerKind::shake256, 520);
    shake256_absorb_block(randomizer.sponge, reinterpret_cast<const uint8_t*>(block.data()));
    const Tokens tokens({"", "a", std::string(200, 'b')});
    for_each_set([&](const Kernels& kernels) {
        RowSource source(randomizer);
        const uint8_t* rows[3];
        source.request(kernels, tokens.bytes(), tokens.starts(), tokens.ends(), 3, rows);
        source.resolve(kernels);
        for (size_t i = 0; i < 3; ++i) {
            CHECK(same_bits(rows[i], slow_row(randomizer, block, tokens[i]).data(), 65));
        }
    });
    CHECK(randomizer != randomizer_of(RandomizerKind::shake256, 520));
}

TEST(tokens_that_differ_anywhere_keep_their_rows) {
    // A hundred names that share all but one of their bytes, at every place that it may have, fit
    // the cache many times: each is hashed once.
    static size_t hashed;
    static Shake256 shake256;
    Kernels kernels = baseline_kernels();
    shake256 = kernels.shake256;
    kernels.shake256 = [](const uint64_t* sponge, const Slice* tokens, uint8_t* const* rows,
                          size_t count, size_t bytes) {
        hashed += count;
        shake256(sponge, tokens, rows, count, bytes);
    };
    for (size_t place = 0; place < 20; ++place) {
        RowSource source(randomizer_of(RandomizerKind::shake256, 1024));
        hashed = 0;
        Tokens tokens;
        for (char c = 0; c < 100; ++c) {
            std::string token(20, 'x');
            token[place] = c;
            tokens.add(token.substr(0, std::max(place + 1, size_t{9})));
        }
        std::vector<const uint8_t*> rows(source.capacity());
        for (int round = 0; round < 5; ++round) {
            source.request(kernels, tokens.bytes(), tokens.starts(), tokens.ends(), 100,
                           rows.data());
            source.resolve(kernels);
        }
        CHECK(hashed <= 110);
    }
}

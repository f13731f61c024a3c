#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "additive/batch.h"
#include "additive/workspaces.h"
#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

constexpr size_t kThreads[] = {1, 2, 5};
constexpr RandomizerKind kKinds[] = {RandomizerKind::shake256, RandomizerKind::aes128};

bool is_space(uint32_t c) { return c == ' '; }
bool is_word(uint32_t c) { return c > ' ' && c < 0x80; }

const CharacterTable& table() {
    static const CharacterTable characters({is_space, is_word, {}});
    return characters;
}

Text text_of(const std::string& text) { return {text.data(), text.size(), 1, &table()}; }

Randomizer randomizer_of(RandomizerKind kind, size_t bits) {
    Randomizer randomizer{};
    randomizer.kind = kind;
    randomizer.bits = bits;
    randomizer.key = aes_key({5, 6});
    randomizer.row_keys = row_keys(1);
    return randomizer;
}

struct WeightedToken {
    std::string token;
    double weight;
};
using Document = std::vector<WeightedToken>;

// Documents of words; empty ones and one of more than a block of rows among them.
std::vector<Document> random_documents(Random& random, size_t count) {
    std::vector<Document> documents(count);
    for (size_t d = 0; d < count; ++d) {
        const size_t words = d % 9 == 0 ? 0 : d == 20 ? 2500 : random() % 60;
        for (size_t i = 0; i < words; ++i) {
            const size_t length = random() % 8 == 0 ? 150 : 2 + random() % 20;
            std::string word;
            while (word.size() < length) word.push_back(static_cast<char>('a' + random() % 2));
            documents[d].push_back({word, 1});
        }
    }
    return documents;
}

std::string joined(const Document& document) {
    std::string text;
    for (const WeightedToken& token : document) text += token.token + " ";
    return text;
}

TokenBatch batch_of(const std::vector<Document>& documents) {
    TokenBatch batch;
    for (const Document& document : documents) {
        for (const auto& [token, weight] : document) {
            uint8_t* out = batch.extend(token.size());
            if (!token.empty()) std::memcpy(out, token.data(), token.size());
            batch.keep(token.size());
            batch.end_token(weight);
        }
        batch.end_document();
    }
    return batch;
}

// The sums by definition. Weights are small multiples of 2^-10, so doubles add them exactly.
class Oracle {
public:
    explicit Oracle(const Randomizer& randomizer) : randomizer_(randomizer) {}

    std::vector<double> sums(const Document& document, bool is_signed, bool is_binary) {
        std::vector<double> sums(randomizer_.bits);
        std::set<std::string> seen;
        for (const auto& [token, weight] : document) {
            if (is_binary && !seen.insert(token).second) continue;
            auto place = rows_.find(token);
            if (place == rows_.end()) {
                place = rows_.emplace(token, slow_row(randomizer_, "", token)).first;
            }
            for (size_t c = 0; c < sums.size(); ++c) {
                const bool is_set = component_bit(place->second.data(), sums.size(), c);
                sums[c] += is_set ? weight : is_signed ? -weight : 0;
            }
        }
        return sums;
    }

private:
    Randomizer randomizer_;
    std::map<std::string, Bytes> rows_;
};

template <class T> AdditiveOptions options_for(std::vector<T>& out, size_t bits, Norm norm,
                                               bool is_signed, bool is_binary) {
    const ValueType type = std::is_same_v<T, double>    ? ValueType::float64
                           : std::is_same_v<T, int16_t> ? ValueType::int16
                                                        : ValueType::int64;
    return {is_signed,
            is_binary,
            {type, norm, reinterpret_cast<uint8_t*>(out.data()), bits * sizeof(T), false}};
}

}  // namespace

TEST(vectors_of_texts_are_the_oracle_on_any_threads) {
    Random random(34);
    const std::vector<Document> documents = random_documents(random, 100);
    std::vector<std::string> strings;
    for (const Document& document : documents) strings.push_back(joined(document));
    std::vector<Text> texts;
    for (const std::string& text : strings) texts.push_back(text_of(text));
    const TokenBatch tokens = batch_of(documents);
    for (RandomizerKind kind : kKinds) {
        for (size_t bits : {size_t{8}, size_t{520}}) {
            const Randomizer randomizer = randomizer_of(kind, bits);
            Oracle oracle(randomizer);
            for (bool is_signed : {true, false}) {
                for (bool is_binary : {false, true}) {
                    std::vector<int64_t> expected;
                    for (const Document& document : documents) {
                        for (double sum : oracle.sums(document, is_signed, is_binary)) {
                            expected.push_back(static_cast<int64_t>(sum));
                        }
                    }
                    for_each_set([&](const Kernels& kernels) {
                        for (size_t threads : kThreads) {
                            std::vector<int64_t> out(expected.size(), -9);
                            const AdditiveOptions options =
                                options_for(out, bits, Norm::none, is_signed, is_binary);
                            CHECK(vectorize_texts(kernels, randomizer, options,
                                                  {Analyzer::word, {1, 1}}, texts, threads)
                                      .status == Status::done);
                            CHECK(out == expected);
                            out.assign(expected.size(), -9);
                            CHECK(vectorize_tokens(kernels, randomizer, options, tokens, threads)
                                      .status == Status::done);
                            CHECK(out == expected);
                        }
                    });
                }
            }
        }
    }
}

TEST(weighted_tokens_are_the_oracle_in_any_order) {
    Random random(35);
    constexpr size_t kBits = 264;
    std::vector<Document> documents = random_documents(random, 60);
    for (Document& document : documents) {
        const size_t kind = random() % 3;  // all 1, integers, or fractions
        for (WeightedToken& token : document) {
            const double integer = static_cast<double>(random() % 2001) - 1000;
            token.weight = kind == 0 ? 1 : kind == 1 ? integer : integer / 1024;
        }
    }
    const Randomizer randomizer = randomizer_of(RandomizerKind::aes128, kBits);
    Oracle oracle(randomizer);
    std::vector<Document> shuffled = documents;
    for (Document& document : shuffled) std::shuffle(document.begin(), document.end(), random);
    for (bool is_signed : {true, false}) {
        std::vector<double> expected;
        for (const Document& document : documents) {
            const auto sums = oracle.sums(document, is_signed, false);
            expected.insert(expected.end(), sums.begin(), sums.end());
        }
        for (const auto* order : {&documents, &shuffled}) {
            const TokenBatch tokens = batch_of(*order);
            for_each_set([&](const Kernels& kernels) {
                for (size_t threads : kThreads) {
                    std::vector<double> out(expected.size(), -9);
                    CHECK(vectorize_tokens(kernels, randomizer,
                                           options_for(out, kBits, Norm::none, is_signed, false),
                                           tokens, threads)
                              .status == Status::done);
                    CHECK(out == expected);
                }
            });
        }
    }
}

TEST(weights_that_must_be_rounded_do_not_depend_on_order_or_threads) {
    Random random(36);
    constexpr size_t kBits = 64;
    std::vector<Document> documents = random_documents(random, 40);
    for (Document& document : documents) {
        for (WeightedToken& token : document) {
            token.weight = std::ldexp(static_cast<double>(random() % 1000003), int(random() % 90));
        }
    }
    const Randomizer randomizer = randomizer_of(RandomizerKind::aes128, kBits);
    std::vector<double> first;
    for (size_t round = 0; round < 3; ++round) {
        const TokenBatch tokens = batch_of(documents);
        for_each_set([&](const Kernels& kernels) {
            for (size_t threads : kThreads) {
                std::vector<double> out(documents.size() * kBits, -9);
                vectorize_tokens(kernels, randomizer,
                                 options_for(out, kBits, Norm::l2, true, false), tokens, threads);
                if (first.empty()) first = out;
                CHECK(out == first);
            }
        });
        for (Document& document : documents) std::shuffle(document.begin(), document.end(), random);
    }
    double size = 0;
    for (size_t c = 0; c < kBits; ++c) size += first[kBits + c] * first[kBits + c];
    CHECK(std::fabs(size - 1) < 1e-12);
}

TEST(a_document_of_more_tokens_than_the_planes_hold_is_exact) {
    constexpr size_t kBits = 16;
    Random random(37);
    std::string text;
    std::map<std::string, double> counts;
    for (size_t i = 0; i < 70000; ++i) {
        text.push_back(static_cast<char>('a' + random() % 5));
        counts[text.substr(i)] += 1;
    }
    Document document;
    for (const auto& [letter, count] : counts) document.push_back({letter, count});
    for (RandomizerKind kind : kKinds) {
        const Randomizer randomizer = randomizer_of(kind, kBits);
        const std::vector<double> sums = Oracle(randomizer).sums(document, true, false);
        for_each_set([&](const Kernels& kernels) {
            std::vector<int64_t> out(2 * kBits);
            const std::string one = "b";
            const Text texts[] = {text_of(text), text_of(one)};
            vectorize_texts(kernels, randomizer, options_for(out, kBits, Norm::none, true, false),
                            {Analyzer::characters, {1, 1}}, texts, 1);
            for (size_t c = 0; c < kBits; ++c) {
                CHECK(static_cast<double>(out[c]) == sums[c]);
                CHECK(std::abs(out[kBits + c]) == 1);
            }
        });
    }
}

TEST(the_first_document_that_fails_is_reported_on_any_threads) {
    constexpr size_t kBits = 8;
    const Randomizer randomizer = randomizer_of(RandomizerKind::aes128, kBits);
    const std::string plain = "plain";
    const std::string too_many(40000, 'a');  // every component is 40000 or -40000
    const uint16_t surrogate[] = {'a', 0xD800};
    std::vector<int16_t> out(300 * kBits);
    const AdditiveOptions options = options_for(out, kBits, Norm::none, true, false);
    const auto run = [&](const std::vector<Text>& texts, size_t threads) {
        return vectorize_texts(active_kernels(), randomizer, options,
                               {Analyzer::characters, {1, 1}}, texts, threads);
    };
    for (size_t threads : kThreads) {
        std::vector<Text> texts(300, text_of(plain));
        for (size_t place : {299, 120, 33, 32, 31}) {
            texts[place] = {surrogate, 2, 2, &table()};
            const Outcome result = run(texts, threads);
            CHECK(result.status == Status::surrogate && result.position == place);
        }
        // A sum is written later than its text is cut, and still it is the first to fail.
        texts[7] = text_of(too_many);
        const Outcome result = run(texts, threads);
        CHECK(result.status == Status::overflow && result.position == 7);
        texts.assign(300, text_of(plain));
        CHECK(run(texts, threads).status == Status::done);
    }
}

TEST(bad_weights_are_reported) {
    constexpr size_t kBits = 8;
    const Randomizer randomizer = randomizer_of(RandomizerKind::aes128, kBits);
    std::vector<int64_t> out(3 * kBits);
    const AdditiveOptions options = options_for(out, kBits, Norm::none, true, false);
    const auto run = [&](double weight) {
        const TokenBatch batch = batch_of({{{"a", 1}}, {{"b", 1}, {"c", weight}}, {{"d", 2}}});
        return vectorize_tokens(active_kernels(), randomizer, options, batch, 1);
    };
    CHECK(run(NAN).status == Status::not_finite && run(NAN).position == 1);
    CHECK(run(-INFINITY).status == Status::not_finite);
    CHECK(run(0.5).status == Status::fractional && run(0.5).position == 1);
    CHECK(run(1e30).status == Status::overflow && run(1e30).position == 1);
    CHECK(run(-7).status == Status::done);
}

TEST(the_pool_gives_a_workspace_of_the_same_randomizer_back) {
    release_workspaces();
    CHECK(kept_workspace_bytes() == 0);
    const Randomizer a = randomizer_of(RandomizerKind::aes128, 8);
    const Randomizer b = randomizer_of(RandomizerKind::aes128, 16);
    auto first = take_workspace(a, 1);
    const AdditiveWorkspace* const address = first.get();
    CHECK(first->randomizer() == a);
    keep_workspace(std::move(first));
    CHECK(kept_workspace_bytes() > 0);
    const auto other = take_workspace(b, 1);
    CHECK(other.get() != address && other->randomizer() == b);
    const auto again = take_workspace(a, 1);
    CHECK(again.get() == address && kept_workspace_bytes() == 0);
}

TEST(idle_workspaces_are_limited_and_can_be_released) {
    const Randomizer randomizer = randomizer_of(RandomizerKind::shake256, 2048);
    std::vector<std::unique_ptr<AdditiveWorkspace>> many;
    for (size_t i = 0; i < 20; ++i) many.push_back(take_workspace(randomizer, 1));
    CHECK(20 * many[0]->bytes() > 2 * kAllCachesBytes);
    for (auto& workspace : many) keep_workspace(std::move(workspace));
    CHECK(kept_workspace_bytes() > kAllCachesBytes / 2);
    CHECK(kept_workspace_bytes() < 2 * kAllCachesBytes);
    release_workspaces();
    CHECK(kept_workspace_bytes() == 0);
}

TEST(threads_share_the_memory_for_caches) {
    const Randomizer randomizer = randomizer_of(RandomizerKind::shake256, 2048);
    for (const size_t sharers : {1, 2, 8, 16, 128}) {
        const RowSource source(randomizer, sharers);
        CHECK(sharers * source.bytes() < 2 * kAllCachesBytes + sharers * (size_t{2} << 20));
    }
}

TEST(a_failed_allocation_anywhere_is_rethrown_and_leaves_nothing_behind) {
    constexpr size_t kBits = 64;
    Random random(38);
    const std::vector<Document> documents = random_documents(random, 40);
    const TokenBatch tokens = batch_of(documents);
    const Randomizer randomizer = randomizer_of(RandomizerKind::aes128, kBits);
    std::vector<int64_t> expected;
    for (const Document& document : documents) {
        for (double sum : Oracle(randomizer).sums(document, true, true)) {
            expected.push_back(static_cast<int64_t>(sum));
        }
    }
    size_t failures = 0;
    bool is_done = false;
    for (size_t after = 0; !is_done && after < 1000; ++after) {
        for (size_t threads : {1, 2}) {
            std::vector<int64_t> out(expected.size(), -9);
            const AdditiveOptions options = options_for(out, kBits, Norm::none, true, true);
            bool is_over = false;
            try {
                const FailingAllocation failing(after);
                const Outcome result =
                    vectorize_tokens(active_kernels(), randomizer, options, tokens, threads);
                is_over = result.status == Status::done;
            } catch (const std::bad_alloc&) {
                ++failures;
            }
            // What is done is right, whatever failed in the calls before.
            if (is_over) CHECK(out == expected);
            if (threads == 1) is_done = is_over;
        }
    }
    CHECK(is_done && failures > 10);
}

TEST(weighed_tokens_are_the_oracle_on_any_threads) {
    Random random(63);
    const std::vector<Document> documents = random_documents(random, 60);
    std::vector<std::string> strings;
    for (const Document& document : documents) strings.push_back(joined(document));
    std::vector<Text> texts;
    for (const std::string& text : strings) texts.push_back(text_of(text));
    const TokenBatch tokens = batch_of(documents);
    constexpr uint32_t kBuckets[] = {1, 1000, 4096};
    for (uint32_t buckets : kBuckets) {
        TokenWeights weights{BucketRule(buckets, false), std::vector<uint8_t>(buckets)};
        for (uint8_t& weight : weights.of) {
            weight = static_cast<uint8_t>(random() % 4 == 0 ? 0 : random() % 128);
        }
        for (const TokenWeights* used : {&weights, static_cast<TokenWeights*>(nullptr)}) {
            for (bool is_sublinear : {false, true}) {
                for (bool is_binary : {false, true}) {
                    if (used == nullptr && !is_sublinear) continue;
                    const Randomizer randomizer =
                        randomizer_of(kKinds[random() % 2], random() % 2 == 0 ? 8 : 520);
                    Oracle oracle(randomizer);
                    std::vector<int64_t> expected;
                    for (const Document& document : documents) {
                        std::map<std::string, uint64_t> counts;
                        for (const auto& [token, one] : document) ++counts[token];
                        Document weighed;
                        for (const auto& [token, count] : counts) {
                            const uint64_t times = is_binary ? 1 : count;
                            const uint32_t hash = slow_murmur3(token, 0);
                            const uint8_t weight =
                                used == nullptr
                                    ? TokenWeighting::kUnit
                                    : weights.of[static_cast<size_t>(std::abs(static_cast<int64_t>(
                                                     static_cast<int32_t>(hash)))) %
                                                 buckets];
                            // `binary` counts a token once, and leaves its weight as it is.
                            const auto value = is_sublinear && !is_binary
                                                   ? SublinearWeight()(weight, times)
                                                   : static_cast<int64_t>(weight * times);
                            weighed.push_back({token, static_cast<double>(value)});
                        }
                        for (double sum : oracle.sums(weighed, true, false)) {
                            expected.push_back(static_cast<int64_t>(sum));
                        }
                    }
                    for_each_set([&](const Kernels& kernels) {
                        for (size_t threads : kThreads) {
                            std::vector<int64_t> out(expected.size(), -9);
                            AdditiveOptions options =
                                options_for(out, randomizer.bits, Norm::none, true, is_binary);
                            options.weighting = {used, is_sublinear};
                            CHECK(vectorize_texts(kernels, randomizer, options,
                                                  {Analyzer::word, {1, 1}}, texts, threads)
                                      .status == Status::done);
                            CHECK(out == expected);
                            out.assign(expected.size(), -9);
                            CHECK(vectorize_tokens(kernels, randomizer, options, tokens, threads)
                                      .status == Status::done);
                            CHECK(out == expected);
                        }
                    });
                }
            }
        }
    }
}

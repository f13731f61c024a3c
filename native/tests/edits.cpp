#include "additive/edits.h"

#include <string>
#include <vector>

#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

// Tokens of many lengths, as one document.
TokenBatch make_tokens(size_t count) {
    TokenBatch batch;
    for (size_t i = 0; i < count; ++i) {
        const std::string token(7 * i % 150, static_cast<char>('a' + i % 26));
        std::memcpy(batch.extend(token.size()), token.data(), token.size());
        batch.keep(token.size());
        batch.end_token(1);
    }
    batch.end_document();
    return batch;
}

}  // namespace

TEST(edits_add_each_row_its_weight_times) {
    for (const RandomizerKind kind : {RandomizerKind::shake256, RandomizerKind::aes128}) {
        for (const size_t bits : {8, 64, 72, 520, 2048}) {
            const Randomizer randomizer{.kind = kind, .bits = bits};
            std::vector<std::vector<int64_t>> results;
            for_each_set([&](const Kernels& kernels) {
                for (const size_t count : {0, 1, 2, 15, 16, 17, 40}) {
                    const TokenBatch tokens = make_tokens(count);
                    std::vector<int64_t> weights(count), sums(bits, 5);
                    int64_t total = 0;
                    for (size_t i = 0; i < count; ++i) {
                        weights[i] = (i % 2 == 0 ? 1 : -1) * static_cast<int64_t>(i * i + 1);
                        total += weights[i];
                    }
                    edit_sums(kernels, randomizer, tokens, weights, sums.data());
                    for (const int64_t sum : sums) CHECK((sum - 5 - total) % 2 == 0);
                    for (int64_t& weight : weights) weight = -weight;
                    results.push_back(sums);
                    edit_sums(kernels, randomizer, tokens, weights, sums.data());
                    CHECK(sums == std::vector<int64_t>(bits, 5));
                }
            });
            // Every instruction set gives the same.
            for (size_t i = 7; i < results.size(); ++i) CHECK(results[i] == results[i % 7]);
        }
    }
}

#include <string_view>
#include <utility>

#include "tests/check.h"
#include "tests/support.h"
#include "tokens/token_batch.h"

using namespace addhash;
using namespace addhash::test;

namespace {

void add_token(TokenBatch& batch, std::string_view token, double weight) {
    uint8_t* out = batch.extend(token.size());
    CHECK(out != nullptr);
    if (!token.empty()) std::memcpy(out, token.data(), token.size());
    batch.keep(token.size());
    batch.end_token(weight);
}

std::string_view token(const TokenBatch& batch, size_t i) {
    return {reinterpret_cast<const char*>(batch.bytes()) + batch.starts()[i],
            batch.ends()[i] - batch.starts()[i]};
}

}  // namespace

TEST(a_batch_gives_back_its_documents_tokens_and_weights) {
    Random random(15);
    TokenBatch batch;
    std::vector<std::vector<std::string>> documents(50);
    size_t bytes = 0;
    for (size_t d = 0; d < documents.size(); ++d) {
        // Every fifth document is empty, the first one too.
        for (size_t i = 0; i < (d % 5) * 7; ++i) {
            documents[d].push_back(random_string(random, i == 0 ? 0 : random() % 300));
            bytes += documents[d].back().size();
            add_token(batch, documents[d].back(), static_cast<double>(i) / 2);
        }
        batch.end_document();
    }
    CHECK(batch.documents() == documents.size());
    CHECK(batch.byte_count() == bytes);
    size_t next = 0;
    for (size_t d = 0; d < documents.size(); ++d) {
        CHECK(batch.token_start(d) == next);
        for (size_t i = 0; i < documents[d].size(); ++i, ++next) {
            CHECK(token(batch, next) == documents[d][i]);
            CHECK(batch.weights()[next] == static_cast<double>(i) / 2);
        }
        CHECK(batch.token_end(d) == next);
    }
    CHECK(batch.tokens() == next);
    // The slack past the last byte is readable: the sanitizer watches.
    unsigned sum = 0;
    for (size_t i = 0; i < kSlack; ++i) sum += batch.bytes()[batch.byte_count() + i];
    CHECK(sum <= 255 * kSlack);
}

TEST(a_token_may_be_built_in_pieces_and_keep_less_than_it_asked_for) {
    TokenBatch batch;
    for (char piece : {'x', '=', 'y'}) {
        uint8_t* out = batch.extend(4);
        std::memset(out, piece, 4);
        batch.keep(1);
    }
    batch.end_token(1);
    batch.end_document();
    CHECK(batch.tokens() == 1 && token(batch, 0) == "x=y");
}

TEST(an_unfinished_document_can_be_dropped) {
    TokenBatch batch;
    add_token(batch, "lost", 1);
    batch.drop_unfinished();
    CHECK(batch.tokens() == 0 && batch.byte_count() == 0 && batch.documents() == 0);
    add_token(batch, "kept", 2);
    batch.end_document();
    add_token(batch, "lost", 3);
    batch.extend(5);
    batch.keep(5);  // a token not yet ended
    batch.drop_unfinished();
    CHECK(batch.tokens() == 1 && batch.byte_count() == 4 && batch.documents() == 1);
    add_token(batch, "next", 4);
    batch.end_document();
    CHECK(token(batch, 0) == "kept" && token(batch, 1) == "next");
    CHECK(batch.weights()[1] == 4 && batch.token_start(1) == 1 && batch.token_end(1) == 2);
}

TEST(a_batch_refuses_more_bytes_than_its_offsets_reach) {
    TokenBatch batch;
    CHECK(batch.extend(TokenBatch::kMaxBytes + 1) == nullptr);
    CHECK(batch.extend(SIZE_MAX) == nullptr);
    add_token(batch, "abc", 1);
    CHECK(batch.extend(TokenBatch::kMaxBytes - 2) == nullptr);
    CHECK(batch.extend(SIZE_MAX - 2) == nullptr);
    CHECK(batch.byte_count() == 3 && token(batch, 0) == "abc");
}

TEST(pieces_of_every_length_are_appended_and_a_batch_can_be_used_again) {
    Random random(16);
    TokenBatch batch;
    for (int round = 0; round < 3; ++round) {
        std::vector<std::string> tokens;
        for (size_t size = 0; size < 100; ++size) {
            // In two pieces, from memory that ends where the piece does: the sanitizer watches.
            const std::string whole = random_string(random, 2 * size);
            const std::vector<char> first(whole.begin(), whole.begin() + size);
            const std::vector<char> last(whole.begin() + size, whole.end());
            CHECK(batch.append(first.data(), size) && batch.append(last.data(), size));
            batch.end_token(1);
            tokens.push_back(whole);
        }
        batch.end_document();
        CHECK(batch.documents() == 1 && batch.tokens() == tokens.size());
        for (size_t i = 0; i < tokens.size(); ++i) CHECK(token(batch, i) == tokens[i]);
        batch.clear();
        CHECK(batch.documents() == 0 && batch.tokens() == 0 && batch.byte_count() == 0);
    }
}

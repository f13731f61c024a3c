#include "vocabulary/vocabulary.h"

#include <map>
#include <string>

#include "tests/check.h"
#include "tests/support.h"
#include "vocabulary/term_rows.h"

using namespace addhash;
using namespace addhash::test;

namespace {

bool is_space(uint32_t c) { return c == ' '; }
bool is_word(uint32_t c) { return c != ' '; }

const CharacterTable& table() {
    static const CharacterTable made({is_space, is_word, {}});
    return made;
}

// Words of up to 20 letters, few of which are new after some texts.
std::vector<std::string> random_texts(Random& random, size_t count) {
    std::vector<std::string> texts;
    for (size_t i = 0; i < count; ++i) {
        std::string text;
        for (size_t words = random() % 30; words > 0; --words) {
            const size_t word = random() % (1 + random() % 3000);
            text += std::string(1 + word % 20, static_cast<char>('a' + word % 23));
            text += std::to_string(word) + " ";
        }
        texts.push_back(text);
    }
    return texts;
}

using ExpectedRows = std::vector<std::vector<std::pair<int64_t, int64_t>>>;

ExpectedRows rows_of(const SparseBatch& batch) {
    std::vector<int64_t> row_starts(batch.documents + 1), counts(batch.entries);
    std::vector<int32_t> numbers(batch.entries);
    write_csr(batch, false, Norm::none, row_starts.data(), numbers.data(), counts.data(), 2);
    ExpectedRows all(batch.documents);
    for (size_t row = 0; row < all.size(); ++row) {
        for (auto i = static_cast<size_t>(row_starts[row]);
             i < static_cast<size_t>(row_starts[row + 1]); ++i) {
            all[row].emplace_back(numbers[i], counts[i]);
        }
    }
    return all;
}

}  // namespace

TEST(terms_are_numbered_and_counted_as_by_the_oracle) {
    Random random(21);
    const std::vector<std::string> strings = random_texts(random, 700);
    std::map<std::string, uint32_t> numbers;
    std::vector<std::string> tokens;
    ExpectedRows expected;
    for (const std::string& text : strings) {
        std::map<uint32_t, uint32_t> row;
        for (size_t first = 0, end; (end = text.find(' ', first)) != std::string::npos;
             first = end + 1) {
            const std::string token = text.substr(first, end - first);
            if (token.size() < 2) continue;
            const auto [place, is_new] =
                numbers.emplace(token, static_cast<uint32_t>(tokens.size()));
            if (is_new) tokens.push_back(token);
            ++row[place->second];
        }
        expected.emplace_back(row.begin(), row.end());
    }
    std::vector<Text> texts;
    for (const std::string& text : strings) {
        texts.push_back({text.data(), text.size(), 1, &table()});
    }
    const Tokenization how = {Analyzer::word, {1, 1}};
    for_each_set([&](const Kernels& kernels) {
        for (const size_t threads : {1, 2, 5}) {
            Vocabulary vocabulary;
            ExpectedRows rows;
            // In two batches: the second finds what the first has left.
            const std::span<const Text> all = texts;
            for (const auto part : {all.subspan(0, 300), all.subspan(300)}) {
                const SparseBatch batch = learn_terms(kernels, how, part, threads, vocabulary);
                CHECK(batch.outcome.status == Status::done);
                for (const auto& row : rows_of(batch)) rows.push_back(row);
            }
            CHECK(rows == expected);
            CHECK(vocabulary.size() == tokens.size());
            for (size_t i = 0; i < tokens.size(); ++i) CHECK(vocabulary[i] == tokens[i]);
            CHECK(rows_of(count_terms(kernels, how, all, threads, vocabulary)) == expected);
            const std::vector<uint32_t> sorted = vocabulary.sorted();
            size_t at = 0;
            for (const auto& [token, number] : numbers) CHECK(sorted[at++] == number);
            std::vector<int32_t> ranks(sorted.size());
            for (size_t i = 0; i < ranks.size(); ++i) ranks[sorted[i]] = static_cast<int32_t>(i);
            vocabulary.renumber(ranks.data());
            for (size_t i = 0; i < ranks.size(); ++i) {
                CHECK(vocabulary[static_cast<size_t>(ranks[i])] == tokens[i]);
            }
            std::vector<int32_t> places(sorted.begin(), sorted.end());
            renumber(places.data(), places.size(), ranks.data(), threads);
            CHECK(std::is_sorted(places.begin(), places.end()));
            const ExpectedRows renumbered =
                rows_of(count_terms(kernels, how, all, threads, vocabulary));
            for (size_t row = 0; row < expected.size(); ++row) {
                std::map<int64_t, int64_t> own;
                for (const auto& [number, count] : expected[row]) {
                    own[ranks[static_cast<size_t>(number)]] = count;
                }
                CHECK(std::equal(own.begin(), own.end(), renumbered[row].begin(),
                                 renumbered[row].end(), [](const auto& a, const auto& b) {
                                     return a.first == b.first && a.second == b.second;
                                 }));
            }
        }
    });
}

TEST(tokens_that_differ_only_past_their_head_are_apart) {
    Vocabulary vocabulary;
    const std::vector<std::string> tokens = {"",
                                             std::string(1, '\0'),
                                             std::string("a\0", 2),
                                             "a",
                                             "1234567",
                                             "123456",
                                             std::string("1234567\0", 8),
                                             "12345678",
                                             "123456789",
                                             "12345678x",
                                             std::string("12345678\0", 9)};
    for (size_t round = 0; round < 2; ++round) {
        for (size_t i = 0; i < tokens.size(); ++i) {
            Bytes bytes(tokens[i].begin(), tokens[i].end());
            bytes.resize(bytes.size() + kSlack, 'z');
            // The same hash for all.
            CHECK(vocabulary.find_or_add(bytes.data(), tokens[i].size(), 7) == i);
            bytes[tokens[i].size()] = 'q';  // an unknown one
            CHECK(vocabulary.find(bytes.data(), tokens[i].size() + 1, 7) == Vocabulary::kNone);
        }
    }
    std::vector<std::string> ordered;
    for (const uint32_t number : vocabulary.sorted()) ordered.push_back(tokens[number]);
    CHECK(std::is_sorted(ordered.begin(), ordered.end()));
}

TEST(a_text_that_cannot_be_cut_is_named) {
    const uint16_t surrogate[] = {'a', 0xDC00};
    const std::string plain = "plain text";
    const Tokenization how = {Analyzer::characters, {1, 1}};
    for (size_t threads : {1, 4}) {
        std::vector<Text> texts(500, Text{plain.data(), plain.size(), 1, &table()});
        texts[400] = texts[333] = {surrogate, 2, 2, &table()};
        Vocabulary vocabulary;
        const Outcome outcome =
            learn_terms(active_kernels(), how, texts, threads, vocabulary).outcome;
        CHECK(outcome.status == Status::surrogate && outcome.position == 333);
    }
}

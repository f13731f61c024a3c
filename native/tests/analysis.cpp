#include "analysis/analysis.h"

#include <algorithm>
#include <functional>
#include <set>
#include <span>

#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

using Characters = std::u32string;

constexpr size_t kWindow = kIsForThreads ? 1024 : kWindowUnits;

bool is_space(uint32_t c) {
    return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xA0 || c == 0x2028 || c == 0x3000;
}
bool is_word(uint32_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (c >= 0xE0 && c <= 0xFF) || (c >= 0x4E00 && c <= 0x9FFF) ||
           (c >= 0x20000 && c <= 0x2A6DF);
}
uint32_t lower(uint32_t c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

const CharacterTable& table(bool lowercase) {
    static const CharacterTable own({is_space, is_word, {}});
    static const CharacterTable lowered = [] {
        std::vector<uint32_t> forms(0x110000);
        for (uint32_t c = 0; c < forms.size(); ++c) forms[c] = lower(c);
        return CharacterTable({is_space, is_word, forms});
    }();
    return lowercase ? lowered : own;
}

// A token as its length and its hash: whole tokens of long texts would not fit in memory.
struct Digest {
    size_t size, hash;
    auto operator<=>(const Digest&) const = default;
};

Digest digest(std::string_view token) {
    return {token.size(), std::hash<std::string_view>{}(token)};
}

class Collector final : public TokenSink {
public:
    void consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                 size_t count) override {
        CHECK(count > 0);
        for (size_t i = 0; i < count; ++i) {
            tokens_.push_back(
                digest({reinterpret_cast<const char*>(bytes) + starts[i], ends[i] - starts[i]}));
        }
        // The slack past the last token is readable: the sanitizer watches.
        for (size_t i = 0; i < kSlack; ++i) slack_ = slack_ + bytes[ends[count - 1] + i];
    }
    std::vector<Digest> sorted() {
        std::sort(tokens_.begin(), tokens_.end());
        return std::move(tokens_);
    }

private:
    std::vector<Digest> tokens_;
    volatile unsigned slack_ = 0;
};

// Pieces of text (characters, or words), and the n-grams of them with `between` in between.
void slow_ngrams(const std::vector<std::string>& pieces, const char* between, NgramRange range,
                 std::vector<Digest>& tokens) {
    std::string all;
    std::vector<size_t> starts, ends;
    for (const std::string& piece : pieces) {
        starts.push_back(all.size());
        all += piece;
        ends.push_back(all.size());
        all += between;
    }
    for (size_t n = range.min; n <= range.max && n <= pieces.size(); ++n) {
        for (size_t i = 0; i + n <= pieces.size(); ++i) {
            tokens.push_back(
                digest(std::string_view(all).substr(starts[i], ends[i + n - 1] - starts[i])));
        }
    }
}

std::string utf8(uint32_t c) {
    const CharacterTable::Packed packed = table(false)[c];  // tested on its own
    Bytes bytes(4);
    store32(bytes.data(), CharacterTable::bytes(packed));
    return {bytes.begin(), bytes.begin() + CharacterTable::length(packed)};
}

std::vector<Digest> slow_words(const Characters& text, NgramRange range, WordRule rule = {},
                               const std::set<std::string>& stop_words = {}) {
    const auto is_in_word = [&](uint32_t c) { return rule.is_any ? !is_space(c) : is_word(c); };
    std::vector<std::string> words;
    for (size_t i = 0; i < text.size();) {
        size_t end = i;
        std::string word;
        while (end < text.size() && is_in_word(text[end])) word += utf8(text[end++]);
        if (end - i >= rule.least && end > i && !stop_words.contains(word)) words.push_back(word);
        i = std::max(end, i + 1);
    }
    std::vector<Digest> tokens;
    slow_ngrams(words, " ", range, tokens);
    return tokens;
}

std::vector<Digest> slow_characters(const Characters& text, NgramRange range) {
    std::vector<std::string> characters;
    for (size_t i = 0; i < text.size();) {
        size_t end = i;
        while (end < text.size() && is_space(text[end])) ++end;
        characters.push_back(end - i >= 2 ? " " : utf8(text[i]));
        i = std::max(end, i + 1);
    }
    std::vector<Digest> tokens;
    slow_ngrams(characters, "", range, tokens);
    return tokens;
}

std::vector<Digest> slow_characters_in_words(const Characters& text, NgramRange range) {
    std::vector<Digest> tokens;
    for (size_t i = 0; i < text.size();) {
        if (is_space(text[i])) {
            ++i;
            continue;
        }
        std::vector<std::string> padded = {" "};
        for (; i < text.size() && !is_space(text[i]); ++i) padded.push_back(utf8(text[i]));
        padded.push_back(" ");
        for (size_t n = range.min; n <= range.max; ++n) {
            // A word too short for n stands for itself, and for no longer n-gram.
            const size_t taken = std::min(n, padded.size());
            slow_ngrams(padded, "", {taken, taken}, tokens);
            if (n >= padded.size()) break;
        }
    }
    return tokens;
}

std::vector<Digest> slow_tokens(Analyzer analyzer, Characters text, bool lowercase,
                                NgramRange range) {
    if (lowercase) {
        for (char32_t& c : text) c = lower(c);
    }
    std::vector<Digest> tokens;
    switch (analyzer) {
        case Analyzer::word: tokens = slow_words(text, range); break;
        case Analyzer::characters: tokens = slow_characters(text, range); break;
        default: tokens = slow_characters_in_words(text, range); break;
    }
    std::sort(tokens.begin(), tokens.end());
    return tokens;
}

// A copy of a text in units of one size, which ends where its allocation does.
struct Stored {
    Stored(const Characters& text, unsigned unit_size, bool lowercase)
        : data(text.size() * unit_size) {
        for (size_t i = 0; i < text.size(); ++i) {
            const uint32_t c = text[i];
            std::memcpy(data.data() + i * unit_size, &c, unit_size);  // little-endian
        }
        view = {data.data(), text.size(), unit_size, &table(lowercase)};
    }
    Bytes data;
    Text view;
};

void check_text(Analysis& analysis, Analyzer analyzer, NgramRange range, const Characters& text,
                bool lowercase = false) {
    const auto expected = slow_tokens(analyzer, text, lowercase, range);
    const char32_t largest = text.empty() ? 0 : *std::max_element(text.begin(), text.end());
    for (unsigned unit : {1u, 2u, 4u}) {
        if (unit < 4 && largest >> 8 * unit != 0) continue;
        const Stored stored(text, unit, lowercase);
        Collector collector;
        CHECK(analysis.run(stored.view, collector) == Status::done);
        CHECK(collector.sorted() == expected);
    }
}

void check_text(Analyzer analyzer, NgramRange range, const Characters& text,
                bool lowercase = false) {
    Analysis analysis({analyzer, range}, kWindow);
    check_text(analysis, analyzer, range, text, lowercase);
}

constexpr Analyzer kAnalyzers[] = {Analyzer::word, Analyzer::characters,
                                   Analyzer::characters_in_words};
constexpr NgramRange kRanges[] = {{1, 1}, {2, 2}, {1, 3}, {3, 5}, {7, 7}};

// Words, spaces single and in runs, and punctuation, of characters below `limit`.
Characters random_text(Random& random, size_t length, uint32_t limit) {
    constexpr char32_t kSpaces[] = {' ', ' ', '\t', '\n', 0x85, 0xA0, 0x3000};
    constexpr char32_t kOthers[] = {'.', '-', '_', '7', 'Q', 'x', 'e', 0xE9, 0x4E2D, 0x20001};
    Characters text;
    while (text.size() < length) {
        const bool is_gap = random() % 4 == 0;
        const std::span<const char32_t> choices =
            is_gap ? std::span<const char32_t>(kSpaces) : std::span<const char32_t>(kOthers);
        for (size_t run = random() % 4; run > 0; --run) {
            const char32_t c = choices[random() % choices.size()];
            if (c < limit) text.push_back(c);
        }
    }
    text.resize(length);
    return text;
}

// Single letters; `run` spaces begin at `place`.
Characters letters_with_gap(size_t length, size_t place, size_t run) {
    Characters text;
    for (size_t i = 0; i < length; ++i) {
        const bool is_gap = i >= place && i < place + run;
        text.push_back(is_gap ? (i % 2 ? U'\t' : U' ') : static_cast<char32_t>('a' + i * i % 23));
    }
    return text;
}

}  // namespace

TEST(short_texts_are_cut_as_the_oracle_cuts_them) {
    Random random(16);
    for (Analyzer analyzer : kAnalyzers) {
        for (NgramRange range : kRanges) {
            Analysis analysis({analyzer, range});  // kept: its buffers must not leak into the next
            for (uint32_t limit : {0x100u, 0x10000u, 0x110000u}) {
                for (size_t length = 0; length < 70; ++length) {
                    check_text(analysis, analyzer, range, random_text(random, length, limit),
                               length % 2 == 1);
                }
            }
        }
    }
}

TEST(known_texts_give_known_tokens) {
    const auto digests = [](std::vector<std::string> tokens) {
        std::vector<Digest> all;
        for (const std::string& token : tokens) all.push_back(digest(token));
        std::sort(all.begin(), all.end());
        return all;
    };
    const auto run = [](Analyzer analyzer, NgramRange range, const Characters& text) {
        const Stored stored(text, 4, true);
        Collector collector;
        CHECK(Analysis({analyzer, range}).run(stored.view, collector) == Status::done);
        return collector.sorted();
    };
    CHECK(run(Analyzer::word, {1, 2}, U"The cat, a CAT.") ==
          digests({"the", "cat", "cat", "the cat", "cat cat"}));
    CHECK(run(Analyzer::characters, {2, 2}, U"Ab \n\tc\t") == digests({"ab", "b ", " c", "c\t"}));
    CHECK(run(Analyzer::characters_in_words, {3, 4}, U" ab  c") ==
          digests({" ab", "ab ", " ab ", " c "}));
    CHECK(run(Analyzer::characters, {1, 1}, U"  \t ") == digests({" "}));
    CHECK(run(Analyzer::word, {1, 1}, U"a b c .").empty());
}

TEST(long_texts_cross_the_window_as_if_there_were_none) {
    Random random(17);
    for (Analyzer analyzer : kAnalyzers) {
        for (NgramRange range : kRanges) {
            Analysis analysis({analyzer, range}, kWindow);
            // About two windows of characters, and for the word analyzer of words.
            const size_t lengths[] = {kWindow - 1, kWindow, kWindow + 1, 2 * kWindow + 5,
                                      analyzer == Analyzer::word ? 8 * kWindow : 3 * kWindow};
            for (size_t length : lengths) {
                check_text(analysis, analyzer, range, random_text(random, length, 0x100));
            }
            check_text(analysis, analyzer, range, random_text(random, 2 * kWindow, 0x110000));
            check_text(analysis, analyzer, range, U"and a short one after it");
        }
    }
}

TEST(runs_of_spaces_at_the_end_of_a_window_count_as_one) {
    for (NgramRange range : {NgramRange{1, 1}, NgramRange{2, 3}, NgramRange{1, 5}}) {
        Analysis analysis({Analyzer::characters, range}, kWindow);
        for (size_t place = kWindow - 6; place <= kWindow + 3; ++place) {
            for (size_t run : {1, 2, 3, 6, 9}) {
                if ((place + run) % 2 != 0) continue;  // every second combination
                check_text(analysis, Analyzer::characters, range,
                           letters_with_gap(kWindow + 40, place, run));
            }
        }
        // A run longer than a window; a text that ends with the run; nothing but spaces.
        check_text(analysis, Analyzer::characters, range,
                   letters_with_gap(3 * kWindow, kWindow - 2, kWindow + 9));
        check_text(analysis, Analyzer::characters, range,
                   letters_with_gap(kWindow + 3, kWindow - 1, 4));
        check_text(analysis, Analyzer::characters, range, letters_with_gap(kWindow, 0, kWindow));
    }
}

TEST(words_at_the_end_of_a_window_are_whole) {
    // Words of two letters, so that the window of words fills exactly, one less and one more.
    for (size_t words : {kWindow - 1, kWindow, kWindow + 1, 2 * kWindow - 1, 2 * kWindow + 3}) {
        Characters text;
        for (size_t i = 0; i < words; ++i) {
            text.push_back(static_cast<char32_t>('a' + i % 26));
            text.push_back(static_cast<char32_t>('a' + i / 26 % 26));
            text.push_back(' ');
        }
        for (NgramRange range : kRanges) check_text(Analyzer::word, range, text);
        text += U"... - ?";  // no word more
        for (NgramRange range : kRanges) check_text(Analyzer::word, range, text);
    }
    // One word longer than the window, and words that end around it.
    for (size_t length : {kWindow - 3, kWindow - 2, kWindow - 1, kWindow, 3 * kWindow}) {
        const Characters text = Characters(length, 'w') + U" after it " + Characters(300, 0xE9);
        for (NgramRange range : {NgramRange{1, 2}, NgramRange{3, 4}}) {
            check_text(Analyzer::word, range, text);
            check_text(Analyzer::characters_in_words, range, text);
        }
    }
}

TEST(ngrams_longer_than_the_window_make_it_grow) {
    const Characters letters = letters_with_gap(kWindow + 900, 500, 4);
    check_text(Analyzer::characters, {kWindow - 1, kWindow + 1}, letters);
    check_text(Analyzer::characters, {kWindow + 700, kWindow + 800}, letters);
    check_text(Analyzer::characters, {1, size_t{1} << 30}, letters_with_gap(300, 100, 3));
    check_text(Analyzer::characters_in_words, {1, size_t{1} << 30}, letters_with_gap(300, 100, 3));
    // The goal is 2 * 8200 words here.
    Characters text;
    for (size_t i = 0; i < 16405; ++i) {
        text += {static_cast<char32_t>('a' + i % 26), static_cast<char32_t>('a' + i % 25), ' '};
    }
    check_text(Analyzer::word, {8200, 8200}, text);
}

TEST(words_of_every_rule_are_the_oracles) {
    Random random(18);
    for (const WordRule rule :
         {WordRule{false, 1}, WordRule{false, 3}, WordRule{true, 1}, WordRule{true, 2}}) {
        for (NgramRange range : kRanges) {
            Analysis analysis({Analyzer::word, range, rule});
            for (size_t length = 0; length < 300; length += 1 + length / 20) {
                const Characters text = random_text(random, length, 0x110000);
                const Stored stored(text, 4, false);
                Collector collector;
                CHECK(analysis.run(stored.view, collector) == Status::done);
                auto expected = slow_words(text, range, rule);
                std::sort(expected.begin(), expected.end());
                CHECK(collector.sorted() == expected);
            }
        }
    }
}

TEST(stop_words_are_left_out_before_ngrams_are_made) {
    Random random(19);
    const Characters alphabet = U"ab\x4E2D";
    for (size_t stop_count : {0, 1, 5, 40}) {
        const auto random_word = [&] {
            Characters word;
            // Around 8 bytes, where words are compared in two parts, and beyond.
            for (size_t left = 1 + random() % (random() % 4 == 0 ? 20 : 4); left > 0; --left) {
                word.push_back(alphabet[random() % alphabet.size()]);
            }
            return word;
        };
        const auto bytes_of = [](const Characters& word) {
            std::string bytes;
            for (const char32_t c : word) bytes += utf8(c);
            return bytes;
        };
        std::vector<Characters> vocabulary;
        for (size_t i = 0; i < 80; ++i) vocabulary.push_back(random_word());
        std::vector<std::string> words;
        for (size_t i = 0; i < stop_count; ++i) words.push_back(bytes_of(vocabulary[i]));
        words.push_back("");
        const std::set<std::string> stop_words(words.begin(), words.end());
        for (NgramRange range : kRanges) {
            Analysis analysis({Analyzer::word, range, {}, std::make_shared<WordSet>(words)});
            Characters text;
            for (size_t i = 0; i < 200; ++i) {
                text += vocabulary[random() % vocabulary.size()] + U" ";
            }
            const Stored stored(text, 4, false);
            Collector collector;
            CHECK(analysis.run(stored.view, collector) == Status::done);
            auto expected = slow_words(text, range, {}, stop_words);
            std::sort(expected.begin(), expected.end());
            CHECK(collector.sorted() == expected);
        }
    }
}

TEST(a_lone_surrogate_stops_characters_but_parts_words) {
    const Characters text =
        U"ab\xD800"
        U"cd";
    for (Analyzer analyzer : kAnalyzers) {
        Analysis analysis({analyzer, {1, 2}});
        for (unsigned unit : {2u, 4u}) {
            const Stored stored(text, unit, false);
            Collector collector;
            const bool is_word_analyzer = analyzer == Analyzer::word;
            CHECK(analysis.run(stored.view, collector) ==
                  (is_word_analyzer ? Status::done : Status::surrogate));
            if (is_word_analyzer) CHECK(collector.sorted().size() == 3);
        }
        // The failure leaves nothing behind.
        check_text(analysis, analyzer, {1, 2}, U"the next text");
    }
}

TEST(a_window_that_offsets_cannot_reach_is_refused_before_it_is_read) {
    const CharacterTable& characters = table(false);
    const uint8_t byte = 'a';
    const Text text = {&byte, size_t{1} << 29, 1, &characters};
    Collector collector;
    Analysis analysis({Analyzer::characters, {1, size_t{1} << 30}});
    CHECK(analysis.run(text, collector) == Status::too_long);
    CHECK(collector.sorted().empty());
    check_text(analysis, Analyzer::characters, {1, size_t{1} << 30}, U"the next text");
}

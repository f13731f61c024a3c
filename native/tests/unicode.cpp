#include <cstring>
#include <random>

#include "tests/check.h"
#include "tests/support.h"
#include "unicode/characters.h"
#include "unicode/utf8.h"

using namespace addhash;
using namespace addhash::test;

namespace {

constexpr uint32_t kCharacters = 0x110000;

// Facts made up so that pages differ, repeat, and have exceptions on every plane.
bool is_space(uint32_t c) { return c == ' ' || c == '\n' || c == 0x3000 || c % 70001 == 70000; }
bool is_word(uint32_t c) {
    return !is_space(c) && (c < 0x80 ? c >= 'a' && c <= 'z' : c / 256 % 3 == 1 || c % 997 == 5);
}
// Down, up, across the end of the direct table, and to the ends of the code space.
uint32_t lower(uint32_t c) {
    if (c >= 'A' && c <= 'Z') return c + 32;
    if (c == 0x212A) return 'k';
    if (c == 0xFFFF) return 0x10000;
    if (c == 0x10000) return 0xFFFF;
    if (c == 0x1F600) return 0x10FFFF;
    if (c == 0x10FFFF) return 0;
    if (c >= 0x10400 && c < 0x10428) return c + 40;
    return c;
}

Bytes slow_utf8(uint32_t c) {
    if (c < 0x80) return {static_cast<uint8_t>(c)};
    Bytes bytes;
    uint32_t most = 0x3F;  // what the first byte can hold: a bit less for every byte after it
    do {
        bytes.insert(bytes.begin(), static_cast<uint8_t>(0x80 | (c & 0x3F)));
        c >>= 6;
        most >>= 1;
    } while (c > most);
    bytes.insert(bytes.begin(), static_cast<uint8_t>((0xFF00 >> (bytes.size() + 1) & 0xFF) | c));
    return bytes;
}

void check_every_character(const CharacterTable& table, uint32_t (*form_of)(uint32_t)) {
    for (uint32_t c = 0; c < kCharacters; ++c) {
        const CharacterTable::Packed packed = table[c];
        const uint32_t form = form_of(c);
        const Bytes expected = slow_utf8(form);
        uint8_t bytes[4];
        store32(bytes, CharacterTable::bytes(packed));
        const bool is_right =
            CharacterTable::length(packed) == expected.size() &&
            same_bits(bytes, expected.data(), expected.size()) &&
            ((packed & CharacterTable::kSpace) != 0) == is_space(form) &&
            ((packed & CharacterTable::kWord) != 0) == is_word(form) &&
            ((packed & CharacterTable::kSurrogate) != 0) == (form >= 0xD800 && form <= 0xDFFF);
        if (!is_right) {
            CHECK(is_right);
            std::printf("  at U+%04X\n", c);
            return;
        }
    }
}

}  // namespace

TEST(every_character_has_its_utf8_form_and_flags) {
    CHECK(slow_utf8(0x20AC) == (Bytes{0xE2, 0x82, 0xAC}));
    CHECK(slow_utf8(0x7FF) == (Bytes{0xDF, 0xBF}));
    CHECK(slow_utf8(0x10FFFF) == (Bytes{0xF4, 0x8F, 0xBF, 0xBF}));
    check_every_character(CharacterTable({is_space, is_word, {}}), [](uint32_t c) { return c; });
}

TEST(every_character_has_its_lower_case_form_and_the_flags_of_that) {
    std::vector<uint32_t> forms(kCharacters);
    for (uint32_t c = 0; c < kCharacters; ++c) forms[c] = lower(c);
    check_every_character(CharacterTable({is_space, is_word, forms}), lower);
}

namespace {

void check_utf8(const std::string& text) {
    std::vector<int64_t> expected;
    int64_t highest = 0;
    bool is_valid = true;
    for (size_t at = 0; at < text.size();) {
        const int64_t c = slow_character(text, at);
        if (c < 0) {
            is_valid = false;
            break;
        }
        highest = std::max(highest, c);
        expected.push_back(c);
    }
    const std::vector<char> exact(text.begin(), text.end());
    const std::string_view view(exact.data(), exact.size());
    const Utf8Size size = measure_utf8(view);
    CHECK(is_utf8(view) == is_valid);
    std::vector<uint8_t> out((size.characters + kDecodeSlack) * size.unit);
    CHECK(decode_utf8(view, size.unit, out.data()) == is_valid);
    if (!is_valid) return;
    CHECK(size.characters == expected.size());
    CHECK(size.unit == (highest < 0x100 ? 1u : highest < 0x10000 ? 2u : 4u));
    CHECK(size.is_ascii == (highest < 0x80));
    for (size_t i = 0; i < expected.size(); ++i) {
        uint32_t c = 0;
        std::memcpy(&c, out.data() + i * size.unit, size.unit);
        CHECK(c == expected[i]);
    }
}

}  // namespace

TEST(utf8_is_decoded_as_the_definition_says) {
    for (const std::string& text : some_texts(300)) check_utf8(text);
    std::mt19937 random(3);
    const uint8_t edges[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF,
                             0xC0, 0xC1, 0xC2, 0xC3, 0xC4, 0xDF, 0xE0, 0xE1, 0xED,
                             0xEE, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xF8, 0xFF};
    for (int round = 0; round < 200000; ++round) {
        std::string text(random() % (round % 50 == 0 ? 400 : 12), 'x');
        for (char& c : text) {
            if (random() % 4 != 0) c = static_cast<char>(edges[random() % std::size(edges)]);
        }
        check_utf8(text);
    }
}

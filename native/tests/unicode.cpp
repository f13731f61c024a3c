#include "tests/check.h"
#include "tests/support.h"
#include "unicode/characters.h"

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

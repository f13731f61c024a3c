// UTF-8 to code points of one width, as analysis reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace addhash {

// What the characters of a text need, if it is valid UTF-8.
struct Utf8Size {
    size_t characters;
    unsigned unit;  // the least of 1, 2 and 4 bytes that hold each
    bool is_ascii;  // its bytes are its characters
};

Utf8Size measure_utf8(std::string_view text);

// What decode_utf8() may write past the last character, in characters.
constexpr size_t kDecodeSlack = 8;

// Writes the characters of a text in the unit that measure_utf8() found; false if it is not valid
// UTF-8. There must be room for `characters + kDecodeSlack` of them.
bool decode_utf8(std::string_view text, unsigned unit, void* characters);

bool is_utf8(std::string_view text);

}  // namespace addhash

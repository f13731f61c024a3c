// UTF-8 to code points of one width, as analysis reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace addhash {

// A text in UTF-8: how many characters it has, and the least of 1, 2 and 4 bytes that hold each.
struct Utf8Size {
    size_t characters;
    unsigned unit;  // 0: it is not UTF-8
    bool is_ascii;  // its bytes are its characters
};

Utf8Size measure_utf8(std::string_view text);

// Writes the characters of valid UTF-8 in the unit that measure_utf8() found.
void decode_utf8(std::string_view text, unsigned unit, void* characters);

}  // namespace addhash

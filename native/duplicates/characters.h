// What splitting into units needs to know about characters beyond what `re` calls a word.
#pragma once

#include <cstdint>

namespace addhash {

// A combining mark (Unicode category M): it belongs to the character before it. Vowel signs of
// Indic scripts are marks, and `\w` of Python does not match them.
bool is_mark(uint32_t c);

// A character of a script that is written without spaces between words: Han, Kana, Thai, Khmer, ...
bool stands_alone(uint32_t c);

}  // namespace addhash

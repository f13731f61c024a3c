// The repeats of a sequence of words that several texts make up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tokens/growing.h"

namespace addhash {

// A part of a text.
struct Stretch {
    uint32_t text;
    uint32_t begin;  // its first word, in the sequence
    uint32_t next;   // the character at which the word after it begins, or the end of the text
};

// The words of all stretches, each of which ends with a symbol that occurs nowhere else.
struct WordSequence {
    GrowingArray<int32_t> words;
    int32_t symbols = 0;  // all words are below
};

// A run of words that stands in several places.
struct Repeat {
    int32_t words;
    uint32_t texts;  // in how many it stands
    int32_t first;   // where it begins in the first place
};

struct Repeats {
    static constexpr uint32_t kNone = UINT32_MAX;

    // Of each word the longest repeat that begins there, a number in `repeats`, or kNone.
    std::vector<uint32_t> longest;
    std::vector<Repeat> repeats;
    // Of each word the window of the least length that begins there: in how many texts it stands, 0
    // if too few; and whether a place that ends before this one is its first.
    std::vector<uint32_t> window_texts;
    std::vector<bool> stood_before;
};

// Repeats of at least `least_words` words that stand in two places and in `least_texts` texts.
// Takes what the sequence holds.
Repeats find_repeats(WordSequence&& sequence, std::span<const Stretch> stretches, size_t all_texts,
                     int32_t least_words, uint32_t least_texts);

}  // namespace addhash

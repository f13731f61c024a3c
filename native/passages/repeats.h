// The repeats of a sequence of words that several texts make up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace addhash {

// Parts of texts, each followed by a symbol that occurs nowhere else.
struct WordSequence {
    std::vector<int32_t> words;
    int32_t symbols = 0;          // all words are below
    std::vector<uint32_t> texts;  // the text of each word
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
Repeats find_repeats(WordSequence&& sequence, size_t all_texts, int32_t least_words,
                     uint32_t least_texts);

}  // namespace addhash

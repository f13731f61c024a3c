// A set of words that is asked about every word of a text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace addhash {

class WordSet {
public:
    // Words in UTF-8.
    explicit WordSet(std::span<const std::string> words);

    // kSlack bytes past the word can be read.
    bool contains(const uint8_t* word, size_t size) const;

private:
    struct Entry {
        uint64_t head = 0;  // the first 8 bytes, or fewer and zeros
        uint32_t size = 0;  // 0: no word
        uint32_t rest = 0;  // where the bytes after these are
    };

    size_t place(uint64_t head, size_t size) const;
    bool is(const Entry& entry, uint64_t head, const uint8_t* word, size_t size) const;

    std::vector<Entry> entries_;  // open addressing; a power of two, at most half full
    std::vector<uint8_t> rests_;
    bool has_empty_ = false;
};

}  // namespace addhash

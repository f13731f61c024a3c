// The distinct tokens of texts, numbered in the order in which they first occur.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tokens/growing.h"

namespace addhash {

class Vocabulary {
public:
    static constexpr uint32_t kNone = UINT32_MAX;
    static constexpr size_t kMost = (size_t{1} << 31) - 1;  // tokens

    Vocabulary();

    size_t size() const { return tokens_.size(); }
    std::string_view operator[](size_t number) const {
        return {reinterpret_cast<const char*>(bytes_of(number)), tokens_[number].size};
    }
    // With kSlack readable bytes past the token.
    const uint8_t* bytes_of(size_t number) const {
        return bytes_.data() + size_t{kAlignment} * tokens_[number].start;
    }
    uint32_t hash_of(size_t number) const { return tokens_[number].hash; }

    void prefetch(uint32_t hash) const { __builtin_prefetch(&table_[hash & mask_]); }
    // The number of a token, or kNone. kSlack bytes past it can be read.
    uint32_t find(const uint8_t* token, size_t size, uint32_t hash) const {
        return table_[place_of(token, size, hash)].number;
    }
    // The same; an unknown token gets the next number.
    uint32_t find_or_add(const uint8_t* token, size_t size, uint32_t hash);

    // The numbers in the order of the tokens' bytes, which is that of their characters.
    std::vector<uint32_t> sorted() const;
    // Gives each token the number numbers[its own]; a permutation.
    void renumber(const int32_t* numbers);

private:
    static constexpr uint32_t kAlignment = 8;

    // A token of up to 7 bytes is its head: they, zeros, and their number. That of a longer one has
    // its first 7 bytes, and some bits of its hash with the topmost set.
    static constexpr uint64_t kNoHead = uint64_t{1} << 62;
    struct Entry {
        uint64_t head = kNoHead;
        uint32_t number = kNone;
        uint32_t start = 0;  // of its bytes, in steps of kAlignment
    };

    struct Token {
        uint32_t start;
        uint32_t size;
        uint32_t hash;
    };

    static uint64_t head_of(const uint8_t* token, size_t size, uint32_t hash);
    bool is(const Entry& entry, const uint8_t* token, size_t size) const;
    size_t place_of(const uint8_t* token, size_t size, uint32_t hash) const;
    void grow();

    std::vector<Entry> table_;  // open addressing; a power of two, at most 5/8 full
    size_t mask_;
    GrowingArray<Token> tokens_;
    GrowingArray<uint8_t> bytes_;
};

}  // namespace addhash

// The distinct tokens of texts, numbered in the order in which they first occur.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "simd/bytes.h"
#include "tokens/growing.h"

namespace addhash {

class Vocabulary {
public:
    static constexpr uint32_t kNone = UINT32_MAX;
    static constexpr size_t kMost = (size_t{1} << 31) - 1;  // tokens

    Vocabulary();

    size_t size() const { return tokens_.size(); }
    std::string_view operator[](size_t number) const {
        return {reinterpret_cast<const char*>(bytes_of(number)), size_of(tokens_[number].start)};
    }
    // With kSlack readable bytes past the token.
    const uint8_t* bytes_of(size_t number) const { return stored(tokens_[number].start); }
    uint32_t hash_of(size_t number) const { return tokens_[number].hash; }

    // Two steps, so that neither waits for the other.
    void prefetch(uint32_t hash) const { __builtin_prefetch(&table_[hash & mask_]); }
    void prefetch_token(uint32_t hash) const {
        const Entry& entry = table_[hash & mask_];
        if (entry.head >> 63) __builtin_prefetch(stored(entry.start));
    }
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
    // A stored token: its size, and its bytes.
    static constexpr uint32_t kAlignment = 4;
    static_assert(sizeof(uint32_t) == kAlignment);

    // A token of up to 7 bytes is its head: they, zeros, and their number. That of a longer one has
    // its first 7 bytes, and some bits of its hash with the topmost set.
    static constexpr size_t kShort = 7;
    static constexpr uint64_t kNoHead = uint64_t{1} << 62;
    struct Entry {
        uint64_t head = kNoHead;
        uint32_t number = kNone;
        uint32_t start = 0;  // of the stored token, in steps of kAlignment
    };

    struct Token {
        uint32_t start;
        uint32_t hash;
    };

    const uint8_t* stored(uint32_t start) const {
        return bytes_.data() + size_t{kAlignment} * start + sizeof(uint32_t);
    }
    uint32_t size_of(uint32_t start) const { return load32(stored(start) - sizeof(uint32_t)); }

    static uint64_t head_of(const uint8_t* token, size_t size, uint32_t hash) {
        const bool is_short = size <= kShort;
        const uint64_t bytes =
            low_bytes(load64(token), static_cast<unsigned>(is_short ? size : kShort));
        return bytes | (is_short ? size : 0x80 | hash >> 25) << 8 * kShort;
    }
    // Of a token longer than kShort whose head is the entry's.
    bool is(const Entry& entry, const uint8_t* token, size_t size) const {
        return size_of(entry.start) == size && are_equal(stored(entry.start), token, size);
    }
    // Where a token is in the table, or would be.
    size_t place_of(const uint8_t* token, size_t size, uint32_t hash) const {
        const uint64_t head = head_of(token, size, hash);
        for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
            const Entry& entry = table_[at];
            if (entry.head == head && (size <= kShort || is(entry, token, size))) return at;
            if (entry.number == kNone) return at;
        }
    }
    static bool are_equal(const uint8_t* a, const uint8_t* b, size_t size) {
        constexpr size_t kWord = sizeof(uint64_t);  // size is at least this
        for (size_t i = 0; i < size - kWord; i += kWord) {
            if (load64(a + i) != load64(b + i)) return false;
        }
        return load64(a + size - kWord) == load64(b + size - kWord);
    }
    void grow();

    std::vector<Entry> table_;  // open addressing; a power of two, at most 5/8 full
    size_t mask_;
    GrowingArray<Token> tokens_;
    GrowingArray<uint8_t> bytes_;
};

}  // namespace addhash

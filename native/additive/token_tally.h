// The distinct tokens of one document, and how often each occurs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dispatch/kernels.h"

namespace addhash {

// Tokens of up to 15 bytes are compared directly. Longer ones are identified by AES-CMAC under a
// secret random key: two are confused with a probability below 2^-100.
class TokenTally {
public:
    TokenTally();

    void add(const Kernels& kernels, const uint8_t* bytes, const uint32_t* starts,
             const uint32_t* ends, size_t count);
    // Forgets all tokens, and frees the memory of a long document.
    void clear();

    // Distinct tokens, numbered by first occurrence.
    size_t size() const { return used_; }
    uint64_t count(size_t token) const { return counts_[token]; }
    // Token i is bytes()[start(i) .. start(i + 1)), with kSlack readable bytes past the last one.
    const uint8_t* bytes() const { return bytes_.data(); }
    size_t start(size_t token) const { return starts_[token]; }

private:
    struct Entry {
        Seed name;
        uint32_t token;
        uint32_t document;  // that it was written for: the place is free for all others
    };

    void name_tokens(const Kernels& kernels, const uint8_t* bytes, const uint32_t* starts,
                     const uint32_t* ends, size_t count);
    void count_tokens(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                      size_t count);
    size_t place_of(Seed name) const;
    void make_room(size_t tokens);

    Seed key_;
    AesKey long_key_;
    std::vector<Entry> table_;  // a power of two long, at most half full
    uint32_t document_ = 1;
    size_t used_ = 0;
    std::vector<uint64_t> counts_;  // 0 from used_ on
    std::vector<size_t> starts_;
    std::vector<uint8_t> bytes_;
    std::vector<Seed> names_;  // of some tokens
    std::vector<size_t> places_;
};

}  // namespace addhash

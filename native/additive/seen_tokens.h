// Which tokens of a document have been seen, for counting each once.
#pragma once

#include <vector>

#include "dispatch/kernels.h"

namespace addhash {

// Tokens are identified by AES-CMAC under a secret random key: two different ones are confused with
// a probability below 2^-100, and no text can be crafted for that.
class SeenTokens {
public:
    SeenTokens();

    // Writes the indices of the tokens that are new, in order, and returns their number.
    size_t insert(const Kernels& kernels, const uint8_t* bytes, const uint32_t* starts,
                  const uint32_t* ends, size_t count, uint32_t* fresh);
    void clear();

private:
    bool insert(Seed name);
    void grow();

    AesKey key_;
    std::vector<Seed> table_;  // a power of two long, at most half full
    std::vector<Seed> names_;
    size_t used_ = 0;
};

}  // namespace addhash

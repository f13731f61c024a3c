// Tokens to 64-bit hashes: AES-CMAC under a fixed key.
#pragma once

#include <algorithm>
#include <vector>

#include "analysis/analysis.h"
#include "dispatch/kernels.h"

namespace addhash {

// Digits of pi.
inline const AesKey kTokenKey = aes_key({0x243F6A8885A308D3, 0x13198A2E03707344});

class HashSink final : public TokenSink {
public:
    HashSink(const Kernels& kernels, std::vector<uint64_t>& hashes)
        : kernels_(kernels), hashes_(hashes) {}

    void consume(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                 size_t count) override {
        constexpr size_t kBlock = 1024;
        Seed seeds[kBlock];
        for (size_t first = 0; first < count; first += kBlock) {
            const size_t taken = std::min(kBlock, count - first);
            kernels_.aes_cmac(kTokenKey, bytes, starts + first, ends + first, taken, seeds);
            for (size_t i = 0; i < taken; ++i) hashes_.push_back(seeds[i].low);
        }
    }

private:
    const Kernels& kernels_;
    std::vector<uint64_t>& hashes_;
};

}  // namespace addhash

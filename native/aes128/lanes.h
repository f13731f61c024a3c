// AES-CMAC and the counter-mode expansion, written once for any number of blocks in a register.
#pragma once

#include <cstring>

#include "aes128/aes128.h"
#include "simd/bytes.h"

namespace addhash {
namespace {

template <class B> struct AesKeys {
    B rounds[kAesRounds + 1];

    explicit AesKeys(const AesKey& key) {
        for (size_t i = 0; i <= kAesRounds; ++i) rounds[i] = B::broadcast(key.rounds[i]);
    }
};

// Several registers at a time: each waits only for its own last round.
template <size_t count, class B> inline void encrypt(const AesKeys<B>& keys, B (&x)[count]) {
    for (B& block : x) block = block ^ keys.rounds[0];
    for (size_t round = 1; round < kAesRounds; ++round) {
        for (B& block : x) block = block.round(keys.rounds[round]);
    }
    for (B& block : x) block = block.last_round(keys.rounds[kAesRounds]);
}

template <class B> inline B encrypt(const AesKeys<B>& keys, B block) {
    B one[1] = {block};
    encrypt(keys, one);
    return one[0];
}

// What is kept of a last block of n bytes, and the bit after them.
struct Padding {
    uint8_t kept[kAesBlock + 1][kAesBlock];
    uint8_t bit[kAesBlock + 1][kAesBlock];
};
constexpr Padding kPadding = [] {
    Padding padding{};
    for (size_t n = 0; n <= kAesBlock; ++n) {
        for (size_t i = 0; i < n; ++i) padding.kept[n][i] = 0xFF;
        if (n < kAesBlock) padding.bit[n][n] = 0x80;
    }
    return padding;
}();

// All that remains of a token's CMAC is to encrypt this. B holds one block.
template <class B>
inline B last_block(const AesKey& key, const AesKeys<B>& keys, const uint8_t* token, size_t size) {
    B chained = B::load(kPadding.kept[0]);
    for (; size > kAesBlock; token += kAesBlock, size -= kAesBlock) {
        chained = encrypt(keys, chained ^ B::load(token));
    }
    const B block = (B::load(token) & B::load(kPadding.kept[size])) | B::load(kPadding.bit[size]);
    return block ^ chained ^ B::load(size == kAesBlock ? key.whole : key.padded);
}

// One holds one block.
template <class B, class One>
inline void aes_cmac_lanes(const AesKey& key, const uint8_t* bytes, const uint32_t* starts,
                           const uint32_t* ends, size_t count, Seed* seeds) {
    constexpr size_t kTogether = 64;
    constexpr size_t kRegisters = 8;
    constexpr size_t kBytes = B::blocks * kAesBlock;
    const AesKeys<B> keys(key);
    const AesKeys<One> keys_of_one(key);
    for (size_t first = 0; first < count; first += kTogether) {
        const size_t taken = count - first < kTogether ? count - first : kTogether;
        // All are set before any is encrypted: a register that is loaded right after its parts were
        // stored waits for them.
        auto* blocks = reinterpret_cast<uint8_t*>(seeds + first);
        for (size_t i = 0; i < taken; ++i) {
            const uint32_t start = starts[first + i];
            last_block(key, keys_of_one, bytes + start, ends[first + i] - start)
                .store(blocks + i * kAesBlock);
        }
        size_t left = taken * kAesBlock;
        for (; left >= kRegisters * kBytes; left -= kRegisters * kBytes) {
            B x[kRegisters];
            for (size_t i = 0; i < kRegisters; ++i) x[i] = B::load(blocks + i * kBytes);
            encrypt(keys, x);
            for (size_t i = 0; i < kRegisters; ++i) x[i].store(blocks + i * kBytes);
            blocks += kRegisters * kBytes;
        }
        for (; left >= kBytes; left -= kBytes, blocks += kBytes) {
            encrypt(keys, B::load(blocks)).store(blocks);
        }
        if (left > 0) {
            uint8_t rest[kBytes] = {};
            std::memcpy(rest, blocks, left);
            encrypt(keys, B::load(rest)).store(rest);
            std::memcpy(blocks, rest, left);
        }
    }
}

// The blocks of rows, as many at a time as a register holds.
template <class B> class RowBlocks {
public:
    explicit RowBlocks(const RowKeys& keys) {
        for (size_t i = 0; i < kRowRounds; ++i) keys_[i] = B::broadcast(keys.rounds[i]);
        uint64_t words[2 * B::blocks];
        for (size_t i = 0; i < B::blocks; ++i) {
            words[2 * i] = (i + 1) * kRowStep.low;
            words[2 * i + 1] = (i + 1) * kRowStep.high;
        }
        first_ = B::load(reinterpret_cast<const uint8_t*>(words));
        for (size_t i = 0; i < B::blocks; ++i) {
            words[2 * i] = B::blocks * kRowStep.low;
            words[2 * i + 1] = B::blocks * kRowStep.high;
        }
        step_ = B::load(reinterpret_cast<const uint8_t*>(words));
        offset_ = first_;
    }

    void begin() { offset_ = first_; }
    void advance() { offset_ = offset_ + step_; }

    // Of the row of `seed`, where the rows are now.
    B of(const Seed& seed) const {
        B x = B::broadcast(reinterpret_cast<const uint8_t*>(&seed)) + offset_;
        for (const B& key : keys_) x = x.round(key);
        return x;
    }

private:
    B keys_[kRowRounds];
    B first_, step_, offset_;
};

template <class B> inline void expand_seeds_lanes(const RowKeys& keys, const Seed* seeds,
                                                  uint8_t* const* rows, size_t count,
                                                  size_t bytes) {
    constexpr size_t kColumn = 64;
    constexpr size_t kBytes = B::blocks * kAesBlock;
    const size_t written = (bytes + kColumn - 1) / kColumn * kColumn;
    RowBlocks<B> blocks(keys);
    for (size_t row = 0; row < count; ++row) {
        blocks.begin();
        for (size_t at = 0; at < written; at += kBytes) {
            blocks.of(seeds[row]).store(rows[row] + at);
            blocks.advance();
        }
        if (written != bytes) std::memset(rows[row] + bytes, 0, written - bytes);
    }
}

}  // namespace
}  // namespace addhash

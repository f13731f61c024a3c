// From tokens to their bit rows, by the chosen randomizer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bitsum/bitsum.h"
#include "dispatch/kernels.h"
#include "rows/zeroed.h"

namespace addhash {

enum class RandomizerKind { shake256, aes128 };

struct Randomizer {
    RandomizerKind kind;
    size_t bits;                      // a multiple of 8, from 8 to 2^20
    uint64_t sponge[kKeccakWords]{};  // shake256: what a token is absorbed into
    AesKey key{};                     // aes128
    RowKeys row_keys{};               // aes128

    size_t bytes() const { return bits / 8; }
    bool operator==(const Randomizer&) const = default;
};

// The total size of the row caches in use at the same time.
constexpr size_t kAllCachesBytes = size_t{256} << 20;

// Computes the rows of `count` tokens; token i is bytes[starts[i] .. ends[i]). `slices` and `seeds`
// have room for `count` elements, of which the randomizer needs one kind.
void hash_tokens(const Kernels& kernels, const Randomizer& randomizer, const uint8_t* bytes,
                 const uint32_t* starts, const uint32_t* ends, size_t count, Slice* slices,
                 Seed* seeds, uint8_t* const* rows);

// Bit rows, each of whole columns, zero past the randomizer's bits.
class RowTable {
public:
    RowTable(size_t rows, size_t bits)
        : row_bytes_((bits / 8 + kColumnBytes - 1) / kColumnBytes * kColumnBytes),
          data_(rows * row_bytes_) {}

    uint8_t* row(size_t i) { return data_.data() + i * row_bytes_; }
    size_t row_bytes() const { return row_bytes_; }
    size_t bytes() const { return data_.size(); }

private:
    size_t row_bytes_;
    ZeroedArray<uint8_t> data_;
};

// Provides rows in two steps, so that many tokens of several documents are hashed together:
// request() says where each token's row will be, resolve() computes those not yet there. Rows stay
// in place until the first request() after a resolve(). Recent rows are cached.
class RowSource {
public:
    // The more `sharers` are in use at the same time, the smaller the cache of each.
    explicit RowSource(const Randomizer& randomizer, size_t sharers = 1);

    // The most rows that may be requested before resolve().
    size_t capacity() const { return capacity_; }
    // The most memory that the rows may use.
    size_t bytes() const { return sets_.size() * sizeof(Set) + cache_.bytes() + spare_.bytes(); }
    // Token i is bytes[starts[i] .. ends[i]); the bytes are not needed after the call.
    void request(const Kernels& kernels, const uint8_t* bytes, const uint32_t* starts,
                 const uint32_t* ends, size_t count, const uint8_t** rows);
    void resolve(const Kernels& kernels);

private:
    static constexpr size_t kMediumKeys = 8;  // one for each word of a medium token, twice
    static constexpr size_t kWays = 2;
    // The names of the tokens whose rows are in a set's slots, and the block in which each was last
    // requested. No token has the name 0. Rows are assigned to slots in the order in which these
    // are first used, so that those in use are contiguous; 0 means no row.
    struct alignas(64) Set {
        Seed names[kWays];
        uint32_t used_at[kWays];
        uint32_t rows[kWays];
    };

    void request_piece(const Kernels& kernels, const uint8_t* bytes, const uint32_t* starts,
                       const uint32_t* ends, size_t count, const uint8_t** rows);
    static size_t set_count(const Randomizer& randomizer, size_t sharers);
    void name_tokens(const Kernels& kernels, const uint8_t* bytes, const uint32_t* starts,
                     const uint32_t* ends, size_t count);
    void name_short(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends, size_t i);
    void name_token(size_t i, uint64_t low, uint64_t high);
    template <size_t count>
    Seed name_of_words(const std::array<uint64_t, count>& words, size_t size) const;
    size_t place_tokens(size_t count, const uint8_t** rows);
    const uint8_t* take_place(Set& set, Seed name);
    void await(const Kernels& kernels, const uint8_t* token, size_t size, uint8_t* row);
    void hash_waiting(const Kernels& kernels);
    void begin_block();

    Randomizer randomizer_;
    size_t capacity_;
    AesKey secret_;
    std::array<Seed, kMediumKeys> medium_keys_;
    ZeroedArray<Set> sets_;
    RowTable cache_, spare_;
    uint32_t now_ = 1;
    bool is_resolved_ = false;
    uint32_t rows_given_ = 0;
    size_t spares_used_ = 0;
    std::vector<Seed> names_;        // of the tokens of one piece
    std::vector<uint32_t> set_of_;   // where each may be
    std::vector<uint32_t> missing_;  // which of them have no row yet
    // Which are named as they are, by products, and by their hash.
    std::vector<uint32_t> short_, medium_, long_, long_starts_, long_ends_;
    // The tokens whose rows are to be computed: a copy of their bytes, and where the rows go.
    std::vector<uint8_t> bytes_;
    std::vector<uint32_t> starts_, ends_;
    std::vector<uint8_t*> rows_;
    size_t waiting_ = 0;
    std::vector<Slice> slices_;
    std::vector<Seed> seeds_;
};

}  // namespace addhash

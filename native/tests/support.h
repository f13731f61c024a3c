// What several test files need: edge values, token buffers, and slow, obvious oracles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/kernels.h"
#include "rows/rows.h"
#include "simd/bytes.h"

namespace addhash::test {

using Random = std::mt19937_64;
using Bytes = std::vector<uint8_t>;

// Around the widths of registers, and around one, two and four of them.
constexpr size_t kEdgeCounts[] = {0,  1,  2,  3,  7,  8,  9,   15,  16, 17,
                                  31, 32, 33, 63, 64, 65, 127, 128, 129};

// Vector lengths in bits: less than a column, whole columns, and columns with a rest.
constexpr size_t kEdgeBits[] = {8, 16, 24, 32, 64, 504, 512, 520, 1000, 2048, 4096, 8192};
constexpr size_t kMostBits = size_t{1} << 20;

// 0 to 40, around one and two blocks of SHAKE-256, and long.
std::vector<size_t> edge_token_lengths();

// The thread sanitizer makes everything ten times as slow, so that tests leave out what has nothing
// to do with threads and is repeated without it.
#ifdef ADDHASH_SANITIZE_THREAD
constexpr bool kIsForThreads = true;
#else
constexpr bool kIsForThreads = false;
#endif

// Kernels share nothing between threads: where only threads matter, the first and the last set do.
template <class Test> void for_each_set(Test&& test) {
    std::vector<const Kernels*> available;
    for (const Kernels* kernels : all_kernels()) {
        if (kernels->is_available()) available.push_back(kernels);
    }
    for (const Kernels* kernels : available) {
        const bool is_between = kernels != available.front() && kernels != available.back();
        if (!kIsForThreads || !is_between) test(*kernels);
    }
}

Bytes random_bytes(Random& random, size_t count);
std::string random_string(Random& random, size_t length);
Bytes from_hex(std::string_view hex);

// Short texts of characters of every size in UTF-8.
std::vector<std::string> some_texts(size_t count);
// The character at `at`, by the definition of UTF-8, and moves `at` past it; -1 if there is none.
int64_t slow_character(const std::string& text, size_t& at);

// Tokens in one buffer that ends exactly kSlack bytes past the last of them, so that the address
// sanitizer sees a kernel that reads further.
class Tokens {
public:
    Tokens() = default;
    explicit Tokens(const std::vector<std::string>& tokens);

    void add(std::string_view token);

    size_t count() const { return starts_.size(); }
    const uint8_t* bytes() const { return bytes_.data(); }
    const uint32_t* starts() const { return starts_.data(); }
    const uint32_t* ends() const { return ends_.data(); }
    std::string_view operator[](size_t i) const;
    std::vector<Slice> slices() const;

private:
    void append(std::string_view token);

    Bytes bytes_ = Bytes(kSlack);
    std::vector<uint32_t> starts_, ends_;
};

// Rows of whole columns, each its own allocation, filled with a pattern.
class Rows {
public:
    Rows(size_t count, size_t bytes);

    uint8_t* const* places() { return places_.data(); }
    const Bytes& operator[](size_t i) const { return rows_[i]; }

private:
    std::vector<Bytes> rows_;
    std::vector<uint8_t*> places_;
};

// Whether `row` begins with `bytes` bytes of `expected` and holds zeros from there on.
bool is_row(const Bytes& row, const Bytes& expected, size_t bytes);

uint32_t slow_murmur3(std::string_view token, uint32_t seed);
Bytes slow_shake256(std::string_view token, size_t digest_bytes);
Seed slow_aes_cmac(const AesKey& key, std::string_view token);
Bytes slow_expand(const RowKeys& keys, Seed seed, size_t bytes);
// Keys of rows, of which no two rounds have the same.
RowKeys row_keys(uint8_t first);

// The row of a token, by definition. `key_block` is what a keyed sponge has absorbed.
Bytes slow_row(const Randomizer& randomizer, std::string_view key_block, std::string_view token);

// Component c of a row of `bits` bits: bit (bits - 1 - c), the lowest bit of byte 0 being bit 0.
bool component_bit(const uint8_t* row, size_t bits, size_t component);

// While it lives, this thread's allocation number `after` (from 0) throws std::bad_alloc.
class FailingAllocation {
public:
    explicit FailingAllocation(size_t after);
    FailingAllocation(const FailingAllocation&) = delete;
    ~FailingAllocation();
};

// The largest allocation of this thread since the last call.
size_t take_largest_allocation();

// Whether two arrays hold the same bits.
template <class T> bool same_bits(const T* a, const T* b, size_t count) {
    return count == 0 || std::memcmp(a, b, count * sizeof(T)) == 0;
}

}  // namespace addhash::test

#include "rows/rows.h"

#include <algorithm>
#include <array>
#include <bit>

#include "simd/bytes.h"

namespace addhash {
namespace {

// A shake256 row is worth a trip to memory, an aes128 row is not.
constexpr size_t kShakeCacheBytes = size_t{128} << 20;
constexpr size_t kAesCacheBytes = size_t{4} << 20;
constexpr size_t kFewestSets = 32;  // rows so long that fewer fit are not worth caching
constexpr size_t kMostSets = size_t{1} << 18;
constexpr size_t kBlock = 1024;  // tokens hashed together
constexpr size_t kPiece = 128;   // tokens whose sets stay in the first cache level
constexpr size_t kBlockBytes = size_t{4} << 20;
// Tokens overlap, so those of one block may be longer than any text: they are hashed before they
// take more than this, and offsets stay below 2^32.
constexpr size_t kMostWaitingBytes = size_t{64} << 20;
constexpr size_t kExactBytes = 15;
constexpr size_t kMediumBytes = 32;
constexpr size_t kPrefetched = 512;  // bytes of a row; the processor sees the rest coming

// What to keep of a token's first and second eight bytes.
struct Masks {
    uint64_t low, high;
};
constexpr auto kMasks = [] {
    std::array<Masks, kExactBytes + 1> masks{};
    for (size_t size = 0; size <= kExactBytes; ++size) {
        const size_t low = size < 8 ? size : 8, high = size - low;
        masks[size] = {low == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * low) - 1,
                       (uint64_t{1} << 8 * high) - 1};
    }
    return masks;
}();

__extension__ typedef unsigned __int128 uint128;

}  // namespace

void hash_tokens(const Kernels& kernels, const Randomizer& randomizer, const uint8_t* bytes,
                 const uint32_t* starts, const uint32_t* ends, size_t count, Slice* slices,
                 Seed* seeds, uint8_t* const* rows) {
    switch (randomizer.kind) {
        case RandomizerKind::shake256:
            for (size_t i = 0; i < count; ++i) {
                slices[i] = {bytes + starts[i], ends[i] - starts[i]};
            }
            kernels.shake256(randomizer.sponge, slices, rows, count, randomizer.bytes());
            return;
        case RandomizerKind::aes128:
            kernels.aes_cmac(randomizer.key, bytes, starts, ends, count, seeds);
            kernels.expand_seeds(randomizer.row_keys, seeds, rows, count, randomizer.bytes());
            return;
    }
}

RowSource::RowSource(const Randomizer& randomizer, size_t sharers)
    : randomizer_(randomizer),
      capacity_(std::clamp(kBlockBytes / randomizer.bytes(), kRowGroup, kBlock)),
      secret_(aes_key(random_key())),
      sets_(set_count(randomizer, sharers)),
      cache_(sets_.size() * kWays + 1, randomizer.bits),
      spare_(capacity_, randomizer.bits),
      names_(kPiece),
      set_of_(kPiece),
      missing_(kPiece),
      short_(kPiece),
      medium_(kPiece),
      long_(kPiece),
      long_starts_(kPiece),
      long_ends_(kPiece),
      bytes_(capacity_ * 16 + kSlack),
      starts_(capacity_),
      ends_(capacity_),
      rows_(capacity_),
      slices_(capacity_),
      seeds_(capacity_) {
    for (Seed& key : medium_keys_) key = random_key();
}

size_t RowSource::set_count(const Randomizer& randomizer, size_t sharers) {
    const size_t wanted =
        randomizer.kind == RandomizerKind::shake256 ? kShakeCacheBytes : kAesCacheBytes;
    const size_t bytes = std::min(wanted, kAllCachesBytes / std::max<size_t>(1, sharers));
    const size_t fitting = std::bit_floor(bytes / randomizer.bytes() / kWays);
    return fitting < kFewestSets ? 0 : std::min(fitting, kMostSets);
}

// The name of a token of 16 to 32 bytes: 120 bits of two keyed sums of products, with its size in
// the top byte. The upper half of such a sum (MULTILINEAR of Lemire and Kaser) is the same for two
// tokens of one size with probability 2^-64, and what is kept of both with 2^-120.
template <size_t count>
inline Seed RowSource::name_of_words(const std::array<uint64_t, count>& words, size_t size) const {
    const auto sum = [&](const Seed* key) {
        uint128 low = 0;
        uint64_t high = 0;
        for (size_t i = 0; i < count; ++i) {
            low += static_cast<uint128>(key[i].low) * words[i];
            high += key[i].high * words[i];
        }
        return static_cast<uint64_t>(low >> 64) + high;
    };
    const Seed* keys = medium_keys_.data();
    return {sum(keys), sum(keys + kMediumKeys / 2) >> 8 | uint64_t{size + 1} << 56};
}

// A token's name in the cache: up to 15 bytes stand for themselves, with their number plus one in
// the top byte. A longer token is identified by 120 bits of a hash under secret random keys, so no
// two tokens can be crafted to share a name: of products, or, beyond 32 bytes, AES-CMAC.
void RowSource::name_tokens(const Kernels& kernels, const uint8_t* bytes, const uint32_t* starts,
                            const uint32_t* ends, size_t count) {
    uint32_t longest = 0;
    for (size_t i = 0; i < count; ++i) longest = std::max(longest, ends[i] - starts[i]);
    if (longest <= kExactBytes) {
        for (size_t i = 0; i < count; ++i) name_short(bytes, starts, ends, i);
        return;
    }
    // Kept separate, because which of them comes next is unpredictable.
    size_t exact = 0, summed = 0, hashed = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const size_t size = ends[i] - starts[i];
        short_[exact] = medium_[summed] = long_[hashed] = i;
        exact += size <= kExactBytes;
        summed += (size > kExactBytes) & (size <= kMediumBytes);
        hashed += size > kMediumBytes;
    }
    for (size_t j = 0; j < exact; ++j) name_short(bytes, starts, ends, short_[j]);
    for (size_t j = 0; j < summed; ++j) {
        const uint32_t i = medium_[j];
        const uint8_t* token = bytes + starts[i];
        const size_t size = ends[i] - starts[i];
        const uint64_t first = load64(token), last = load64(token + size - 8);
        const Seed name =
            size <= 24
                ? name_of_words<3>({first, load64(token + 8), last}, size)
                : name_of_words<4>({first, load64(token + 8), load64(token + 16), last}, size);
        name_token(i, name.low, name.high);
    }
    if (hashed == 0) return;
    for (size_t j = 0; j < hashed; ++j) {
        long_starts_[j] = starts[long_[j]];
        long_ends_[j] = ends[long_[j]];
    }
    kernels.aes_cmac(secret_, bytes, long_starts_.data(), long_ends_.data(), hashed, seeds_.data());
    for (size_t j = 0; j < hashed; ++j) {
        name_token(long_[j], seeds_[j].low, seeds_[j].high | uint64_t{0xFF} << 56);
    }
}

inline void RowSource::name_short(const uint8_t* bytes, const uint32_t* starts,
                                  const uint32_t* ends, size_t i) {
    const uint8_t* token = bytes + starts[i];
    const size_t size = ends[i] - starts[i];
    name_token(i, load64(token) & kMasks[size].low,
               (load64(token + 8) & kMasks[size].high) | uint64_t{size + 1} << 56);
}

inline void RowSource::name_token(size_t i, uint64_t low, uint64_t high) {
    // The highest bits of the product depend on all bits of the name.
    const auto shift = static_cast<unsigned>(std::countl_zero(uint64_t{sets_.size()}) + 1);
    const uint64_t mixed = (low ^ std::rotl(high, 29)) * 0x9E3779B97F4A7C15u;
    const auto set = static_cast<uint32_t>(mixed >> shift);
    // Word by word: a struct put together on the stack would be read before it is written.
    names_[i].low = low;
    names_[i].high = high;
    set_of_[i] = set;
    __builtin_prefetch(&sets_[set], 1);
}

// Finds or assigns the row of every named token. Lists those that have none yet and returns their
// number.
size_t RowSource::place_tokens(size_t count, const uint8_t** rows) {
    const size_t row_bytes = cache_.row_bytes();
    const uint8_t* cache = cache_.row(0);
    // The smaller cache stays near: fetching ahead costs more there than it saves.
    const bool is_far = randomizer_.kind == RandomizerKind::shake256;
    const size_t prefetched = is_far ? std::min(row_bytes, kPrefetched) : 0;
    const uint32_t now = now_;
    size_t missing = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t low = names_[i].low, high = names_[i].high;
        Set& set = sets_[set_of_[i]];
        const bool in_0 = ((set.names[0].low ^ low) | (set.names[0].high ^ high)) == 0;
        const bool in_1 = ((set.names[1].low ^ low) | (set.names[1].high ^ high)) == 0;
        const uint8_t* row;
        if (in_0 | in_1) [[likely]] {
            set.used_at[in_1] = now;
            row = cache + size_t{set.rows[in_1]} * row_bytes;
        } else {
            row = take_place(set, {low, high});
            missing_[missing++] = static_cast<uint32_t>(i);
        }
        rows[i] = row;
        // To the second cache level: the rows of a block are more than the first one holds.
        for (size_t line = 0; line < prefetched; line += 64) {
            __builtin_prefetch(row + line, 0, 2);
        }
    }
    return missing;
}

// The row of the older place of a set, which is the name's from now on. A row that this block uses
// is not given away: the name gets a spare one.
const uint8_t* RowSource::take_place(Set& set, Seed name) {
    const size_t way = set.used_at[1] < set.used_at[0];
    if (set.used_at[way] == now_) return spare_.row(spares_used_++);
    set.names[way] = name;
    set.used_at[way] = now_;
    if (set.rows[way] == 0) set.rows[way] = ++rows_given_;
    return cache_.row(set.rows[way]);
}

void RowSource::begin_block() {
    is_resolved_ = false;
    if (++now_ != 0) return;
    // The block counter wrapped around: forget how old the rows are.
    for (size_t i = 0; i < sets_.size(); ++i) std::fill_n(sets_[i].used_at, kWays, 0);
    now_ = 1;
}

void RowSource::request(const Kernels& kernels, const uint8_t* bytes, const uint32_t* starts,
                        const uint32_t* ends, size_t count, const uint8_t** rows) {
    if (is_resolved_) begin_block();
    for (size_t first = 0; first < count; first += kPiece) {
        const size_t taken = std::min(kPiece, count - first);
        request_piece(kernels, bytes, starts + first, ends + first, taken, rows + first);
    }
}

void RowSource::request_piece(const Kernels& kernels, const uint8_t* bytes, const uint32_t* starts,
                              const uint32_t* ends, size_t count, const uint8_t** rows) {
    size_t missing = count;
    if (sets_.size() > 0) {
        name_tokens(kernels, bytes, starts, ends, count);
        missing = place_tokens(count, rows);
    } else {
        for (size_t i = 0; i < count; ++i) {
            rows[i] = spare_.row(spares_used_++);
            missing_[i] = static_cast<uint32_t>(i);
        }
    }
    for (size_t j = 0; j < missing; ++j) {
        const uint32_t i = missing_[j];
        await(kernels, bytes + starts[i], ends[i] - starts[i], const_cast<uint8_t*>(rows[i]));
    }
}

inline void RowSource::await(const Kernels& kernels, const uint8_t* token, size_t size,
                             uint8_t* row) {
    size_t start = waiting_ == 0 ? 0 : ends_[waiting_ - 1];
    if (start + size > kMostWaitingBytes) [[unlikely]] {
        hash_waiting(kernels);
        start = 0;
    }
    if (bytes_.size() < start + size + kSlack) bytes_.resize(2 * (start + size + kSlack));
    if (size <= 16) {
        std::memcpy(bytes_.data() + start, token, 16);  // within both buffers' slack
    } else {
        std::memcpy(bytes_.data() + start, token, size);
    }
    starts_[waiting_] = static_cast<uint32_t>(start);
    ends_[waiting_] = static_cast<uint32_t>(start + size);
    rows_[waiting_] = row;
    ++waiting_;
}

void RowSource::hash_waiting(const Kernels& kernels) {
    hash_tokens(kernels, randomizer_, bytes_.data(), starts_.data(), ends_.data(), waiting_,
                slices_.data(), seeds_.data(), rows_.data());
    waiting_ = 0;
}

void RowSource::resolve(const Kernels& kernels) {
    hash_waiting(kernels);
    spares_used_ = 0;
    is_resolved_ = true;
}

}  // namespace addhash

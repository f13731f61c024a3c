#include "additive/token_tally.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "parallel/interrupt.h"
#include "simd/bytes.h"

namespace addhash {
namespace {

__extension__ typedef unsigned __int128 uint128;

constexpr size_t kPiece = 1024;  // tokens that are counted at a time
constexpr size_t kFirstPlaces = 4 * kPiece;
constexpr size_t kMostKept = 1 << 15;  // entries that outlive a document
constexpr size_t kMostKeptBytes = 1 << 20;
constexpr size_t kExactBytes = 15;
constexpr size_t kCopied = 16;  // bytes of a token, at least: within both buffers' slack

// What to keep of a token's first and second eight bytes.
struct Masks {
    uint64_t low, high;
};
constexpr auto kMasks = [] {
    std::array<Masks, kExactBytes + 1> masks{};
    for (size_t size = 0; size <= kExactBytes; ++size) {
        const size_t low = std::min<size_t>(size, 8), high = size - low;
        masks[size] = {low == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * low) - 1,
                       (uint64_t{1} << 8 * high) - 1};
    }
    return masks;
}();

}  // namespace

TokenTally::TokenTally()
    : key_(random_key()),
      long_key_(aes_key(key_)),
      table_(kFirstPlaces),
      starts_(1),
      names_(kPiece),
      places_(kPiece) {}

// Where a name belongs depends on the key, so that no text can be crafted whose tokens all collide.
inline size_t TokenTally::place_of(Seed name) const {
    const uint128 product = static_cast<uint128>(name.low ^ key_.low) * (name.high ^ key_.high);
    return static_cast<size_t>(product) ^ static_cast<size_t>(product >> 64);
}

void TokenTally::add(const Kernels& kernels, const uint8_t* bytes, const uint32_t* starts,
                     const uint32_t* ends, size_t count) {
    for (size_t first = 0; first < count; first += kPiece) {
        const size_t taken = std::min(kPiece, count - first);
        check_interrupt_after(taken * sizeof(uint64_t));
        make_room(taken);
        name_tokens(kernels, bytes, starts + first, ends + first, taken);
        count_tokens(bytes, starts + first, ends + first, taken);
    }
}

void TokenTally::name_tokens(const Kernels& kernels, const uint8_t* bytes, const uint32_t* starts,
                             const uint32_t* ends, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const uint8_t* token = bytes + starts[i];
        const size_t size = ends[i] - starts[i];
        Seed name;
        if (size <= kExactBytes) [[likely]] {
            name.low = load64(token) & kMasks[size].low;
            name.high = (load64(token + 8) & kMasks[size].high) | uint64_t{size} << 56;
        } else {
            kernels.aes_cmac(long_key_, bytes, starts + i, ends + i, 1, &name);
            name.high |= uint64_t{0xFF} << 56;
        }
        names_[i].low = name.low;
        names_[i].high = name.high;
        places_[i] = place_of(name);
        __builtin_prefetch(&table_[places_[i] & (table_.size() - 1)], 1);
    }
}

// Whether a token is new is unpredictable, so nothing branches on it.
void TokenTally::count_tokens(const uint8_t* bytes, const uint32_t* starts, const uint32_t* ends,
                              size_t count) {
    const size_t mask = table_.size() - 1;
    const uint32_t document = document_;
    Entry* const table = table_.data();
    uint64_t* const counts = counts_.data();
    size_t* const kept_starts = starts_.data();
    uint8_t* kept_bytes = bytes_.data();
    size_t room = bytes_.size(), used = used_, end = starts_[used];
    for (size_t i = 0; i < count; ++i) {
        const uint64_t low = names_[i].low, high = names_[i].high;
        size_t place = places_[i] & mask;
        uint32_t is_old;
        for (;; place = (place + 1) & mask) {
            const Entry& entry = table[place];
            is_old = entry.document == document;
            const bool is_other = ((entry.name.low ^ low) | (entry.name.high ^ high)) != 0;
            if (!(is_old & is_other)) [[likely]]
                break;
        }
        Entry& entry = table[place];
        const auto next = static_cast<uint32_t>(used);
        const uint32_t token = next ^ ((next ^ entry.token) & (0 - is_old));
        entry.name.low = low;
        entry.name.high = high;
        entry.token = token;
        entry.document = document;
        ++counts[token];
        const size_t size = ends[i] - starts[i];
        if (end + size + kSlack > room) [[unlikely]] {
            bytes_.resize(2 * (end + size + kSlack));
            kept_bytes = bytes_.data();
            room = bytes_.size();
        }
        // What is not new is overwritten by the next.
        std::memcpy(kept_bytes + end, bytes + starts[i], kCopied);
        if (size > kCopied) [[unlikely]]
            std::memcpy(kept_bytes + end, bytes + starts[i], size);
        const size_t is_new = is_old ^ 1;
        end += size & (0 - is_new);
        used += is_new;
        kept_starts[used] = end;
    }
    used_ = used;
}

void TokenTally::make_room(size_t tokens) {
    const size_t needed = used_ + tokens;
    if (needed > UINT32_MAX) throw std::bad_alloc();
    if (counts_.size() < needed) {
        counts_.resize(2 * needed);
        starts_.resize(2 * needed + 1);
    }
    if (2 * needed <= table_.size()) return;
    std::vector<Entry> old(2 * table_.size());
    old.swap(table_);
    const size_t mask = table_.size() - 1;
    for (const Entry& entry : old) {
        if (entry.document != document_) continue;
        size_t place = place_of(entry.name) & mask;
        while (table_[place].document == document_) place = (place + 1) & mask;
        table_[place] = entry;
    }
}

void TokenTally::clear() {
    if (table_.size() > kMostKept || bytes_.size() > kMostKeptBytes) {
        *this = TokenTally();
        return;
    }
    std::fill_n(counts_.begin(), used_, 0);
    used_ = 0;
    if (++document_ != 0) return;
    std::fill(table_.begin(), table_.end(), Entry{});
    document_ = 1;
}

}  // namespace addhash

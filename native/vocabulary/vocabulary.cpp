#include "vocabulary/vocabulary.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "simd/bytes.h"

namespace addhash {
namespace {

constexpr size_t kShort = 7;

}  // namespace

Vocabulary::Vocabulary() : table_(1024), mask_(table_.size() - 1) {}

uint64_t Vocabulary::head_of(const uint8_t* token, size_t size, uint32_t hash) {
    const bool is_short = size <= kShort;
    const uint64_t bytes =
        low_bytes(load64(token), static_cast<unsigned>(is_short ? size : kShort));
    return bytes | (is_short ? size : 0x80 | hash >> 25) << 8 * kShort;
}

// Of a token longer than kShort whose head is the entry's.
bool Vocabulary::is(const Entry& entry, const uint8_t* token, size_t size) const {
    const uint8_t* own = bytes_.data() + size_t{kAlignment} * entry.start;
    return tokens_[entry.number].size == size && std::memcmp(own, token, size) == 0;
}

// Where a token is in the table, or would be.
size_t Vocabulary::place_of(const uint8_t* token, size_t size, uint32_t hash) const {
    const uint64_t head = head_of(token, size, hash);
    for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
        const Entry& entry = table_[at];
        if (entry.head == head && (size <= kShort || is(entry, token, size))) return at;
        if (entry.number == kNone) return at;
    }
}

uint32_t Vocabulary::find_or_add(const uint8_t* token, size_t size, uint32_t hash) {
    size_t at = place_of(token, size, hash);
    if (table_[at].number != kNone) return table_[at].number;
    if (8 * (tokens_.size() + 1) > 5 * table_.size()) {
        grow();
        at = place_of(token, size, hash);
    }
    const size_t place = bytes_.size() / kAlignment;
    if (tokens_.size() >= kMost || size > UINT32_MAX || place > UINT32_MAX) throw std::bad_alloc();
    const size_t stored = (size + kAlignment - 1) / kAlignment * kAlignment;
    std::memcpy(bytes_.room(stored + kSlack), token, size);
    bytes_.grow(stored);
    const auto number = static_cast<uint32_t>(tokens_.size());
    const auto start = static_cast<uint32_t>(place), length = static_cast<uint32_t>(size);
    tokens_.push_back({start, length, hash});
    table_[at] = {head_of(token, size, hash), number, start};
    return number;
}

void Vocabulary::grow() {
    std::vector<Entry> old(2 * table_.size());
    old.swap(table_);
    mask_ = table_.size() - 1;
    for (const Entry& entry : old) {
        if (entry.number == kNone) continue;
        size_t at = tokens_[entry.number].hash & mask_;
        while (table_[at].number != kNone) at = (at + 1) & mask_;
        table_[at] = entry;
    }
}

namespace {

// The first 8 bytes of a token as one big-endian number: zeros, the least of bytes, stand where it
// has ended.
struct SortKey {
    uint64_t head;
    uint32_t number;
};

// By their heads, byte by byte from the last.
void sort_by_heads(std::vector<SortKey>& keys) {
    constexpr size_t kDigits = sizeof(uint64_t), kValues = 256;
    std::vector<uint32_t> counts(kDigits * kValues);
    for (const SortKey& key : keys) {
        for (size_t d = 0; d < kDigits; ++d) ++counts[kValues * d + (key.head >> 8 * d & 255)];
    }
    std::vector<SortKey> sorted(keys.size());
    for (size_t d = 0; d < kDigits; ++d) {
        uint32_t* places = counts.data() + kValues * d;
        if (keys.empty() || places[keys[0].head >> 8 * d & 255] == keys.size()) continue;
        uint32_t total = 0;
        for (size_t value = 0; value < kValues; ++value) {
            total += std::exchange(places[value], total);
        }
        for (const SortKey& key : keys) sorted[places[key.head >> 8 * d & 255]++] = key;
        keys.swap(sorted);
    }
}

}  // namespace

std::vector<uint32_t> Vocabulary::sorted() const {
    std::vector<SortKey> keys(size());
    for (uint32_t i = 0; i < keys.size(); ++i) {
        const uint64_t head = load64(bytes_of(i));
        const uint32_t length = tokens_[i].size;
        keys[i] = {__builtin_bswap64(length < sizeof head ? low_bytes(head, length) : head), i};
    }
    sort_by_heads(keys);
    std::vector<uint32_t> numbers(keys.size());
    for (size_t first = 0, end; first < keys.size(); first = end) {
        end = first + 1;
        while (end < keys.size() && keys[end].head == keys[first].head) ++end;
        for (size_t i = first; i < end; ++i) numbers[i] = keys[i].number;
        if (end - first == 1) continue;
        const auto begin = numbers.begin();
        std::sort(begin + static_cast<ptrdiff_t>(first), begin + static_cast<ptrdiff_t>(end),
                  [this](uint32_t a, uint32_t b) { return (*this)[a] < (*this)[b]; });
    }
    return numbers;
}

void Vocabulary::renumber(const int32_t* numbers) {
    GrowingArray<Token> renumbered;
    Token* tokens = renumbered.room(size());
    for (size_t i = 0; i < size(); ++i) tokens[numbers[i]] = tokens_[i];
    renumbered.grow(size());
    tokens_ = std::move(renumbered);
    for (Entry& entry : table_) {
        if (entry.number != kNone) {
            entry.number = static_cast<uint32_t>(numbers[entry.number]);
        }
    }
}

}  // namespace addhash

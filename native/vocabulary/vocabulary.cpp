#include "vocabulary/vocabulary.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace addhash {

Vocabulary::Vocabulary() : table_(1024), mask_(table_.size() - 1) {}

uint32_t Vocabulary::find_or_add(const uint8_t* token, size_t size, uint32_t hash) {
    size_t at = place_of(token, size, hash);
    if (table_[at].number != kNone) return table_[at].number;
    if (8 * (tokens_.size() + 1) > 5 * table_.size()) {
        grow();
        at = place_of(token, size, hash);
    }
    const size_t place = bytes_.size() / kAlignment;
    if (tokens_.size() >= kMost || size > UINT32_MAX || place > UINT32_MAX) throw std::bad_alloc();
    const size_t taken = sizeof(uint32_t) + (size + kAlignment - 1) / kAlignment * kAlignment;
    uint8_t* room = bytes_.room(taken + kSlack);
    store32(room, static_cast<uint32_t>(size));
    std::memcpy(room + sizeof(uint32_t), token, size);
    bytes_.grow(taken);
    const auto number = static_cast<uint32_t>(tokens_.size());
    const auto start = static_cast<uint32_t>(place);
    tokens_.push_back({start, hash});
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
        const uint32_t length = size_of(tokens_[i].start);
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

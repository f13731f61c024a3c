#include "analysis/word_set.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "simd/bytes.h"

namespace addhash {
namespace {

constexpr size_t kHead = sizeof(uint64_t);

uint64_t head_of(const uint8_t* word, size_t size) {
    const uint64_t head = load64(word);
    return size >= kHead ? head : head & ((uint64_t{1} << 8 * size) - 1);
}

}  // namespace

WordSet::WordSet(std::span<const std::string> words)
    : entries_(std::bit_ceil(std::max<size_t>(2, 2 * words.size()))) {
    for (const std::string& word : words) {
        if (word.empty()) {
            has_empty_ = true;
            continue;
        }
        std::vector<uint8_t> bytes(word.begin(), word.end());
        bytes.resize(bytes.size() + kSlack);
        if (contains(bytes.data(), word.size())) continue;
        const uint64_t head = head_of(bytes.data(), word.size());
        size_t at = place(head, word.size());
        while (entries_[at].size != 0) at = (at + 1) & (entries_.size() - 1);
        entries_[at] = {head, static_cast<uint32_t>(word.size()),
                        static_cast<uint32_t>(rests_.size())};
        if (word.size() > kHead) {
            rests_.insert(rests_.end(), bytes.begin() + kHead,
                          bytes.begin() + static_cast<ptrdiff_t>(word.size()));
        }
    }
}

bool WordSet::contains(const uint8_t* word, size_t size) const {
    if (size == 0) return has_empty_;
    const uint64_t head = head_of(word, size);
    for (size_t at = place(head, size); entries_[at].size != 0;
         at = (at + 1) & (entries_.size() - 1)) {
        if (is(entries_[at], head, word, size)) return true;
    }
    return false;
}

size_t WordSet::place(uint64_t head, size_t size) const {
    const uint64_t mixed = (head ^ size) * 0x9E3779B97F4A7C15;
    return static_cast<size_t>(mixed >> 32) & (entries_.size() - 1);
}

bool WordSet::is(const Entry& entry, uint64_t head, const uint8_t* word, size_t size) const {
    return entry.head == head && entry.size == size &&
           (size <= kHead ||
            std::memcmp(rests_.data() + entry.rest, word + kHead, size - kHead) == 0);
}

}  // namespace addhash

#include "passages/window_filter.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <new>

namespace addhash {
namespace {

constexpr size_t kAhead = 16;  // places that are fetched before they are needed
constexpr size_t kFewHashes = size_t{1} << 20;

uint64_t bits_of(uint64_t hash) {
    return uint64_t{1} << (hash & 63) | uint64_t{1} << (hash >> 6 & 63) |
           uint64_t{1} << (hash >> 12 & 63) | uint64_t{1} << (hash >> 18 & 63);
}

}  // namespace

SeenBefore::SeenBefore(size_t bytes)
    : size_(std::max<size_t>(1, bytes / sizeof(uint64_t))),
      words_(static_cast<uint64_t*>(std::calloc(size_, sizeof(uint64_t)))) {
    if (words_ == nullptr) throw std::bad_alloc();
}

size_t SeenBefore::place_of(uint64_t hash) const {
    return static_cast<size_t>(static_cast<unsigned __int128>(hash) * size_ >> 64);
}

void SeenBefore::see(std::span<const uint64_t> hashes, std::vector<uint64_t>& again) {
    for (size_t i = 0; i < hashes.size(); ++i) {
        if (i + kAhead < hashes.size()) {
            __builtin_prefetch(&words_[place_of(hashes[i + kAhead])], 1);
        }
        // One operation on one word: of two threads with the same hash, one sees the other's bits.
        const uint64_t bits = bits_of(hashes[i]);
        std::atomic_ref<uint64_t> word(words_[place_of(hashes[i])]);
        const uint64_t before = word.fetch_or(bits, std::memory_order_relaxed);
        if ((before & bits) == bits) again.push_back(hashes[i]);
    }
}

void HashCounts::add(const std::vector<uint64_t>& hashes) {
    hashes_.insert(hashes_.end(), hashes.begin(), hashes.end());
    if (hashes_.size() > 2 * sorted_ + kFewHashes) sort();
}

void HashCounts::sort() {
    std::sort(hashes_.begin(), hashes_.end());
    hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
    sorted_ = hashes_.size();
}

void HashCounts::seal() {
    sort();
    hashes_.shrink_to_fit();
    index();
    counts_.assign(hashes_.size(), 0);
    texts_.assign(hashes_.size(), UINT32_MAX);
}

// About two hashes share their topmost bits.
void HashCounts::index() {
    const auto bits = static_cast<unsigned>(std::bit_width(hashes_.size() / 2 + 1));
    shift_ = 64 - bits;
    starts_.assign((size_t{1} << bits) + 1, hashes_.size());
    for (size_t i = hashes_.size(); i-- > 0;) starts_[hashes_[i] >> shift_] = i;
    for (size_t i = starts_.size() - 1; i-- > 0;) starts_[i] = std::min(starts_[i], starts_[i + 1]);
}

size_t HashCounts::find(uint64_t hash) const {
    const size_t end = starts_[(hash >> shift_) + 1];
    for (size_t i = starts_[hash >> shift_]; i < end && hashes_[i] <= hash; ++i) {
        if (hashes_[i] == hash) return i;
    }
    return kNone;
}

void HashCounts::count(std::span<const uint64_t> hashes, uint32_t text, bool once_each) {
    for (size_t i = 0; i < hashes.size(); ++i) {
        if (i + kAhead < hashes.size()) __builtin_prefetch(&starts_[hashes[i + kAhead] >> shift_]);
        const size_t found = find(hashes[i]);
        if (found == kNone) continue;
        if (once_each) {
            std::atomic_ref<uint32_t> last(texts_[found]);
            if (last.exchange(text, std::memory_order_relaxed) == text) continue;
        }
        std::atomic_ref<uint32_t>(counts_[found]).fetch_add(1, std::memory_order_relaxed);
    }
}

void HashCounts::keep(uint32_t least) {
    size_t kept = 0;
    for (size_t i = 0; i < hashes_.size(); ++i) {
        hashes_[kept] = hashes_[i];
        kept += counts_[i] >= least;
    }
    hashes_.resize(kept);
    hashes_.shrink_to_fit();
    counts_ = {};
    texts_ = {};
    index();
}

}  // namespace addhash

#include "duplicates/set_index.h"

#include <algorithm>
#include <bit>
#include <mutex>

#include "parallel/parallel.h"

namespace addhash {
namespace {

constexpr size_t kQueryChunk = 64;
constexpr uint32_t kNone = UINT32_MAX;
constexpr size_t kFewest = 1024;  // changes that are not worth building anew for

// As good as random for keys that are hashes, or digests of them.
uint64_t spread(uint64_t key) { return (key ^ key >> 32) * 0xD6E8FEB86659FD93; }

}  // namespace

size_t NumberLists::place(uint64_t key) const {
    const size_t mask = slots_.size() - 1;
    size_t i = spread(key) >> 20 & mask;
    while (slots_[i].head != kNone && slots_[i].key != key) i = (i + 1) & mask;
    return i;
}

void NumberLists::reserve(size_t keys) {
    const size_t wanted = std::bit_ceil(std::max<size_t>(16, keys + keys / 2));
    if (wanted <= slots_.size()) return;
    std::vector<Slot> old(wanted);
    old.swap(slots_);
    for (const Slot& slot : old) {
        if (slot.head != kNone) slots_[place(slot.key)] = slot;
    }
}

void NumberLists::add(uint64_t key, uint32_t number) {
    if (links_.size() >= kNone) throw std::bad_alloc();
    reserve(used_ + 1);
    links_.push_back({number, kNone});
    Slot& slot = slots_[place(key)];
    if (slot.head == kNone) {
        slot.key = key;
        ++used_;
    }
    links_.back().next = slot.head;
    slot.head = static_cast<uint32_t>(links_.size() - 1);
}

void NumberLists::clear() {
    slots_ = {};
    links_ = {};
    used_ = 0;
}

std::span<const RankedToken> SetIndex::prefix(const Threshold& threshold, const TokenCounts& counts,
                                              TokenSet set, Search& search) {
    search.order.clear();
    for (uint64_t token : set) search.order.push_back({counts[token], token});
    const auto length = static_cast<size_t>(threshold.probe_prefix(set.size()));
    if (length < set.size()) {
        std::nth_element(search.order.begin(),
                         search.order.begin() + static_cast<ptrdiff_t>(length), search.order.end());
    }
    return {search.order.data(), length};
}

void SetIndex::post(uint32_t entry, Search& search) {
    const TokenSet set = sets_[entry].view();
    for (const RankedToken& ranked : prefix(threshold_, counts_, set, search)) {
        postings_.add(ranked.token, entry);
    }
}

void SetIndex::match(uint32_t query, TokenSet set, uint64_t serial, Search& search,
                     std::vector<SetMatch>& out) const {
    std::vector<uint32_t>& candidates = search.candidates;
    candidates.clear();
    for (const RankedToken& ranked : prefix(threshold_, counts_, set, search)) {
        postings_.for_each(ranked.token, [&](uint32_t entry) { candidates.push_back(entry); });
    }
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    for (uint32_t entry : candidates) {
        const Set& other = sets_[entry];
        if (!other.tokens || other.serial >= serial) continue;
        const uint64_t least = threshold_.least_shared(set.size(), other.size);
        if (least > std::min<uint64_t>(set.size(), other.size)) continue;
        const size_t shared = shared_hashes(set, other.view(), least);
        if (shared >= least) out.push_back({query, entry, static_cast<uint32_t>(shared)});
    }
}

// find(i, search, matches) appends the matches of query i.
template <class Find>
std::vector<SetMatch> SetIndex::find_all(size_t count, size_t threads, Find&& find) {
    const size_t chunks = (count + kQueryChunk - 1) / kQueryChunk;
    std::vector<std::vector<SetMatch>> found(chunks);
    run_parallel(threads, chunks, [&](auto next) {
        Search search;
        for (size_t chunk = next(); chunk < chunks; chunk = next()) {
            const size_t last = std::min(count, (chunk + 1) * kQueryChunk);
            for (size_t i = chunk * kQueryChunk; i < last; ++i) find(i, search, found[chunk]);
        }
    });
    std::vector<SetMatch> all;
    for (const auto& matches : found) all.insert(all.end(), matches.begin(), matches.end());
    return all;
}

std::vector<SetMatch> SetIndex::query(const TokenSets& sets, size_t threads) const {
    return find_all(sets.size(), threads, [&](size_t i, Search& search, auto& matches) {
        match(static_cast<uint32_t>(i), sets[i], UINT64_MAX, search, matches);
    });
}

// Gives a set its number; it is not posted yet.
uint32_t SetIndex::insert(TokenSet set) {
    if (free_.empty()) {
        if (sets_.size() >= UINT32_MAX - 1) throw std::bad_alloc();
        // So that drop() cannot fail.
        if (removed_.capacity() <= sets_.size()) removed_.reserve(2 * sets_.size() + kFewest);
        sets_.emplace_back();
        free_.push_back(static_cast<uint32_t>(sets_.size() - 1));
    }
    const uint32_t entry = free_.back();
    auto tokens = std::make_unique_for_overwrite<uint64_t[]>(set.size());
    std::ranges::copy(set, tokens.get());
    free_.pop_back();
    sets_[entry] = {std::move(tokens), static_cast<uint32_t>(set.size()), next_serial_++};
    ++count_;
    tokens_ += set.size();
    return entry;
}

void SetIndex::drop(uint32_t entry) noexcept {
    tokens_ -= sets_[entry].size;
    --count_;
    sets_[entry] = {};
    removed_.push_back(entry);
}

SetIndex::Added SetIndex::add(const TokenSets& sets, size_t threads) {
    Added added;
    std::vector<uint32_t> fresh;
    added.entries.reserve(sets.size());
    added.is_new.reserve(sets.size());
    fresh.reserve(sets.size());
    try {
        const bool is_many = count_ + sets.size() > 2 * built_ + kFewest;
        Search search;
        for (size_t i = 0; i < sets.size(); ++i) {
            const uint64_t key = digest(sets[i]);
            uint32_t entry = kNone;
            by_digest_.for_each(key, [&](uint32_t other) {
                const Set& set = sets_[other];
                if (set.tokens && std::ranges::equal(set.view(), sets[i])) entry = other;
            });
            added.is_new.push_back(entry == kNone);
            if (entry == kNone) {
                entry = insert(sets[i]);
                fresh.push_back(entry);
                by_digest_.add(key, entry);
                if (!is_many) post(entry, search);
            }
            added.entries.push_back(entry);
        }
        if (is_many) rebuild(threads);
        added.matches = find_all(fresh.size(), threads, [&](size_t i, Search& mine, auto& matches) {
            const Set& set = sets_[fresh[i]];
            match(fresh[i], set.view(), set.serial, mine, matches);
        });
    } catch (...) {
        for (uint32_t entry : fresh) drop(entry);
        throw;
    }
    return added;
}

void SetIndex::remove(std::span<const uint32_t> entries) {
    for (uint32_t entry : entries) {
        if (contains(entry)) drop(entry);
    }
    if (removed_.size() <= count_ + kFewest) return;
    try {
        rebuild(1);
    } catch (const std::bad_alloc&) {
        // It would have saved memory and time, no more.
    }
}

// Takes the order of tokens and the lists anew, or leaves all as it was.
void SetIndex::rebuild(size_t threads) {
    SetIndex built(threshold_);
    std::vector<TokenSet> live;
    for (const Set& set : sets_) {
        if (set.tokens) live.push_back(set.view());
    }
    built.counts_ = TokenCounts(live, threads);
    Search search;
    for (size_t entry = 0; entry < sets_.size(); ++entry) {
        if (!sets_[entry].tokens) continue;
        const TokenSet set = sets_[entry].view();
        for (const RankedToken& ranked : prefix(threshold_, built.counts_, set, search)) {
            built.postings_.add(ranked.token, static_cast<uint32_t>(entry));
        }
        built.by_digest_.add(digest(set), static_cast<uint32_t>(entry));
    }
    free_.reserve(sets_.size());
    free_.insert(free_.end(), removed_.begin(), removed_.end());
    removed_.clear();
    counts_ = std::move(built.counts_);
    postings_ = std::move(built.postings_);
    by_digest_ = std::move(built.by_digest_);
    built_ = count_;
}

size_t SetIndex::bytes() const {
    return tokens_ * sizeof(uint64_t) + sets_.capacity() * sizeof(Set) + postings_.bytes() +
           by_digest_.bytes();
}

}  // namespace addhash

#include "duplicates/collection.h"

#include <algorithm>
#include <numeric>

namespace addhash {

double Collection::similarity(uint32_t entry, const Near& near) const {
    return threshold_.similarity(near.shared, index_[entry].size(), index_[near.entry].size());
}

void Collection::link(const SetMatch& match) {
    entries_[match.query].near.push_back({match.entry, match.shared});
    entries_[match.entry].near.push_back({match.query, match.shared});
}

// Takes a spare node if there is one: those who remove have made them before.
void Collection::lead(uint32_t entry, std::optional<int64_t> cluster) {
    int64_t id = cluster.value_or(entries_[entry].ids.front());
    if (!cluster && clusters_.contains(id)) id = next_id_++;
    if (spare_.empty()) {
        clusters_.insert(id);
    } else {
        auto node = spare_.extract(spare_.begin());
        node.value() = id;
        clusters_.insert(std::move(node));
    }
    entries_[entry].leader = entry;
    entries_[entry].cluster = id;
}

// Among the leaders that are near.
void Collection::choose_leader(uint32_t entry) {
    std::optional<uint32_t> best;
    double most = 0;
    for (const Near& near : entries_[entry].near) {
        const Entry& other = entries_[near.entry];
        if (other.leader != near.entry || near.entry == entry) continue;
        const double value = similarity(entry, near);
        if (!best || value > most || (value == most && other.age < entries_[*best].age)) {
            best = near.entry;
            most = value;
        }
    }
    if (best) {
        entries_[entry].leader = *best;
    } else {
        lead(entry, std::nullopt);
    }
}

void Collection::place(int64_t id, uint32_t entry) {
    entries_[entry].ids.push_back(id);
    texts_.emplace(id, Text{entry, next_serial_++});
    next_id_ = std::max(next_id_, id < INT64_MAX ? id + 1 : id);
}

void Collection::add(std::span<const int64_t> ids, const TokenSets& sets, size_t threads) {
    const int64_t next_id = next_id_;
    const SetIndex::Added added = index_.add(sets, threads);
    try {
        size_t most = entries_.size();
        for (uint32_t entry : added.entries) most = std::max<size_t>(most, entry + size_t{1});
        entries_.resize(most);
        size_t next = 0;  // matches come in the order of the sets that are new
        for (size_t i = 0; i < ids.size(); ++i) {
            const uint32_t entry = added.entries[i];
            if (added.is_new[i]) {
                entries_[entry].leader = UINT32_MAX;
                entries_[entry].age = next_age_++;
            }
            place(ids[i], entry);
            if (!added.is_new[i]) continue;
            for (; next < added.matches.size() && added.matches[next].query == entry; ++next) {
                link(added.matches[next]);
            }
            choose_leader(entry);
        }
    } catch (...) {
        undo(ids, added);
        next_id_ = next_id;
        throw;
    }
}

// Takes back as much of an addition as was made. Erases only, so that it cannot fail.
void Collection::undo(std::span<const int64_t> ids, const SetIndex::Added& added) noexcept {
    for (int64_t id : ids) texts_.erase(id);
    for (const SetMatch& match : added.matches) {
        if (match.entry >= entries_.size()) continue;
        std::erase_if(entries_[match.entry].near,
                      [&](const Near& back) { return back.entry == match.query; });
    }
    for (size_t i = 0; i < ids.size(); ++i) {
        const uint32_t entry = added.entries[i];
        if (entry < entries_.size()) {
            Entry& changed = entries_[entry];
            std::erase_if(changed.ids, [&](int64_t id) { return !texts_.contains(id); });
            if (added.is_new[i]) {
                if (changed.leader == entry) clusters_.erase(changed.cluster);
                changed = {};
            }
        }
        if (added.is_new[i]) index_.remove({&entry, 1});
    }
}

// The sets that a leader represented get another one. The first of them that it was similar to
// takes over, and with it stay those that it is similar to.
void Collection::succeed(uint32_t entry) {
    const int64_t cluster = entries_[entry].cluster;
    clusters_.erase(cluster);
    followers_.clear();
    for (const Near& near : entries_[entry].near) {
        if (entries_[near.entry].leader == entry) followers_.push_back(near.entry);
    }
    if (followers_.empty()) return;
    std::sort(followers_.begin(), followers_.end(),
              [&](uint32_t a, uint32_t b) { return entries_[a].age < entries_[b].age; });
    const uint32_t successor = followers_.front();
    lead(successor, cluster);
    for (const Near& near : entries_[successor].near) {
        if (entries_[near.entry].leader == entry) entries_[near.entry].leader = successor;
    }
    for (uint32_t follower : followers_) {
        if (entries_[follower].leader == entry) choose_leader(follower);
    }
}

void Collection::remove(std::span<const int64_t> ids) {
    // First all that can fail: memory for what follows.
    std::vector<uint32_t> touched, gone;
    touched.reserve(ids.size());
    for (int64_t id : ids) {
        const auto text = texts_.find(id);
        if (text != texts_.end()) touched.push_back(text->second.entry);
    }
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    gone.reserve(touched.size());
    size_t all = 0, most = 0;  // that may need another leader
    for (uint32_t entry : touched) {
        if (entries_[entry].leader != entry) continue;
        all += entries_[entry].near.size();
        most = std::max(most, entries_[entry].near.size());
    }
    followers_.reserve(most);
    clusters_.reserve(clusters_.size() + all);
    for (size_t i = 0; i < all; ++i) spare_.insert(static_cast<int64_t>(i));

    for (int64_t id : ids) texts_.erase(id);
    for (uint32_t entry : touched) {
        std::erase_if(entries_[entry].ids, [&](int64_t id) { return !texts_.contains(id); });
        if (entries_[entry].ids.empty()) gone.push_back(entry);
    }
    // Those that go are no longer near anything, so that none of them takes over or is joined.
    for (uint32_t entry : gone) {
        for (const Near& near : entries_[entry].near) {
            std::erase_if(entries_[near.entry].near,
                          [&](const Near& back) { return back.entry == entry; });
        }
    }
    std::sort(gone.begin(), gone.end(),
              [&](uint32_t a, uint32_t b) { return entries_[a].age < entries_[b].age; });
    for (uint32_t entry : gone) {
        std::erase_if(entries_[entry].near,
                      [&](const Near& near) { return entries_[near.entry].ids.empty(); });
    }
    for (uint32_t entry : gone) {
        if (entries_[entry].leader == entry) succeed(entry);
    }
    for (uint32_t entry : gone) entries_[entry] = {};
    index_.remove(gone);
    spare_.clear();
}

std::vector<IdMatch> Collection::query(const TokenSets& sets, size_t threads) const {
    std::vector<IdMatch> matches;
    for (const SetMatch& match : index_.query(sets, threads)) {
        const auto size = static_cast<uint32_t>(index_[match.entry].size());
        for (int64_t id : entries_[match.entry].ids) {
            matches.push_back({match.query, id, match.shared, size});
        }
    }
    return matches;
}

std::vector<IdPair> Collection::pairs() const {
    std::vector<IdPair> pairs;
    const auto add = [&](int64_t a, int64_t b, uint32_t shared, uint32_t a_size, uint32_t b_size) {
        pairs.push_back(a < b ? IdPair{a, b, shared, a_size, b_size}
                              : IdPair{b, a, shared, b_size, a_size});
    };
    for (uint32_t i = 0; i < entries_.size(); ++i) {
        const Entry& entry = entries_[i];
        if (entry.ids.empty()) continue;
        const auto size = static_cast<uint32_t>(index_[i].size());
        for (size_t a = 0; a < entry.ids.size(); ++a) {
            for (size_t b = 0; b < a; ++b) add(entry.ids[b], entry.ids[a], size, size, size);
        }
        for (const Near& near : entry.near) {
            if (near.entry < i) continue;
            const auto other = static_cast<uint32_t>(index_[near.entry].size());
            for (int64_t a : entry.ids) {
                for (int64_t b : entries_[near.entry].ids) add(a, b, near.shared, size, other);
            }
        }
    }
    std::sort(pairs.begin(), pairs.end(), [](const IdPair& a, const IdPair& b) {
        return a.left != b.left ? a.left < b.left : a.right < b.right;
    });
    return pairs;
}

std::vector<Placed> Collection::placed() const {
    std::vector<std::pair<uint64_t, Placed>> texts;
    texts.reserve(texts_.size());
    for (const auto& [id, text] : texts_) {
        const Entry& entry = entries_[text.entry];
        const auto size = static_cast<uint32_t>(index_[text.entry].size());
        const auto leader_size = static_cast<uint32_t>(index_[entry.leader].size());
        uint32_t shared = size;  // with itself
        for (const Near& near : entry.near) {
            if (near.entry == entry.leader) shared = near.shared;
        }
        const Entry& leader = entries_[entry.leader];
        texts.push_back(
            {text.serial, {id, leader.cluster, leader.ids.front(), shared, size, leader_size}});
    }
    std::sort(texts.begin(), texts.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Placed> placed;
    placed.reserve(texts.size());
    for (const auto& text : texts) placed.push_back(text.second);
    return placed;
}

std::vector<uint32_t> Collection::by_age() const {
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < entries_.size(); ++i) {
        if (!entries_[i].ids.empty()) order.push_back(i);
    }
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return entries_[a].age < entries_[b].age; });
    return order;
}

CollectionState Collection::state() const {
    CollectionState state;
    const std::vector<uint32_t> order = by_age();
    std::vector<uint32_t> numbers(entries_.size());
    for (uint32_t i = 0; i < order.size(); ++i) numbers[order[i]] = i;
    for (uint32_t entry : order) {
        const TokenSet set = index_[entry];
        state.sizes.push_back(static_cast<uint32_t>(set.size()));
        state.hashes.insert(state.hashes.end(), set.begin(), set.end());
        state.leaders.push_back(numbers[entries_[entry].leader]);
        state.clusters.push_back(entries_[entries_[entry].leader].cluster);
    }
    for (const Placed& text : placed()) {
        state.ids.push_back(text.id);
        state.sets.push_back(numbers[texts_.at(text.id).entry]);
    }
    state.next_id = next_id_;
    return state;
}

bool Collection::restore(const CollectionState& state, size_t threads) {
    const size_t count = state.sizes.size();
    if (state.leaders.size() != count || state.clusters.size() != count) return false;
    if (state.sets.size() != state.ids.size() || size() > 0) return false;
    TokenSets sets;
    if (!sets.add(state.sizes, state.hashes)) return false;
    const SetIndex::Added added = index_.add(sets, threads);
    for (uint32_t i = 0; i < count; ++i) {
        // All sets differ, so that the index numbers them as they come.
        if (!added.is_new[i] || added.entries[i] != i || state.leaders[i] >= count) return false;
    }
    entries_.resize(count);
    for (size_t i = 0; i < state.ids.size(); ++i) {
        if (state.sets[i] >= count || contains(state.ids[i])) return false;
        place(state.ids[i], state.sets[i]);
    }
    if (state.next_id < next_id_) return false;
    next_id_ = state.next_id;
    for (const SetMatch& match : added.matches) link(match);
    for (uint32_t i = 0; i < count; ++i) {
        Entry& entry = entries_[i];
        const uint32_t leader = state.leaders[i];
        if (entry.ids.empty() || state.leaders[leader] != leader) return false;
        if (state.clusters[i] != state.clusters[leader]) return false;
        entry.leader = leader;
        entry.age = next_age_++;
        if (leader == i) {
            if (!clusters_.insert(state.clusters[i]).second) return false;
            entry.cluster = state.clusters[i];
        } else if (std::ranges::none_of(entry.near,
                                        [&](const Near& n) { return n.entry == leader; })) {
            return false;
        }
    }
    return true;
}

size_t Collection::bytes() const {
    size_t bytes = index_.bytes() + entries_.capacity() * sizeof(Entry);
    for (const Entry& entry : entries_) {
        bytes += entry.ids.capacity() * sizeof(int64_t) + entry.near.capacity() * sizeof(Near);
    }
    // A node of each map has its value, a pointer and the allocator's header.
    return bytes + texts_.size() * (sizeof(int64_t) + sizeof(Text) + 3 * sizeof(void*)) +
           clusters_.size() * (sizeof(int64_t) + 3 * sizeof(void*));
}

}  // namespace addhash

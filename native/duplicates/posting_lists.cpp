#include "duplicates/posting_lists.h"

#include <algorithm>
#include <cmath>

#include "parallel/parallel.h"
#include "parallel/threads.h"

namespace addhash {
namespace {

constexpr size_t kListParts = 256;
constexpr size_t kTileBytes = size_t{1} << 18;  // of signatures
constexpr size_t kTilePairs = size_t{1} << 23;  // a few milliseconds

struct Entry {
    uint64_t key;
    uint32_t item;
    uint32_t place;
    bool operator<(const Entry& other) const {
        return key != other.key ? key < other.key : item < other.item;
    }
};

using Parts = std::vector<std::vector<Entry>>;

Parts collect(const Prefixes& prefixes, size_t threads) {
    Parts parts(kListParts);
    Mutex adding;
    run_parallel(threads, prefixes.chunks(), [&](auto next) {
        Parts mine(kListParts);
        for (size_t chunk = next(); chunk < prefixes.chunks(); chunk = next()) {
            const size_t last = std::min(prefixes.size(), (chunk + 1) * Prefixes::kChunk);
            for (size_t i = chunk * Prefixes::kChunk; i < last; ++i) {
                const auto item = static_cast<uint32_t>(i);
                uint32_t place = 0;
                for (uint64_t key : prefixes[item]) {
                    mine[key % kListParts].push_back({key, item, place++});
                }
            }
        }
        const std::lock_guard lock(adding);
        for (size_t i = 0; i < kListParts; ++i) {
            parts[i].insert(parts[i].end(), mine[i].begin(), mine[i].end());
            std::vector<Entry>().swap(mine[i]);
        }
    });
    return parts;
}

// Bit s is set if items of side s look others up, or are found.
struct Turn {
    unsigned looking, found;
};
constexpr Turn kOneSide[] = {{1, 1}};
// Each two items of different sides meet in one turn, whichever of them looks the other up.
constexpr Turn kTwoSides[] = {{0b1010, 0b1100}, {0b0100, 0b1010}, {0b1000, 0b0010}};

// Lists of one item, or that no item can be found in, are left out.
void build(std::vector<Entry>& entries, const std::vector<uint32_t>& indexed,
           std::span<const uint8_t> sides, Postings& out) {
    const auto turns =
        std::span<const Turn>(sides.empty() ? kOneSide : kTwoSides, sides.empty() ? 1 : 3);
    std::sort(entries.begin(), entries.end());
    const auto end_of = [](const auto& all) { return static_cast<uint32_t>(all.size()); };
    for (size_t i = 0; i < entries.size();) {
        size_t end = i;
        while (end < entries.size() && entries[end].key == entries[i].key) ++end;
        for (const Turn& turn : turns) {
            Postings::List list = {end_of(out.row_items), 0, end_of(out.items), 0};
            for (size_t row = i; row < end && end - i > 1; ++row) {
                const Entry& entry = entries[row];
                const unsigned side = sides.empty() ? 0 : sides[entry.item];
                if ((turn.looking >> side & 1) && out.items.size() > list.first) {
                    out.row_items.push_back(entry.item);
                    out.row_places.push_back(entry.place);
                }
                if ((turn.found >> side & 1) && entry.place < indexed[entry.item]) {
                    out.items.push_back(entry.item);
                    out.places.push_back(entry.place);
                }
            }
            list.last_row = end_of(out.row_items);
            list.last = end_of(out.items);
            if (list.last_row > list.first_row) out.lists.push_back(list);
        }
        i = end;
    }
    std::vector<Entry>().swap(entries);
}

void sign_items(const Signatures& signatures, Postings& out) {
    out.signatures.word_count = signatures.word_count;
    for (size_t w = 0; w < signatures.word_count; ++w) {
        std::vector<uint64_t>& words = out.signatures.words[w];
        words.clear();
        words.reserve(out.items.size());
        for (uint32_t item : out.items) words.push_back(signatures.words[w][item]);
    }
}

}  // namespace

// With s tokens each, each of m bits differs with the chance p = (1 - exp(-4 s / m)) / 2.
size_t signature_words(double tokens, double allowed) {
    for (size_t words = 1; words <= kMostSignatureWords; words *= 2) {
        const double bits = 64.0 * static_cast<double>(words);
        const double chance = (1 - std::exp(-4 * tokens / bits)) / 2;
        if (bits * chance - 3 * std::sqrt(bits * chance * (1 - chance)) > allowed) return words;
    }
    return 0;
}

PostingLists::PostingLists(const Prefixes& prefixes, const std::vector<uint32_t>& indexed,
                           std::span<const uint8_t> sides, const Signatures& signatures,
                           size_t threads)
    : parts_(kListParts) {
    Parts entries = collect(prefixes, threads);
    run_parallel(threads, kListParts, [&](auto next) {
        for (size_t part = next(); part < kListParts; part = next()) {
            build(entries[part], indexed, sides, parts_[part]);
            sign_items(signatures, parts_[part]);
        }
    });
}

size_t PostingLists::meetings() const {
    size_t meetings = 0;
    for (const Postings& part : parts_) {
        for (const Postings::List& list : part.lists) {
            meetings += size_t{list.last - list.first} * (list.last_row - list.first_row);
        }
    }
    return meetings;
}

std::vector<PostingTile> PostingLists::tiles(size_t item_bytes) const {
    std::vector<PostingTile> tiles;
    const size_t most_items = kTileBytes / item_bytes;
    for (uint32_t part = 0; part < parts_.size(); ++part) {
        const std::vector<Postings::List>& lists = parts_[part].lists;
        uint32_t first = 0;
        size_t pairs = 0;  // in the lists from `first` on
        const auto flush = [&](uint32_t last) {
            if (first < last) tiles.push_back({part, first, last, 0, 0, 0, 0});
            first = last;
            pairs = 0;
        };
        for (uint32_t i = 0; i < lists.size(); ++i) {
            const Postings::List& list = lists[i];
            const size_t items = list.last - list.first, rows = list.last_row - list.first_row;
            if (items * rows <= kTilePairs && items <= most_items) {
                pairs += items * rows;
                if (pairs > kTilePairs) flush(i + 1);
                continue;
            }
            flush(i);
            first = i + 1;
            const size_t rows_at_once =
                std::max<size_t>(1, kTilePairs / std::min(items, most_items));
            for (size_t item = list.first; item < list.last; item += most_items) {
                for (size_t row = list.first_row; row < list.last_row; row += rows_at_once) {
                    tiles.push_back(
                        {part, i, i + 1, static_cast<uint32_t>(row),
                         static_cast<uint32_t>(std::min<size_t>(row + rows_at_once, list.last_row)),
                         static_cast<uint32_t>(item),
                         static_cast<uint32_t>(std::min<size_t>(item + most_items, list.last))});
                }
            }
        }
        flush(static_cast<uint32_t>(lists.size()));
    }
    return tiles;
}

}  // namespace addhash

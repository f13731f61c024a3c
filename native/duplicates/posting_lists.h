// Which items have a key in their prefix, with the signatures of these items beside them.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "duplicates/token_order.h"
#include "near/near.h"

namespace addhash {

// Signatures of items, of the same number of words each: word w of item i is words[w][i].
struct Signatures {
    size_t word_count = 0;  // 0: none, then all items are near all others
    std::array<std::vector<uint64_t>, kMostSignatureWords> words;
};

// The fewest words whose signatures tell most items of so many tokens apart that share nothing, if
// similar ones differ in at most `allowed` tokens; 0 if none do.
size_t signature_words(double tokens, double allowed);

// The lists of keys with the same low bits.
struct Postings {
    // Items look each other up: those in [first_row, last_row) look, in ascending order, and find
    // those in [first, last).
    struct List {
        uint32_t first_row, last_row, first, last;
    };
    std::vector<List> lists;
    std::vector<uint32_t> row_items, row_places;  // the place of the key in the item's prefix
    std::vector<uint32_t> items, places;
    Signatures signatures;  // of `items`
};

// A piece of work: some rows of a list against some of its items. Or, with more than one list, all
// rows of each.
struct PostingTile {
    uint32_t part, first_list, last_list;
    uint32_t first_row, last_row, first, last;
};

class PostingLists {
public:
    // `indexed` tells how many keys of an item can be found by others; all are looked up. Unless
    // empty, `sides` has 1, 2 or, for both, 3 for each item: then pairs of one side do not meet.
    PostingLists(const Prefixes& prefixes, const std::vector<uint32_t>& indexed,
                 std::span<const uint8_t> sides, const Signatures& signatures, size_t threads);

    const Postings& part(size_t part) const { return parts_[part]; }
    // How many times an item meets another one, or itself, in a list.
    size_t meetings() const;
    // All work, in pieces that take about as long and stay in a core's cache, if an item takes so
    // many bytes.
    std::vector<PostingTile> tiles(size_t item_bytes) const;

private:
    std::vector<Postings> parts_;
};

}  // namespace addhash

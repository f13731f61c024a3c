#include "detection/tally.h"

#include <algorithm>

namespace addhash {
namespace {

constexpr size_t kMostPending = size_t{1} << 24;

// Adds up equal keys.
void sum_up(std::vector<NgramTally>& tally) {
    std::sort(tally.begin(), tally.end(),
              [](const NgramTally& a, const NgramTally& b) { return a.key < b.key; });
    size_t kept = 0;
    for (size_t i = 0; i < tally.size(); ++i) {
        if (kept > 0 && tally[kept - 1].key == tally[i].key) {
            tally[kept - 1].weight += tally[i].weight;
        } else {
            tally[kept++] = tally[i];
        }
    }
    tally.resize(kept);
}

}  // namespace

std::vector<NgramTally> tally_ngrams(std::span<const Text> texts,
                                     std::span<const int64_t> weights) {
    WordReader reader;
    SeenWords seen;
    std::vector<NgramTally> tally;
    std::vector<NgramKey> keys;
    std::vector<size_t> letters(script_count());
    size_t limit = kMostPending;
    for (size_t i = 0; i < texts.size(); ++i) {
        keys.clear();
        std::fill(letters.begin(), letters.end(), 0);
        for_each_new_word(reader, seen, texts[i], [&](const Word& word) {
            letters[word.script] += word.length * (word.is_unspaced ? 2 : 1);
            for_each_ngram(word, [&](NgramKey key, ptrdiff_t, size_t) { keys.push_back(key); });
        });
        const auto most = std::max_element(letters.begin(), letters.end()) - letters.begin();
        for (const NgramKey key : keys) {
            if (static_cast<ptrdiff_t>(key >> 32) == most) tally.push_back({key, weights[i]});
        }
        if (tally.size() > limit) {
            sum_up(tally);
            limit = 2 * tally.size() + kMostPending;
        }
    }
    sum_up(tally);
    return tally;
}

}  // namespace addhash

// Passages: runs of words that stand in several texts.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "passages/repeats.h"
#include "passages/window_filter.h"
#include "passages/word_windows.h"
#include "vocabulary/vocabulary.h"

namespace addhash {

struct PassageRule {
    size_t words;    // the least length, at least 1
    uint32_t texts;  // the least number of texts, at least 1; a passage has two places in any case
    size_t filter_bytes;  // for the filter of windows: about 2 for each word
};

// Where a passage begins and ends in a text, in characters.
struct Place {
    uint32_t text;
    uint32_t start, end;
    uint32_t passage;
};

struct Passage {
    uint32_t words;
    uint32_t texts;  // in how many it stands
    uint32_t first_text;
    uint32_t first_start;
};

struct Cut {
    uint32_t text;
    uint32_t start, end;
};

// The texts are read three times, in the same order: look() at all of them, count() all, gather()
// all; then find(). Only texts of the same group are compared.
class PassageFinder {
public:
    static constexpr size_t kMostTexts = INT32_MAX;

    explicit PassageFinder(const PassageRule& rule) : rule_(rule), seen_(rule.filter_bytes) {}

    // The next texts of this reading. `groups` has one number for each text, or nothing. The
    // outcome is the first text that cannot be read; too_many is about all texts.
    Outcome look(const Kernels& kernels, std::span<const Text> texts,
                 std::span<const uint32_t> groups, size_t threads);
    Outcome count(const Kernels& kernels, std::span<const Text> texts,
                  std::span<const uint32_t> groups, size_t threads);
    // `given` are the same texts before their case was folded: offsets are those in them.
    Outcome gather(const Kernels& kernels, std::span<const Text> texts, std::span<const Text> given,
                   std::span<const uint32_t> groups, size_t threads);
    // Ends a reading.
    void end_look();
    void end_count();
    void find();

    // Of the windows that may be in passages, as the last reading that ended knows them; another
    // finder with the same rule can go on from there.
    std::span<const uint64_t> windows() const { return windows_.hashes(); }
    void resume_count(const std::vector<uint64_t>& windows);
    void resume_gather(const std::vector<uint64_t>& windows);

    // Text by text, in their order. A place is listed if its passage cannot be extended there.
    std::vector<Place> places();
    // The passages of the places, by number.
    const std::vector<Passage>& passages() const { return passages_; }
    // What lies in a window of the least length that stood before, or that stands in at least as
    // many texts as `most` says for its text's group. Each cut reaches to the next word.
    std::vector<Cut> cuts(bool repeats, std::span<const uint32_t> most,
                          std::span<const uint32_t> groups) const;

    // The memory in use.
    size_t bytes() const;

private:
    struct Word {
        uint32_t start, end;
    };
    // Where words stand, in 5 bytes each.
    class Words {
    public:
        size_t size() const { return starts_.size(); }
        void push_back(Word word);
        Word operator[](size_t i) const;
        size_t bytes() const { return size() * (sizeof(uint32_t) + sizeof(uint8_t)); }

    private:
        static constexpr uint32_t kLong = UINT8_MAX;
        GrowingArray<uint32_t> starts_;
        GrowingArray<uint8_t> lengths_;                // at most kLong
        std::unordered_map<size_t, uint32_t> longer_;  // lengths from kLong on
    };
    struct Piece;

    template <class Work> Outcome each(const Kernels& kernels, std::span<const Text> texts,
                                       std::span<const uint32_t> groups, size_t threads,
                                       Work&& work);
    bool append(const Piece& piece, uint32_t first_text);

    PassageRule rule_;
    SeenBefore seen_;
    HashCounts windows_;
    size_t texts_ = 0;  // read so far
    Vocabulary vocabulary_;
    WordSequence sequence_;
    Words words_;                     // of the sequence; what separates stretches has none
    std::vector<Stretch> stretches_;  // all of whose windows stand in several texts
    Repeats repeats_;
    std::vector<Passage> passages_;
};

}  // namespace addhash

// Which n-grams of some texts other texts hold, and where.
#pragma once

#include <span>
#include <vector>

#include "passages/word_windows.h"
#include "vocabulary/vocabulary.h"

namespace addhash {

// The first place of an n-gram in a text, in characters.
struct NgramPlace {
    uint32_t text;
    uint32_t ngram;
    uint32_t start, end;
};

// The distinct n-grams of texts, numbered as they come. Words are compared, not hashes of them.
class NgramIndex {
public:
    static constexpr size_t kMost = INT32_MAX;  // n-grams, and texts of a scan

    explicit NgramIndex(size_t words) : words_(words) {}

    // Appends the n-grams of texts. After a failure it has those of some; too_many is about all.
    Outcome add(const Kernels& kernels, std::span<const Text> texts);
    // The n-grams of the texts one after the other, and where those of each text end.
    const std::vector<uint32_t>& ngrams() const { return ngrams_; }
    const std::vector<uint64_t>& ends() const { return ends_; }
    size_t distinct() const { return first_.size(); }

    // The n-grams of the index that each text holds, by text and place. `given` are the same texts
    // before their case was folded: offsets are those in them.
    Outcome scan(const Kernels& kernels, std::span<const Text> texts, std::span<const Text> given,
                 size_t threads, std::vector<NgramPlace>& places) const;

private:
    static constexpr uint32_t kNone = UINT32_MAX;
    struct Entry {
        uint64_t hash;
        uint32_t ngram = kNone;
    };

    uint32_t find(const WordWindows& windows, size_t at) const;
    bool is(uint32_t ngram, const WordWindows& windows, size_t at) const;
    void insert(uint64_t hash, uint32_t ngram);
    void grow();

    size_t words_;
    Vocabulary vocabulary_;
    std::vector<uint32_t> sequence_;  // the words of all texts, as numbers
    std::vector<size_t> first_;       // where each distinct n-gram first begins in it
    std::vector<uint32_t> ngrams_;
    std::vector<uint64_t> ends_;
    std::vector<Entry> table_ = std::vector<Entry>(2);  // open addressing, at most half full
};

}  // namespace addhash

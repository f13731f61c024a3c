// The classes that write a script, and what the counts of an n-gram say for each of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "detection/add_units.h"
#include "detection/ngram_counts.h"

namespace addhash {

// The number of a class among those that write a script.
using Writer = uint16_t;
constexpr Writer kNoWriter = 0xFFFF;

constexpr double kShared = 0.05;
constexpr double kUnseenTokens = 3000;      // as if a class had so many n-grams more, all unknown
constexpr double kLeastProbability = 1e-8;  // added to p(g)
// Classes of an n-gram; more are cut down to what sets them apart.
constexpr size_t kLongestList = 100;
// p(g) of a frequent n-gram is larger.
constexpr double kFrequent = 1e-5;
constexpr double kBitsPerUnit = 0.5;
constexpr unsigned kUnitBits = 5, kMostUnits = (1 << kUnitBits) - 1;

class ScriptClasses {
public:
    struct Class {
        uint16_t label;
        bool is_rare;
        int64_t total;  // of its n-grams in this script
    };

    // `labels` is the number of all classes; without `is_cut`, lists are left as long as they are.
    ScriptClasses(std::span<const Class> classes, size_t labels, bool is_cut);

    std::span<const uint16_t> labels() const { return labels_; }
    // The number of writers, rounded up to whole rows of units.
    size_t width() const { return width_; }
    Writer writer(size_t label) const { return writers_[label]; }

    // Evidence for classes, the writer in bits 5-15 and units in 0-4; room for it and for what
    // leads to it, the same one for every n-gram.
    struct Evidence {
        std::vector<uint16_t> list;
        bool is_frequent = false;
        std::vector<double> shares, sorted;
    };
    void weigh(const NgramCounts::List& counts, Evidence& evidence) const;

private:
    std::vector<uint16_t> labels_;
    std::vector<Writer> writers_;  // by label
    // By writer, and then for all others: 1 / n-grams, or 0; 1 or 0.
    std::vector<double> inverse_, is_usual_;
    double usual_ = 0;  // classes that are not rare
    bool is_cut_;
    size_t width_;
};

}  // namespace addhash

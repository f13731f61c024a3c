// How often each bucket occurs in each class: what naive Bayes learns, and what follows from it.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <span>
#include <vector>

#include "bayes/coded_counts.h"
#include "bayes/logarithms.h"
#include "bayes/token_rows.h"
#include "memory/large_pages.h"
#include "status/status.h"

namespace addhash {

// std::popcount is a call on processors that may lack the instruction.
constexpr uint32_t count_bits(uint32_t mask) {
    mask -= mask >> 1 & 0x55555555;
    mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333);
    return ((mask + (mask >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

// Numbers of classes fit into 16 bits.
constexpr uint32_t kMostCountedClasses = uint32_t{1} << 16;
// How much more it says that the others lack a token than that a class has it.
constexpr int32_t kOthersWeight = 2;
// A bucket of more classes is shared: what others lack is left out, so that what is learnt changes
// the evidence of no more classes than these.
constexpr size_t kMostSharing = 64;

// From the counts of a class to its evidence.
class EvidenceRule {
public:
    // `smoothing` is from 1e-6 to 1e6.
    explicit EvidenceRule(double smoothing);

    double smoothing() const { return smoothing_; }
    // The evidence of a class that has `count` of a bucket's `total`: what it has, and what the
    // others lack. It is 0 for a count of 0, and never falls as the count rises.
    int32_t of(int64_t count, int64_t total, bool is_shared) const {
        return is_shared ? of(count) : of(count, total, of(total));
    }
    // The same of a bucket that is not shared, with the evidence of its total.
    int32_t of(int64_t count, int64_t total, int32_t of_total) const {
        const int32_t others = of_total - of(total - count);
        return std::min<int32_t>(of(count) + kOthersWeight * others, INT16_MAX);
    }
    // log2(1 + count / smoothing) in units of 2^-kWeightBits; it never falls as the count rises.
    int32_t of(int64_t count) const {
        if (count < static_cast<int64_t>(weights_.size())) [[likely]]
            return weights_[static_cast<size_t>(count)];
        return weigh(count);
    }
    // The only count with this evidence, or -1 if there may be several.
    int64_t count_of(int32_t weight) const {
        return weight < static_cast<int32_t>(counts_.size()) ? counts_[static_cast<size_t>(weight)]
                                                             : -1;
    }

private:
    int32_t weigh(int64_t count) const {
        const Logarithms& logarithms = Logarithms::shared();
        const int32_t bits = logarithms.of_sum(logarithms.of(count) - logarithm_);
        constexpr int kShift = kLogBits - kWeightBits;
        return (bits + (1 << (kShift - 1))) >> kShift;
    }

    double smoothing_;
    int32_t logarithm_;            // of the smoothing
    std::vector<Weight> weights_;  // of small counts
    std::vector<int16_t> counts_;  // by weight
};

// What a bucket says about its classes, in the order of their numbers.
struct BucketList {
    enum class Form {
        masked,  // bit i of the mask stands for class i; values follow, a word each
        every,   // a value for each class from 0 on, and up to a multiple of 32 for none
        labels,  // the classes' numbers, in 16 bits each, and then their values
    };

    Form form;
    const uint32_t* head;  // the mask or the labels
    uint32_t size;         // of the labels or values
    const Weight* values;  // unless masked

    // use(label, value) for each class.
    template <class Use> void for_each(const Use& use) const {
        if (form == Form::masked) {
            const uint32_t* next = head;
            for (uint32_t left = *head; left != 0; left &= left - 1) {
                use(static_cast<uint32_t>(std::countr_zero(left)), static_cast<int32_t>(*++next));
            }
            return;
        }
        for (uint32_t i = 0; i < size; ++i) use(label(i), int32_t{values[i]});
    }
    uint32_t label(uint32_t i) const {
        return form == Form::every ? i : reinterpret_cast<const uint16_t*>(head)[i];
    }
    // What the bucket says about one class; 0 if nothing.
    int32_t of(uint32_t label) const;
};

// Evidence of a class, for a layer.
struct Cell {
    uint32_t label;
    int32_t value;
};

// A bucket of a layer, besides what it says about classes.
struct BucketHead {
    uint32_t bucket;
    uint32_t offset;  // where the source has the list
    int64_t total;    // of all classes
    bool is_shared;   // by more than kMostSharing classes
};

// The lists of some buckets, found by hashing. Immutable.
class EvidenceTable {
public:
    // source(use) calls use(head, cells) for each bucket, in ascending order; it is called twice.
    // Classes are below `classes`.
    template <class Source> EvidenceTable(const Source& source, uint32_t classes);

    // blocks[i] is the block of buckets[i], being prefetched, or nullptr.
    void locate(const uint32_t* buckets, size_t count, const uint32_t** blocks) const;
    const uint32_t* locate(uint32_t bucket) const {
        const uint32_t* block = nullptr;
        locate(&bucket, 1, &block);
        return block;
    }
    BucketList read(const uint32_t* block) const {
        if (has_only_masks()) return {BucketList::Form::masked, block, 0, nullptr};
        const uint32_t size = *block >> 2;
        const bool has_all = *block & 1;
        const uint32_t* head = block + kHead;
        const auto* values = reinterpret_cast<const Weight*>(head) + (has_all ? 0 : size);
        return {has_all ? BucketList::Form::every : BucketList::Form::labels, head, size, values};
    }
    // Whether every block is a mask and values.
    bool has_only_masks() const { return classes_ <= 32; }
    // How often all classes have the bucket, up to kManyTokens.
    uint32_t total(const uint32_t* block) const { return after(block)[0]; }
    bool is_shared(const uint32_t* block) const { return !has_only_masks() && (*block & 2) != 0; }
    // Where the source has the list.
    uint32_t offset(const uint32_t* block) const { return after(block)[1]; }

    static constexpr uint32_t kManyTokens = UINT32_MAX;

private:
    using Table = std::vector<uint32_t, LargePages<uint32_t>>;
    static constexpr size_t kCacheLine = 16;  // words
    static constexpr size_t kHead = 3;        // words before labels or values

    // The total and the offset of a block: behind the values of a mask, before labels.
    const uint32_t* after(const uint32_t* block) const {
        return has_only_masks() ? block + 1 + count_bits(*block) : block + 1;
    }
    // Where places_ has the bucket, or has nothing.
    uint32_t slot(uint32_t bucket) const {
        uint32_t at = bucket & mask_;
        if (has_own_places_) return at;
        while (keys_[at] != bucket && places_[at] != 0) at = (at + 1) & mask_;
        return at;
    }
    uint32_t padded_classes() const { return (classes_ + 31) / 32 * 32; }
    bool has_every(size_t size) const;
    size_t block_size(size_t size) const;
    size_t next_start(size_t end, size_t size) const;
    void write_block(const BucketHead& head, std::span<const Cell> cells, uint32_t* block) const;

    // Of up to 32 classes, a block is a mask, values, total and offset. Of more, it is four times
    // the number of its values, plus 1 if there is one for every class, plus 2 if it is shared;
    // total; offset; labels, if need be; and values.
    uint32_t classes_;
    uint32_t mask_ = 0;
    bool has_own_places_ = false;  // every bucket is in its first slot
    Table places_;                 // where blocks start, times four, and how many more cache lines
                                   // they reach into, up to 3; 0 is free
    Table keys_;                   // the buckets of places_, unless they have their own
    Table blocks_;
};

// How the classes are numbered in the tables: as they came. A class that comes between others would
// otherwise move all that follow.
class OwnNumbers {
public:
    static constexpr uint32_t kNone = UINT32_MAX;

    // By number: the class. Each occurs once.
    explicit OwnNumbers(std::vector<uint32_t> labels);

    // kNone for a class that has none.
    uint32_t of(uint32_t label) const { return label < numbers_.size() ? numbers_[label] : kNone; }
    uint32_t label(uint32_t number) const { return labels_[number]; }
    // No class is so high, or higher.
    uint32_t classes() const { return static_cast<uint32_t>(numbers_.size()); }
    const std::vector<uint32_t>& labels() const { return labels_; }

private:
    std::vector<uint32_t> labels_, numbers_;
};

// A value: change() makes another one, and readers keep theirs. Changes are in layers above the
// rest, each much smaller than the one below, so that a change costs little more than the text that
// is learnt. Layers add up: the counts of one are differences to what is below, and so is its
// evidence.
class ClassCounts {
public:
    explicit ClassCounts(double smoothing);
    // `coded` has passed check_counts, with `classes` classes.
    ClassCounts(double smoothing, std::vector<uint8_t> coded, uint32_t classes);

    // Adds changes, which ascend by bucket and class, each pair once. If a count would become
    // negative (out_of_range) or too large (overflow), `result` stays as it is and the position is
    // that of the change.
    Outcome change(std::span<const ClassCount> changes, ClassCounts& result) const;
    // The same counts with other evidence.
    ClassCounts with_smoothing(double smoothing) const;
    // The same counts with other numbers of classes, or without a class whose number is kDropped.
    // The numbers that are left stay in their order. It is quick if no class is dropped.
    ClassCounts renumbered(std::span<const uint32_t> numbers) const;
    static constexpr uint32_t kDropped = UINT32_MAX;

    // How the tables number a class, and the class of such a number.
    uint32_t number(uint32_t label) const { return own_ ? own_->of(label) : label; }
    uint32_t label(uint32_t number) const { return own_ ? own_->label(number) : number; }
    // No class has this number in the tables, or a higher one.
    uint32_t numbers() const { return numbers_; }

    size_t layers() const { return 1 + recent_.size(); }
    const EvidenceTable& layer(size_t i) const {
        return i == 0 ? base_->table : recent_[i - 1]->table;
    }
    // What layers have about one bucket.
    struct Found {
        uint32_t bucket;
        const uint32_t* blocks[6];  // of each layer, or nullptr
    };
    static constexpr size_t kMostLayers = std::size(decltype(Found::blocks){});
    Found find(uint32_t bucket) const;
    // How often all classes have it, and how often one class.
    int64_t total(const Found& found) const;
    int64_t count(const Found& found, uint32_t label) const;
    bool is_shared(const Found& found) const;
    // use(number, count) for each class that has it, by its number in the tables, in ascending
    // order.
    template <class Use> void for_each_count(const Found& found, const Use& use) const {
        for (size_t i = 1; i < layers(); ++i) {
            if (found.blocks[i] == nullptr) continue;
            for (const ClassCount& next : read(found)) use(next.label, next.count);
            return;
        }
        if (found.blocks[0] == nullptr) return;
        CountReader reader(base_->coded);
        reader.seek(layer(0).offset(found.blocks[0]));
        for (uint32_t i = reader.size(); i > 0; --i) {
            const ClassCount next = reader.next();
            use(next.label, next.count);
        }
    }

    // Everything, as one CountWriter would write it.
    std::vector<uint8_t> coded() const;
    size_t entries() const { return entries_; }
    // No class is so high, or higher.
    uint32_t classes() const { return own_ ? own_->classes() : numbers_; }
    const EvidenceRule& rule() const { return *rule_; }

private:
    struct Base {
        Base(std::vector<uint8_t> coded, uint32_t classes, const EvidenceRule& rule);
        std::vector<uint8_t> coded;
        EvidenceTable table;
        size_t entries;
    };
    struct Layer {
        std::vector<ClassCount> differences;
        EvidenceTable table;
    };
    ClassCounts(std::shared_ptr<const EvidenceRule> rule, std::vector<uint8_t> coded,
                uint32_t classes);
    int64_t count_of(const Found& found, uint32_t number) const;
    std::vector<ClassCount> read(const Found& found) const;
    void number_classes(std::span<const ClassCount> changes);
    std::vector<ClassCount> numbered(std::span<const ClassCount> changes) const;
    BucketHead changed(std::span<const ClassCount> changes, std::vector<Cell>& cells) const;
    std::shared_ptr<const Layer> made(std::vector<ClassCount> differences) const;
    std::vector<uint8_t> coded_with(std::span<const ClassCount> differences) const;

    // Labels of what is stored are numbers of the tables.
    std::shared_ptr<const EvidenceRule> rule_;
    uint32_t numbers_ = 0;
    std::shared_ptr<const OwnNumbers> own_;  // none if each class is its number
    std::shared_ptr<const Base> base_;
    std::vector<std::shared_ptr<const Layer>> recent_;  // the largest first
    size_t entries_ = 0;
};

// The texts' counts by class, ready for change(); each text counts `times` (1 or -1).
// `labels` has the number of each text's class.
std::vector<ClassCount> count_by_class(const TokenRows& rows, std::span<const uint32_t> labels,
                                       int64_t times);

}  // namespace addhash

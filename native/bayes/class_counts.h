// How often each class has each bucket: what naive Bayes learns, and what follows from it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bayes/coded_counts.h"
#include "bayes/evidence.h"
#include "bayes/logarithms.h"
#include "bayes/token_rows.h"
#include "memory/large_pages.h"
#include "status/status.h"

namespace addhash {

// What a token of a bucket says about a class: `alone`, and `extended` where a longer token that
// extends it tells the rest. score.h has the formula.
struct Evidence {
    Weight alone;
    Weight extended;
};

// From counts to evidence.
class EvidenceRule {
public:
    // `smoothing` is above 0.
    explicit EvidenceRule(double smoothing) : smoothing_(smoothing), steps_(steps_of(smoothing)) {}

    double smoothing() const { return smoothing_; }
    // What is left of a logarithm when a bucket that all classes have so often is weighed.
    int32_t shift(int64_t total) const { return -(steps_of(total) / 2) - steps_; }
    Evidence of(int64_t count, int32_t shift) const {
        const int32_t steps = steps_of(count) + shift;
        const Weight alone = (*weights_)(steps + kGain);
        return {alone, static_cast<Weight>(alone - (*weights_)(steps))};
    }
    // What a class gives up for a token that extends nothing.
    Weight cost(int64_t tokens, int64_t all_tokens) const {
        return (*weights_)(steps_of(tokens) + shift(all_tokens));
    }

private:
    static constexpr int32_t kGain = 3 * kSteps / 2;

    const Weights* weights_ = &Weights::shared();
    double smoothing_;
    int32_t steps_;
};

// What a bucket says about its classes. Without labels, there is a value for each class from 0 on,
// and for no class up to a multiple of kEvidenceBlock.
struct BucketList {
    uint32_t size = 0;  // 0: nobody has the bucket
    const Weight* extended = nullptr;
    const Weight* alone = nullptr;
    const void* labels = nullptr;
    bool has_wide_labels = false;  // of 32 bits instead of 16

    uint32_t label(size_t i) const {
        if (labels == nullptr) return static_cast<uint32_t>(i);
        return has_wide_labels ? static_cast<const uint32_t*>(labels)[i]
                               : static_cast<const uint16_t*>(labels)[i];
    }
};

// Lists of some buckets; never changed once made.
class CountLists {
public:
    // `coded` is as a CountWriter leaves it, of classes below `classes`.
    CountLists(std::vector<uint8_t> coded, uint32_t classes, const EvidenceRule& rule);

    // Where the bucket's list is, on its way to the cache; nullptr if there is none here.
    const uint32_t* locate(uint32_t bucket) const {
        uint32_t at = bucket & mask_;
        if (has_own_places_) {
            if (bucket > mask_) return nullptr;
        } else {
            while (keys_[at] != bucket && places_[at] != 0) at = (at + 1) & mask_;
        }
        const uint32_t place = places_[at];
        if (place == 0) return nullptr;
        const uint32_t* block = blocks_.data() + size_t{place >> 2} * kUnit;
        __builtin_prefetch(block);
        if (place & 1) __builtin_prefetch(block + kCacheLine);
        if (place & 2) __builtin_prefetch(block + 2 * kCacheLine);
        return block;
    }
    static BucketList read(const uint32_t* block) {
        const uint32_t size = block[1] >> 8;
        const auto* values = reinterpret_cast<const Weight*>(block + kHeader);
        if (block[1] & 1) return {.size = size, .extended = values, .alone = values + size};
        const bool is_wide = block[1] & 2;
        values += is_wide ? 2 * size : size;
        return {.size = size,
                .extended = values,
                .alone = values + size,
                .labels = block + kHeader,
                .has_wide_labels = is_wide};
    }
    void prefetch(uint32_t bucket) const { __builtin_prefetch(&places_[bucket & mask_]); }

    // How often all classes have a bucket.
    int64_t total(const uint32_t* block) const;
    // What the next two read, on its way to the cache.
    void prefetch_exact(const uint32_t* block) const {
        __builtin_prefetch(coded_.data() + offset(block));
    }
    // How often a class has a bucket.
    int64_t count_of(const uint32_t* block, uint32_t label) const;
    // The exact counts, each by use(label, count).
    template <class Use> void for_each(const uint32_t* block, const Use& use) const {
        CountReader reader(coded_);
        reader.seek(offset(block));
        for (uint32_t i = reader.size(); i > 0; --i) {
            const ClassCount entry = reader.next();
            use(entry.label, entry.count);
        }
    }
    const std::vector<uint8_t>& coded() const { return coded_; }
    size_t entries() const { return entries_; }

private:
    using Table = std::vector<uint32_t, LargePages<uint32_t>>;
    static constexpr size_t kHeader = 3;      // words of a block before its labels
    static constexpr size_t kUnit = 4;        // words, of which a block has a multiple
    static constexpr size_t kCacheLine = 16;  // words

    static size_t in_units(size_t words);
    static uint64_t offset(const uint32_t* block) {
        return block[0] | uint64_t{block[1] >> 2 & 0x3f} << 32;
    }
    void append_block(CountReader& reader, uint32_t classes, const EvidenceRule& rule,
                      std::vector<ClassCount>& scratch);

    // A block has [place of the exact counts, size and form, total, labels..., alone...,
    // extended...].
    uint32_t mask_;
    bool has_own_places_;  // every bucket stands where it is looked for first
    Table places_;  // where blocks start, in units, and which of the next two cache lines hold
                    // what is read most; 0 is free
    Table keys_;    // the buckets of places_, unless they have their own
    Table blocks_;
    std::vector<uint8_t> coded_;
    size_t entries_ = 0;
};

// A value: change() makes another one, and readers keep theirs. What changed lately lies in a small
// layer above the rest, so that a change costs little more than the text that is learnt.
class ClassCounts {
public:
    explicit ClassCounts(double smoothing);
    // `coded` was found to be right by check_counts, with `classes` classes.
    ClassCounts(double smoothing, std::vector<uint8_t> coded, uint32_t classes);

    // Adds changes, which ascend by bucket and class, each pair once. If a count would become
    // negative (out_of_range) or too large (overflow), `result` stays as it is and the position is
    // that of the change.
    Outcome change(std::span<const ClassCount> changes, ClassCounts& result) const;
    // The same counts with other evidence.
    ClassCounts with_smoothing(double smoothing) const;
    // The same counts with other numbers of classes, or without a class whose number is kDropped.
    // The numbers that are left stay in their order.
    ClassCounts renumbered(std::span<const uint32_t> numbers) const;
    static constexpr uint32_t kDropped = UINT32_MAX;

    struct Place {
        const uint32_t* block = nullptr;
        bool is_recent = false;

        bool is_known() const { return block != nullptr; }
    };
    // In two steps, so that many lists are on their way to the cache at a time.
    Place locate(uint32_t bucket) const {
        if (recent_) {
            if (const uint32_t* block = recent_->locate(bucket)) {
                return {CountLists::read(block).size == 0 ? nullptr : block, true};
            }
        }
        return {base_->locate(bucket), false};
    }
    static BucketList read(Place place) { return CountLists::read(place.block); }
    void prefetch(uint32_t bucket) const { base_->prefetch(bucket); }

    // The exact counts of a known place.
    const CountLists& lists(Place place) const { return place.is_recent ? *recent_ : *base_; }
    int64_t total(Place place) const { return lists(place).total(place.block); }

    // Everything, as one CountWriter would write it.
    std::vector<uint8_t> coded() const;
    size_t entries() const { return entries_; }
    // No class has this number, or a higher one.
    uint32_t classes() const { return classes_; }
    const EvidenceRule& rule() const { return rule_; }

private:
    std::shared_ptr<const CountLists> made(std::vector<uint8_t> coded, uint32_t classes) const {
        return std::make_shared<CountLists>(std::move(coded), classes, rule_);
    }

    EvidenceRule rule_;
    uint32_t classes_ = 0;
    std::shared_ptr<const CountLists> base_, recent_;
    size_t entries_ = 0;
};

// The texts' counts by class, ready for change(); each text counts `times` (1 or -1).
// `labels` has the number of each text's class.
std::vector<ClassCount> count_by_class(const TokenRows& rows, std::span<const uint32_t> labels,
                                       int64_t times);

}  // namespace addhash

// How often each bucket occurs in each class: what naive Bayes learns, and what follows from it.
#pragma once

#include <atomic>
#include <bit>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "bayes/coded_counts.h"
#include "bayes/evidence.h"
#include "bayes/logarithms.h"
#include "bayes/token_rows.h"
#include "memory/large_pages.h"
#include "status/status.h"

namespace addhash {

// From counts to evidence.
class EvidenceRule {
public:
    // `smoothing` is above 0.
    explicit EvidenceRule(double smoothing) : smoothing_(smoothing), steps_(steps_of(smoothing)) {}

    double smoothing() const { return smoothing_; }
    // What to add to the logarithms of counts in a bucket that all classes have `total` times.
    int32_t shift(int64_t total) const { return -(weights_->steps_of(total) / 2) - steps_; }
    Evidence of(int64_t count, int32_t shift) const {
        const int32_t steps = weights_->steps_of(count) + shift;
        const Weight alone = (*weights_)(steps + kGain);
        return {static_cast<Weight>(alone - (*weights_)(steps)), alone};
    }
    // What a class gives up for a token that extends nothing.
    Weight cost(int64_t tokens, int64_t all_tokens) const {
        return (*weights_)(weights_->steps_of(tokens) + shift(all_tokens));
    }

private:
    static constexpr int32_t kGain = 3 * kSteps / 2;

    const Weights* weights_ = &Weights::shared();
    double smoothing_;
    int32_t steps_;
};

// What a bucket says about its classes, in the order of their numbers.
struct BucketList {
    enum class Form {
        masked,         // bit i of the mask stands for class i; evidence follows, in pairs
        every,          // a value for each class from 0 on, and up to a multiple of 32 for none
        narrow_labels,  // the classes' numbers, of 16 bits
        wide_labels,    // of 32 bits
    };

    Form form;
    const uint32_t* head;  // the mask or the labels
    uint32_t size;         // of the labels or values; that of a mask is not told
    const Weight* extended;
    const Weight* alone;

    // use(label, evidence) for each class.
    template <class Use> void for_each(const Use& use) const {
        if (form == Form::masked) {
            const Weight* next = extended;
            for (uint32_t left = *head; left != 0; left &= left - 1, next += 2) {
                use(static_cast<uint32_t>(std::countr_zero(left)), Evidence{next[0], next[1]});
            }
            return;
        }
        for (uint32_t i = 0; i < size; ++i) use(label(i), Evidence{extended[i], alone[i]});
    }
    uint32_t label(uint32_t i) const {
        if (form == Form::every) return i;
        if (form == Form::wide_labels) return head[i];
        return reinterpret_cast<const uint16_t*>(head)[i];
    }
    // The position of a class; kNone if the bucket says nothing about it.
    uint32_t position(uint32_t label) const;
    static constexpr uint32_t kNone = UINT32_MAX;
    // What the bucket says about one class.
    Evidence of(uint32_t label) const {
        const uint32_t i = position(label);
        if (i == kNone) return {0, 0};
        const uint32_t step = form == Form::masked ? 2 : 1;
        return {extended[step * i], alone[step * i]};
    }
};

// How often each class has a bucket.
class ExactCounts {
public:
    // `small` has the total, and then the counts in the order of the list, unless the total is too
    // large for it: then `coded` has them.
    ExactCounts(const BucketList& list, const uint16_t* small, CountReader coded)
        : list_(list), small_(small), coded_(coded) {}

    int64_t total() const {
        if (is_small()) return *small_;
        int64_t sum = 0;
        for_each([&](uint32_t, int64_t count) { sum += count; });
        return sum;
    }
    int64_t of(uint32_t label) const {
        if (is_small()) {
            const uint32_t i = list_.position(label);
            return i == BucketList::kNone ? 0 : small_[1 + i];
        }
        int64_t found = 0;
        for_each([&](uint32_t other, int64_t count) { found = other == label ? count : found; });
        return found;
    }
    // use(label, count) for each class.
    template <class Use> void for_each(const Use& use) const {
        if (is_small()) {
            const uint16_t* next = small_;
            list_.for_each([&](uint32_t label, Evidence) {
                if (*++next != 0) use(label, *next);
            });
            return;
        }
        CountReader reader = coded_;
        for (uint32_t i = reader.size(); i > 0; --i) {
            const ClassCount entry = reader.next();
            use(entry.label, entry.count);
        }
    }

    static constexpr uint16_t kLarge = UINT16_MAX;

private:
    bool is_small() const { return small_ != nullptr && *small_ != kLarge; }

    BucketList list_;
    const uint16_t* small_;
    CountReader coded_;
};

// Lists of some buckets. Immutable.
class CountLists {
public:
    // `coded` is the output of a CountWriter, with classes below `classes`.
    CountLists(std::vector<uint8_t> coded, uint32_t classes, const EvidenceRule& rule);

    // blocks[i] is the block of buckets[i], being prefetched, or nullptr.
    void locate(const uint32_t* buckets, size_t count, const uint32_t** blocks) const;
    const uint32_t* locate(uint32_t bucket) const {
        const uint32_t* block = nullptr;
        locate(&bucket, 1, &block);
        return block;
    }
    // Whether a block is one of these lists.
    bool has(const uint32_t* block) const {
        return std::less_equal()(blocks_.data(), block) &&
               std::less()(block, blocks_.data() + blocks_.size());
    }
    BucketList read(const uint32_t* block) const {
        using enum BucketList::Form;
        if (has_only_masks()) {
            const auto* pairs = reinterpret_cast<const Weight*>(block + 1);
            return {masked, block, 0, pairs, pairs + 1};
        }
        const uint32_t size = *block++ >> 2;
        const auto form = static_cast<BucketList::Form>(block[-1] & 3);
        const auto* values = reinterpret_cast<const Weight*>(block);
        if (form != every) values += (form == wide_labels ? 2 : 1) * size_t{size};
        return {form, block, size, values, values + size};
    }
    // Whether every block is a mask and evidence.
    bool has_only_masks() const { return classes_ <= 32; }
    // Whether no class has the bucket any more.
    bool is_empty(const uint32_t* block) const {
        return has_only_masks() ? *block == 0 : *block >> 2 == 0;
    }

    ExactCounts exact(uint32_t bucket, const uint32_t* block) const {
        CountReader reader(coded_);
        const uint16_t* small = small_.load(std::memory_order_acquire);
        if (small != nullptr) small += block - blocks_.data();
        if (small == nullptr || *small == ExactCounts::kLarge) reader.seek(offsets_[slot(bucket)]);
        return {read(block), small, reader};
    }
    // Makes the exact counts of many buckets faster to read. Safe to call at any time.
    void prepare_exact() const;
    void prefetch_exact(const uint32_t* block) const {
        __builtin_prefetch(small_.load(std::memory_order_relaxed) + (block - blocks_.data()));
    }
    const std::vector<uint8_t>& coded() const { return coded_; }
    size_t entries() const { return entries_; }

private:
    using Table = std::vector<uint32_t, LargePages<uint32_t>>;
    static constexpr size_t kCacheLine = 16;                   // words
    static constexpr uint32_t kFewLabels = uint32_t{1} << 16;  // that fit into 16 bits

    // Where places_ has the bucket, or has nothing.
    uint32_t slot(uint32_t bucket) const {
        uint32_t at = bucket & mask_;
        if (has_own_places_) return at;
        while (keys_[at] != bucket && places_[at] != 0) at = (at + 1) & mask_;
        return at;
    }
    uint32_t padded_classes() const { return (classes_ + 31) / 32 * 32; }
    BucketList::Form form_of(uint32_t size) const;
    size_t block_size(uint32_t size) const;
    size_t next_start(size_t end, size_t size) const;
    void write_block(const std::vector<ClassCount>& list, const EvidenceRule& rule,
                     uint32_t* block) const;

    // Of up to 32 classes, a block has a mask and evidence. Of more, it has its size, times four,
    // and its form; then labels, unless there is a value for each class; then `extended`, and then
    // `alone`.
    uint32_t classes_;
    uint32_t mask_;
    bool has_own_places_;  // every bucket is in its first slot
    Table places_;         // where blocks start, times four, and how many more cache lines they
                           // reach into, up to 3; 0 is free
    Table keys_;           // the buckets of places_, unless they have their own
    Table offsets_;        // where the exact counts of places_ are
    Table blocks_;
    // Of each block, beside its first words: the total, and the counts that it was made of.
    mutable std::vector<uint16_t, LargePages<uint16_t>> prepared_;
    mutable std::once_flag is_prepared_;
    mutable std::atomic<const uint16_t*> small_ = nullptr;  // the same, once it is whole
    std::vector<uint8_t> coded_;
    size_t entries_ = 0;
};

// A value: change() makes another one, and readers keep theirs. Recent changes are in a small layer
// above the rest, so that a change costs little more than the text that is learnt.
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
    // The numbers that are left stay in their order.
    ClassCounts renumbered(std::span<const uint32_t> numbers) const;
    static constexpr uint32_t kDropped = UINT32_MAX;

    // Prefetches the blocks of some buckets: blocks[i] belongs to buckets[i], or is nullptr.
    void locate(const uint32_t* buckets, size_t count, const uint32_t** blocks) const;
    // What a block says.
    BucketList read(const uint32_t* block) const { return lists(block).read(block); }
    // Whether every block is a mask and evidence.
    bool has_only_masks() const {
        return base_->has_only_masks() && (!recent_ || recent_->has_only_masks());
    }

    // The exact counts of a bucket that a block was found for.
    ExactCounts exact(uint32_t bucket, const uint32_t* block) const {
        return lists(block).exact(bucket, block);
    }
    // Before the exact counts of many buckets are read.
    void prepare_exact() const {
        base_->prepare_exact();
        if (recent_) recent_->prepare_exact();
    }
    void prefetch_exact(const uint32_t* block) const { lists(block).prefetch_exact(block); }

    // Everything, as one CountWriter would write it.
    std::vector<uint8_t> coded() const;
    size_t entries() const { return entries_; }
    // No class has this number, or a higher one.
    uint32_t classes() const { return classes_; }
    const EvidenceRule& rule() const { return rule_; }

private:
    const CountLists& lists(const uint32_t* block) const {
        return recent_ && recent_->has(block) ? *recent_ : *base_;
    }
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

#include "passages/repeats.h"

#include <algorithm>
#include <utility>

#include "parallel/interrupt.h"
#include "passages/suffix_array.h"

namespace addhash {
namespace {

// The text of each word.
class TextsOfWords {
public:
    TextsOfWords(std::span<const Stretch> stretches, size_t words) : stretches_(stretches) {
        for (size_t word = 0, at = 0; word < words; word += kBlock) {
            at = reach(at, word);
            blocks_.push_back(static_cast<uint32_t>(at));
        }
    }

    uint32_t operator[](int32_t word) const {
        const auto at = static_cast<size_t>(word);
        return stretches_[reach(blocks_[at / kBlock], at)].text;
    }

private:
    static constexpr size_t kBlock = 64;

    size_t reach(size_t stretch, size_t word) const {
        while (stretch + 1 < stretches_.size() && stretches_[stretch + 1].begin <= word) ++stretch;
        return stretch;
    }

    std::span<const Stretch> stretches_;
    std::vector<uint32_t> blocks_;  // the stretch of each kBlock-th word
};

// Neighbours in the order of suffixes that begin with the same words. Those with more words in
// common are inside those with fewer, so that the ones around the current suffix are a stack.
class RepeatFinder {
public:
    RepeatFinder(const std::vector<int32_t>& order, const TextsOfWords& texts, size_t all_texts,
                 int32_t least_words, uint32_t least_texts)
        : order_(order),
          texts_(texts),
          least_words_(least_words),
          least_texts_(least_texts),
          last_(all_texts, -1) {
        found_.window_texts.assign(order.size(), 0);
        found_.stood_before.assign(order.size(), false);
    }

    // `common` is by word, as is the longest repeat, which takes its place suffix by suffix.
    Repeats run(std::vector<uint32_t>&& common) {
        found_.longest = std::move(common);
        const auto size = static_cast<int32_t>(order_.size());
        for (int32_t i = 0; i < size; ++i) {
            if (i % (1 << 20) == 0) check_interrupt();
            uint32_t& longest = found_.longest[order_[i]];
            enter(i, static_cast<int32_t>(std::exchange(longest, Repeats::kNone)));
        }
        enter(size, 0);
        return std::move(found_);
    }

private:
    struct Group {
        int32_t words;          // in common
        int32_t begin;          // the first suffix, as a rank
        int32_t first;          // where the earliest of them begins
        int32_t recurring = 0;  // suffixes of texts that have another one in it
    };

    // Goes on to the suffix of rank i, which has so many words in common with the one before.
    void enter(int32_t i, int32_t common) {
        if (common < least_words_) common = 0;
        Group inner = {0, i - 1, i > 0 ? order_[i - 1] : 0};
        while (!open_.empty() && open_.back().words > common) {
            Group group = open_.back();
            open_.pop_back();
            group.recurring += inner.recurring;
            group.first = std::min(group.first, inner.first);
            close(group, i, open_.empty() && common == 0);
            inner = group;
        }
        if (common == 0) {
            waiting_.clear();
        } else if (open_.empty() || open_.back().words < common) {
            open_.push_back({common, inner.begin, inner.first, inner.recurring});
        } else {
            open_.back().recurring += inner.recurring;
            open_.back().first = std::min(open_.back().first, inner.first);
        }
        if (i == static_cast<int32_t>(order_.size())) return;
        waiting_.push_back(i);
        mark_recurring(i);
    }

    // The innermost group with both this suffix and the last one of the same text has one text less
    // than suffixes.
    void mark_recurring(int32_t i) {
        int32_t& last = last_[texts_[order_[i]]];
        const auto after =
            std::upper_bound(open_.begin(), open_.end(), last,
                             [](int32_t rank, const Group& group) { return rank < group.begin; });
        if (after != open_.begin()) ++(after - 1)->recurring;
        last = i;
    }

    void close(const Group& group, int32_t end, bool is_outermost) {
        const auto texts = static_cast<uint32_t>(end - group.begin - group.recurring);
        if (texts < least_texts_) return;
        // Those in a group inside it that has texts enough have left already.
        const auto number = static_cast<uint32_t>(found_.repeats.size());
        const bool is_used = !waiting_.empty() && waiting_.back() >= group.begin;
        for (; !waiting_.empty() && waiting_.back() >= group.begin; waiting_.pop_back()) {
            found_.longest[order_[waiting_.back()]] = number;
        }
        if (is_used) found_.repeats.push_back({group.words, texts, group.first});
        if (!is_outermost) return;
        for (int32_t i = group.begin; i < end; ++i) {
            found_.window_texts[order_[i]] = texts;
            found_.stood_before[order_[i]] = order_[i] - group.first >= least_words_;
        }
    }

    const std::vector<int32_t>& order_;
    const TextsOfWords& texts_;
    int32_t least_words_;
    uint32_t least_texts_;
    std::vector<int32_t> last_;     // of each text the last suffix so far
    std::vector<Group> open_;       // outermost first
    std::vector<int32_t> waiting_;  // suffixes without a repeat yet
    Repeats found_;
};

}  // namespace

Repeats find_repeats(WordSequence&& sequence, std::span<const Stretch> stretches, size_t all_texts,
                     int32_t least_words, uint32_t least_texts) {
    WordSequence held = std::move(sequence);
    const std::span<const int32_t> words(held.words.data(), held.words.size());
    const std::vector<int32_t> order = suffix_array(words, held.symbols);
    std::vector<uint32_t> common = common_prefixes(words, order);
    held = {};
    const TextsOfWords texts(stretches, order.size());
    return RepeatFinder(order, texts, all_texts, least_words, least_texts).run(std::move(common));
}

}  // namespace addhash

#include "passages/suffix_array.h"

#include <algorithm>

#include "parallel/interrupt.h"

namespace addhash {
namespace {

// A suffix is small if it precedes the next one, which begins one later, and else large. A small
// one after a large one is leading. Once the leading ones are in order, a walk from the left puts
// each large suffix behind those of its first symbol that precede it, and one from the right each
// small one: the order of a suffix follows from that of the next.
class InducedSorting {
public:
    InducedSorting(std::span<const int32_t> text, int32_t symbols, std::vector<int32_t>& order)
        : text_(text),
          size_(static_cast<int32_t>(text.size())),
          order_(order),
          small_(text.size()),
          ends_(static_cast<size_t>(symbols), 0) {
        for (int32_t symbol : text) ++ends_[symbol];
        for (size_t i = 1; i < ends_.size(); ++i) ends_[i] += ends_[i - 1];
        for (int32_t i = size_ - 2; i >= 0; --i) {
            small_[i] = text_[i] < text_[i + 1] || (text_[i] == text_[i + 1] && small_[i + 1]);
        }
    }

    void run() {
        size_t count = 0;
        for (int32_t i = 1; i < size_; ++i) count += is_leading(i);
        leading_.reserve(count);
        for (int32_t i = 1; i < size_; ++i) {
            if (is_leading(i)) leading_.push_back(i);
        }
        // Whatever their order here, this sorts what lies between one leading suffix and the next.
        induce(leading_);
        induce(sorted_leading());
    }

private:
    bool is_leading(int32_t i) const { return i > 0 && small_[i] && !small_[i - 1]; }
    int32_t begin_of(int32_t symbol) const { return symbol == 0 ? 0 : ends_[symbol - 1]; }

    void induce(const std::vector<int32_t>& leading) {
        check_interrupt();
        std::fill(order_.begin(), order_.end(), -1);
        free_ = ends_;
        for (size_t i = leading.size(); i-- > 0;) order_[--free_[text_[leading[i]]]] = leading[i];
        for (size_t symbol = 0; symbol < ends_.size(); ++symbol) {
            free_[symbol] = begin_of(static_cast<int32_t>(symbol));
        }
        const auto put_large = [&](int32_t i) {
            if (i >= 0 && !small_[i]) order_[free_[text_[i]]++] = i;
        };
        put_large(size_ - 1);  // the one before the empty suffix, which comes first
        for (int32_t i = 0; i < size_; ++i) {
            if (order_[i] > 0) put_large(order_[i] - 1);
        }
        check_interrupt();
        free_ = ends_;
        for (int32_t i = size_; i-- > 0;) {
            const int32_t before = order_[i] - 1;
            if (before >= 0 && small_[before]) order_[--free_[text_[before]]] = before;
        }
    }

    // Whether the symbols from one leading suffix to the next are the same at both.
    bool is_same_part(int32_t a, int32_t b) const {
        for (int32_t i = 0;; ++i) {
            if (a + i == size_ || b + i == size_) return false;
            if (text_[a + i] != text_[b + i] || small_[a + i] != small_[b + i]) return false;
            if (i > 0 && (is_leading(a + i) || is_leading(b + i))) {
                return is_leading(a + i) && is_leading(b + i);
            }
        }
    }

    // Names each part by its place among the distinct ones, and sorts the sequence of names.
    std::vector<int32_t> sorted_leading() {
        const auto count = static_cast<int32_t>(leading_.size());
        std::vector<int32_t> names(text_.size() / 2 + 1, -1);  // no two leading ones are adjacent
        int32_t last = -1, distinct = 0;
        for (int32_t start : order_) {
            if (!is_leading(start)) continue;
            if (last >= 0 && !is_same_part(last, start)) ++distinct;
            names[start / 2] = distinct;
            last = start;
        }
        std::vector<int32_t> sequence(leading_.size());
        for (int32_t i = 0; i < count; ++i) sequence[i] = names[leading_[i] / 2];
        names = {};
        std::vector<int32_t> sorted;
        if (distinct + 1 == count) {
            sorted.resize(leading_.size());
            for (int32_t i = 0; i < count; ++i) sorted[sequence[i]] = i;
        } else {
            sorted = suffix_array(sequence, distinct + 1);
        }
        for (int32_t& start : sorted) start = leading_[start];
        return sorted;
    }

    std::span<const int32_t> text_;
    int32_t size_;
    std::vector<int32_t>& order_;
    std::vector<bool> small_;
    std::vector<int32_t> ends_, free_;  // of the suffixes that begin with each symbol
    std::vector<int32_t> leading_;
};

}  // namespace

std::vector<int32_t> suffix_array(std::span<const int32_t> text, int32_t symbols) {
    std::vector<int32_t> order(text.size());
    if (!text.empty()) InducedSorting(text, symbols, order).run();
    return order;
}

std::vector<uint32_t> common_prefixes(std::span<const int32_t> text,
                                      std::span<const int32_t> order) {
    const auto size = static_cast<uint32_t>(text.size());
    if (size == 0) return {};
    // First where the suffix before each begins, and `size` for the first of all.
    std::vector<uint32_t> common(size, size);
    for (uint32_t i = 1; i < size; ++i) common[order[i]] = static_cast<uint32_t>(order[i - 1]);
    uint32_t length = 0;  // at most one less than at the suffix that begins one earlier
    for (uint32_t i = 0; i < size; ++i) {
        if (i % (1 << 20) == 0) check_interrupt();
        const uint32_t other = common[i];
        if (other == size) length = 0;
        while (std::max(i, other) + length < size && text[i + length] == text[other + length]) {
            ++length;
        }
        common[i] = length;
        length -= length > 0;
    }
    return common;
}

}  // namespace addhash

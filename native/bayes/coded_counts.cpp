#include "bayes/coded_counts.h"

#include <algorithm>

namespace addhash {
namespace {

// Numbers from a file: false if one is cut off, too large or longer than need be.
class Numbers {
public:
    explicit Numbers(std::span<const uint8_t> bytes)
        : at_(bytes.data()), end_(at_ + bytes.size()) {}

    bool is_at_end() const { return at_ == end_; }
    bool get(uint64_t most, uint64_t& value) {
        value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (at_ == end_) return false;
            const uint64_t byte = *at_++;
            if (shift == 63 && byte > 1) return false;
            value |= (byte & 0x7f) << shift;
            if (byte < 0x80) return value <= most && (byte != 0 || shift == 0);
        }
        return false;
    }

private:
    const uint8_t *at_, *end_;
};

}  // namespace

void CountWriter::put(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<uint8_t>(value | 0x80));
    bytes_.push_back(static_cast<uint8_t>(value));
}

void CountWriter::append(std::span<const ClassCount> list) {
    put(list[0].bucket - next_bucket_);
    next_bucket_ = list[0].bucket + 1;
    put(static_cast<uint64_t>(
        std::count_if(list.begin(), list.end(), [](const ClassCount& c) { return c.count != 0; })));
    uint32_t next_label = 0;
    for (const ClassCount& entry : list) {
        if (entry.count == 0) continue;
        put(uint64_t{entry.label - next_label} << 1 | (entry.count > 1));
        if (entry.count > 1) put(static_cast<uint64_t>(entry.count) - 2);
        next_label = entry.label + 1;
    }
}

Status check_counts(std::span<const uint8_t> bytes, uint32_t buckets, std::span<int64_t> tokens) {
    Numbers numbers(bytes);
    const uint64_t classes = tokens.size();
    uint64_t next_bucket = 0, value = 0;
    int64_t all = 0;
    while (!numbers.is_at_end()) {
        uint64_t size = 0;
        if (!numbers.get(buckets, value) || (next_bucket += value + 1) > buckets ||
            !numbers.get(classes, size) || size == 0) {
            return Status::out_of_range;
        }
        for (uint64_t next_label = 0; size > 0; --size) {
            if (!numbers.get(2 * classes, value)) return Status::out_of_range;
            const uint64_t label = next_label + (value >> 1);
            if (label >= classes) return Status::out_of_range;
            next_label = label + 1;
            int64_t count = 1;
            if (value & 1) {
                if (!numbers.get(INT64_MAX - 2, value)) return Status::out_of_range;
                count = static_cast<int64_t>(value) + 2;
            }
            if (__builtin_add_overflow(all, count, &all)) return Status::overflow;
            tokens[static_cast<size_t>(label)] += count;
        }
    }
    return Status::done;
}

}  // namespace addhash

// Counts of buckets and classes as bytes, both in files and in memory.
//
// For each bucket in ascending order: its distance from the one before, less 1; the number of its
// classes; and for each class in ascending order twice its distance from the one before, less 1,
// plus 1 if its count is above 1, which then follows, less 2. Numbers have seven bits in a byte,
// the lowest first, with the eighth bit set in all bytes but the last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "status/status.h"

namespace addhash {

struct ClassCount {
    uint32_t bucket;
    uint32_t label;  // the number of a class
    int64_t count;
};

class CountWriter {
public:
    // The lists of buckets, in ascending order. Counts of 0 are left out; their bucket is not.
    void append(std::span<const ClassCount> list);
    std::vector<uint8_t> take() { return std::move(bytes_); }

private:
    void put(uint64_t value);

    std::vector<uint8_t> bytes_;
    uint32_t next_bucket_ = 0;
};

// Reads the output of a CountWriter, or bytes that passed check_counts.
class CountReader {
public:
    explicit CountReader(std::span<const uint8_t> bytes)
        : at_(bytes.data()), begin_(at_), end_(at_ + bytes.size()) {}

    // Moves to the next bucket, whose classes next() then reads.
    bool next_bucket() {
        if (at_ == end_) return false;
        bucket_ = next_bucket_ + static_cast<uint32_t>(get());
        next_bucket_ = bucket_ + 1;
        start_list();
        return true;
    }
    // Reads one list, which starts at `offset`.
    void seek(uint64_t offset) {
        at_ = begin_ + offset;
        start_list();
    }
    uint32_t bucket() const { return bucket_; }
    uint32_t size() const { return size_; }
    uint64_t offset() const { return offset_; }

    ClassCount next() {
        const uint64_t code = get();
        const auto label = next_label_ + static_cast<uint32_t>(code >> 1);
        next_label_ = label + 1;
        return {bucket_, label, code & 1 ? static_cast<int64_t>(get()) + 2 : 1};
    }

private:
    void start_list() {
        offset_ = static_cast<uint64_t>(at_ - begin_);
        size_ = static_cast<uint32_t>(get());
        next_label_ = 0;
    }
    uint64_t get() {
        uint64_t value = *at_++;
        if (value < 0x80) return value;
        value &= 0x7f;
        for (unsigned shift = 7;; shift += 7) {
            const uint64_t byte = *at_++;
            value |= (byte & 0x7f) << shift;
            if (byte < 0x80) return value;
        }
    }

    const uint8_t *at_, *begin_, *end_;
    uint64_t offset_ = 0;
    uint32_t bucket_ = 0, size_ = 0, next_bucket_ = 0, next_label_ = 0;
};

// Adds each class's counts to its element of `tokens`. out_of_range if the bytes are not what a
// CountWriter writes for buckets below `buckets` and classes below tokens.size(), each list with a
// class or more; overflow if a sum of all counts is 2^63 or more.
Status check_counts(std::span<const uint8_t> bytes, uint32_t buckets, std::span<int64_t> tokens);

}  // namespace addhash

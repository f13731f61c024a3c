// What two records can have in common at most, from what each of them has.
#pragma once

#include <vector>

#include "duplicates/record_join.h"

namespace addhash {

// A token of a record, different in each field. A number gives two tokens, such that numbers within
// the tolerance share one.
struct FieldToken {
    uint64_t token;
    uint32_t field;
};

struct RecordPair {
    uint32_t left, right;
    double similarity;
};

// A pattern is which fields a record has. Records are ranked by pattern, the most frequent first.
class RecordBounds {
public:
    RecordBounds(const Records& records, const RecordRule& rule);

    uint32_t number(uint32_t rank) const { return numbers_[rank]; }
    uint32_t pattern(uint32_t rank) const { return pattern_of_[rank]; }
    // The fields that both patterns have.
    uint32_t common(uint32_t pattern, uint32_t other) const {
        return patterns_[pattern] & patterns_[other];
    }
    // Whether these weigh enough.
    bool can_match(uint32_t pattern, uint32_t other) const {
        return can_match_[pattern * patterns_.size() + other];
    }

    // Adds a pair of ranks if it is similar enough.
    void check(uint32_t rank, uint32_t other, std::vector<RecordPair>& pairs) const;

    void take_tokens(uint32_t rank, std::vector<FieldToken>& tokens) const;

    // Of tokens in one order, how many must be looked at so that what comes after them is not
    // enough for the threshold, whatever the other record has.
    size_t prefix(uint32_t rank, const std::vector<FieldToken>& tokens) const;

private:
    bool is_enough(uint32_t fields) const {
        return fields != 0 && records_.weight(fields) >= rule_.least_weight;
    }

    const Records& records_;
    const RecordRule& rule_;
    std::vector<uint32_t> by_weight_;   // fields, the greatest weight first
    std::vector<uint32_t> patterns_;    // by frequency
    std::vector<uint32_t> numbers_;     // of records, by rank
    std::vector<uint32_t> pattern_of_;  // by rank
    // By pattern, the fields that it has in common with others, where those weigh enough.
    std::vector<std::vector<uint32_t>> common_;
    std::vector<uint8_t> can_match_;  // by two patterns
};

}  // namespace addhash

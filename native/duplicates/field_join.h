// Similar records by their fields: a mean reaches the threshold only if some field does.
#pragma once

#include <atomic>
#include <vector>

#include "duplicates/record_bounds.h"
#include "duplicates/record_signatures.h"
#include "duplicates/threshold.h"
#include "parallel/threads.h"

namespace addhash {

// Joins the values of each field, each distinct one once, and compares the records that have them.
class FieldJoin {
public:
    FieldJoin(const Kernels& kernels, const Records& records, const RecordRule& rule,
              const RecordBounds& bounds, const RecordSignatures& signatures, size_t threads);

    // Of all pairs of records, roughly how many are compared: more than one time, if more than one
    // field is similar. At least 1 if this is no way to find them.
    double share() const;
    // All similar pairs, in no order; if there are too many, one more than asked for, or a few.
    std::vector<RecordPair> run();

private:
    // Records by the value of one field. `runs` has for each place the end of those after it with
    // the same value, side and pattern.
    struct Order {
        uint32_t field;
        std::vector<uint32_t> ranks, runs;
        std::vector<uint32_t> starts;  // by place: the first record of its value, or near it
        RecordSignatures::Columns columns;
    };
    struct Rows {
        size_t first, last;
    };
    class Scan;

    void run_sets(uint32_t field);
    void run_numbers(uint32_t field);
    std::vector<uint32_t> present(uint32_t field) const;
    void finish(Order& order, const std::vector<uint32_t>& values) const;
    void compare_neighbours(const Order& order, uint32_t known);
    // Whether a field is similar enough; records that meet in an earlier field were found there.
    bool meets(uint32_t field, uint32_t a, uint32_t b) const;
    bool is_left(uint32_t rank) const {
        return rule_.boundary && bounds_.number(rank) < *rule_.boundary;
    }

    const Kernels& kernels_;
    const Records& records_;
    const RecordRule& rule_;
    const RecordBounds& bounds_;
    const RecordSignatures& signatures_;
    const size_t threads_;
    const uint64_t numerator_;
    const Threshold threshold_;
    Mutex adding_;
    std::atomic<size_t> found_{0};
    std::vector<RecordPair> pairs_;
};

}  // namespace addhash

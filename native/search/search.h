// Exact search: the rows with the highest cosine to every query.
#pragma once

#include <vector>

#include "dispatch/kernels.h"
#include "search/encoded.h"

namespace addhash {

// Rows with what the scan needs besides them. The arrays of `rows` must stay alive and unchanged.
class SearchableRows {
public:
    explicit SearchableRows(const EncodedVectors& rows);

    const EncodedVectors& rows() const { return rows_; }
    // scale / norm, or 0 for the zero vector; filled up to whole tiles, like the slacks.
    const double* factors() const { return factors_.data(); }
    // The error that a row adds to its score. Rows that pad a tile have minus infinity.
    const double* slacks() const { return slacks_.data(); }

private:
    EncodedVectors rows_;
    std::vector<double> factors_;
    std::vector<double> slacks_;
};

// What decides besides the scores; each may be null.
struct SearchRules {
    const int64_t* ranks = nullptr;     // of each row: ties go to the lower one; else to the first
    const int64_t* groups = nullptr;    // of each row, and with it
    const int64_t* excluded = nullptr;  // of each query: the group whose rows it does not match
};

// The k best rows of every query: row and score of match i of query q at [q * k + i], -1 and NaN if
// there are no more. k is from 1 to rows.count. The score is dot / (norm * norm) in float64, 0 for
// a zero vector. Nothing depends on the threads.
void search(const Kernels& kernels, const SearchableRows& rows, const SearchableRows& queries,
            const SearchRules& rules, size_t k, size_t threads, int64_t* best_rows, double* scores);

}  // namespace addhash

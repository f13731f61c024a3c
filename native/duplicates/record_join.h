// Every pair of similar records: several sets or numbers each, with weights.
#pragma once

#include <optional>
#include <vector>

#include "dispatch/kernels.h"
#include "duplicates/token_sets.h"

namespace addhash {

// A column of records: sets of tokens, or numbers.
struct RecordField {
    double weight;                      // above 0
    const TokenSets* sets = nullptr;    // one per record
    std::span<const double> numbers{};  // without sets: one per record
    double tolerance = 0;               // numbers this far apart have nothing in common
};

// At most kMostFields fields. Bit f of presence[i] says that record i has field f.
struct Records {
    static constexpr size_t kMostFields = 32;

    std::vector<RecordField> fields;
    std::span<const uint32_t> presence;

    size_t size() const { return presence.size(); }
    double weight(uint32_t present) const;
    // How similar a field is in two records that have it: jaccard for sets; for numbers, 1 less
    // their distance by the tolerance.
    double field_similarity(size_t field, uint32_t a, uint32_t b) const;
    // The weighted mean over the fields that both have; 0 if those have less weight than `least`.
    double similarity(uint32_t a, uint32_t b, double least) const;
};

struct RecordRule {
    double threshold;     // the least similarity
    double least_weight;  // of the fields that both records have
    std::optional<size_t> boundary;
    size_t most_pairs;

    // Rounding does not lose what is at the threshold.
    static constexpr double kRounding = 1e-9;
    bool accepts(double similarity) const { return similarity >= threshold - kRounding; }
};

struct SimilarRecords {
    std::vector<uint32_t> left, right;  // left < right, in order
    std::vector<double> similarity;
    bool is_complete = true;  // false if there are more pairs than asked for
};

SimilarRecords join_records(const Kernels& kernels, const Records& records, const RecordRule& rule,
                            size_t threads);

}  // namespace addhash

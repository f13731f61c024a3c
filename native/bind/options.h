// Python's names for the core's choices.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "analysis/analysis.h"
#include "normalize/norm.h"

namespace addhash::bind {

inline Analyzer analyzer_named(const std::string& name) {
    if (name == "word") return Analyzer::word;
    if (name == "char") return Analyzer::characters;
    if (name == "char_wb") return Analyzer::characters_in_words;
    throw nanobind::value_error("analyzer must be 'word', 'char' or 'char_wb'");
}

inline Norm norm_named(const std::string& name) {
    if (name == "none") return Norm::none;
    if (name == "l1") return Norm::l1;
    if (name == "l2") return Norm::l2;
    throw nanobind::value_error("norm must be 'none', 'l1' or 'l2'");
}

inline NgramRange ngram_range(size_t min, size_t max) {
    constexpr size_t kLongest = size_t{1} << 30;
    if (min < 1 || max < min) throw nanobind::value_error("ngram_range must be 1 <= min <= max");
    return {min < kLongest ? min : kLongest, max < kLongest ? max : kLongest};
}

}  // namespace addhash::bind

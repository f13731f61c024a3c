// What must be true of every input: if it is not, the fuzzer reports the input.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace addhash::fuzz {

inline void require(bool ok, const char* what) {
    if (ok) return;
    std::fprintf(stderr, "not true: %s\n", what);
    std::abort();
}

}  // namespace addhash::fuzz

#define REQUIRE(expression) addhash::fuzz::require((expression), #expression)

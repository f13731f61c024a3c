// The loop of every instruction set: each compiles this to its own registers.
#pragma once

#include "weigh/weigh.h"

namespace addhash {
namespace {

inline void add_narrow_loop(const int16_t* narrow, size_t count, int64_t* wide) {
    for (size_t i = 0; i < count; ++i) wide[i] += narrow[i];
}

}  // namespace
}  // namespace addhash

// What went wrong, for Python.
#pragma once

#include <nanobind/nanobind.h>

#include "status/status.h"

namespace addhash::bind {

// None, or the name of what went wrong and the position where.
nanobind::object failure(Outcome outcome);

}  // namespace addhash::bind

// What went wrong, for Python.
#pragma once

#include <nanobind/nanobind.h>

#include "status/status.h"

namespace addhash::bind {

// Raises _native.Failure, with the status and the position, unless all is done. Needs the GIL.
void check(Outcome outcome);

// Raises a MemoryError that says how much was requested. Needs the GIL.
[[noreturn]] void raise_too_large(size_t bytes);

void register_failure(nanobind::module_& module);

}  // namespace addhash::bind

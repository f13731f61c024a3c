// Ctrl-C during native work.
#pragma once

#include <nanobind/nanobind.h>

#include "parallel/interrupt.h"

namespace addhash::bind {

// What makes native work on this thread answer to Python's signals: a function for Interrupt, or
// nullptr where Python handles none. Needs the GIL.
Interrupt::AskToGoOn asks_for_signals();

// Work without the GIL that a signal handler's exception ends.
class Unlocked {
    Interrupt::AskToGoOn ask_ = asks_for_signals();
    nanobind::gil_scoped_release release_;
    Interrupt interrupt_{ask_};
};

void register_interrupt();

}  // namespace addhash::bind

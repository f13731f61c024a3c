// Ctrl-C during native work.
#pragma once

#include <nanobind/nanobind.h>

#include "parallel/interrupt.h"

namespace addhash::bind {

// Makes native work on this thread respond to Python's signals: a function for Interrupt, or
// nullptr on threads where Python handles none. Needs the GIL.
Interrupt::AskToGoOn asks_for_signals();

// Work without the GIL that a signal handler's exception can end.
class Unlocked {
    Interrupt::AskToGoOn ask_ = asks_for_signals();
    nanobind::gil_scoped_release release_;
    Interrupt interrupt_{ask_};
};

void register_interrupt();

}  // namespace addhash::bind

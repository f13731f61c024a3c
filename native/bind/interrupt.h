// Ctrl-C during native work.
#pragma once

#include <nanobind/nanobind.h>

#include "parallel/interrupt.h"

namespace addhash::bind {

// Makes native work on this thread respond to Python's signals: a function for Interrupt, or
// nullptr on threads where Python handles none. Needs the GIL.
Interrupt::AskToGoOn asks_for_signals();

// While it lives, this thread does not hold the GIL.
class ReleasedGil {
public:
    ReleasedGil() : state_(PyEval_SaveThread()) {}
    ~ReleasedGil() { take_back(state_); }
    ReleasedGil(const ReleasedGil&) = delete;

private:
    static void take_back(PyThreadState* state);

    PyThreadState* state_;
};

// Work without the GIL that a signal handler's exception can end.
class Unlocked {
    Interrupt::AskToGoOn ask_ = asks_for_signals();
    ReleasedGil released_;
    Interrupt interrupt_{ask_};
};

void register_interrupt();

}  // namespace addhash::bind

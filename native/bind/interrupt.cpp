#include "bind/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>

namespace nb = nanobind;

namespace addhash::bind {
namespace {

// Python runs signal handlers on this thread only.
std::atomic<unsigned long> main_thread{0};

void ask() {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace

Interrupt::AskToGoOn asks_for_signals() {
    return PyThread_get_thread_ident() == main_thread.load() ? ask : nullptr;
}

// Once the interpreter is ending, Python before 3.14 ends a thread that wants the GIL by unwinding
// its stack. Destructors, and whatever must not throw, would abort the process; so the thread waits
// for its end here, as it does in later versions.
void ReleasedGil::take_back(PyThreadState* state) {
    try {
        PyEval_RestoreThread(state);
    } catch (...) {
        while (true) pause();
    }
}

void register_interrupt() {
    const nb::object thread = nb::module_::import_("threading").attr("main_thread")();
    main_thread = nb::cast<unsigned long>(thread.attr("ident"));
    // The thread that forks is the main thread of the child.
    pthread_atfork(nullptr, nullptr, [] { main_thread = PyThread_get_thread_ident(); });
}

}  // namespace addhash::bind

#include "bind/interrupt.h"

#include <pthread.h>

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

void register_interrupt() {
    const nb::object thread = nb::module_::import_("threading").attr("main_thread")();
    main_thread = nb::cast<unsigned long>(thread.attr("ident"));
    // The thread that forks is the main thread of the child.
    pthread_atfork(nullptr, nullptr, [] { main_thread = PyThread_get_thread_ident(); });
}

}  // namespace addhash::bind

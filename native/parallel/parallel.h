// Spreading chunks of work over threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>

#include "parallel/helpers.h"
#include "parallel/interrupt.h"

namespace addhash {

// How many threads are worth using for `chunks` chunks of work if `threads` are requested: no more
// than there are chunks or than the system lets this process use, and at least one.
size_t useful_threads(size_t threads, size_t chunks);

// Calls work(next) on useful_threads() threads, this one among them; each takes chunk numbers
// from next() until it returns `chunks` or more. The first exception stops all and is rethrown.
template <class Work> void run_parallel(size_t threads, size_t chunks, Work&& work) {
    std::atomic<size_t> counter{0};
    std::exception_ptr failure;
    std::mutex failing;
    Interrupt* const interrupt = Interrupt::current();
    const auto next = [&] {
        if (interrupt != nullptr) interrupt->check();
        return counter.fetch_add(1, std::memory_order_relaxed);
    };
    const auto guarded = [&](const auto& call) {
        try {
            call();
        } catch (const Interrupted&) {
            // The thread that was told to stop knows the reason.
        } catch (...) {
            const std::lock_guard lock(failing);
            if (!failure) failure = std::current_exception();
            counter.store(chunks, std::memory_order_relaxed);
        }
    };
    const auto help = [&] {
        const Interrupt::Helper helper(interrupt);
        guarded([&] { work(next); });
    };
    {
        Helpers helpers(useful_threads(threads, chunks) - 1, help);
        guarded([&] { work(next); });
        guarded([&] { helpers.wait(); });
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace addhash

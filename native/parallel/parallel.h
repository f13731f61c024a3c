// Spreading chunks of work over threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace addhash {

// Calls work(next) on up to `threads` threads, this one among them; each takes chunk numbers
// from next() until it returns `chunks` or more. The first exception stops all and is rethrown.
template <class Work> void run_parallel(size_t threads, size_t chunks, Work&& work) {
    std::atomic<size_t> counter{0};
    std::exception_ptr failure;
    std::mutex failing;
    const auto next = [&] { return counter.fetch_add(1, std::memory_order_relaxed); };
    const auto guarded = [&] {
        try {
            work(next);
        } catch (...) {
            const std::lock_guard lock(failing);
            if (!failure) failure = std::current_exception();
            counter.store(chunks, std::memory_order_relaxed);
        }
    };
    std::vector<std::thread> others;
    const size_t helpers = std::min(threads, chunks) > 1 ? std::min(threads, chunks) - 1 : 0;
    try {
        for (size_t i = 0; i < helpers; ++i) others.emplace_back(guarded);
    } catch (...) {
        // No more threads, or no memory for one: those there are do the work, and are joined.
    }
    guarded();
    for (std::thread& thread : others) thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace addhash

// Spreading chunks of work over threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "parallel/interrupt.h"

namespace addhash {

// How many threads are worth having for `chunks` chunks of work where `threads` are asked for:
// no more than there are chunks, or than the system lets this process use, and at least one.
size_t useful_threads(size_t threads, size_t chunks);

// Threads that help the one that made them. The destructor waits for them.
class Helpers {
public:
    // Starts up to `count` threads that call `work`, which throws nothing.
    template <class Work> Helpers(size_t count, const Work& work) {
        try {
            threads_.reserve(count);
            for (size_t i = 0; i < count; ++i) {
                const std::lock_guard lock(mutex_);
                threads_.emplace_back([this, &work] {
                    work();
                    const std::lock_guard done(mutex_);
                    if (--running_ == 0) all_done_.notify_one();
                });
                ++running_;
            }
        } catch (...) {
            // No more threads, or no memory for one: those there are do the work.
        }
    }
    ~Helpers() {
        for (std::thread& thread : threads_) thread.join();
    }
    Helpers(const Helpers&) = delete;

    // Waits for all of them; throws if the work is to end before.
    void wait() {
        std::unique_lock lock(mutex_);
        while (running_ > 0) {
            // By the system's clock: GCC's thread sanitizer does not know waits by the steady one.
            all_done_.wait_until(lock, std::chrono::system_clock::now() + Interrupt::kAskedEvery);
            lock.unlock();
            check_interrupt();
            lock.lock();
        }
    }

private:
    std::mutex mutex_;
    std::condition_variable all_done_;
    size_t running_ = 0;
    std::vector<std::thread> threads_;
};

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
            // The thread that was told to stop has the reason.
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

// Spreading chunks of work over threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <type_traits>

#include "parallel/helpers.h"
#include "parallel/interrupt.h"
#include "parallel/threads.h"

namespace addhash {

// How many threads are worth using for `chunks` chunks of work if `threads` are requested: no more
// than there are chunks or than the system lets this process use, and at least one.
size_t useful_threads(size_t threads, size_t chunks);

// Chunks of work that other threads begin at once, while this one does something else until join().
// Calls work(next) on useful_threads() threads; each takes chunk numbers from next() until it
// returns `chunks` or more. `work` must outlive it. The destructor ends what was not joined.
template <class Work> class ParallelRun {
public:
    ParallelRun(size_t threads, size_t chunks, Work& work)
        : chunks_(chunks),
          work_(work),
          interrupt_(Interrupt::current()),
          helpers_(useful_threads(threads, chunks) - 1, help_) {}
    ~ParallelRun() { end(); }
    ParallelRun(const ParallelRun&) = delete;

    // Takes part and waits for all. The first exception stops all and is rethrown.
    void join() {
        guarded([&] { work_(Next{*this, Interrupt::current()}); });
        guarded([&] { helpers_.wait(); });
        const std::lock_guard lock(failing_);  // an interrupted wait leaves others at work
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    struct Next {
        ParallelRun& run;
        Interrupt* interrupt;

        size_t operator()() const {
            if (interrupt != nullptr) interrupt->check();
            return run.counter_.fetch_add(1, std::memory_order_relaxed);
        }
    };

    struct Help {
        ParallelRun& run;

        void operator()() const {
            const Interrupt::Helper helper(run.interrupt_);
            run.guarded([&] { run.work_(Next{run, run.interrupt_}); });
        }
    };

    template <class Call> void guarded(const Call& call) {
        try {
            call();
        } catch (const Interrupted&) {
            // The thread that was told to stop knows the reason.
        } catch (...) {
            const std::lock_guard lock(failing_);
            if (!failure_) failure_ = std::current_exception();
            end();
        }
    }

    void end() { counter_.store(chunks_, std::memory_order_relaxed); }

    size_t chunks_;
    Work& work_;
    Interrupt* interrupt_;
    std::atomic<size_t> counter_{0};
    std::exception_ptr failure_;
    Mutex failing_;
    const Help help_{*this};
    Helpers helpers_;  // destroyed first: waits for them
};

// The same with this thread taking part from the start.
template <class Work> void run_parallel(size_t threads, size_t chunks, Work&& work) {
    ParallelRun<std::remove_reference_t<Work>>(threads, chunks, work).join();
}

}  // namespace addhash

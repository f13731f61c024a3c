// Threads that help with the work of another. They are kept between calls: starting one, with
// memory of its own, takes as long as hashing some hundred short texts.
#pragma once

#include <atomic>
#include <cstddef>

#include "parallel/threads.h"
#ifndef ADDHASH_ONE_THREAD
#include <condition_variable>
#endif

namespace addhash {

#ifdef ADDHASH_ONE_THREAD
// No thread can be started.
struct Helpers {
    template <class Work> Helpers(size_t, const Work&) {}
    void wait() {}
};

inline size_t idle_helpers() { return 0; }
#else
// Threads at work on one thing. The destructor waits for them.
class Helpers {
public:
    // Has up to `count` threads call `work`, which throws nothing. There may be fewer where no
    // thread can be started.
    template <class Work> Helpers(size_t count, const Work& work)
        : call_([](const void* called) { (*static_cast<const Work*>(called))(); }), work_(&work) {
        start(count);
    }
    ~Helpers();
    Helpers(const Helpers&) = delete;

    // Waits for all of them; throws if the work is to end before.
    void wait();

private:
    friend class WorkerThread;

    void start(size_t count) noexcept;
    void help() const { call_(work_); }
    void leave();

    void (*call_)(const void* work);
    const void* work_;
    Mutex mutex_;
    std::condition_variable all_left_;
    std::atomic<size_t> helping_ = 0;
};

// The threads that wait for work.
size_t idle_helpers();
#endif

}  // namespace addhash

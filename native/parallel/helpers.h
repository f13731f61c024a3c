// Threads that help with the work of another. They are kept between calls: starting one, with
// memory of its own, takes as long as hashing some hundred short texts.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace addhash {

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
    std::mutex mutex_;
    std::condition_variable all_left_;
    std::atomic<size_t> helping_ = 0;
};

// The threads that wait for work.
size_t idle_helpers();

}  // namespace addhash

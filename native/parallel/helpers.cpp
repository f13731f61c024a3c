#include "parallel/helpers.h"

#ifndef ADDHASH_ONE_THREAD
#include <pthread.h>

#include <chrono>
#include <memory>
#include <thread>

#include "parallel/fork.h"
#include "parallel/interrupt.h"
#include "parallel/parallel.h"

namespace addhash {
namespace {

// Polls for as long as a caller may need from the end of one call to the next: waking up would take
// about as long.
template <class Done> void spin(Done&& is_done) {
    constexpr auto kLong = std::chrono::microseconds(200);
    const auto start = std::chrono::steady_clock::now();
    while (!is_done() && std::chrono::steady_clock::now() - start < kLong) {
        std::this_thread::yield();
    }
}

}  // namespace

// A thread that helps whoever asks, and waits in a list until then.
class WorkerThread {
public:
    // An idle thread, or else a new one. Throws where the system has none.
    static WorkerThread* take() {
        {
            const std::lock_guard lock(list_lock);
            if (WorkerThread* const found = first_idle; found != nullptr) {
                first_idle = found->next_idle_;
                --idle;
                return found;
            }
        }
        auto made = std::make_unique<WorkerThread>();
        std::thread([self = made.get()] { self->run(); }).detach();
        return made.release();
    }

    // Notifies under the lock: with its work done, the thread may be gone.
    void help(Helpers& helpers) {
        const std::lock_guard lock(mutex_);
        helpers_ = &helpers;
        given_.notify_one();
    }

    static size_t count_idle() {
        const std::lock_guard lock(list_lock);
        return idle;
    }

private:
    void run() {
        bool is_kept = true;
        while (is_kept) {
            Helpers* const helpers = wait_for_work();
            helpers->help();
            // Idle before it leaves: whoever waited for it finds it again at once.
            is_kept = keep();
            helpers->leave();
        }
        delete this;
    }

    Helpers* wait_for_work() {
        spin([&] { return helpers_ != nullptr; });
        std::unique_lock lock(mutex_);
        given_.wait(lock, [&] { return helpers_ != nullptr; });
        return helpers_.exchange(nullptr);
    }

    // Puts this thread into the list, unless there are enough.
    bool keep() {
        const std::lock_guard lock(list_lock);
        if (idle == kMostIdle) return false;
        next_idle_ = first_idle;
        first_idle = this;
        ++idle;
        return true;
    }

    // A forked child has none of its parent's threads.
    static void forget_all() {
        first_idle = nullptr;
        idle = 0;
    }

    static const size_t kMostIdle;
    static ForkSafeMutex& list_lock;
    static WorkerThread* first_idle;
    static size_t idle;

    Mutex mutex_;
    std::condition_variable given_;
    std::atomic<Helpers*> helpers_ = nullptr;
    WorkerThread* next_idle_ = nullptr;
};

const size_t WorkerThread::kMostIdle = [] {
    pthread_atfork(nullptr, nullptr, forget_all);
    return useful_threads(SIZE_MAX, SIZE_MAX);
}();
ForkSafeMutex& WorkerThread::list_lock = *new ForkSafeMutex;
WorkerThread* WorkerThread::first_idle = nullptr;
size_t WorkerThread::idle = 0;

void Helpers::start(size_t count) noexcept {
    try {
        for (; count > 0; --count) {
            WorkerThread* const thread = WorkerThread::take();
            {
                const std::lock_guard lock(mutex_);
                ++helping_;
            }
            thread->help(*this);
        }
    } catch (...) {
        // No more threads, or no memory for one: those there are do the work.
    }
}

void Helpers::leave() {
    const std::lock_guard lock(mutex_);
    if (--helping_ == 0) all_left_.notify_one();
}

Helpers::~Helpers() {
    std::unique_lock lock(mutex_);
    all_left_.wait(lock, [&] { return helping_ == 0; });
}

void Helpers::wait() {
    spin([&] { return helping_ == 0; });
    std::unique_lock lock(mutex_);
    while (helping_ > 0) {
        // By the system's clock: GCC's thread sanitizer does not know waits by the steady one.
        all_left_.wait_until(lock, std::chrono::system_clock::now() + Interrupt::kAskedEvery);
        lock.unlock();
        check_interrupt();
        lock.lock();
    }
}

size_t idle_helpers() { return WorkerThread::count_idle(); }

}  // namespace addhash
#endif

// Ending long work early. The caller makes an Interrupt, with a function to ask now and then
// whether to continue; the work calls check_interrupt() every few milliseconds.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>

#include "memory/static_tls.h"
#include "parallel/threads.h"

namespace addhash {

// Thrown by check_interrupt() on helper threads once the calling one was told to stop.
struct Interrupted : std::exception {
    const char* what() const noexcept override { return "interrupted"; }
};

class Interrupt {
public:
    // Returns to continue, throws to end the work. Called only on the thread that made the
    // Interrupt; never if it is nullptr.
    using AskToGoOn = void (*)();

    // From here on, until it is destroyed, this thread's work can be ended.
    explicit Interrupt(AskToGoOn ask);
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;

    // Of the work that this thread does, or nullptr.
    static Interrupt* current();
    void check();

    // While it lives, this thread helps with the work of another.
    class Helper {
    public:
        explicit Helper(Interrupt* interrupt);
        ~Helper();
        Helper(const Helper&) = delete;
    };

    static constexpr auto kAskedEvery = std::chrono::milliseconds(50);

private:
    using Clock = std::chrono::steady_clock;

    AskToGoOn ask_;
    Interrupt* outer_;
    ThreadId asking_ = this_thread();
    Clock::time_point next_ = Clock::now() + kAskedEvery;
    std::atomic<bool> is_ended_{false};
};

// Throws if the work should end. Takes about as long as reading the clock.
void check_interrupt();

// The same after every few milliseconds of work, measured in bytes hashed or read, so that small
// pieces of work do not each read the clock.
inline void check_interrupt_after(size_t bytes) {
    constexpr size_t kCheckedEvery = size_t{1} << 21;
    static thread_local size_t unchecked ADDHASH_STATIC_TLS = 0;
    unchecked += bytes;
    if (unchecked < kCheckedEvery) return;
    unchecked = 0;
    check_interrupt();
}

}  // namespace addhash

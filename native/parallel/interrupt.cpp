#include "parallel/interrupt.h"

namespace addhash {
namespace {

thread_local Interrupt* of_this_thread ADDHASH_STATIC_TLS = nullptr;

}  // namespace

Interrupt::Interrupt(AskToGoOn ask) : ask_(ask), outer_(of_this_thread) { of_this_thread = this; }

Interrupt::~Interrupt() { of_this_thread = outer_; }

Interrupt* Interrupt::current() { return of_this_thread; }

void Interrupt::check() {
    if (is_ended_.load(std::memory_order_relaxed)) throw Interrupted();
    if (ask_ == nullptr || this_thread() != asking_) return;
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + kAskedEvery;
    try {
        ask_();
    } catch (...) {
        is_ended_.store(true, std::memory_order_relaxed);
        throw;
    }
}

Interrupt::Helper::Helper(Interrupt* interrupt) { of_this_thread = interrupt; }

Interrupt::Helper::~Helper() { of_this_thread = nullptr; }

void check_interrupt() {
    if (of_this_thread != nullptr) of_this_thread->check();
}

}  // namespace addhash

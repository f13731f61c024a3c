// Locks that a forked child can take, whatever its parent's other threads held.
#pragma once

#include "parallel/threads.h"

namespace addhash {

#ifdef ADDHASH_ONE_THREAD
using ForkSafeMutex = Mutex;
#else
// Held during fork() itself, so that the child finds it free and what it guards consistent. For
// objects that are created when the program starts and never destroyed; no thread may hold two of
// them.
class ForkSafeMutex {
public:
    ForkSafeMutex();
    ForkSafeMutex(const ForkSafeMutex&) = delete;

    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }

private:
    static void lock_all();
    static void unlock_all();

    Mutex mutex_;
    ForkSafeMutex* next_;
};
#endif

}  // namespace addhash

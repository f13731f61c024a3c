#include "parallel/fork.h"

#ifndef ADDHASH_ONE_THREAD
#include <pthread.h>

namespace addhash {
namespace {

ForkSafeMutex* first = nullptr;

}  // namespace

ForkSafeMutex::ForkSafeMutex() : next_(first) {
    if (first == nullptr) pthread_atfork(lock_all, unlock_all, unlock_all);
    first = this;
}

void ForkSafeMutex::lock_all() {
    for (ForkSafeMutex* mutex = first; mutex != nullptr; mutex = mutex->next_) mutex->lock();
}

void ForkSafeMutex::unlock_all() {
    for (ForkSafeMutex* mutex = first; mutex != nullptr; mutex = mutex->next_) mutex->unlock();
}

}  // namespace addhash
#endif

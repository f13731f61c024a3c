// What the system has of threads. A build for one thread (ADDHASH_ONE_THREAD), as for WebAssembly,
// has none: its locks are always free.
#pragma once

#include <cstddef>
#include <mutex>
#ifndef ADDHASH_ONE_THREAD
#include <thread>
#endif

namespace addhash {

#ifdef ADDHASH_ONE_THREAD
struct Mutex {
    void lock() {}
    void unlock() {}
};
using ThreadId = int;
inline ThreadId this_thread() { return 0; }
inline size_t hardware_threads() { return 1; }
#else
using Mutex = std::mutex;
using ThreadId = std::thread::id;
inline ThreadId this_thread() { return std::this_thread::get_id(); }
inline size_t hardware_threads() { return std::thread::hardware_concurrency(); }
#endif

}  // namespace addhash

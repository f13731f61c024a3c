// Expensive objects, kept between calls.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "parallel/fork.h"

namespace addhash {

// Keeps idle objects of up to `most_bytes` bytes in total; the longest idle are dropped first.
template <class T> class Pool {
public:
    explicit Pool(size_t most_bytes) : most_bytes_(most_bytes) {}

    // The last one returned that fits, or nullptr.
    template <class Fits> std::unique_ptr<T> take(Fits&& fits) {
        const std::lock_guard lock(mutex_);
        for (size_t i = idle_.size(); i-- > 0;) {
            if (!fits(*idle_[i].thing)) continue;
            std::unique_ptr<T> found = std::move(idle_[i].thing);
            kept_ -= idle_[i].bytes;
            idle_.erase(idle_.begin() + static_cast<ptrdiff_t>(i));
            return found;
        }
        return nullptr;
    }

    void give_back(std::unique_ptr<T> thing, size_t bytes) noexcept {
        const std::lock_guard lock(mutex_);
        try {
            idle_.reserve(idle_.size() + 1);
        } catch (const std::bad_alloc&) {
            return;
        }
        idle_.push_back({std::move(thing), bytes});
        for (kept_ += bytes; kept_ > most_bytes_; kept_ -= bytes) {
            bytes = idle_.front().bytes;
            idle_.erase(idle_.begin());
        }
    }

    size_t kept() const {
        const std::lock_guard lock(mutex_);
        return kept_;
    }

    void release() {
        std::vector<Idle> dropped;  // destroyed after the lock
        const std::lock_guard lock(mutex_);
        dropped.swap(idle_);
        kept_ = 0;
    }

private:
    struct Idle {
        std::unique_ptr<T> thing;
        size_t bytes;
    };

    size_t most_bytes_;
    mutable ForkSafeMutex mutex_;
    std::vector<Idle> idle_;
    size_t kept_ = 0;
};

}  // namespace addhash

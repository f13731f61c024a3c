// Large zeroed arrays whose memory is not touched before it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "memory/large_pages.h"

namespace addhash {

// `count` elements of all-zero bytes, aligned to cache lines, and in large pages if they fill one.
template <class T> class ZeroedArray {
public:
    explicit ZeroedArray(size_t count) : count_(count) {
        if (count > (SIZE_MAX - kLargePage) / sizeof(T)) throw std::bad_alloc();
        const size_t bytes = count * sizeof(T);
        const size_t alignment = bytes < kLargePage ? kLine : kLargePage;
        memory_.reset(std::calloc(bytes + alignment, 1));
        if (!memory_) throw std::bad_alloc();
        const auto address = reinterpret_cast<uintptr_t>(memory_.get());
        data_ = reinterpret_cast<T*>((address + alignment - 1) / alignment * alignment);
        want_large_pages(data_, bytes / kLargePage * kLargePage);
    }

    T* data() { return data_; }
    size_t size() const { return count_; }
    T& operator[](size_t i) { return data_[i]; }

private:
    static constexpr size_t kLine = 64;
    struct Free {
        void operator()(void* p) const { std::free(p); }
    };
    size_t count_;
    std::unique_ptr<void, Free> memory_;
    T* data_;
};

}  // namespace addhash

// Memory for large tables with random access: in large pages, if the system has them, address
// translation takes far fewer steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace addhash {

constexpr size_t kLargePage = size_t{1} << 21;

// `memory` is aligned to kLargePage. Failure is harmless: the pages are then small.
inline void want_large_pages(void* memory, size_t bytes) {
#ifdef MADV_HUGEPAGE
    if (bytes > 0) static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
#else
    static_cast<void>(memory);
    static_cast<void>(bytes);
#endif
}

template <class T> struct LargePages {
    using value_type = T;

    LargePages() = default;
    template <class U> LargePages(const LargePages<U>&) {}

    T* allocate(size_t count) {
        if (count > (PTRDIFF_MAX - kLargePage) / sizeof(T)) throw std::bad_alloc();
        const size_t bytes = count * sizeof(T);
        if (bytes < kLargePage) return static_cast<T*>(::operator new(bytes, kLine));
        const size_t whole = (bytes + kLargePage - 1) / kLargePage * kLargePage;
        void* memory = std::aligned_alloc(kLargePage, whole);
        if (memory == nullptr) throw std::bad_alloc();
        // The rest is in small ones, of which those that are not written take no memory.
        want_large_pages(memory, bytes / kLargePage * kLargePage);
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, size_t count) {
        if (count * sizeof(T) < kLargePage) {
            ::operator delete(memory, kLine);
        } else {
            std::free(memory);
        }
    }
    bool operator==(const LargePages&) const { return true; }

private:
    static constexpr std::align_val_t kLine{64};  // small tables start with a cache line, too
};

}  // namespace addhash

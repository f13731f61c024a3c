// Memory for large tables that are read here and there: in large pages, where the system has them,
// it takes a processor far fewer steps to find an address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace addhash {

template <class T> struct LargePages {
    using value_type = T;

    LargePages() = default;
    template <class U> LargePages(const LargePages<U>&) {}

    T* allocate(size_t count) {
        if (count > (PTRDIFF_MAX - kPage) / sizeof(T)) throw std::bad_alloc();
        const size_t bytes = count * sizeof(T);
        if (bytes < kPage) return static_cast<T*>(::operator new(bytes));
        const size_t whole = (bytes + kPage - 1) / kPage * kPage;
        void* memory = std::aligned_alloc(kPage, whole);
        if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
        // Of no consequence if it fails: the pages are small then.
        static_cast<void>(madvise(memory, whole, MADV_HUGEPAGE));
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, size_t count) {
        if (count * sizeof(T) < kPage) {
            ::operator delete(memory);
        } else {
            std::free(memory);
        }
    }
    bool operator==(const LargePages&) const { return true; }

private:
    static constexpr size_t kPage = size_t{1} << 21;
};

}  // namespace addhash

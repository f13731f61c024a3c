// The allocator of the test program: malloc, and failures where a test wants them.
#include <cstdlib>
#include <new>
#include <utility>

#include "tests/support.h"

namespace {

constexpr size_t kNever = SIZE_MAX;
thread_local size_t allocations_left = kNever;
thread_local size_t largest_allocation = 0;

}  // namespace

namespace addhash::test {

FailingAllocation::FailingAllocation(size_t after) { allocations_left = after; }
FailingAllocation::~FailingAllocation() { allocations_left = kNever; }

size_t take_largest_allocation() { return std::exchange(largest_allocation, 0); }

}  // namespace addhash::test

void* operator new(size_t size) {
    if (allocations_left != kNever && allocations_left-- == 0) {
        allocations_left = kNever;
        throw std::bad_alloc();
    }
    if (size > largest_allocation) largest_allocation = size;
    void* memory = std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

// As the standard library asks for buffers that it can do without.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
    return std::malloc(size == 0 ? 1 : size);
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

// Arrays that grow without initialising new elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace addhash {

template <class T> class GrowingArray {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    size_t size() const { return size_; }
    size_t capacity() const { return capacity_; }
    const T* data() const { return data_.get(); }
    T* data() { return data_.get(); }
    const T& operator[](size_t i) const { return data_.get()[i]; }
    void clear() { size_ = 0; }
    // `size` is at most size().
    void shrink(size_t size) { size_ = size; }

    // Room for `count` more elements past the end; grow() then keeps those that were written.
    T* room(size_t count) {
        if (count > capacity_ - size_) enlarge(count);
        return data_.get() + size_;
    }
    void grow(size_t count) { size_ += count; }

    void push_back(T value) {
        *room(1) = value;
        ++size_;
    }

private:
    struct Free {
        void operator()(T* p) const { std::free(p); }
    };

    void enlarge(size_t count) {
        constexpr size_t kMost = SIZE_MAX / sizeof(T) / 2;
        if (count > kMost || size_ > kMost - count) throw std::bad_alloc();
        const size_t wanted = size_ + count;
        const size_t larger = wanted > 2 * capacity_ ? wanted : 2 * capacity_;
        auto* moved = static_cast<T*>(std::realloc(data_.get(), larger * sizeof(T)));
        if (moved == nullptr) throw std::bad_alloc();
        static_cast<void>(data_.release());  // realloc has freed it, or it is where it was
        data_.reset(moved);
        capacity_ = larger;
    }

    std::unique_ptr<T, Free> data_;
    size_t size_ = 0;
    size_t capacity_ = 0;
};

}  // namespace addhash

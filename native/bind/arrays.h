// NumPy's arrays as spans, and C++ buffers as NumPy's arrays, without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <new>
#include <span>

#include "bind/blocks.h"
#include "bind/failure.h"

namespace addhash::bind {

template <class T> using Array1 = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;
template <class T> using Array2 = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<2>>;

template <class T> using Input =
    nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

template <class T> std::span<const T> span_of(const Input<T>& array) {
    return {array.data(), array.size()};
}

// Internal checks of arrays that only our Python code creates.
inline void require(bool condition, const char* what) {
    if (!condition) throw nanobind::value_error(what);
}

// A buffer whose elements are not set: it is written once, by threads. Made with the GIL.
template <class T> class Buffer {
public:
    explicit Buffer(size_t rows, size_t columns = 1) : rows_(rows), columns_(columns) {
        size_t bytes;
        if (__builtin_mul_overflow(rows, columns, &bytes) ||
            __builtin_mul_overflow(bytes, sizeof(T), &bytes)) {
            raise_too_large(SIZE_MAX);
        }
        try {
            data_.reset(static_cast<T*>(BlockPool::shared().take(bytes)));
        } catch (const std::bad_alloc&) {
            raise_too_large(bytes);
        }
    }

    T* data() { return data_.get(); }

    Array1<T> to_array() { return to_array(rows_ * columns_); }

    // Of the first `count` elements.
    Array1<T> to_array(size_t count) {
        T* data = data_.get();
        return Array1<T>(data, {count}, release());
    }

    Array2<T> to_matrix() {
        T* data = data_.get();
        return Array2<T>(data, {rows_, columns_}, release());
    }

private:
    nanobind::capsule release() {
        return nanobind::capsule(data_.release(),
                                 [](void* p) noexcept { BlockPool::shared().give_back(p); });
    }

    struct GiveBack {
        void operator()(T* p) const { BlockPool::shared().give_back(p); }
    };
    std::unique_ptr<T, GiveBack> data_;
    size_t rows_, columns_;
};

}  // namespace addhash::bind

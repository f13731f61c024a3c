// Handing C++ buffers to NumPy without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <new>

#include "bind/blocks.h"

namespace addhash::bind {

template <class T> using Array1 = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;
template <class T> using Array2 = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<2>>;

// A buffer whose elements are not set: it is written once, by threads.
template <class T> class Buffer {
public:
    explicit Buffer(size_t count) : count_(count) {
        if (count > SIZE_MAX / sizeof(T)) throw std::bad_alloc();
        data_.reset(static_cast<T*>(BlockPool::shared().take(count * sizeof(T))));
    }

    T* data() { return data_.get(); }

    Array1<T> to_array() {
        T* data = data_.get();
        return Array1<T>(data, {count_}, release());
    }

    Array2<T> to_matrix(size_t rows, size_t columns) {
        T* data = data_.get();
        return Array2<T>(data, {rows, columns}, release());
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
    size_t count_;
};

}  // namespace addhash::bind

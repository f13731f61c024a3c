// The Arrow C data interface and C stream interface: structs whose layout is fixed for ever.
// https://arrow.apache.org/docs/format/CDataInterface.html
#pragma once

#include <cstdint>

extern "C" {

struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    int64_t flags;
    int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
    int (*get_next)(ArrowArrayStream*, ArrowArray*);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};
}

namespace addhash {

// One of the structs, released when it is no longer needed. It is moved by copying it and marking
// the original as released, as the interface specifies.
template <class Struct> class Owned {
public:
    Owned() = default;
    explicit Owned(Struct& other) : held_(other) { other.release = nullptr; }
    Owned(Owned&& other) noexcept : Owned(other.held_) {}
    Owned& operator=(Owned&& other) noexcept {
        if (this != &other) {
            reset();
            held_ = other.held_;
            other.held_.release = nullptr;
        }
        return *this;
    }
    ~Owned() { reset(); }

    Struct& operator*() { return held_; }
    const Struct& operator*() const { return held_; }
    const Struct* operator->() const { return &held_; }
    bool is_released() const { return held_.release == nullptr; }

private:
    void reset() {
        if (held_.release != nullptr) held_.release(&held_);
        held_.release = nullptr;
    }

    Struct held_{};
};

}  // namespace addhash

// An Arrow column, with everything checked that can be: the interface says how long a column is,
// but not how large its buffers are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "arrow/abi.h"

namespace addhash {

// What is wrong with Arrow data, as text; empty if nothing is.
using Problem = std::string;

enum class ValueKind : uint8_t { null, boolean, integer, natural, real, text, binary };

class Column {
public:
    // Checks rows `first` to `first + count` of an array.
    static Problem read(const ArrowSchema& schema, const ArrowArray& array, int64_t first,
                        int64_t count, Column& column);

    // Sets the kind of a column without rows.
    static Problem check_format(const ArrowSchema& schema, Column& column);

    ValueKind kind() const { return dictionary_ ? dictionary_->kind() : kind_; }
    size_t rows() const { return rows_; }

    bool is_null(size_t row) const {
        if (kind_ == ValueKind::null) return true;
        if (validity_ != nullptr && !bit(validity_, start_ + row)) return true;
        return dictionary_ && dictionary_->is_null(place(row));
    }

    // Of a non-null row, in a column of texts or bytes.
    std::string_view bytes(size_t row) const {
        if (dictionary_) return dictionary_->bytes(place(row));
        return own_bytes(row);
    }

    // Of a non-null row, in a column of numbers or booleans. integer() is exact up to 2^63; real()
    // rounds as C++ does.
    int64_t integer(size_t row) const {
        return dictionary_ ? dictionary_->integer(place(row)) : own_integer(row);
    }
    double real(size_t row) const;

private:
    enum class Layout : uint8_t { none, bits, fixed, offsets32, offsets64, views, runs };

    static bool bit(const uint8_t* bits, size_t i) { return bits[i / 8] >> (i % 8) & 1; }
    // Buffers need not be aligned.
    template <class T> T load(size_t i) const {
        T value;
        std::memcpy(&value, values_ + i * sizeof(T), sizeof(T));
        return value;
    }

    Problem set_type(const char* format);
    Problem set_dictionary(const ArrowSchema& schema, const ArrowArray& array);
    Problem set_runs(const ArrowSchema& schema, const ArrowArray& array);
    Problem set_buffers(const ArrowArray& array);
    Problem check_nulls(const ArrowArray& array) const;
    template <class Offset> Problem check_offsets_of() const;
    Problem check_views() const;
    Problem check_wide() const;
    std::string_view own_bytes(size_t row) const;
    int64_t own_integer(size_t row) const;
    // In the dictionary.
    size_t place(size_t row) const {
        return ends_ ? run_at(start_ + row) : static_cast<size_t>(own_integer(row));
    }
    size_t run_at(size_t at) const;

    ValueKind kind_ = ValueKind::null;
    Layout layout_ = Layout::none;
    unsigned width_ = 0;  // of a fixed value, in bytes
    size_t start_ = 0;    // in the buffers
    size_t rows_ = 0;
    const uint8_t* validity_ = nullptr;
    const uint8_t* values_ = nullptr;  // or offsets, or views
    const char* data_ = nullptr;
    const void* const* variadic_ = nullptr;  // what long views point into
    const int64_t* variadic_sizes_ = nullptr;
    size_t variadic_count_ = 0;
    std::shared_ptr<const Column> dictionary_;  // or the values of runs
    std::shared_ptr<const Column> ends_;        // of runs
};

}  // namespace addhash

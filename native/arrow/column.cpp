#include "arrow/column.h"

#include <utility>

namespace addhash {
namespace {

// Far beyond any memory; sums and products with it do not overflow.
constexpr int64_t kMost = int64_t{1} << 56;
constexpr size_t kViewBytes = 16;
constexpr size_t kInlineBytes = 12;

// A text of the producer's in quotes, cut short.
std::string shown(const char* text) {
    if (text == nullptr) return "none";
    std::string quoted("'");
    quoted.append(text, strnlen(text, 20));
    quoted.push_back('\'');
    return quoted;
}

// What a column of a format that is not read holds, in plain words.
std::string described(const char* format) {
    struct Kind {
        std::string_view prefix, name;
    };
    constexpr Kind kKinds[] = {
        {"td", "dates"},        {"ts", "dates with times"},
        {"tt", "times of day"}, {"tD", "durations"},
        {"ti", "intervals"},    {"d:", "decimals with fractions"},
        {"w:", "bytes"},        {"+l", "lists"},
        {"+L", "lists"},        {"+v", "lists"},
        {"+w:", "lists"},       {"+s", "records"},
        {"+m", "maps"},
    };
    const std::string_view given = format == nullptr ? "" : std::string_view(format);
    for (const Kind& kind : kKinds) {
        if (given.starts_with(kind.prefix)) return std::string(kind.name);
    }
    return "values of Arrow's format " + shown(format);
}

constexpr std::string_view kRuns = "+r";

bool is_runs(const char* format) { return format != nullptr && format == kRuns; }

// Whether a schema of runs has those of their ends and values.
bool has_runs(const ArrowSchema& schema) {
    return schema.n_children == 2 && schema.children != nullptr && schema.children[0] != nullptr &&
           schema.children[1] != nullptr;
}

// The bytes of a value in a column of decimals without fractions ("d:19,0", "d:9,0,32"), or 0.
unsigned whole_decimal_width(std::string_view format) {
    const size_t comma = format.find(',');
    if (!format.starts_with("d:") || comma == format.npos) return 0;
    const std::string_view scale = format.substr(comma + 1);
    if (scale == "0" || scale == "0,128") return 16;
    return scale == "0,32" ? 4 : scale == "0,64" ? 8 : scale == "0,256" ? 32 : 0;
}

float half(uint16_t bits) {
    const uint32_t sign = static_cast<uint32_t>(bits >> 15) << 31;
    const uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
    uint32_t made;
    if (exponent == 31) {
        made = sign | 0x7F800000u | fraction << 13;
    } else if (exponent != 0) {
        made = sign | (exponent + 112) << 23 | fraction << 13;
    } else {
        const float small = static_cast<float>(fraction) * 0x1p-24f;
        return sign != 0 ? -small : small;
    }
    float value;
    std::memcpy(&value, &made, sizeof value);
    return value;
}

}  // namespace

Problem Column::read(const ArrowSchema& schema, const ArrowArray& array, int64_t first,
                     int64_t count, Column& column) {
    if (array.length < 0 || array.offset < 0 || array.length > kMost || array.offset > kMost) {
        return Problem("an array has an impossible length or offset");
    }
    if (first < 0 || count < 0 || first > array.length || count > array.length - first) {
        return Problem("an array is shorter than its table");
    }
    column = Column();
    column.start_ = static_cast<size_t>(array.offset + first);
    column.rows_ = static_cast<size_t>(count);
    if (Problem problem = column.set_type(schema.format); !problem.empty()) return problem;
    if (Problem problem = column.set_buffers(array); !problem.empty()) return problem;
    if (Problem problem = column.check_nulls(array); !problem.empty()) return problem;
    if ((schema.dictionary == nullptr) != (array.dictionary == nullptr)) {
        return Problem("an array and its schema differ in whether there is a dictionary");
    }
    if (schema.dictionary != nullptr) return column.set_dictionary(schema, array);
    switch (column.layout_) {
        case Layout::offsets32: return column.check_offsets_of<int32_t>();
        case Layout::offsets64: return column.check_offsets_of<int64_t>();
        case Layout::views: return column.check_views();
        case Layout::fixed: return column.check_wide();
        case Layout::runs: return column.set_runs(schema, array);
        default: return {};
    }
}

Problem Column::set_dictionary(const ArrowSchema& schema, const ArrowArray& array) {
    if (layout_ != Layout::fixed || width_ > sizeof(int64_t) || kind_ == ValueKind::real) {
        return Problem("the places in a dictionary have the format " + shown(schema.format) +
                       ", not integers");
    }
    if (schema.dictionary->dictionary != nullptr || is_runs(schema.dictionary->format)) {
        return Problem("a dictionary has a dictionary or runs of its own");
    }
    auto values = std::make_shared<Column>();
    if (Problem problem =
            read(*schema.dictionary, *array.dictionary, 0, array.dictionary->length, *values);
        !problem.empty()) {
        return problem;
    }
    // The dictionary is set last: until then is_null() and integer() are about the places. The
    // largest natural numbers are negative as integer(), and no places either.
    for (size_t row = 0; row < rows_; ++row) {
        if (is_null(row)) continue;
        const int64_t place = own_integer(row);
        if (place < 0 || static_cast<uint64_t>(place) >= values->rows_) {
            return Problem("row " + std::to_string(row) + " has the place " +
                           std::to_string(place) + " in a dictionary of " +
                           std::to_string(values->rows_));
        }
    }
    dictionary_ = std::move(values);
    return {};
}

Problem Column::set_runs(const ArrowSchema& schema, const ArrowArray& array) {
    if (array.n_children != 2 || array.children == nullptr || !has_runs(schema) ||
        array.children[0] == nullptr || array.children[1] == nullptr) {
        return Problem("an array of runs lacks their ends or values");
    }
    if (is_runs(schema.children[0]->format) || is_runs(schema.children[1]->format)) {
        return Problem("an array of runs has runs inside");
    }
    auto ends = std::make_shared<Column>(), values = std::make_shared<Column>();
    for (const auto& [i, part] : {std::pair(0, ends.get()), std::pair(1, values.get())}) {
        const ArrowArray& held = *array.children[i];
        if (Problem problem = read(*schema.children[i], held, 0, held.length, *part);
            !problem.empty()) {
            return problem;
        }
    }
    if (ends->kind_ != ValueKind::integer || ends->dictionary_) {
        return Problem("the ends of runs have the format " + shown(schema.children[0]->format) +
                       ", not integers");
    }
    int64_t last = 0;
    for (size_t run = 0; run < ends->rows_; ++run) {
        if (ends->is_null(run) || ends->own_integer(run) <= last) {
            return Problem("the ends of runs do not ascend");
        }
        last = ends->own_integer(run);
    }
    if (static_cast<uint64_t>(last) < start_ + rows_ || values->rows_ < ends->rows_) {
        return Problem("an array of runs is shorter than its table");
    }
    ends_ = std::move(ends);
    dictionary_ = std::move(values);
    return {};
}

Problem Column::check_format(const ArrowSchema& schema, Column& column) {
    const ArrowSchema* held = &schema;
    if (is_runs(held->format) && has_runs(*held)) held = held->children[1];
    if (held->dictionary != nullptr) held = held->dictionary;
    return column.set_type(held->format);
}

Problem Column::set_type(const char* format) {
    const std::string_view given = format == nullptr ? "" : std::string_view(format);
    const auto is = [&](ValueKind kind, Layout layout, unsigned width) {
        kind_ = kind;
        layout_ = layout;
        width_ = width;
        return Problem();
    };
    if (given == "n") return is(ValueKind::null, Layout::none, 0);
    if (given == "b") return is(ValueKind::boolean, Layout::bits, 0);
    if (given == "c") return is(ValueKind::integer, Layout::fixed, 1);
    if (given == "s") return is(ValueKind::integer, Layout::fixed, 2);
    if (given == "i") return is(ValueKind::integer, Layout::fixed, 4);
    if (given == "l") return is(ValueKind::integer, Layout::fixed, 8);
    if (given == "C") return is(ValueKind::natural, Layout::fixed, 1);
    if (given == "S") return is(ValueKind::natural, Layout::fixed, 2);
    if (given == "I") return is(ValueKind::natural, Layout::fixed, 4);
    if (given == "L") return is(ValueKind::natural, Layout::fixed, 8);
    if (given == "e") return is(ValueKind::real, Layout::fixed, 2);
    if (given == "f") return is(ValueKind::real, Layout::fixed, 4);
    if (given == "g") return is(ValueKind::real, Layout::fixed, 8);
    if (given == "u") return is(ValueKind::text, Layout::offsets32, 0);
    if (given == "U") return is(ValueKind::text, Layout::offsets64, 0);
    if (given == "vu") return is(ValueKind::text, Layout::views, 0);
    if (given == "z") return is(ValueKind::binary, Layout::offsets32, 0);
    if (given == "Z") return is(ValueKind::binary, Layout::offsets64, 0);
    if (given == "vz") return is(ValueKind::binary, Layout::views, 0);
    if (given == kRuns) return is(ValueKind::integer, Layout::runs, 0);
    if (const unsigned width = whole_decimal_width(given); width > 0) {
        return is(ValueKind::integer, Layout::fixed, width);
    }
    return Problem("it holds " + described(format) + "; expected texts, numbers or booleans");
}

Problem Column::set_buffers(const ArrowArray& array) {
    const int64_t given = array.n_buffers;
    const bool is_right = layout_ == Layout::none    ? given == 0 || given == 1
                          : layout_ == Layout::runs  ? given == 0
                          : layout_ == Layout::views ? given >= 3 && given <= kMost
                          : layout_ == Layout::bits || layout_ == Layout::fixed ? given == 2
                                                                                : given == 3;
    if (!is_right) return Problem("an array has " + std::to_string(given) + " buffers");
    if (layout_ == Layout::none || layout_ == Layout::runs) return {};
    if (array.buffers == nullptr) return Problem("an array has no buffers");
    validity_ = static_cast<const uint8_t*>(array.buffers[0]);
    values_ = static_cast<const uint8_t*>(array.buffers[1]);
    if (values_ == nullptr && rows_ > 0) return Problem("an array has no values");
    if (layout_ == Layout::offsets32 || layout_ == Layout::offsets64) {
        data_ = static_cast<const char*>(array.buffers[2]);
    } else if (layout_ == Layout::views) {
        variadic_count_ = static_cast<size_t>(given - 3);
        variadic_ = array.buffers + 2;
        variadic_sizes_ = static_cast<const int64_t*>(array.buffers[given - 1]);
        if (variadic_sizes_ == nullptr && variadic_count_ > 0) {
            return Problem("an array of views does not say how large its buffers are");
        }
    }
    return {};
}

Problem Column::check_nulls(const ArrowArray& array) const {
    if (array.null_count < -1 || array.null_count > array.length) {
        return Problem("an array has an impossible number of nulls");
    }
    if (array.null_count > 0 && validity_ == nullptr && kind_ != ValueKind::null) {
        return Problem("an array has nulls, but does not say where");
    }
    return {};
}

template <class Offset> Problem Column::check_offsets_of() const {
    if (rows_ == 0) return {};
    const auto begin = load<Offset>(start_);
    auto last = begin;
    bool is_ordered = begin >= 0;
    for (size_t row = 1; row <= rows_; ++row) {
        const auto next = load<Offset>(start_ + row);
        is_ordered &= last <= next;
        last = next;
    }
    if (!is_ordered || int64_t{last} > kMost) return Problem("the offsets of texts do not ascend");
    if (last > begin && data_ == nullptr) return Problem("an array of texts has no text");
    return {};
}

Problem Column::check_views() const {
    for (size_t i = 0; i < variadic_count_; ++i) {
        int64_t size;
        std::memcpy(&size, reinterpret_cast<const char*>(variadic_sizes_) + i * sizeof size,
                    sizeof size);
        if (size < 0 || (size > 0 && variadic_[i] == nullptr)) {
            return Problem("buffer " + std::to_string(i) + " of an array of views is not there");
        }
    }
    for (size_t row = 0; row < rows_; ++row) {
        if (is_null(row)) continue;
        int32_t view[4];  // length, four bytes, buffer, offset
        std::memcpy(view, values_ + (start_ + row) * kViewBytes, kViewBytes);
        if (view[0] >= 0 && static_cast<size_t>(view[0]) <= kInlineBytes) continue;
        int64_t size = -1;
        if (view[2] >= 0 && static_cast<size_t>(view[2]) < variadic_count_) {
            std::memcpy(&size,
                        reinterpret_cast<const char*>(variadic_sizes_) +
                            static_cast<size_t>(view[2]) * sizeof size,
                        sizeof size);
        }
        if (view[0] < 0 || view[3] < 0 || int64_t{view[3]} + view[0] > size) {
            return Problem("row " + std::to_string(row) + " is a view of bytes that are not there");
        }
    }
    return {};
}

// Decimals without fractions may be wider than the integers that they are read as.
Problem Column::check_wide() const {
    const size_t words = width_ / sizeof(int64_t);
    for (size_t row = 0; words > 1 && row < rows_; ++row) {
        if (is_null(row)) continue;
        const size_t at = (start_ + row) * words;
        const int64_t sign = load<int64_t>(at) < 0 ? -1 : 0;
        for (size_t word = 1; word < words; ++word) {
            if (load<int64_t>(at + word) != sign) {
                return Problem("row " + std::to_string(row) + " has a number beyond 64 bits");
            }
        }
    }
    return {};
}

size_t Column::run_at(size_t at) const {
    size_t low = 0, high = ends_->rows_ - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (static_cast<size_t>(ends_->own_integer(middle)) > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

std::string_view Column::own_bytes(size_t row) const {
    const size_t at = start_ + row;
    if (layout_ == Layout::offsets32 || layout_ == Layout::offsets64) {
        const bool is_wide = layout_ == Layout::offsets64;
        const int64_t begin = is_wide ? load<int64_t>(at) : load<int32_t>(at);
        const int64_t end = is_wide ? load<int64_t>(at + 1) : load<int32_t>(at + 1);
        return begin == end ? std::string_view()
                            : std::string_view(data_ + begin, static_cast<size_t>(end - begin));
    }
    const uint8_t* place = values_ + at * kViewBytes;
    int32_t view[4];
    std::memcpy(view, place, kViewBytes);
    const auto length = static_cast<size_t>(view[0]);
    if (length <= kInlineBytes) return {reinterpret_cast<const char*>(place) + 4, length};
    return {static_cast<const char*>(variadic_[view[2]]) + view[3], length};
}

int64_t Column::own_integer(size_t row) const {
    const size_t at = start_ + row;
    if (layout_ == Layout::bits) return bit(values_, at);
    const bool is_signed = kind_ == ValueKind::integer;
    switch (width_) {
        case 1: return is_signed ? int64_t{load<int8_t>(at)} : int64_t{load<uint8_t>(at)};
        case 2: return is_signed ? int64_t{load<int16_t>(at)} : int64_t{load<uint16_t>(at)};
        case 4: return is_signed ? int64_t{load<int32_t>(at)} : int64_t{load<uint32_t>(at)};
        default: return load<int64_t>(at * (width_ / sizeof(int64_t)));
    }
}

double Column::real(size_t row) const {
    const size_t at = start_ + row;
    if (dictionary_) return dictionary_->real(place(row));
    if (kind_ == ValueKind::natural && width_ == 8) {
        return static_cast<double>(load<uint64_t>(at));
    }
    if (kind_ != ValueKind::real) return static_cast<double>(own_integer(row));
    switch (width_) {
        case 2: return half(load<uint16_t>(at));
        case 4: return load<float>(at);
        default: return load<double>(at);
    }
}

}  // namespace addhash

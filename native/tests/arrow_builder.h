// Arrays of the Arrow C interface that own their buffers, for the tests and the fuzz target.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "arrow/column.h"

namespace addhash::test {

// An array of any layout with its schema, and the arrays that it consists of: the columns of a
// table, the ends and values of runs, or a dictionary. What is handed out refers to it, so it must
// not move after seal().
struct ArrowBuilder {
    std::string format, name = "text";
    std::vector<std::vector<uint8_t>> buffers;
    std::vector<const void*> pointers;
    std::vector<ArrowBuilder> parts;
    std::vector<ArrowSchema*> part_schemas;
    std::vector<ArrowArray*> part_arrays;
    ArrowSchema schema{};
    ArrowArray array{};

    // How many schemas and arrays were given back.
    static inline int released = 0;

    // Fills in the schema and the array, and those of its parts.
    void seal(int64_t length, int64_t offset, int64_t nulls) {
        pointers.clear();
        for (const auto& buffer : buffers) pointers.push_back(buffer.data());
        schema = {};
        schema.format = format.c_str();
        schema.name = name.c_str();
        schema.release = [](ArrowSchema* s) { s->release = nullptr, ++released; };
        array = {};
        array.length = length;
        array.offset = offset;
        array.null_count = nulls;
        array.n_buffers = static_cast<int64_t>(pointers.size());
        array.buffers = pointers.data();
        array.release = [](ArrowArray* a) { a->release = nullptr, ++released; };
        link();
    }

private:
    void link() {
        part_schemas.clear();
        part_arrays.clear();
        for (ArrowBuilder& part : parts) {
            part_schemas.push_back(&part.schema);
            part_arrays.push_back(&part.array);
        }
        if (format == "+s" || format == "+r") {
            schema.n_children = array.n_children = static_cast<int64_t>(parts.size());
            schema.children = part_schemas.data();
            array.children = part_arrays.data();
        } else if (!parts.empty()) {
            schema.dictionary = part_schemas[0];
            array.dictionary = part_arrays[0];
        }
    }
};

template <class T> void append(std::vector<uint8_t>& bytes, T value) {
    const auto* first = reinterpret_cast<const uint8_t*>(&value);
    bytes.insert(bytes.end(), first, first + sizeof value);
}

inline std::vector<uint8_t> bits_of(const std::vector<bool>& present) {
    std::vector<uint8_t> bits(present.size() / 8 + 1);
    for (size_t i = 0; i < present.size(); ++i)
        bits[i / 8] |= static_cast<uint8_t>(present[i] << i % 8);
    return bits;
}

// Texts, the first `offset` of which are left out; those that are not present are null.
inline void make_texts(ArrowBuilder& built, const std::string& format,
                       const std::vector<std::string>& texts, const std::vector<bool>& present,
                       size_t offset) {
    built.format = format;
    std::vector<uint8_t> values, data, sizes;
    std::vector<std::vector<uint8_t>> longs;
    const bool is_view = format[0] == 'v', is_wide = format == "U" || format == "Z";
    if (!is_view && is_wide) append(values, int64_t{0});
    if (!is_view && !is_wide) append(values, int32_t{0});
    for (const std::string& text : texts) {
        const auto length = static_cast<int32_t>(text.size());
        if (!is_view) {
            data.insert(data.end(), text.begin(), text.end());
            is_wide ? append(values, static_cast<int64_t>(data.size()))
                    : append(values, static_cast<int32_t>(data.size()));
            continue;
        }
        append(values, length);
        if (text.size() <= 12) {
            values.insert(values.end(), text.begin(), text.end());
            values.resize(values.size() + 12 - text.size());
            continue;
        }
        values.insert(values.end(), text.begin(), text.begin() + 4);
        if (longs.empty() || longs.back().size() > 100) longs.emplace_back();
        append(values, static_cast<int32_t>(longs.size() - 1));
        append(values, static_cast<int32_t>(longs.back().size()));
        longs.back().insert(longs.back().end(), text.begin(), text.end());
    }
    built.buffers = {bits_of(present), values};
    if (!is_view) built.buffers.push_back(data);
    for (const auto& buffer : longs) append(sizes, static_cast<int64_t>(buffer.size()));
    if (is_view) {
        built.buffers.insert(built.buffers.end(), longs.begin(), longs.end());
        built.buffers.push_back(sizes);
    }
    built.seal(static_cast<int64_t>(texts.size() - offset), static_cast<int64_t>(offset), -1);
}

// Exact allocations: the address sanitizer sees a step past them.
inline void make_exact(ArrowBuilder& built) {
    for (auto& buffer : built.buffers) buffer.shrink_to_fit();
    built.seal(built.array.length, built.array.offset, built.array.null_count);
}

inline Problem read(const ArrowBuilder& built, Column& column) {
    return Column::read(built.schema, built.array, 0, built.array.length, column);
}

inline std::vector<bool> some_present(size_t count) {
    std::mt19937 random(11);
    std::vector<bool> present(count);
    for (size_t i = 0; i < count; ++i) present[i] = random() % 4 != 0;
    return present;
}

inline const std::vector<std::string> kTextFormats{"u", "U", "vu", "z", "Z", "vz"};

}  // namespace addhash::test

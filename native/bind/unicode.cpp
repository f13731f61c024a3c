#include "bind/unicode.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include "arrow/texts.h"
#include "bind/interrupt.h"
#include "parallel/parallel.h"

namespace nb = nanobind;

namespace addhash::bind {
namespace {

constexpr uint32_t kCharacters = 0x110000;
constexpr uint32_t kPage = 256;
constexpr uint32_t kCapitalSigma = 0x3A3;  // becomes one of two letters, by its place in the word

bool is_space(uint32_t c) { return Py_UNICODE_ISSPACE(c); }

// What `\w` matches in CPython's re.
bool is_word(uint32_t c) { return c == '_' || Py_UNICODE_ISALNUM(c); }

struct Lowercase {
    std::vector<uint32_t> of;         // every character's lower-case form
    std::vector<uint32_t> irregular;  // characters whose form is not one character, or depends
                                      // on their neighbours
};

// Before CPython 3.12 a str may not have its characters in place yet.
void make_ready([[maybe_unused]] PyObject* text) {
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(text) < 0) throw nb::python_error();
#endif
}

// str.lower() itself: what a subclass makes of it may not be a str at all, and would be asked for
// only where a character is irregular.
nb::object lower(nb::handle text) {
    const nb::object method =
        nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PyUnicode_Type), "lower"));
    if (!method.is_valid()) throw nb::python_error();
    nb::object lowered = nb::steal(PyObject_CallOneArg(method.ptr(), text.ptr()));
    if (!lowered.is_valid()) throw nb::python_error();
    if (!PyUnicode_Check(lowered.ptr())) throw nb::type_error("str.lower() must return a str");
    make_ready(lowered.ptr());
    return lowered;
}

nb::object string_of(const uint32_t* characters, size_t count) {
    nb::object made = nb::steal(PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, characters,
                                                          static_cast<Py_ssize_t>(count)));
    if (!made.is_valid()) throw nb::python_error();
    return made;
}

// Asks str.lower() for a page of characters at a time; one that changed the length holds
// characters with longer forms, which are then asked for one by one.
Lowercase ask_lowercase() {
    Lowercase result;
    result.of.resize(kCharacters);
    result.irregular.push_back(kCapitalSigma);
    uint32_t page[kPage];
    for (uint32_t first = 0; first < kCharacters; first += kPage) {
        for (uint32_t i = 0; i < kPage; ++i) page[i] = first + i;
        const nb::object lowered = lower(string_of(page, kPage));
        if (PyUnicode_GET_LENGTH(lowered.ptr()) == kPage) {
            for (uint32_t i = 0; i < kPage; ++i) {
                result.of[first + i] = PyUnicode_READ_CHAR(lowered.ptr(), i);
            }
            continue;
        }
        for (uint32_t i = 0; i < kPage; ++i) {
            const nb::object form = lower(string_of(page + i, 1));
            result.of[first + i] = PyUnicode_READ_CHAR(form.ptr(), 0);
            if (PyUnicode_GET_LENGTH(form.ptr()) == 1) continue;
            // needs_cpython() relies on it.
            if (first + i < 256) throw nb::value_error("str.lower() lengthens a Latin-1 character");
            result.irregular.push_back(first + i);
        }
    }
    return result;
}

struct LowercaseTable {
    CharacterTable characters;
    std::vector<uint32_t> irregular;
};

// Built on first use, and kept for good. Not a local static: building may run Python code, which
// may let another thread run, and that one must not wait for this one while it holds the GIL. So
// several threads may build one; the first to finish stays.
template <class Table, class Build> const Table& built_once(Build&& build) {
    static std::atomic<const Table*> table{nullptr};
    const Table* found = table.load(std::memory_order_acquire);
    if (found == nullptr) {
        std::unique_ptr<const Table> own = build();
        if (table.compare_exchange_strong(found, own.get(), std::memory_order_acq_rel)) {
            found = own.release();
        }
    }
    return *found;
}

const LowercaseTable& lowercase_table() {
    return built_once<LowercaseTable>([] {
        Lowercase lowercase = ask_lowercase();
        return std::unique_ptr<const LowercaseTable>(
            new LowercaseTable{CharacterTable({is_space, is_word, std::move(lowercase.of)}),
                               std::move(lowercase.irregular)});
    });
}

const CharacterTable& own_case_table() {
    return built_once<CharacterTable>([] {
        return std::make_unique<const CharacterTable>(CharacterFacts{is_space, is_word, {}});
    });
}

bool needs_cpython(PyObject* text, const std::vector<uint32_t>& irregular) {
    const auto length = static_cast<size_t>(PyUnicode_GET_LENGTH(text));
    switch (PyUnicode_KIND(text)) {
        case PyUnicode_1BYTE_KIND: return false;  // checked when the table is built
        case PyUnicode_2BYTE_KIND:
            return contains_any(PyUnicode_2BYTE_DATA(text), length, irregular);
        default: return contains_any(PyUnicode_4BYTE_DATA(text), length, irregular);
    }
}

Text view(PyObject* text, const CharacterTable& characters) {
    return {PyUnicode_DATA(text), static_cast<size_t>(PyUnicode_GET_LENGTH(text)),
            static_cast<unsigned>(PyUnicode_KIND(text)), &characters};
}

Outcome view_column(const TextColumn& column, bool lowercase, size_t threads, TextBatch& batch) {
    const CharacterTable& characters = character_table(lowercase);
    const std::span<const uint32_t> irregular =
        lowercase ? lowercase_table().irregular : std::span<const uint32_t>();
    DecodedTexts decoded;
    Outcome outcome;
    {
        const Unlocked unlocked;
        outcome = decode_texts(column, irregular, threads, decoded);
        for (Text& text : decoded.texts) text.characters = &characters;
    }
    batch.texts = std::move(decoded.texts);
    batch.decoded = std::move(decoded.buffers);
    if (outcome.status != Status::done) return outcome;
    for (const size_t i : decoded.irregular) {
        Text& text = batch.texts[i];
        nb::object own = nb::steal(PyUnicode_FromKindAndData(static_cast<int>(text.unit), text.data,
                                                             static_cast<Py_ssize_t>(text.length)));
        if (!own.is_valid()) throw nb::python_error();
        nb::object lowered = lower(own);
        text = view(lowered.ptr(), own_case_table());
        batch.lowered.push_back(std::move(lowered));
    }
    return {};
}

}  // namespace

const CharacterTable& character_table(bool lowercase) {
    return lowercase ? lowercase_table().characters : own_case_table();
}

Outcome view_texts(nb::handle documents, bool lowercase, size_t threads, TextBatch& batch) {
    if (nb::isinstance<TextColumn>(documents)) {
        return view_column(nb::cast<const TextColumn&>(documents), lowercase, threads, batch);
    }
    if (!PyList_Check(documents.ptr())) throw nb::type_error("expected a list or a TextColumn");
    const CharacterTable& characters = character_table(lowercase);
    // Other threads may change the list while its texts are read. A slice is made in one step.
    batch.given = nb::steal(PyList_GetSlice(documents.ptr(), 0, PY_SSIZE_T_MAX));
    if (!batch.given.is_valid()) throw nb::python_error();
    const Py_ssize_t count = PyList_GET_SIZE(batch.given.ptr());
    constexpr size_t kWorthAThread = 64;
    alert_helpers(useful_threads(threads, static_cast<size_t>(count) / kWorthAThread) - 1);
    batch.texts.reserve(static_cast<size_t>(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* document = PyList_GET_ITEM(batch.given.ptr(), i);
        if (!PyUnicode_Check(document)) return {Status::not_text, static_cast<size_t>(i)};
        make_ready(document);
        if (lowercase && needs_cpython(document, lowercase_table().irregular)) {
            nb::object lowered = lower(document);
            batch.texts.push_back(view(lowered.ptr(), own_case_table()));
            batch.lowered.push_back(std::move(lowered));
        } else {
            batch.texts.push_back(view(document, characters));
        }
    }
    return {};
}

std::optional<size_t> text_length(const nb::list& documents) {
    size_t length = 0;
    const nb::ft_object_guard guard(documents);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(documents.ptr()); ++i) {
        PyObject* document = PyList_GET_ITEM(documents.ptr(), i);
        if (!PyUnicode_Check(document)) return std::nullopt;
        make_ready(document);
        length += static_cast<size_t>(PyUnicode_GET_LENGTH(document));
    }
    return length;
}

Status append_utf8(TokenBatch& batch, PyObject* text) {
    constexpr size_t kMaxUtf8 = 4;
    make_ready(text);
    const auto length = static_cast<size_t>(PyUnicode_GET_LENGTH(text));
    if (length > TokenBatch::kMaxBytes) return Status::too_many;
    const auto kind = PyUnicode_KIND(text);
    const void* data = PyUnicode_DATA(text);
    if (PyUnicode_IS_ASCII(text)) {
        uint8_t* out = batch.extend(length);
        if (out == nullptr) return Status::too_many;
        std::memcpy(out, data, length);
        batch.keep(length);
        return Status::done;
    }
    const CharacterTable& characters = own_case_table();
    for (size_t i = 0; i < length; ++i) {
        const CharacterTable::Packed c =
            characters[PyUnicode_READ(kind, data, static_cast<Py_ssize_t>(i))];
        if (c & CharacterTable::kSurrogate) return Status::surrogate;
        uint8_t* out = batch.extend(kMaxUtf8);
        if (out == nullptr) return Status::too_many;
        store32(out, CharacterTable::bytes(c));
        batch.keep(CharacterTable::length(c));
    }
    return Status::done;
}

}  // namespace addhash::bind

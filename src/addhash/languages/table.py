"""The languages that the detector knows: codes, names, scripts, groups, and their speakers."""

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

from addhash.errors import ParameterError
from addhash.frames import Rows
from addhash.languages.codes import GROUP_NAMES, MACROLANGUAGES, UNDETERMINED

Tier = Literal["usual", "rare"]


class Language(NamedTuple):
    """A language that the detector knows.

    Attributes
    ----------
    code : str
        ISO 639-3.
    short : str or None
        ISO 639-1, if it has one.
    name : str
        In English.
    own_name : str or None
        In the language itself, if known.
    speakers : int
        Roughly how many people speak it; 0 if unknown.
    scripts : tuple of str
        ISO 15924 codes of the scripts it is known in; none if they are not recorded.
    group : str
        The macrolanguage or group of close languages it belongs to, or its own code.
    tier : {"usual", "rare"}
        A rare language is an answer only if it is among the `languages` asked for: the detector
        knows only a list of its words, or nobody writes everyday text in it.
    """

    code: str
    short: str | None
    name: str
    own_name: str | None
    speakers: int
    scripts: tuple[str, ...] = ()
    group: str = ""
    tier: Tier = "usual"


class Languages(Rows[Language]):
    """Languages: a list that can become a data frame."""

    columns = Language._fields


@cache
def _table() -> dict[str, Language]:
    content = files("addhash.languages").joinpath("table.tsv").read_text(encoding="utf-8")
    table = {}
    for line in content.removesuffix("\n").split("\n")[1:]:
        code, short, name, own, speakers, scripts, group, tier = line.split("\t")
        table[code] = Language(
            code,
            short or None,
            name,
            own or None,
            int(speakers),
            tuple(scripts.split()),
            group,
            "rare" if tier == "rare" else "usual",
        )
    return table


def known() -> Languages:
    """Return the languages that the detector knows, by code.

    Examples
    --------
    >>> from addhash import languages
    >>> [l.name for l in languages.known() if l.short == "de"]
    ['German']
    >>> {l.code: l.tier for l in languages.known()}["tlh"]
    'rare'
    """
    return Languages(_table().values())


def language(code: str) -> Language:
    """Return what is known about a code; one that was taught may not be in the table."""
    return _table().get(code) or Language(code, None, code, None, 0, (), code)


def group_of(code: str) -> Language:
    """Return a group by its code, as if it were a language.

    >>> group_of("hbs").name, group_of("deu").name
    ('Serbo-Croatian', 'German')
    """
    name = GROUP_NAMES.get(code)
    if name is None:
        return language(code)
    short = {"hbs": "sh", "nor": "no", "que": "qu", "aka": "ak", "ful": "ff", "iku": "iu"}
    return Language(code, short.get(code), name, None, 0, (), code)


UNKNOWN = Language(UNDETERMINED, None, "Undetermined", None, 0, (), UNDETERMINED)


@cache
def _names() -> dict[str, tuple[str, ...]]:
    """Return the names that languages can be called by, in lower case, and the codes of each."""
    names: dict[str, tuple[str, ...]] = {}
    members: dict[str, list[str]] = {}
    for found in known():
        for name in (found.name, found.own_name):
            if name:
                names.setdefault(name.lower(), (found.code,))
        if found.tier == "usual":
            members.setdefault(found.group, []).append(found.code)
    names |= {member: (code,) for member, code in MACROLANGUAGES.items()}
    # A macrolanguage that is no language of the table stands for its members.
    for code, name in GROUP_NAMES.items():
        own = tuple(members.get(code, ()))
        names |= {code: own, name.lower(): own} if own else {}
        short = group_of(code).short
        names |= {short: own} if short and own else {}
    names |= {found.short: (found.code,) for found in known() if found.short}
    return names | {found.code: (found.code,) for found in known()}


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

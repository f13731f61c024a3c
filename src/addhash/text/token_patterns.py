"""The token patterns that the native core knows: runs of word characters, or of non-spaces."""

import re
from dataclasses import dataclass

# One class of characters, repeated: \w+, \w\w+, \w{3,}, \S+, between word borders or not, with one
# group around all of it or without. In a pattern for str, (?u) changes nothing.
KNOWN = re.compile(
    r"""(?:\(\?u\))?
    (?P<border>\\b)? (?P<group>\()? (?P<inner>\\b)?
    (?:(?P<word>(?:\\w)+)|(?P<any>(?:\\S|\[\^\\s\])+))
    (?:\+|\{(?P<least>[0-9]{1,6}),\})
    (?(inner)\\b) (?(group)\)) (?(border)\\b)""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class WordRule:
    """A word is a maximal run of at least `least` word characters, or of non-spaces."""

    is_any: bool  # of non-spaces
    least: int


def word_rule(pattern: str | None) -> WordRule | None:
    r"""Return what a token pattern means, or None if only `re` can tell.

    Examples
    --------
    >>> from addhash.text.token_patterns import word_rule
    >>> word_rule(r"(?u)\b\w\w+\b")
    WordRule(is_any=False, least=2)
    >>> word_rule(r"(\S+)")
    WordRule(is_any=True, least=1)
    >>> word_rule(r"[a-z]+") is None
    True
    """
    found = KNOWN.fullmatch(pattern) if isinstance(pattern, str) else None
    if found is None:
        return None
    is_any = found["any"] is not None
    if is_any and (found["border"] or found["inner"]):
        return None  # a run of non-spaces may begin or end inside a word border
    once = len(re.findall(r"\\w|\\S|\[\^\\s\]", found["any"] or found["word"]))
    last = 1 if found["least"] is None else int(found["least"])
    least = once - 1 + last
    return WordRule(is_any, least) if least > 0 else None

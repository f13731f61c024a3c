"""Where the tokens of a text come from: the positions of their characters."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from unicodedata import category

from addhash.text.analysis import Analysis
from addhash.text.ngrams import AFTER, BEFORE, WORD, text_ngrams
from addhash.text.stop_words import stop_list

Token = tuple[str, list[int]]
WORDS = re.compile(r"\w+|[^\w\s]")


def tokens_with_characters(analysis: Analysis, text: str) -> list[Token]:
    """Return the tokens of a text, each with the positions of its characters.

    The lists of positions are empty if a user's function or the removal of accents comes between
    text and tokens.

    Examples
    --------
    >>> from addhash.text.analysis import Analysis
    >>> from addhash.text.spans import tokens_with_characters
    >>> tokens_with_characters(Analysis(), "To  be: not")
    [('to', [0, 1]), ('be', [4, 5]), ('not', [8, 9, 10])]
    """
    tokens = [
        token.decode() if isinstance(token, bytes) else token for token in analysis.tokens(text)
    ]
    if analysis.is_plain:
        letters, origins = _lowered(analysis, text)
        low, high = analysis.ngram_range
        if analysis.analyzer == "word":
            placed = list(_words(analysis, letters, origins))
        elif analysis.analyzer == "text":
            placed = _text(letters, origins, low, high)
        else:
            letters, origins = _single_spaces(letters, origins)
            of_kind: Callable[..., Iterable[Token]] = (
                _characters if analysis.analyzer == "char" else _characters_in_words
            )
            placed = list(of_kind(letters, origins, low, high))
        # Tokens that differ from those found here get no positions, rather than wrong ones.
        if [token for token, _ in placed] == tokens:
            return placed
    return [(token, []) for token in tokens]


def words_with_characters(text: str) -> list[tuple[str, range]]:
    """Return the words of a text for reading, each with the positions of its characters.

    A punctuation mark is a word of its own unless it joins letters, and so is each character of a
    script that is written without spaces.

    Examples
    --------
    >>> from addhash.text.spans import words_with_characters
    >>> [word for word, _ in words_with_characters("Don't win, 日本!")]
    ["Don't", 'win', ',', '日', '本', '!']
    """
    kinds = [_kind(character) for character in text]
    kinds.append(SPACE)
    words: list[tuple[str, range]] = []
    start = 0
    while start < len(text):
        end = start + 1
        if kinds[start] == LETTER:
            while kinds[end] == LETTER or (
                text[end : end + 1] in JOINING and kinds[end] == MARK and kinds[end + 1] == LETTER
            ):
                end += 1
        if kinds[start] != SPACE:
            words.append((text[start:end], range(start, end)))
        start = end
    return words


SPACE, LETTER, MARK, IDEOGRAPH = range(4)
JOINING = "'’-"
# Kana, Han, and the scripts of Thai, Lao, Burmese and Khmer.
WITHOUT_SPACES = (
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)


@lru_cache(maxsize=4096)
def _kind(character: str) -> int:
    if character.isspace():
        return SPACE
    if re.match(WITHOUT_SPACES, character):
        return IDEOGRAPH
    return MARK if category(character)[0] in "PSC" else LETTER


def _lowered(analysis: Analysis, text: str) -> tuple[str, list[int]]:
    """Return the text as it is tokenized, and where each of its characters came from."""
    if not analysis.lowercase:
        return text, list(range(len(text)))
    # Some characters are longer in lower case; none depends on others in its length.
    return text.lower(), [i for i, c in enumerate(text) for _ in c.lower()]


def _single_spaces(text: str, origins: list[int]) -> tuple[str, list[int]]:
    """Like scikit-learn: two or more characters of white space become one space."""
    kept: list[int] = []
    pieces = []
    last = 0
    for gap in re.finditer(r"\s\s+", text):
        pieces += [text[last : gap.start()], " "]
        kept += [*origins[last : gap.start()], origins[gap.start()]]
        last = gap.end()
    return "".join([*pieces, text[last:]]), kept + origins[last:]


def _characters(text: str, origins: list[int], low: int, high: int) -> list[Token]:
    return [
        (text[i : i + n], origins[i : i + n])
        for n in range(low, min(high, len(text)) + 1)
        for i in range(len(text) - n + 1)
    ]


def _characters_in_words(text: str, origins: list[int], low: int, high: int) -> Iterator[Token]:
    for match in re.finditer(r"\S+", text):
        word = f" {match.group()} "
        # The space before counts for the first letter, the one after for the last.
        own = origins[match.start() : match.end()]
        places = [own[0], *own, own[-1]]
        for n in range(low, high + 1):
            for i in range(max(1, len(word) - n + 1)):
                yield word[i : i + n], places[i : i + n]
            if n >= len(word):
                break  # a short word counts once


def _text(text: str, origins: list[int], low: int, high: int) -> list[Token]:
    if not text:
        return [(token, []) for token in text_ngrams(text, low, high)]
    # The mark before the text counts for the first character, the one after for the last.
    first, last = origins[:1], origins[-1:]
    single, places = _single_spaces(text, origins)
    found = [
        (match.group(), origins[match.start() : match.end()]) for match in WORDS.finditer(text)
    ]
    words = [(BEFORE, first), *found, (AFTER, last)]
    return [
        *_characters(f"{BEFORE}{single}{AFTER}", [*first, *places, *last], low, high),
        *[(f"{WORD}{word}", at) for word, at in words],
        *[
            (f"{WORD}{one}{WORD}{other}", at + there)
            for (one, at), (other, there) in pairwise(words)
        ],
    ]


def _words(analysis: Analysis, text: str, origins: list[int]) -> Iterator[Token]:
    stop_words = stop_list(analysis.stop_words) or ()
    pattern = re.compile(analysis.token_pattern or "")
    group = pattern.groups  # scikit-learn takes the only group, if there is one
    words = [
        (match.group(group), origins[match.start(group) : match.end(group)])
        for match in pattern.finditer(text)
        if match.group(group) not in stop_words
    ]
    low, high = analysis.ngram_range
    for n in range(low, min(high, len(words)) + 1):
        for i in range(len(words) - n + 1):
            chosen = words[i : i + n]
            yield " ".join(word for word, _ in chosen), [at for _, span in chosen for at in span]

"""N-grams of characters and words as in scikit-learn; the native core's oracle."""

import re
from collections.abc import Collection, Iterable

# The marks of the analyzer "text": before the text, after it, and before each word.
BEFORE, AFTER, WORD = "\x02", "\x03", "\x1f"
MOST_WORDS = 2
# Lengths of n-grams that are counted apart: some memory is needed for each and every class.
MOST_LENGTHS = 64

_RUNS = re.compile(r"\s\s+")
_WORDS = re.compile(r"\w+|[^\w\s]")


def character_ngrams(text: str, low: int, high: int) -> list[str]:
    """Return the n-grams of a text, with runs of white space as single spaces.

    Examples
    --------
    >>> from addhash.text.ngrams import character_ngrams
    >>> character_ngrams("a  bc", 2, 3)
    ['a ', ' b', 'bc', 'a b', ' bc']
    """
    text = _RUNS.sub(" ", text)
    return [
        text[i : i + n]
        for n in range(low, min(high, len(text)) + 1)
        for i in range(len(text) - n + 1)
    ]


def character_ngrams_in_words(text: str, low: int, high: int) -> list[str]:
    """Return the n-grams of each word with a space before and after it.

    A word shorter than n counts once.

    Examples
    --------
    >>> from addhash.text.ngrams import character_ngrams_in_words
    >>> character_ngrams_in_words("a bc", 3, 4)
    [' a ', ' bc', 'bc ', ' bc ']
    """
    ngrams: list[str] = []
    for word in _RUNS.sub(" ", text).split():
        padded = f" {word} "
        for n in range(low, high + 1):
            ngrams += [padded[i : i + n] for i in range(max(1, len(padded) - n + 1))]
            if n >= len(padded):
                break
    return ngrams


def word_ngrams(
    words: Iterable[str], low: int, high: int, stop_words: Collection[str] | None
) -> list[str]:
    """Return the n-grams of words that are not stop words, joined by spaces.

    Examples
    --------
    >>> from addhash.text.ngrams import word_ngrams
    >>> word_ngrams(["to", "be", "or", "not"], 1, 2, {"or"})
    ['to', 'be', 'not', 'to be', 'be not']
    """
    kept = [word for word in words if word not in stop_words] if stop_words else list(words)
    if high == 1:
        return kept
    return [
        " ".join(kept[i : i + n]) if n > 1 else kept[i]
        for n in range(low, min(high, len(kept)) + 1)
        for i in range(len(kept) - n + 1)
    ]


def text_ngrams(text: str, low: int, high: int) -> list[str]:
    r"""Return n-grams of characters, then words and pairs of words, with the ends marked.

    Words are runs of word characters, and all other characters that are not white space.

    Examples
    --------
    >>> from addhash.text.ngrams import text_ngrams
    >>> text_ngrams("a!", 2, 2)[:3]
    ['\x02a', 'a!', '!\x03']
    >>> text_ngrams("a!", 2, 2)[3:]
    ['\x1f\x02', '\x1fa', '\x1f!', '\x1f\x03', '\x1f\x02\x1fa', '\x1fa\x1f!', '\x1f!\x1f\x03']
    """
    words = [f"{WORD}{word}" for word in (BEFORE, *_WORDS.findall(text), AFTER)]
    ngrams = character_ngrams(f"{BEFORE}{text}{AFTER}", low, high)
    for n in range(1, MOST_WORDS + 1):
        ngrams += ["".join(words[i : i + n]) for i in range(len(words) - n + 1)]
    return ngrams

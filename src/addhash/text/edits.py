"""The part of a text whose tokens an edit can have changed."""

from addhash.runtime import native
from addhash.text.analysis import Analysis

BLOCK = 4096  # characters compared at a time


def changed_parts(analysis: Analysis, old: str, new: str) -> tuple[str, str]:
    """Return parts of two texts whose tokens differ by just the tokens that the texts differ by.

    Both texts are cut at the same places of their common start and end, each between a white-space
    character and another one. Such a cut changes no token: words and char_wb n-grams do not cross
    white space, white space is collapsed run by run, and the only context-dependent lower case,
    that of the Greek sigma, depends on no character beyond white space. N-grams that cross the cut
    are kept by leaving enough of the common text in the parts: `max_n` - 1 characters or words on
    both sides.

    The analysis must be one that `keeps_spaces`.
    """
    if analysis.analyzer == "text":
        return old, new  # its tokens tell where a text begins and ends
    first = _common_prefix(old, new)
    last = _common_suffix(old, new, min(len(old), len(new)) - first)
    left = _cut_before(old, first, analysis)
    right = _cut_after(old, len(old) - last, analysis)
    return old[left:right], new[left : len(new) - (len(old) - right)]


def _common_prefix(a: str, b: str) -> int:
    """Return the length of the common prefix of two texts."""
    length = min(len(a), len(b))
    start = 0
    while start < length and a[start : start + BLOCK] == b[start : start + BLOCK]:
        start += BLOCK
    while start < length and a[start] == b[start]:
        start += 1
    return min(start, length)


def _common_suffix(a: str, b: str, most: int) -> int:
    """Return the length of the common suffix of two texts, up to `most`."""
    size = 0
    while size + BLOCK <= most and (
        a[len(a) - size - BLOCK : len(a) - size] == b[len(b) - size - BLOCK : len(b) - size]
    ):
        size += BLOCK
    while size < most and a[-1 - size] == b[-1 - size]:
        size += 1
    return size


def _is_cut(text: str, i: int) -> bool:
    """Return whether white space starts or ends between characters i - 1 and i."""
    return text[i - 1].isspace() != text[i].isspace()


def _cut_before(text: str, end: int, analysis: Analysis) -> int:
    """Return the last place to cut that leaves enough of text[:end], or 0.

    The characters on both sides of the cut must be common, so the last place is end - 1.
    """
    missing = 0 if analysis.analyzer == "char_wb" else int(analysis.ngram_range[1]) - 1
    last = None
    for i in range(end - 1, 0, -1):
        if not _is_cut(text, i):
            continue
        # A word or a run of white space that touches the change may be changed by it.
        if last is not None:
            missing -= _units(text[i:last], analysis)
        if missing <= 0:
            return i
        last = i
    return 0


def _cut_after(text: str, start: int, analysis: Analysis) -> int:
    """Return the first place to cut that leaves enough of text[start:], or the text's end."""
    missing = 0 if analysis.analyzer == "char_wb" else int(analysis.ngram_range[1]) - 1
    last = None
    for i in range(start + 1, len(text)):
        if not _is_cut(text, i):
            continue
        if last is not None:
            missing -= _units(text[last:i], analysis)
        if missing <= 0:
            return i
        last = i
    return len(text)


def _units(part: str, analysis: Analysis) -> int:
    """Return at most the words or characters that n-grams of a part are made of."""
    if analysis.analyzer == "word":
        try:
            return native.token_count(part, analysis.word_options)
        except native.Failure:
            return 0
    # A run of white space may be collapsed to one space; lower case never shortens a text.
    return 1 if part[0].isspace() else len(part)

"""The obvious way: every run of words of every text, in plain Python."""

from collections import Counter, defaultdict

from addhash.runtime import native


def words_of(text, lowercase=True):
    """The words of a text with where they begin and end."""
    spans = native.unit_spans(text)
    return [(text[a:b].lower() if lowercase else text[a:b], a, b) for a, b in spans]


def passages(texts, min_words, min_documents=2, by=None, lowercase=True):
    """Return the places that cannot be extended, as (text, start, end): (words, texts, first)."""
    cut = [words_of(text, lowercase) for text in texts]
    groups = [None] * len(texts) if by is None else list(by)
    places = defaultdict(list)
    for t, words in enumerate(cut):
        for i in range(len(words)):
            for j in range(i + min_words, len(words) + 1):
                places[groups[t], tuple(word for word, _, _ in words[i:j])].append((t, i))
    is_passage = set()
    for run, where in places.items():
        if len(where) > 1 and len({t for t, _ in where}) >= min_documents:
            is_passage.update((t, i, i + len(run[1])) for t, i in where)
    found = {}
    for t, i, j in sorted(is_passage):
        if (t, i - 1, j) in is_passage or (t, i, j + 1) in is_passage:
            continue
        where = places[groups[t], tuple(word for word, _, _ in cut[t][i:j])]
        first_text, first_word = min(where)
        found[t, cut[t][i][1], cut[t][j - 1][2]] = (
            j - i,
            len({text for text, _ in where}),
            (first_text, cut[first_text][first_word][1]),
        )
    return found


def cleaned(texts, min_words, min_documents=2, by=None, keep="first", above=None, mark=""):
    """Return the texts without the words of windows that are to be cut."""
    cut = [words_of(text) for text in texts]
    groups = [None] * len(texts) if by is None else list(by)
    sizes = Counter(groups)
    windows = defaultdict(list)
    for t, words in enumerate(cut):
        for i in range(len(words) - min_words + 1):
            run = tuple(word for word, _, _ in words[i : i + min_words])
            windows[groups[t], run].append((t, i))
    dropped = [set() for _ in texts]
    for (group, _), where in windows.items():
        count = len({t for t, _ in where})
        if len(where) < 2 or count < min_documents:
            continue
        first = min(where)
        for t, i in where:
            before = keep == "first" and (t > first[0] or i >= first[1] + min_words)
            if before or (above is not None and count > above * sizes[group]):
                dropped[t].update(range(i, i + min_words))
    return [_without(*given, mark) for given in zip(texts, cut, dropped, strict=True)]


def _without(text, words, dropped, mark):
    """Leave out words, each with what follows it; one mark for neighbours."""
    if not words:
        return text
    result = text[: words[0][1]]
    for i in range(len(words)):
        end = words[i + 1][1] if i + 1 < len(words) else len(text)
        if i not in dropped:
            result += text[words[i][1] : end]
        elif i - 1 not in dropped:
            result += mark
    return result

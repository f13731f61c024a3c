"""The obvious way: every text with every other, as sets of strings in plain Python."""

import math
import unicodedata
from collections import Counter
from fractions import Fraction
from itertools import chain, combinations, product

# Scripts that are written without spaces, by the first word of a character's name.
ALONE = {"CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "IDEOGRAPHIC"}


def units(text, lowercase=True):
    """Words, and characters of scripts without spaces."""
    found, is_open = [], False
    for c in text.lower() if lowercase else text:
        if unicodedata.category(c)[0] == "M" and found and found[-1]:
            found[-1] += c
        elif not (c.isalnum() or c == "_"):
            found.append("")
            is_open = False
        elif unicodedata.name(c, "").partition(" ")[0] in ALONE:
            found.append(c)
            is_open = False
        elif is_open:
            found[-1] += c
        else:
            found.append(c)
            is_open = True
    return [unit for unit in found if unit]


def tokens(text, low=3, high=3, lowercase=True):
    cut = units(text, lowercase)
    if not cut:
        return {("the whole text", text)}
    if len(cut) < low:
        return {tuple(cut)}
    return {tuple(cut[i : i + n]) for n in range(low, high + 1) for i in range(len(cut) - n + 1)}


def reaches(measure, shared, a, b, threshold):
    """Whether the similarity is at least the threshold, without rounding."""
    wanted = Fraction(str(threshold))
    if measure == "jaccard":
        return Fraction(shared, a + b - shared) >= wanted
    if measure == "containment":
        return Fraction(shared, min(a, b)) >= wanted
    return Fraction(shared**2, a * b) >= wanted**2


def similarity(measure, shared, a, b):
    whole = {"jaccard": a + b - shared, "containment": min(a, b), "cosine": math.sqrt(a * b)}
    return shared / whole[measure]


def similar_pairs(sets, measure, threshold, references=None):
    """All pairs (i, j) with their similarities."""
    n = len(sets)
    if references is None:
        pairs = combinations(range(n), 2)
    else:
        pairs = product(range(references), range(references, n))
    found = {}
    for i, j in pairs:
        shared = len(sets[i] & sets[j])
        a, b = len(sets[i]), len(sets[j])
        if shared and reaches(measure, shared, a, b, threshold):
            found[i, j - (references or 0)] = similarity(measure, shared, a, b)
    return found


def shared_tokens(sets):
    """How many tokens pairs of sets share, where they share any."""
    holders = {}
    for i, tokens_of_text in enumerate(sets):
        for token in tokens_of_text:
            holders.setdefault(token, []).append(i)
    return Counter(chain.from_iterable(combinations(texts, 2) for texts in holders.values()))


def similar_among(shared, sets, measure, threshold):
    """The pairs of `similar_pairs`, from what sets share."""
    found = {}
    for (i, j), count in shared.items():
        a, b = len(sets[i]), len(sets[j])
        value = similarity(measure, count, a, b)
        # Rounding cannot move a similarity by more than this.
        if value > threshold - 1e-9 and reaches(measure, count, a, b, threshold):
            found[i, j] = value
    return found


def clusters_by_representative(sets, pairs, order):
    """Each text's representative; texts come in the given order of preference."""
    near = {}
    for (i, j), value in pairs.items():
        near.setdefault(i, []).append((j, value))
        near.setdefault(j, []).append((i, value))
    place = {text: i for i, text in enumerate(order)}
    of_set, of_text = {}, {}
    for text in order:
        key = frozenset(sets[text])
        if key not in of_set:
            known = [
                (-value, place[other], other)
                for other, value in near.get(text, [])
                if of_text.get(other) == other
            ]
            of_set[key] = min(known)[2] if known else text
        of_text[text] = of_set[key]
    return [of_text[i] for i in range(len(sets))]


def connected(n, pairs):
    """The lowest text of each text's component."""
    component = list(range(n))
    for i, j in pairs:
        a, b = sorted((component[i], component[j]))
        if a != b:
            component = [a if c == b else c for c in component]
    return component

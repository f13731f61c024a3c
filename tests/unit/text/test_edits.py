import sys
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from addhash import AdditiveHashingVectorizer
from addhash.text.analysis import Analysis
from addhash.text.edits import changed_parts
from tests.texts import HOSTILE, SCRIPTS

ANALYSES = [
    Analysis(ngram_range=n, lowercase=lowercase, **options)
    for options in (
        {"analyzer": "word"},
        {"analyzer": "word", "token_pattern": r"\S+"},
        {"analyzer": "word", "token_pattern": r"\w+", "stop_words": ["a", "aa", "1"]},
        {"analyzer": "char"},
        {"analyzer": "char_wb"},
    )
    for n in ((1, 1), (1, 2), (2, 4), (5, 5))
    for lowercase in (False, True)
]

# Short runs of what matters: sigma and its surroundings, white space of several kinds.
PIECES = st.text(st.sampled_from("aΣσA'.\u0301İ1_ \t\n\u00a0語-"), max_size=12)


def assert_same_difference(old, new):
    for analysis in ANALYSES:
        assert analysis.keeps_spaces
        parts = changed_parts(analysis, old, new)
        before, after = (Counter(analysis.tokens(text)) for text in (old, new))
        part_before, part_after = (Counter(analysis.tokens(text)) for text in parts)
        assert before - after == part_before - part_after, (analysis, parts)
        assert after - before == part_after - part_before, (analysis, parts)


@settings(max_examples=300, deadline=None)
@given(PIECES, PIECES, PIECES, PIECES)
def test_parts_differ_as_the_texts_do(start, old, new, end):
    assert_same_difference(start + old + end, start + new + end)


@settings(max_examples=50, deadline=None)
@given(st.lists(PIECES, min_size=3, max_size=12), st.data())
def test_edits_of_longer_texts(pieces, data):
    i = data.draw(st.integers(0, len(pieces) - 1))
    changed = [*pieces[:i], data.draw(PIECES), *pieces[i + 1 :]]
    assert_same_difference(" ".join(pieces), " ".join(changed))
    assert_same_difference("".join(pieces), "".join(changed))


def test_every_script():
    for text in SCRIPTS + HOSTILE:
        text = text[:60]
        for i in range(0, len(text), 9):
            assert_same_difference(text, text[:i] + " ΣΑΣ " + text[i:])
            assert_same_difference(text, text[: i // 2] + text[i:])


def test_lower_case_stops_at_white_space():
    """What cutting before lower-casing rests on, for every character that is white space."""
    spaces = [chr(i) for i in range(sys.maxunicode + 1) if chr(i).isspace()]
    assert len(spaces) > 20
    for space in spaces:
        for before in ("ΑΣ", "Σ", "ΑΣ'", "Α\u0301Σ"):
            for after in ("Α", "Σ", "'Α"):
                text = before + space + after
                assert text.lower() == before.lower() + space.lower() + after.lower()


@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
def test_the_parts_are_short(analyzer):
    text = " ".join(f"word{i}" for i in range(20_000))
    new = text.replace("word10000 ", "other ")
    analysis = Analysis(analyzer=analyzer, ngram_range=(1, 3))
    old_part, new_part = changed_parts(analysis, text, new)
    assert "word10000" in old_part
    assert "other" in new_part
    assert len(old_part) < 60
    assert changed_parts(analysis, text, text)[0] in text[-40:]


def test_long_texts():
    """The common ends are found in blocks; every place in and around one counts."""
    vectorizer = AdditiveHashingVectorizer(n_features=64, analyzer="char", ngram_range=(2, 3))
    text = "abc de " * 3000
    for size in (4095, 4096, 4097, 8192, len(text) - 1, len(text)):
        for new in (text[:size], text[:size] + "X" + text[size:], text[size:], text[:-size] + "Y"):
            document = vectorizer.edit(vectorizer.document(text), text, new)
            assert document == vectorizer.document(new)

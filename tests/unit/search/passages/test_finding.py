"""find_passages: equal to a naive search, whatever the texts."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import addhash
from addhash import find_passages
from addhash.errors import DocumentError, ParameterError
from tests.unit.search.passages import naive

WORDS = st.sampled_from(["a", "b", "A", "ab", "İ", "ı", "Σ", "漢", "字", "é", "e\u0301", "😀", "_"])
GAPS = st.sampled_from([" ", ", ", ".\n", "—", "! "])
TEXTS = st.lists(
    st.lists(st.tuples(WORDS, GAPS), max_size=14).map(
        lambda parts: "".join(word + gap for word, gap in parts)
    ),
    max_size=6,
)


def places_of(found):
    """The same as the naive search returns."""
    table = found.table
    return {
        (t, start, end): (
            table.words[p],
            table.documents[p],
            (table.first_document[p], table.first_start[p]),
        )
        for t, start, end, p in zip(*(column.tolist() for column in found.places), strict=True)
    }


@settings(max_examples=120, deadline=None)
@given(
    texts=TEXTS,
    min_words=st.integers(2, 4),
    min_documents=st.integers(1, 3),
    lowercase=st.booleans(),
    groups=st.none() | st.lists(st.sampled_from("xy"), min_size=6, max_size=6),
)
def test_places_are_those_of_a_naive_search(texts, min_words, min_documents, lowercase, groups):
    by = None if groups is None else groups[: len(texts)]
    options = {"min_words": min_words, "min_documents": min_documents}
    options |= {"lowercase": lowercase, "by": by}
    found = find_passages(texts, **options)
    assert places_of(found) == naive.passages(texts, **options)
    # Equal passages have the same number, different ones different numbers.
    runs = [
        (
            None if by is None else by[t],
            tuple(word for word, _, _ in naive.words_of(texts[t][start:end], lowercase)),
        )
        for t, start, end, _ in zip(*found.places, strict=True)
    ]
    assert len(set(zip(runs, found.places.passage.tolist(), strict=True))) == len(set(runs))
    assert len(found) == len(set(runs))


@settings(max_examples=100, deadline=None)
@given(
    texts=TEXTS,
    min_words=st.integers(2, 4),
    min_documents=st.integers(1, 3),
    keep=st.sampled_from(["first", "all"]),
    above=st.sampled_from([None, 0, 0.4, 0.5]),
    mark=st.sampled_from(["", "<cut>"]),
    groups=st.none() | st.lists(st.sampled_from("xy"), min_size=6, max_size=6),
)
def test_what_is_cut(texts, min_words, min_documents, keep, above, mark, groups):
    by = None if groups is None else groups[: len(texts)]
    options = {"min_words": min_words, "min_documents": min_documents, "by": by}
    rule = {"keep": keep, "above": above, "mark": mark}
    found = find_passages(texts, **options)
    assert list(found.clean(texts, **rule)) == naive.cleaned(texts, **options, **rule)


def planted(random_, n_texts, n_passages, words=30):
    """Texts of words that hardly repeat, with passages at known places."""
    passages = [" ".join(f"p{p}w{i}" for i in range(words)) for p in range(n_passages)]
    texts, places = [], []
    for t in range(n_texts):
        text = ""
        for part in range(random_.randrange(4)):
            text += " ".join(f"t{t}u{part}v{i}" for i in range(random_.randrange(1, 40))) + " "
            p = random_.randrange(n_passages)
            places.append((t, len(text), len(text) + len(passages[p]), p))
            text += passages[p] + " "
        texts.append(text)
    return texts, places


@pytest.mark.parametrize("memory", [None, "4GB"])
@pytest.mark.parametrize("threads", [1, 3])
def test_planted_passages_are_found_where_they_are(memory, threads):
    texts, places = planted(random.Random(3), 3000, 200)
    found = find_passages(texts, min_words=20, memory=memory, n_jobs=threads)
    starts = [(t, start, end) for t, start, end, _ in places]
    assert list(zip(*(c.tolist() for c in found.places[:3]), strict=True)) == starts
    assert len(found) == 200
    assert set(found.table.words.tolist()) == {30}
    counts = [len({t for t, _, _, q in places if q == p}) for p in range(200)]
    assert sorted(found.table.documents.tolist()) == sorted(counts)


@pytest.mark.parametrize("name", addhash.info()["instruction_sets"])
def test_every_instruction_set_finds_the_same(name):
    texts, _ = planted(random.Random(5), 200, 10)
    expected = find_passages(texts, min_words=20)
    addhash.set_instruction_set(name)
    try:
        found = find_passages(texts, min_words=20)
    finally:
        addhash.set_instruction_set(None)
    assert all(map(np.array_equal, found.places, expected.places))
    assert all(map(np.array_equal, found.table, expected.table))


def test_one_word_again_and_again():
    found = find_passages(["a " * 1000, "b", "a " * 400], min_words=50)
    # The last text as a whole stands in the first, in 601 places.
    assert len(found) == 1
    assert len(found.places.document) == 602
    assert list(found.clean(["a " * 1000, "b", "a " * 400])) == ["a " * 50, "b", ""]
    assert len(find_passages(["a " * 1000], min_words=50)) == 0
    assert len(find_passages(["a " * 1000], min_words=50, min_documents=1)) == 1


def test_kinds_of_texts():
    pa = pytest.importorskip("pyarrow")
    texts = ["Öl, Öl und noch mehr Öl", "noch mehr öl!", ""]
    expected = places_of(find_passages(texts, min_words=3))
    assert expected
    for kind in (tuple(texts), iter(texts), pa.array(texts), [t.encode() for t in texts]):
        assert places_of(find_passages(kind, min_words=3)) == expected
    found = find_passages(pa.array(texts), min_words=3)
    assert list(found.clean(pa.array(texts))) == [texts[0], "", ""]
    assert len(find_passages([], min_words=3)) == 0


def test_report():
    pytest.importorskip("pandas")
    found = find_passages(["x a b c", "a b c y", "a b c d"], min_words=3)
    assert str(found) == "1 in 3 of 3 texts; places: 3"
    frame = found.to_frame()
    assert frame.columns.tolist() == [
        *("document", "start", "end", "passage"),
        *("words", "documents", "first_document", "first_start"),
    ]
    assert frame.iloc[2].tolist() == [2, 0, 5, 0, 3, 3, 0, 2]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"min_words": 1}, "min_words"),
        ({"min_documents": 0}, "min_documents"),
        ({"lowercase": "no"}, "lowercase"),
        ({"memory": "much"}, "'memory' parameter of find_passages"),
        ({"by": ["x"]}, "one group for each text. Got 1 for 2 texts"),
        ({"by": ["x", "y", "z"]}, "one group for each text. Got 3 for 2 texts"),
    ],
)
def test_wrong_parameters(changed, message):
    with pytest.raises(ParameterError, match=message):
        find_passages(["a b", "a b"], **changed)


def test_wrong_texts():
    with pytest.raises(DocumentError, match="Document 1 is None"):
        find_passages(["a", None])
    with pytest.raises(DocumentError, match="can be read only once"):
        find_passages(iter(["a"]), memory="2GB")
    found = find_passages(["a b", "a b"], min_words=2)
    for others in (["a b"], ["a b", "a b", "c"]):
        with pytest.raises(DocumentError, match="Pass the same texts"):
            list(found.clean(others))
    with pytest.raises(ParameterError, match="keep"):
        found.clean(["a b", "a b"], keep="last")


def test_texts_that_change_are_refused():
    class Changing:
        readings = 0

        def __iter__(self):
            self.readings += 1
            return iter(["a b c"] * (2 + self.readings // 3))

    with pytest.raises(DocumentError, match="were read again"):
        find_passages(Changing(), min_words=2, memory="4GB")


@pytest.mark.parametrize("length", [254, 255, 256, 70_000])
def test_long_words_stand_where_they_are(length):
    passage = f"a {'b' * length} c {'d' * length}"
    found = find_passages([f"x {passage} y", f"{passage} z"], min_words=3)
    assert found.places.start.tolist() == [2, 0]
    assert found.places.end.tolist() == [2 + len(passage), len(passage)]
    assert list(found.clean([f"x {passage} y", f"{passage} z"])) == [f"x {passage} y", "z"]


def test_too_little_memory_is_said():
    with pytest.raises(ParameterError, match="is too little"):
        find_passages(["a b c d " * 50_000] * 4, min_words=3, memory="1MB")

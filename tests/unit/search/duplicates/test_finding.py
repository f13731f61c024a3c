import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import addhash
from addhash.errors import DocumentError, ParameterError
from addhash.search.duplicates.token_sets import Cutting
from tests.oracle import aes_cmac
from tests.texts import HOSTILE, SCRIPTS
from tests.unit.search.duplicates.brute_force import (
    clusters_by_representative,
    connected,
    shared_tokens,
    similar_among,
    similar_pairs,
    tokens,
)

MEASURES = ["jaccard", "containment", "cosine"]
THRESHOLDS = [0.5, 0.6, 2 / 3, 0.7, 0.75, 0.8, 0.9, 0.95, 1]


def as_dict(pairs):
    assert list(zip(pairs.left, pairs.right, strict=True)) == sorted(
        set(zip(pairs.left, pairs.right, strict=True))
    )
    keys = zip(pairs.left.tolist(), pairs.right.tolist(), strict=True)
    return dict(zip(keys, pairs.similarity.tolist(), strict=True))


def random_texts(seed, count, words=30, longest=25):
    """Texts of a small vocabulary, half of them edited copies of others."""
    random = np.random.default_rng(seed)
    vocabulary = [f"w{i}" for i in range(words)]
    texts = []
    for _ in range(count):
        if texts and random.random() < 0.5:
            text = texts[random.integers(len(texts))].split()
            for _ in range(random.integers(4)):
                if text:
                    text[random.integers(len(text))] = str(random.choice(vocabulary))
            if random.random() < 0.3:
                text += random.choice(vocabulary, random.integers(6)).tolist()
            if random.random() < 0.2:
                text = text[: len(text) // 2]
        else:
            text = random.choice(vocabulary, random.integers(longest)).tolist()
        texts.append(" ".join(text))
    return texts


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_pairs_are_those_of_brute_force(measure, n):
    for seed, words in enumerate((4, 30, 200)):
        texts = random_texts(seed, 70, words)
        sets = [tokens(text, n, n) for text in texts]
        shared = shared_tokens(sets)
        for threshold in (0.1, *THRESHOLDS):
            expected = similar_among(shared, sets, measure, threshold)
            for n_jobs in (1, 3):
                found = addhash.find_duplicates(
                    texts, threshold=threshold, measure=measure, ngram_range=(n, n), n_jobs=n_jobs
                )
                assert as_dict(found.pairs) == expected
                assert found.n_pairs == len(expected)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=12).map(" ".join), max_size=25),
    st.sampled_from(MEASURES),
    st.integers(1, 100),
    st.integers(1, 3),
)
def test_any_texts_at_any_threshold(texts, measure, percent, n):
    threshold = percent / 100
    sets = [tokens(text, n, n) for text in texts]
    found = addhash.find_duplicates(texts, threshold=threshold, measure=measure, ngram_range=(n, n))
    assert as_dict(found.pairs) == similar_pairs(sets, measure, threshold)


@pytest.mark.parametrize("measure", MEASURES)
def test_nothing_at_the_threshold_is_lost_to_rounding(measure):
    """Sets whose similarity is exactly k / n, for fractions that floats cannot hold."""
    for n in range(2, 50):
        for k in range(1, n, 1 + n // 20):
            whole = " ".join(f"a{i}" for i in range(n))
            part = " ".join(f"a{i}" for i in range(k))
            if measure == "cosine":  # of two sets of one size
                part += "".join(f" b{i}" for i in range(n - k))
            if measure == "containment":
                part = " ".join([f"a{i}" for i in range(k)] + [f"b{i}" for i in range(n - k)])
            found = addhash.find_duplicates(
                [whole, part], threshold=k / n, measure=measure, ngram_range=(1, 1), n_jobs=1
            )
            assert found.n_pairs == 1
            assert found.pairs.similarity[0] == pytest.approx(k / n, abs=1e-15)
            above = addhash.find_duplicates(
                [whole, part],
                threshold=min(1.0, k / n + 1e-5),
                measure=measure,
                ngram_range=(1, 1),
                n_jobs=1,
            )
            assert above.n_pairs == 0


def test_any_order_gives_the_same_pairs_renumbered():
    texts = random_texts(5, 300)
    found = as_dict(addhash.find_duplicates(texts, threshold=0.6).pairs)
    order = np.random.default_rng(0).permutation(len(texts))
    shuffled = addhash.find_duplicates([texts[i] for i in order], threshold=0.6).pairs
    back = {
        tuple(sorted((int(order[i]), int(order[j])))): value
        for (i, j), value in as_dict(shuffled).items()
    }
    assert back == found


def test_every_instruction_set_finds_the_same(instruction_set):
    texts = [*random_texts(6, 200), *HOSTILE, *HOSTILE]
    sets = [tokens(text) for text in texts]
    found = addhash.find_duplicates(texts, threshold=0.5)
    assert as_dict(found.pairs) == similar_pairs(sets, "jaccard", 0.5)


@pytest.mark.parametrize("lowercase", [True, False])
def test_every_script_is_cut_as_it_is_written(lowercase):
    texts = [
        *SCRIPTS,
        *(text + " x" for text in SCRIPTS),
        *(text.upper() for text in SCRIPTS),
        "今天天气很好我们去公园玩吧",
        "今天天气很好我们去公园看吧",
        "สวัสดีชาวโลก ไม่มีช่องว่างเลย",
        "เมื่อวานฉันไปตลาด",
        "iPhone手机很好用 and Android也不错",
        "नमस्ते दुनिया, यह हिन्दी है",
    ]
    sets = [tokens(text, 2, 3, lowercase) for text in texts]
    found = addhash.find_duplicates(texts, threshold=0.3, ngram_range=(2, 3), lowercase=lowercase)
    assert as_dict(found.pairs) == similar_pairs(sets, "jaccard", 0.3)


def test_short_and_empty_texts_do_not_collapse():
    texts = ["", "", "!", "?", "!", "ok", "OK.", "no", "a b", "a c", "\ud800", "\ud800", "\ud801"]
    found = addhash.find_duplicates(texts, threshold=0.5)
    assert found.clusters.tolist() == [0, 0, 2, 3, 2, 5, 5, 7, 8, 9, 10, 10, 12]


def test_marks_are_known():
    """The core's table of marks is Unicode's: a mark does not end a word."""
    import unicodedata

    marks = [chr(c) for c in range(0x110000) if unicodedata.category(chr(c))[0] == "M"]
    texts = [f"a{mark}b cd" for mark in marks] + ["a b cd"]
    sets = Cutting.of("auto", (1, 1), True).sets(texts, 1)
    sizes = sets.sizes(0, len(texts))
    newer = [mark for mark, size in zip(marks, sizes, strict=False) if size != 2]
    # Pythons after 3.11 know marks of later versions of Unicode.
    assert not newer or unicodedata.unidata_version != "14.0.0"
    assert len(newer) < 100
    assert sizes[-1] == 3


def test_the_hashes_are_frozen():
    """AES-CMAC under a fixed key, its first half; they are the same everywhere."""
    cutting = Cutting.of("auto", (2, 2), True)
    sets = cutting.sets(["One two, three", "!", ""], 1)
    frozen = [82324048941390853, 17934278306682629045, 3432526745521284097, 5739706349912043046]
    assert sets.hashes(0, 3).tolist() == frozen
    token_key = (0x243F6A8885A308D3).to_bytes(8, "little") + (0x13198A2E03707344).to_bytes(
        8, "little"
    )
    text_key = (0xA4093822299F31D0).to_bytes(8, "little") + (0x082EFA98EC4E6C89).to_bytes(
        8, "little"
    )
    tokens_of_texts = [(token_key, b"one two"), (token_key, b"two three")]
    tokens_of_texts += [(text_key, "!".encode("utf-32-le")), (text_key, b"")]
    oracle = [int.from_bytes(aes_cmac(key, token)[:8], "little") for key, token in tokens_of_texts]
    assert sorted(oracle) == sorted(frozen)


@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
def test_other_analyzers_cut_as_the_vectorizers_do(analyzer):
    from sklearn.feature_extraction.text import CountVectorizer

    texts = [text for text in [*SCRIPTS, *random_texts(7, 60)] if text.strip()]
    n = (1, 2) if analyzer == "word" else (3, 4)
    analyze = CountVectorizer(analyzer=analyzer, ngram_range=n).build_analyzer()
    sets = [set(analyze(text)) or {("whole", text)} for text in texts]
    found = addhash.find_duplicates(texts, threshold=0.5, analyzer=analyzer, ngram_range=n)
    assert as_dict(found.pairs) == similar_pairs(sets, "jaccard", 0.5)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("keep", [None, "first", "last", "longest", "scores"])
def test_clusters_are_those_of_the_definition(measure, keep):
    for seed in range(6):
        texts = random_texts(seed, 150, 12, 12)
        sets = [tokens(text, 1, 1) for text in texts]
        pairs = similar_pairs(sets, measure, 0.6)
        scores = np.random.default_rng(seed).integers(0, 5, len(texts))
        rank = keep or ("longest" if measure == "containment" else "first")
        key = {
            "first": lambda i: i,
            "last": lambda i: -i,
            "longest": lambda i, sets=sets: (-len(sets[i]), i),
            "scores": lambda i, scores=scores: (-scores[i], i),
        }[rank]
        order = sorted(range(len(texts)), key=key)
        found = addhash.find_duplicates(
            texts,
            threshold=0.6,
            measure=measure,
            ngram_range=(1, 1),
            keep=scores if keep == "scores" else keep,
        )
        expected = clusters_by_representative(sets, pairs, order)
        assert found.representatives.tolist() == expected
        assert found.keep.tolist() == [expected[i] == i for i in range(len(texts))]
        for i, representative in enumerate(expected):
            assert found.clusters[i] == expected.index(representative)
            value = pairs.get(tuple(sorted((i, representative))), 1.0)
            assert found.similarity[i] == value
        assert (found.similarity >= 0.6).all()


def test_connected_clusters_may_chain_and_say_so():
    words = [f"w{i}" for i in range(20)]
    texts = [" ".join(words[i : i + 10]) for i in range(8)]  # each like its neighbours only
    chained = addhash.find_duplicates(
        texts, threshold=0.8, ngram_range=(1, 1), clusters="connected"
    )
    assert chained.clusters.tolist() == [0] * 8
    (cluster,) = chained.largest()
    assert cluster.similarity == 3 / 17
    assert cluster.least_similarity == 3 / 17
    assert chained.similarity[-1] == 3 / 17
    apart = addhash.find_duplicates(texts, threshold=0.8, ngram_range=(1, 1))
    assert apart.clusters.tolist() == [0, 0, 2, 2, 4, 4, 6, 6]
    assert (apart.similarity >= 0.8).all()


def test_connected_clusters_are_components():
    for seed in range(5):
        texts = random_texts(seed, 150, 12, 12)
        sets = [tokens(text, 1, 1) for text in texts]
        pairs = similar_pairs(sets, "jaccard", 0.7)
        found = addhash.find_duplicates(
            texts, threshold=0.7, ngram_range=(1, 1), clusters="connected"
        )
        assert found.clusters.tolist() == connected(len(texts), pairs)


def test_largest_clusters_and_the_least_similarity_inside():
    texts = random_texts(8, 200, 12, 12)
    sets = [tokens(text, 1, 1) for text in texts]
    found = addhash.find_duplicates(texts, threshold=0.5, ngram_range=(1, 1))
    largest = found.largest(3)
    assert [len(c) for c in largest] == sorted(np.bincount(found.clusters))[::-1][:3]
    every = similar_pairs(sets, "jaccard", 1e-6)
    for cluster in largest:
        members = cluster.members.tolist()
        assert members[0] == cluster.id
        inside = [every.get((i, j), 0.0) for i in members for j in members if i < j]
        assert cluster.least_similarity == min(inside)
        assert cluster.similarity == min(found.similarity[members])


def test_many_equal_texts_cost_nothing_until_they_are_listed():
    found = addhash.find_duplicates(["the same old text"] * 100_000 + ["another text"])
    assert found.n_pairs == 100_000 * 99_999 // 2
    assert found.keep.sum() == 2
    block = next(found.pair_blocks(10))
    assert (block.left < block.right).all()


@pytest.mark.parametrize("measure", MEASURES)
def test_against_a_reference(measure):
    reference, texts = random_texts(9, 80), random_texts(9, 160)[60:]
    sets = [tokens(text) for text in [*reference, *texts]]
    expected = similar_pairs(sets, measure, 0.6, len(reference))
    for n_jobs in (1, 2):
        found = addhash.find_duplicates(
            texts, threshold=0.6, measure=measure, against=reference, n_jobs=n_jobs
        )
        assert as_dict(found.pairs) == {(j, i): value for (i, j), value in expected.items()}
        assert found.n_pairs == len(expected)
        assert np.flatnonzero(~found.keep).tolist() == sorted({j for _, j in expected})
        for j in range(len(texts)):
            near = [(-value, i) for (i, k), value in expected.items() if k == j]
            best = min(near, default=(0, -1))
            assert (found.representatives[j], found.similarity[j]) == (best[1], -best[0])


def test_against_nothing():
    found = addhash.find_duplicates(["a b c"], against=[])
    assert found.keep.all()
    assert found.n_pairs == 0
    assert addhash.find_duplicates([], against=["a b c"]).keep.shape == (0,)


def test_no_texts_and_one_text():
    for texts in ([], ["one"]):
        found = addhash.find_duplicates(texts)
        assert len(found) == len(texts)
        assert found.n_pairs == 0
        assert found.largest() == []
        assert found.keep.all()
        assert "0 of" in str(found)


def test_bytes_and_generators():
    texts = ["one two three four", b"one two three four", "two"]
    assert addhash.find_duplicates(iter(texts)).clusters.tolist() == [0, 0, 2]


def test_progress_is_told():
    seen = []
    addhash.find_duplicates(["a"] * 20_000, progress=lambda *args: seen.append(args))
    assert seen[0] == ("read", 16384, 20_000)
    assert seen[-1][0] == "compare"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 0}, "'threshold' parameter .* above 0 and up to 1. Got 0 instead"),
        ({"threshold": 1.01}, "Got 1.01 instead"),
        ({"threshold": float("nan")}, "Got nan instead"),
        ({"threshold": "0.8"}, "Got '0.8' instead"),
        ({"threshold": True}, "Got True instead"),
        ({"measure": "dice"}, "'measure' parameter .* 'jaccard', 'containment', 'cosine'"),
        ({"analyzer": "words"}, "'analyzer' parameter .* Got 'words' instead"),
        ({"ngram_range": (3, 2)}, "'ngram_range' parameter"),
        ({"ngram_range": 3}, "'ngram_range' parameter"),
        ({"lowercase": 1}, "'lowercase' parameter"),
        ({"clusters": "chain"}, "'clusters' parameter"),
        ({"keep": "best"}, "'keep' parameter .* Got 'best' instead"),
        ({"n_jobs": 0}, "'n_jobs' parameter of find_duplicates"),
        ({"keep": [1.0]}, "has 1 numbers for 2 texts"),
        ({"keep": [1.0, float("nan")]}, "NaN"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ParameterError, match=message):
        addhash.find_duplicates(["a", "b"], **options)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("one text", "Put it in a list"),
        (["a", None], "Document 1 is None"),
        (["a", float("nan")], "Document 1 is NaN"),
        (["a", 3], "Document 1 is 3 of type int"),
    ],
)
def test_bad_texts(texts, message):
    with pytest.raises(DocumentError, match=message):
        addhash.find_duplicates(texts)


def test_a_lone_surrogate_where_utf8_is_needed():
    with pytest.raises(DocumentError, match="Document 1 contains a lone surrogate"):
        addhash.find_duplicates(["a", "abc\ud800def"], analyzer="char")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sms", "wili", "wili-21", "udhr", "articles"])
def test_real_texts(data_folder, name):
    """Equal to brute force; the oracle skips pairs of texts that share no token."""
    texts = real_texts(data_folder, name)
    sets = [tokens(text) for text in texts]
    # What is not half contained is not half similar by any measure.
    shared = {
        (i, j): count
        for (i, j), count in shared_tokens(sets).items()
        if 2 * count >= min(len(sets[i]), len(sets[j]))
    }
    for measure in MEASURES:
        for threshold in (0.5, 0.65, 0.8, 0.95):
            expected = similar_among(shared, sets, measure, threshold)
            found = addhash.find_duplicates(texts, threshold=threshold, measure=measure)
            assert as_dict(found.pairs) == expected


def real_texts(folder, name):
    def lines(path):
        return (folder / path).read_text(encoding="utf-8").removesuffix("\n").split("\n")

    return {
        "sms": lambda: [line.split("\t", 1)[1] for line in lines("sms-spam/SMSSpamCollection")],
        "wili": lambda: lines("wili-2018/head-235/x.txt")[:3000],
        "wili-21": lambda: lines("wili-2018/subset-21/x_train.txt")[:2000],
        "udhr": lambda: [line.rsplit("\t", 1)[1] for line in lines("udhr/paragraphs.tsv")[1::10]],
        "articles": lambda: [
            line.split(" ", 1)[1] for line in lines("duplicates/articles_1000.train")
        ],
    }[name]()


def test_the_planted_pairs_are_found(data_folder):
    lines = (data_folder / "duplicates/articles_1000.train").read_text("utf-8").splitlines()
    ids, texts = zip(*(line.split(" ", 1) for line in lines), strict=True)
    truth = (data_folder / "duplicates/articles_1000.truth").read_text("utf-8").splitlines()
    planted = {tuple(sorted(line.split())) for line in truth if line}
    pairs = addhash.find_duplicates(texts, threshold=0.5).pairs
    assert {tuple(sorted((ids[i], ids[j]))) for i, j in zip(*pairs[:2], strict=True)} == planted

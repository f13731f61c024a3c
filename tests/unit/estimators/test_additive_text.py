import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from addhash import AdditiveHashingVectorizer
from addhash.errors import DocumentError, ParameterError, SumOverflowError
from tests import oracle
from tests.texts import HOSTILE, SCRIPTS

PAPER = ["John likes to watch movies", "Mary also likes to watch movies", "Jane makes popcorn"]
CHAR = {"analyzer": "char", "ngram_range": (3, 3)}


def exact(**parameters):
    return AdditiveHashingVectorizer(**{"norm": None, "dtype": np.int64, **parameters})


def test_the_papers_example():
    v = AdditiveHashingVectorizer(
        n_features=32, lowercase=False, token_pattern=r"[^ ]+", dtype=np.float64
    ).transform(PAPER)
    assert v[0] @ v[1] == pytest.approx(0.7778061881946695, abs=1e-12)
    assert v[0] @ v[2] == pytest.approx(-0.1737020834449128, abs=1e-12)
    assert v[1] @ v[2] == pytest.approx(-0.25833561143518957, abs=1e-12)


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_norms(instruction_set, norm):
    sums = exact(**CHAR).transform(SCRIPTS)
    size = np.abs(sums).sum(1) if norm == "l1" else np.sqrt((sums**2).sum(1).astype(np.float64))
    expected = sums * (1 / size)[:, None]
    found = AdditiveHashingVectorizer(norm=norm, dtype=np.float64, **CHAR).transform(SCRIPTS)
    assert np.array_equal(found, expected)
    single = AdditiveHashingVectorizer(norm=norm, **CHAR).transform(SCRIPTS)
    assert single.dtype == np.float32
    assert np.array_equal(single, expected.astype(np.float32))
    half = AdditiveHashingVectorizer(norm=norm, dtype="float16", **CHAR).transform(SCRIPTS)
    assert half.dtype == np.float16
    assert np.array_equal(half, expected.astype(np.float32).astype(np.float16))


@pytest.mark.parametrize(
    "dtype", [np.float64, np.float32, np.float16, np.int64, np.int32, np.int16]
)
def test_dtypes_hold_the_same_sums(instruction_set, dtype):
    found = exact(dtype=dtype, **CHAR).transform(SCRIPTS)
    assert found.dtype == dtype
    assert np.array_equal(found, exact(**CHAR).transform(SCRIPTS))


@pytest.mark.parametrize("documents", [3, 600])
def test_large_output_is_the_same(instruction_set, documents):
    """Output that is larger than the caches is written past them."""
    vectorizer = AdditiveHashingVectorizer(n_features=4096, n_jobs=2, **CHAR)
    texts = [f"{i} {SCRIPTS[i % len(SCRIPTS)]}" for i in range(documents)]
    one_by_one = np.vstack([vectorizer.transform([text]) for text in texts])
    assert np.array_equal(vectorizer.transform(texts), one_by_one)


def test_bits_are_the_signs(instruction_set):
    for n_features in (8, 1000, 2048):
        sums = exact(n_features=n_features, **CHAR).transform(HOSTILE)
        bits = AdditiveHashingVectorizer(n_features=n_features, dtype="bits", **CHAR)
        found = bits.transform(HOSTILE)
        assert found.dtype == np.uint8
        assert np.array_equal(found, np.packbits(sums > 0, axis=1))


def test_binary_counts_each_token_once(instruction_set):
    documents = ["b a b a b", "a b", "", "x" * 5, "ab " * 5000]
    for name in oracle.DIGESTS:
        found = exact(analyzer="char", binary=True, randomizer=name).transform(documents)
        for row, document in zip(found, documents, strict=True):
            assert np.array_equal(row, oracle.sums(sorted(set(document)), 2048, name))


def test_binary_with_python_tokens_and_many_of_them(instruction_set):
    words = [f"w{i}" for i in range(3000)]
    vectorizer = exact(n_features=64, binary=True, token_pattern=r"\w+")
    found = vectorizer.transform([" ".join(words * 3)])
    assert np.array_equal(found[0], oracle.sums(words, 64))


def test_without_alternate_sign_bits_count_one_or_nothing(instruction_set):
    signed = exact(**CHAR).transform(SCRIPTS)
    counts = np.array([[max(len(text) - 2, 0)] for text in SCRIPTS])
    found = exact(alternate_sign=False, lowercase=False, **CHAR).transform(SCRIPTS)
    signed = exact(lowercase=False, **CHAR).transform(SCRIPTS)
    assert np.array_equal(found, (signed + counts) // 2)
    assert found.min() >= 0


def test_documents_without_tokens_are_zero():
    for dtype in (np.float64, np.float32, np.float16):
        found = AdditiveHashingVectorizer(dtype=dtype).transform(["", "a", "! ?"])
        assert not found.any()
        assert not np.isnan(found).any()


def test_sums_that_cancel_are_zero():
    vectorizer = AdditiveHashingVectorizer(n_features=8, analyzer=lambda text: text.split())
    tokens = {}
    for i in range(1000):
        tokens.setdefault(tuple(oracle.sums([str(i)], 8)), str(i))
    opposite = next((a, b) for v, a in tokens.items() if (b := tokens.get(tuple(-np.array(v)))))
    found = vectorizer.transform([" ".join(opposite)])
    assert not found.any()


def test_overflow_is_an_error():
    with pytest.raises(SumOverflowError, match=r"Document 1 .* int16; .*int64"):
        exact(dtype=np.int16).transform(["fine", "same " * 40_000])
    found = exact(dtype=np.int32).transform(["same " * 40_000])
    assert set(np.abs(found[0]).tolist()) == {40_000}


def test_more_than_two_to_the_24_tokens():
    count = 2**24 + 3
    found = exact(n_features=8, analyzer="char").transform(["x" * count])
    assert np.array_equal(found[0], count * oracle.sums(["x"], 8))
    unit = AdditiveHashingVectorizer(n_features=8, analyzer="char", dtype=np.float64)
    assert np.allclose(unit.transform(["x" * count]), oracle.sums(["x"], 8) / np.sqrt(8))


@pytest.mark.parametrize("randomizer", oracle.DIGESTS)
def test_keys(randomizer):
    plain, one, other = (
        exact(randomizer=randomizer, key=key, **CHAR).transform(SCRIPTS)
        for key in (None, b"a key", b"another key")
    )
    assert not np.array_equal(plain, one)
    assert not np.array_equal(one, other)
    expected = oracle.sums(["abc"], 2048, randomizer, b"a key")
    assert np.array_equal(
        exact(randomizer=randomizer, key=b"a key").transform(["abc"])[0], expected
    )


def test_the_key_is_not_shown():
    assert "sesame" not in repr(AdditiveHashingVectorizer(key=b"open sesame"))
    assert "sesame" not in AdditiveHashingVectorizer(key=b"open sesame")._repr_html_inner()


def test_empty_input_has_no_rows():
    assert AdditiveHashingVectorizer().transform([]).shape == (0, 2048)
    assert AdditiveHashingVectorizer().transform(iter([])).shape == (0, 2048)
    assert AdditiveHashingVectorizer(dtype="bits").transform([]).shape == (0, 256)


def test_generators_give_what_lists_give():
    texts = [f"text {i} of many, {i % 13}" for i in range(9000)]
    vectorizer = AdditiveHashingVectorizer(n_features=64)
    expected = vectorizer.transform(texts)
    assert np.array_equal(vectorizer.transform(iter(texts)), expected)
    assert np.array_equal(vectorizer.transform(tuple(texts)), expected)
    assert np.array_equal(vectorizer.transform(np.array(texts)), expected)
    assert np.array_equal(vectorizer.transform([t.encode() for t in texts]), expected)


def test_a_collection_whose_length_is_wrong():
    class Liar(list):
        def __len__(self):
            return 2

    texts = Liar(f"text {i}" for i in range(5))
    vectorizer = AdditiveHashingVectorizer(n_features=64)
    assert np.array_equal(vectorizer.transform(texts), vectorizer.transform(iter(texts)))


def test_custom_analysis_gives_what_native_analysis_gives():
    from sklearn.feature_extraction.text import CountVectorizer

    for parameters in ({}, CHAR, {"ngram_range": (1, 3)}, {**CHAR, "analyzer": "char_wb"}):
        analyze = CountVectorizer(**parameters).build_analyzer()
        found = exact(analyzer=analyze).transform(HOSTILE)
        assert np.array_equal(found, exact(**parameters).transform(HOSTILE))


BAD = [
    ("n_features", 0, "multiple of 8"),
    ("n_features", 1001, "multiple of 8"),
    ("n_features", "x", "multiple of 8"),
    ("n_features", 2**20 + 8, "1048576"),
    ("n_features", 64.0, "multiple of 8"),
    ("n_features", True, "multiple of 8"),
    ("randomizer", "md5", "'shake256', 'aes128'"),
    ("randomizer", None, "'shake256', 'aes128'"),
    ("key", "text", "128 bytes"),
    ("key", b"", "128 bytes"),
    ("key", bytes(129), "128 bytes"),
    ("ngram_range", (3, 1), "min_n <= max_n"),
    ("ngram_range", (0, 1), "1 <= min_n"),
    ("ngram_range", [1, 2], "tuple"),
    ("ngram_range", (1,), "tuple"),
    ("analyzer", "words", "'char_wb', 'text', a callable"),
    ("norm", "max", "'l1', 'l2' or None"),
    ("dtype", "uint8", "float64"),
    ("dtype", "no dtype", "float64"),
    ("dtype", None, "float64"),
    ("n_jobs", 0, "other than 0"),
    ("n_jobs", 1.5, "other than 0"),
    ("lowercase", "yes", "True or False"),
    ("binary", 1, "True or False"),
    ("input", "url", "'filename'"),
    ("decode_error", "fail", "'strict'"),
    ("encoding", None, "encoding"),
    ("strip_accents", "all", "'ascii'"),
    ("stop_words", "german", "'english'"),
    ("token_pattern", 3, "regular expression"),
    ("preprocessor", "lower", "callable"),
    ("tokenizer", "split", "callable"),
    ("alternate_sign", None, "True or False"),
]


@pytest.mark.parametrize(("name", "value", "allowed"), BAD)
@pytest.mark.parametrize("method", ["fit", "transform", "fit_transform"])
def test_bad_parameters(name, value, allowed, method):
    vectorizer = AdditiveHashingVectorizer(**{name: value})
    with pytest.raises(ParameterError) as caught:
        getattr(vectorizer, method)(["a text"])
    message = str(caught.value)
    assert f"'{name}' parameter of AdditiveHashingVectorizer" in message
    assert allowed in message
    assert isinstance(caught.value, ValueError)
    if name != "key":
        assert f"Got {value!r}" in message


def test_integers_cannot_be_unit_vectors():
    with pytest.raises(ParameterError, match=r"'norm'.*None with the integer dtype int32.*'l2'"):
        AdditiveHashingVectorizer(dtype=np.int32).transform(["a text"])


@pytest.mark.parametrize("parameters", [{}, {"strip_accents": "ascii"}, {"input": "filename"}])
@pytest.mark.parametrize(
    ("document", "said"), [(None, "is None"), (np.nan, "is NaN"), (float("nan"), "is NaN")]
)
def test_missing_documents(parameters, document, said, tmp_path):
    path = tmp_path / "text"
    path.write_text("text")
    fine = str(path) if parameters.get("input") else "fine"
    with pytest.raises(DocumentError, match=f"Document 5001 {said}"):
        AdditiveHashingVectorizer(n_features=8, **parameters).transform(
            [fine] * 5001 + [document] + [fine]
        )


def test_documents_of_another_type():
    with pytest.raises(DocumentError, match=r"Document 1 is 7 of type int"):
        AdditiveHashingVectorizer().transform(["fine", 7])


def test_one_text_where_many_are_meant():
    for text in ("a text", b"a text"):
        with pytest.raises(DocumentError, match=r"string object received.*\['a|\[b'a"):
            AdditiveHashingVectorizer().transform(text)


def test_lone_surrogates_are_named():
    with pytest.raises(UnicodeEncodeError) as caught:
        AdditiveHashingVectorizer(analyzer="char").transform(["ok", "a\ud800"])
    assert "in document 1" in caught.value.__notes__
    found = exact(analyzer="char", ngram_range=(9, 9)).transform(["a\ud800", "123456789"])
    assert not found[0].any()
    assert found[1].any()


def test_bytes_that_cannot_be_decoded_are_named():
    with pytest.raises(UnicodeDecodeError) as caught:
        AdditiveHashingVectorizer().transform([b"ok", b"\xff\xff"])
    assert "in document 1" in caught.value.__notes__[0]
    assert "decode_error" in caught.value.__notes__[0]


def test_an_error_leaves_the_vectorizer_usable():
    vectorizer = AdditiveHashingVectorizer(analyzer="char")
    expected = vectorizer.transform(["abc"])
    for _ in range(3):
        with pytest.raises(UnicodeEncodeError):
            vectorizer.transform(["xyz" * 30_000, "a\ud800", "more"] * 3)
    assert np.array_equal(vectorizer.transform(["abc"]), expected)


def test_scikit_learn_contract():
    vectorizer = AdditiveHashingVectorizer(n_features=64, key=b"k")
    copied = clone(vectorizer)
    assert copied.get_params() == vectorizer.get_params()
    assert vectorizer.fit(["text"]) is vectorizer
    assert vectorizer.partial_fit(["text"]) is vectorizer
    open_one = AdditiveHashingVectorizer(n_features=64)
    restored = pickle.loads(pickle.dumps(open_one))
    assert np.array_equal(restored.transform(["text"]), open_one.transform(["text"]))
    restored = copy.deepcopy(vectorizer)
    assert np.array_equal(restored.transform(["text"]), vectorizer.transform(["text"]))
    assert vectorizer.get_feature_names_out()[-1] == "additivehashingvectorizer63"
    tags = vectorizer.__sklearn_tags__()
    assert tags.input_tags.string
    assert not tags.requires_fit


def test_pipeline_and_grid_search():
    texts = ["good fine great", "bad awful poor"] * 10
    labels = [1, 0] * 10
    pipeline = make_pipeline(AdditiveHashingVectorizer(n_features=256), SGDClassifier())
    grid = {"additivehashingvectorizer__n_features": [8, 256]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(texts, labels)
    assert search.best_score_ == 1.0


def test_set_output():
    pandas = pytest.importorskip("pandas")
    vectorizer = AdditiveHashingVectorizer(n_features=8).set_output(transform="pandas")
    frame = vectorizer.fit_transform(pandas.Series(["a text", "another"], index=[5, 9]))
    assert list(frame.columns) == list(vectorizer.get_feature_names_out())
    assert frame.shape == (2, 8)


def test_unused_parameters_are_warned_of():
    with pytest.warns(UserWarning, match="'stop_words' will not be used"):
        AdditiveHashingVectorizer(analyzer="char", stop_words="english").fit(["text"])

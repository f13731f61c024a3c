"""HashingVectorizer and FeatureHasher give what scikit-learn's give, errors included."""

import io
from itertools import product

import numpy as np
import pytest
import scipy.sparse
import sklearn.feature_extraction as theirs
import sklearn.feature_extraction.text as their_text
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.utils import murmurhash3_32

import addhash
from tests.texts import HOSTILE


def assert_identical(ours, expected):
    assert type(ours) is type(expected)
    assert ours.shape == expected.shape
    for part in ("data", "indices", "indptr"):
        mine, other = getattr(ours, part), getattr(expected, part)
        assert mine.dtype == other.dtype, part
        assert mine.tobytes() == other.tobytes(), part
    assert ours.has_sorted_indices == expected.has_sorted_indices
    assert ours.has_canonical_format == expected.has_canonical_format


def outcome(vectorizer, documents):
    """What a call gives, or the exception it raises."""
    try:
        return vectorizer.transform(documents)
    except Exception as error:
        return error


def assert_same(ours, expected):
    if isinstance(expected, Exception):
        assert type(ours) is type(expected)
        assert str(ours) == str(expected)
    else:
        assert_identical(ours, expected)


def assert_both_agree(parameters, documents):
    ours = addhash.HashingVectorizer(**parameters)
    expected = their_text.HashingVectorizer(**parameters)
    assert_same(outcome(ours, documents), outcome(expected, documents))


GRID = [
    dict(zip(("analyzer", "ngram_range", "lowercase", "n_features"), values, strict=True))
    for values in product(
        ("word", "char", "char_wb"), ((1, 1), (1, 2), (3, 3), (2, 5)), (True, False), (2**20, 7, 1)
    )
]


@pytest.mark.parametrize("parameters", GRID, ids=str)
def test_analysis(parameters):
    assert_both_agree(parameters, HOSTILE)


@pytest.mark.parametrize("analyzer", ["word", "char"])
@pytest.mark.parametrize("norm", ["l1", "l2", None])
@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("alternate_sign", [True, False])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32])
def test_values(analyzer, norm, binary, alternate_sign, dtype):
    parameters = {
        "analyzer": analyzer,
        "norm": norm,
        "binary": binary,
        "alternate_sign": alternate_sign,
        "dtype": dtype,
    }
    for n_features in (2**20, 100, 3):
        assert_both_agree(parameters | {"n_features": n_features}, HOSTILE)


@pytest.mark.parametrize("n_features", [1, 2, 3, 1000, 2**20, 2**31 - 1])
def test_n_features(instruction_set, n_features):
    assert_both_agree(
        {"n_features": n_features, "analyzer": "char", "ngram_range": (1, 4)}, HOSTILE
    )


def test_threads_and_instruction_sets(instruction_set):
    documents = HOSTILE * 20
    expected = their_text.HashingVectorizer(analyzer="char_wb", ngram_range=(2, 4)).transform(
        documents
    )
    for n_jobs in (1, 2, 7, None, -1):
        ours = addhash.HashingVectorizer(analyzer="char_wb", ngram_range=(2, 4), n_jobs=n_jobs)
        assert_identical(ours.transform(documents), expected)


CUSTOM = [
    {"tokenizer": str.split, "token_pattern": None},
    {"preprocessor": str.swapcase},
    {"preprocessor": str.upper, "analyzer": "char", "ngram_range": (2, 3)},
    {"analyzer": lambda text: list(text[::-1])},
    {"token_pattern": r"(?u)\b\w+\b"},
    {"token_pattern": r"(\w)\w*", "ngram_range": (1, 3)},
    {"stop_words": "english"},
    {"stop_words": ["the", "fox"], "ngram_range": (1, 2)},
    {"strip_accents": "ascii"},
    {"strip_accents": "unicode", "analyzer": "char_wb", "ngram_range": (3, 3)},
    {"strip_accents": lambda text: text.replace("e", "")},
]


@pytest.mark.parametrize("parameters", CUSTOM, ids=" ".join)
def test_custom_analysis(parameters):
    assert_both_agree(parameters, HOSTILE)


def test_a_subclass_that_changes_the_analysis():
    class Stemming(addhash.HashingVectorizer):
        def build_analyzer(self):
            analyze = super().build_analyzer()
            return lambda text: [token[:3] for token in analyze(text)]

    expected = their_text.HashingVectorizer(
        analyzer=lambda text: [
            token[:3] for token in their_text.HashingVectorizer().build_analyzer()(text)
        ]
    )
    assert_identical(Stemming().transform(HOSTILE), expected.transform(HOSTILE))


BYTES = [
    b"plain",
    "grün ist die Heide".encode("latin-1"),
    "русский".encode(),
    b"\xff\xfe\xfa",
    b"",
]


@pytest.mark.parametrize("decode_error", ["strict", "ignore", "replace"])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
@pytest.mark.parametrize("document", BYTES)
def test_bytes(document, encoding, decode_error):
    for analyzer in ("word", "char"):
        parameters = {"encoding": encoding, "decode_error": decode_error, "analyzer": analyzer}
        assert_both_agree(parameters, [document, "a text"])


def test_unknown_encoding():
    assert_both_agree({"encoding": "utf-99"}, [b"bytes"])


SURROGATES = ["ok", "a\ud800b", "\udfff", "word \udc80\udc81 word", "ab\ud800"]


@pytest.mark.parametrize("text", SURROGATES)
@pytest.mark.parametrize("ngram_range", [(1, 1), (3, 3), (2, 4), (50, 50)])
@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
def test_lone_surrogates(analyzer, ngram_range, text):
    assert_both_agree({"analyzer": analyzer, "ngram_range": ngram_range}, ["fine", text])


@settings(max_examples=150, deadline=None)
@given(
    documents=st.lists(st.text(alphabet=st.characters()), min_size=1, max_size=5),
    analyzer=st.sampled_from(["word", "char", "char_wb"]),
    n=st.integers(1, 4),
    n_features=st.sampled_from([1, 5, 64, 2**20]),
)
def test_any_documents(documents, analyzer, n, n_features):
    parameters = {"analyzer": analyzer, "ngram_range": (1, n), "n_features": n_features}
    assert_both_agree(parameters, documents)


def test_a_word_of_a_megabyte():
    for word in ("x" * 1_000_000, "語" * 333_333):
        assert_both_agree({}, [word, word + " " + word])
        assert_both_agree({"analyzer": "char", "ngram_range": (3, 3)}, [word])


def test_files(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("Some text in a file, größer", encoding="utf-8")
    assert_both_agree({"input": "filename"}, [str(path)])
    assert_both_agree({"input": "filename", "analyzer": "char"}, [str(path)])
    ours = addhash.HashingVectorizer(input="file").transform([io.BytesIO(path.read_bytes())])
    expected = their_text.HashingVectorizer(input="file").transform([io.BytesIO(path.read_bytes())])
    assert_identical(ours, expected)
    assert_both_agree({"input": "filename"}, [str(tmp_path / "missing")])


def test_iterables():
    expected = their_text.HashingVectorizer().transform(HOSTILE)
    for documents in (tuple(HOSTILE), iter(HOSTILE), np.array(HOSTILE, dtype=object)):
        assert_identical(addhash.HashingVectorizer().transform(documents), expected)
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(HOSTILE, dtype=object)
    assert_identical(addhash.HashingVectorizer().transform(series), expected)


def test_more_documents_than_a_batch():
    documents = [f"document number {i} of {i % 7}" for i in range(10_000)]
    assert_both_agree({}, documents)


@pytest.mark.parametrize("interface", ["sparray", "spmatrix"])
def test_sparse_interface(interface):
    try:
        context = config_context(sparse_interface=interface)
        context.__enter__()
    except TypeError:
        pytest.skip("this scikit-learn has no sparse_interface")
    try:
        assert_both_agree({}, HOSTILE)
        assert_both_agree({"dtype": np.int64}, HOSTILE)
        ours = addhash.FeatureHasher().transform([{"a": 1}])
        assert_identical(ours, theirs.FeatureHasher().transform([{"a": 1}]))
    finally:
        context.__exit__(None, None, None)
    assert scipy.sparse.issparse(ours)


def test_parameters_are_scikit_learns():
    ours = addhash.HashingVectorizer().get_params()
    assert ours.pop("n_jobs") is None
    assert ours == their_text.HashingVectorizer().get_params()
    assert addhash.FeatureHasher().get_params() == theirs.FeatureHasher().get_params()
    copied = clone(addhash.HashingVectorizer(n_features=64, norm=None))
    assert copied.get_params()["n_features"] == 64


RECORDS = [
    [{"a": 1, "b": 2}, {"a": "x", "b": 2.5}, {}],
    [{"a": 0, "b": -1, "größe": 3, "語": "言"}],
    [{"a": True, "b": np.float32(1.5), "c": np.int64(4)}],
    [{1: "number", ("t", 2): "tuple", None: "none", b"by": "tes"}],
    [{b"bytes": 2, "bytes": 3}],
    [{"a": float("nan"), "b": float("inf")}],
    [{"a": None}],
    [{"a": [1]}],
    [{1: 2}],
    [{"\ud800": 1}],
    [{"a": "\ud800"}],
    [{f"f{i}": 0.1 * i for i in range(500)}],
    [],
]


@pytest.mark.parametrize("n_features", [1, 7, 2**20])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
@pytest.mark.parametrize("alternate_sign", [True, False])
@pytest.mark.parametrize("records", RECORDS, ids=lambda r: str(r)[:40])
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_records(records, alternate_sign, dtype, n_features):
    parameters = {"n_features": n_features, "dtype": dtype, "alternate_sign": alternate_sign}
    pairs = [list(r.items()) for r in records]
    for kind, given_records in (("dict", records), ("pair", pairs)):
        ours = addhash.FeatureHasher(input_type=kind, **parameters)
        expected = theirs.FeatureHasher(input_type=kind, **parameters)
        assert_same(outcome(ours, given_records), outcome(expected, given_records))


@pytest.mark.parametrize("n_features", [1, 10, 2**20])
def test_strings(instruction_set, n_features):
    records = [["a", "b", "a", b"a"], [], ["größe", "語", "😀", ""], iter("abc"), {"k": 1}]
    for alternate_sign in (True, False):
        parameters = {
            "n_features": n_features,
            "alternate_sign": alternate_sign,
            "input_type": "string",
        }
        rows = [list(r) for r in records]
        assert_identical(
            addhash.FeatureHasher(**parameters).transform(rows),
            theirs.FeatureHasher(**parameters).transform(rows),
        )


def four_bytes_with_hash(wanted):
    """Undo MurmurHash3 x86 32 with seed 0 for an input of four bytes."""
    mask = 2**32 - 1

    def rotr(x, n):
        return (x >> n | x << (32 - n)) & mask

    def inverse(constant):
        return pow(constant, -1, 2**32)

    h = wanted
    h ^= h >> 16
    h = h * inverse(0xC2B2AE35) & mask
    h ^= h >> 13 ^ h >> 26
    h = h * inverse(0x85EBCA6B) & mask
    h ^= h >> 16
    h ^= 4
    h = (h - 0xE6546B64) * inverse(5) & mask
    k = rotr(h, 13)
    k = rotr(k * inverse(0x1B873593) & mask, 15) * inverse(0xCC9E2D51) & mask
    return k.to_bytes(4, "little")


@pytest.mark.parametrize("n_features", [1, 2, 3, 7, 1000, 2**20, 2**31 - 1])
def test_hashes_at_the_ends_of_their_range(n_features):
    """The least hash, -2**31, has no positive counterpart."""
    for wanted in (0x80000000, 0x80000001, 0xFFFFFFFF, 0, 1, 0x7FFFFFFF):
        token = four_bytes_with_hash(wanted)
        assert murmurhash3_32(token, 0, positive=True) == wanted
        for alternate_sign in (True, False):
            parameters = {
                "n_features": n_features,
                "input_type": "string",
                "alternate_sign": alternate_sign,
            }
            assert_identical(
                addhash.FeatureHasher(**parameters).transform([[token]]),
                theirs.FeatureHasher(**parameters).transform([[token]]),
            )


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64, bool, np.float16, object, np.int8, ">f4"])
def test_unusual_dtypes_end_as_in_scikit_learn(dtype):
    """The same matrix, or the same kind of error."""

    def outcome(kind):
        try:
            found = kind(n_features=8, dtype=dtype, norm=None).transform(
                ["a b c d e f", "ab cd ef"]
            )
            return found.dtype, found.toarray().tolist()
        except Exception as error:  # whatever scikit-learn raises
            return type(error)

    assert outcome(addhash.HashingVectorizer) == outcome(their_text.HashingVectorizer)

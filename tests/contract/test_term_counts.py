"""CountVectorizer and TfidfVectorizer: results and errors equal scikit-learn's."""

import copy
import gc
import pickle
import random
import warnings
import weakref
from collections import Counter
from contextlib import ExitStack
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.feature_extraction.text as peers
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import addhash
from addhash.hashing.vocabulary import Vocabulary
from addhash.text.analysis import Analysis
from tests.contract.random_options import check, matrix
from tests.texts import HOSTILE, SCRIPTS

CLASSES = ["CountVectorizer", "TfidfVectorizer"]
TEXTS = st.lists(
    st.text(st.sampled_from("abcdeAé ΣςİЖ中1_'\n\x00\t") | st.characters(), max_size=30)
    | st.sampled_from(["to be or not to be", "the cat sat", "", "a", *SCRIPTS[:6]]),
    max_size=8,
)
OPTIONS = {
    "analyzer": st.sampled_from(["word", "word", "char", "char_wb", str.split]),
    "ngram_range": st.sampled_from([(1, 1), (1, 2), (2, 3), (3, 2)]),
    "lowercase": st.booleans(),
    "strip_accents": st.sampled_from([None, "unicode", "ascii"]),
    "stop_words": st.sampled_from([None, "english", ["to", "a"]]),
    "token_pattern": st.sampled_from([r"(?u)\b\w\w+\b", r"\S+", r"[a-z]+", r"(\w)\w"]),
    "min_df": st.sampled_from([1, 2, 0.5]),
    "max_df": st.sampled_from([1.0, 0.6, 1, 3]),
    "max_features": st.sampled_from([None, None, 1, 5]),
    "vocabulary": st.sampled_from([None, None, ["be", "to"], {"cat": 1, "the": 0}, {"a": 1}]),
    "binary": st.booleans(),
    "dtype": st.sampled_from([np.int64, np.float64, np.float32, np.int16, np.float16]),
}


def outcome(class_, options, texts, other):
    """What fitting and transforming gives, or the error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            vectorizer = class_(**options)
            fitted = vectorizer.fit_transform(texts)
            vocabulary = vectorizer.vocabulary_
            result = [
                matrix(fitted),
                matrix(vectorizer.transform(other)),
                matrix(class_(**options).fit(iter(texts)).transform(iter(texts))),
                list(vocabulary.items()),
                {type(number) for number in vocabulary.values()},
                vectorizer.get_feature_names_out().tolist(),
            ]
        except (ValueError, TypeError, AttributeError, UnicodeEncodeError) as error:
            result = [type(error).__name__, str(error)]
    return result, [str(warning.message) for warning in caught]


@pytest.mark.parametrize("seed", range(4))
def test_random_options_give_what_scikit_learn_gives(seed):
    for i in range(150):
        check(random.Random(f"{seed} {i}"))


@settings(deadline=None, max_examples=100)
@given(st.sampled_from(CLASSES), st.fixed_dictionaries({}, optional=OPTIONS), TEXTS, TEXTS)
def test_everything_equals_scikit_learn(name, options, texts, other):
    expected = outcome(getattr(peers, name), options, texts, other)
    assert outcome(getattr(addhash, name), options, texts, other) == expected


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
def test_long_and_hostile_texts(name, analyzer):
    # Longer than a window of the analysis, whose tokens come in another order elsewhere.
    texts = [" ".join(f"w{i * i % 7919}" for i in range(20000)), *HOSTILE, *SCRIPTS]
    options = {"analyzer": analyzer, "ngram_range": (1, 2)}
    expected = outcome(getattr(peers, name), options, texts, texts)
    assert outcome(getattr(addhash, name), options, texts, texts) == expected


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("analyzer", ["word", "char_wb"])
def test_threads_and_instruction_sets_number_tokens_alike(analyzer, threads, instruction_set):
    analysis = Analysis(analyzer=analyzer, ngram_range=(1, 3))
    texts = [f"{t} {i % 97} {t[: i % 40]}" for i, t in enumerate(SCRIPTS * 20)] + [""] * 3
    numbers: dict[str, int] = {}
    expected = []
    for text in texts:
        row: Counter[int] = Counter()
        for token in analysis.tokens(text):
            row[numbers.setdefault(token.decode(), len(numbers))] += 1
        expected.append(sorted(row.items()))
    vocabulary = Vocabulary()
    for rows in (vocabulary.learn(analysis, texts, threads), vocabulary.count(analysis, texts, 3)):
        found = []
        for starts, tokens, counts in rows:
            for first, last in pairwise(starts):
                row = slice(first, last)
                found.append(list(zip(tokens[row].tolist(), counts[row].tolist(), strict=True)))
        assert found == expected
    assert vocabulary.tokens() == list(numbers)
    ranks = vocabulary.sort()
    assert [list(numbers)[i] for i in np.argsort(ranks)] == sorted(numbers)


@pytest.mark.parametrize("name", CLASSES)
def test_copies_answer_alike_and_nothing_is_kept_with_them(name):
    texts = ["to be or not", "to do", "be"]
    vectorizer = getattr(addhash, name)().fit(texts)
    before = dict(vars(vectorizer))
    expected = vectorizer.transform(texts)
    assert vars(vectorizer) == before
    assert "vocabulary_" not in before  # nobody has looked at it
    unpickled = pickle.loads(pickle.dumps(vectorizer))
    assert (unpickled.transform(texts) != expected).nnz == 0
    assert (clone(vectorizer).fit(texts).transform(texts) != expected).nnz == 0
    # Another vocabulary in its place is noticed.
    vectorizer.vocabulary_ = {token: 3 - i for token, i in vectorizer.vocabulary_.items()}
    assert matrix(vectorizer.transform(texts)) != matrix(expected)
    del vectorizer, unpickled
    gc.collect()


def test_columns_and_files_are_read(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    texts = ["Crème brûlée", "to be", "ΣΊΣΥΦΟΣ to"]
    expected = matrix(addhash.CountVectorizer().fit_transform(texts))
    assert matrix(addhash.CountVectorizer().fit_transform(pyarrow.array(texts))) == expected
    paths = [tmp_path / str(i) for i in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    names = addhash.CountVectorizer(input="filename").fit_transform(paths)
    assert matrix(names) == expected
    with ExitStack() as stack:
        files = (stack.enter_context(path.open("rb")) for path in paths)
        assert matrix(addhash.CountVectorizer(input="file").fit_transform(files)) == expected


@pytest.mark.parametrize("name", CLASSES)
def test_the_vocabulary_is_made_once_and_answers_follow_it(name):
    class_ = getattr(addhash, name)
    vectorizer = class_()
    assert not hasattr(vectorizer, "vocabulary_")
    vectorizer.fit(["b a to", "to be"])
    assert vectorizer.vocabulary_ is vectorizer.vocabulary_
    assert vars(vectorizer)["vocabulary_"] == {"to": 1, "be": 0}
    for copied in (copy.copy(vectorizer), copy.deepcopy(vectorizer)):
        assert copied.vocabulary_ == vectorizer.vocabulary_
        assert matrix(copied.transform(["to"])) == matrix(vectorizer.transform(["to"]))
    vectorizer.fit(["another text"])  # nothing is left of the old one
    assert list(vectorizer.vocabulary_) == ["another", "text"]
    with pytest.raises(ValueError, match="empty vocabulary"):
        vectorizer.fit([""])
    assert list(vectorizer.vocabulary_) == ["another", "text"]
    del vectorizer.vocabulary_
    assert not hasattr(vectorizer, "vocabulary_")
    with pytest.raises(AttributeError):
        del vectorizer.vocabulary_


def test_a_text_of_more_tokens_than_are_held_at_once():
    later = "".join(map(chr, range(0x4E00, 0x9000)))
    text = "b" * (2**22 + 5) + later + "ab"
    vectorizer = addhash.CountVectorizer(analyzer="char")
    X = vectorizer.fit_transform([text])
    assert X[0, vectorizer.vocabulary_["b"]] == 2**22 + 6
    assert X.nnz == len(later) + 2
    assert X.sum() == len(text)
    assert matrix(vectorizer.transform([text])) == matrix(X.sorted_indices())


def test_a_generator_is_not_kept():
    class Document(str):
        pass

    alive: weakref.WeakSet[Document] = weakref.WeakSet()
    most = 0

    def documents():
        nonlocal most
        for i in range(40):
            document = Document(f"w{i} " * 300_000)
            alive.add(document)
            yield document
            del document
            most = max(most, len(alive))

    assert addhash.CountVectorizer().fit_transform(documents()).shape == (40, 40)
    assert most < 20


def test_a_generator_with_lone_surrogates_is_counted_to_its_end(tmp_path):
    texts = ["to be", *(f"w{i % 7}" for i in range(20000)), "a\ud800b be", "new word", "to"]
    for name in CLASSES:
        theirs, ours = (getattr(module, name)(analyzer="char") for module in (peers, addhash))
        expected = matrix(theirs.fit_transform(iter(texts)))
        assert matrix(ours.fit_transform(iter(texts))) == expected
        assert ours.vocabulary_ == theirs.vocabulary_
        assert matrix(ours.transform(iter(texts))) == matrix(theirs.transform(texts))
    path = tmp_path / "surrogate"  # read once, by its name
    path.write_bytes("a\ud800b".encode("utf-8", "surrogatepass"))
    options = {"input": "filename", "analyzer": "char", "decode_error": "ignore"}
    found = addhash.CountVectorizer(**options).fit_transform([path])
    assert matrix(found) == matrix(peers.CountVectorizer(**options).fit_transform([path]))


VALUES = st.sampled_from([0.0, 1, 2, 3, 7, -1, 0.5, 1e-300, 1e20, 1e300, np.inf, np.nan])


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.lists(VALUES, min_size=3, max_size=3), min_size=1, max_size=4),
    st.sampled_from([np.float64, np.float32, np.int64]),
    st.sampled_from(["csr_matrix", "csr_array", "csc_matrix", "array", "unsorted", "outside"]),
    st.fixed_dictionaries(
        {},
        optional={
            "norm": st.sampled_from(["l1", "l2", None]),
            "use_idf": st.booleans(),
            "smooth_idf": st.booleans(),
            "sublinear_tf": st.booleans(),
        },
    ),
    st.sampled_from([None, [1.0, 2, 3], [np.nan, 1, 1], [1e308, 1, 1]]),
    st.booleans(),
)
def test_weights_equal_scikit_learns(values, dtype, kind, options, idf, is_copied):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dense = np.array(values, np.float64).astype(dtype)
        results = []
        for module in (peers, addhash):
            if kind in ("unsorted", "outside"):
                columns = [2, 0, 1] if kind == "unsorted" else [2, 0, 9]
                starts = np.arange(0, 3 * len(dense) + 1, 3)
                X = sp.csr_matrix(dense)
                X.data, X.indices, X.indptr = (
                    dense.ravel().copy(),
                    np.array(columns * len(dense), np.int32),
                    starts.astype(np.int32),
                )
            else:
                X = dense.copy() if kind == "array" else getattr(sp, kind)(dense)
            try:
                transformer = module.TfidfTransformer(**options).fit(np.ones((2, 3), dtype))
                if idf is not None and transformer.use_idf:
                    transformer.idf_ = np.array(idf)
                found = transformer.transform(X, copy=is_copied)
                results.append(
                    [type(found), found.dtype, found.indices.tobytes(), bytes(found.data)]
                )
            except (ValueError, IndexError) as error:
                results.append([type(error).__name__, str(error)])
            if is_copied and sp.issparse(X):
                results[-1].append(bytes(X.data))
    assert results[0] == results[1]


@settings(deadline=None, max_examples=25)
@given(st.sampled_from(CLASSES), st.fixed_dictionaries({}, optional=OPTIONS), TEXTS)
def test_a_saved_vectorizer_answers_alike(name, options, texts):
    class_ = getattr(addhash, name)
    options = {key: value for key, value in options.items() if not callable(value)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        vectorizer = class_(**options)
        try:
            vectorizer.fit(texts)
            saved = vectorizer.to_bytes()
        except ValueError:
            return
        loaded = class_.from_bytes(saved)
        assert list(loaded.vocabulary_.items()) == list(vectorizer.vocabulary_.items())
        assert loaded.fixed_vocabulary_ == vectorizer.fixed_vocabulary_
        assert matrix(loaded.transform(texts)) == matrix(vectorizer.transform(texts))
        assert loaded.to_bytes() == saved
        # It can be fitted again, with the same parameters.
        assert matrix(loaded.fit_transform(texts)) == matrix(vectorizer.fit_transform(texts))


def test_functions_are_passed_again_when_a_vectorizer_is_loaded():
    vectorizer = addhash.CountVectorizer(tokenizer=str.split, token_pattern=None).fit(["a b"])
    saved = vectorizer.to_bytes()
    with pytest.raises(addhash.errors.AddhashError, match="pass tokenizer="):
        addhash.CountVectorizer.from_bytes(saved)
    loaded = addhash.CountVectorizer.from_bytes(saved, tokenizer=str.split)
    assert loaded.transform(["b"]).toarray().tolist() == [[0, 1]]
    for class_ in (addhash.CountVectorizer, addhash.TfidfVectorizer):
        with pytest.raises(NotFittedError):
            class_().to_bytes()

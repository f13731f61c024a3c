"""Document frequencies, the weights made of them, and what vectorizers do with them."""

import math
import pickle
from collections import Counter
from copy import deepcopy
from functools import cache

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils import murmurhash3_32

from addhash import (
    AdditiveHashingVectorizer,
    DocumentFrequencies,
    HashingVectorizer,
    TextClassifier,
    TextIndex,
)
from addhash.errors import ExampleError, MergeError, ModelFileError, ParameterError
from tests import oracle
from tests.texts import SCRIPTS

CHARACTERS = {"analyzer": "char", "ngram_range": (1, 3)}
TEXTS = [*SCRIPTS, "to be or not to be", "to go or to stay", "", "aaaa aaaa aaaa"]


def rounded(weight):
    """To three significant bits, halves up."""
    dropped = max(weight.bit_length() - 3, 0)
    return (weight + (1 << dropped >> 1)) >> dropped << dropped


@cache
def bucket(token):
    return abs(murmurhash3_32(token)) % 2**20


@cache
def slow_count(token):
    return sum(bucket(token) in set(map(bucket, ngrams(text))) for text in TEXTS)


@cache
def slow_weight(token):
    weight = rounded(round(4 * math.log((1 + len(TEXTS)) / (1 + slow_count(token)))))
    return max(weight, 1)


@cache
def ngrams(text):
    text = text.lower()
    return [text[i : i + n] for n in (1, 2, 3) for i in range(len(text) - n + 1)]


@cache
def slow_vectors(name, sublinear_tf, binary):
    rows = []
    for text in TEXTS:
        expected = np.zeros(136, np.int64)
        for token, count in Counter(ngrams(text)).items():
            weight = slow_weight(token)
            if sublinear_tf and not binary:
                factor = math.floor(256 * (1 + math.log(count)) + 0.5)
                weight = rounded((weight * factor + 128) >> 8)
            else:
                weight *= 1 if binary else count
            expected += weight * oracle.sums([token], 136, name)
        rows.append(expected)
    return rows


def vectorizer(**settings):
    return AdditiveHashingVectorizer(**CHARACTERS, **settings)


@pytest.fixture
def frequencies():
    return DocumentFrequencies(vectorizer()).learn(TEXTS)


def test_counts_are_those_of_a_set_of_tokens_per_text(frequencies):
    tokens = [*sorted({token for text in TEXTS for token in ngrams(text)}), "absent"]
    expected = list(map(slow_count, tokens))
    assert frequencies.n_documents == len(TEXTS)
    assert frequencies.counts(tokens).tolist() == expected


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("sublinear_tf", [False, True])
@pytest.mark.parametrize("name", oracle.DIGESTS)
def test_vectors_equal_the_oracle(instruction_set, frequencies, name, sublinear_tf, binary, n_jobs):
    found = vectorizer(
        n_features=136,
        norm=None,
        dtype=np.int64,
        randomizer=name,
        weights=frequencies,
        sublinear_tf=sublinear_tf,
        binary=binary,
        n_jobs=n_jobs,
    ).transform(TEXTS)
    assert np.array_equal(found, slow_vectors(name, sublinear_tf, binary))


def test_sublinear_counts_without_weights_are_in_sixteenths():
    found = vectorizer(n_features=8, norm=None, dtype=np.int64, sublinear_tf=True)
    one = AdditiveHashingVectorizer(n_features=8, norm=None, dtype=np.int64)
    row = found.set_params(ngram_range=(1, 1)).transform(["aaa"])[0]
    # 16 (1 + ln 3) = 33.6, and three significant bits of it are 32.
    token = one.set_params(analyzer="char").transform(["a"])[0]
    assert np.array_equal(row, 32 * token)


def test_texts_cut_in_python_weigh_the_same(frequencies):
    plain = vectorizer(n_features=64, weights=frequencies, sublinear_tf=True)
    surrogate = "to be \udc80"
    cut = DocumentFrequencies(AdditiveHashingVectorizer(analyzer=ngrams)).learn(TEXTS)
    own = AdditiveHashingVectorizer(analyzer=ngrams, n_features=64, weights=cut, sublinear_tf=True)
    assert np.array_equal(plain.transform(TEXTS), own.transform(TEXTS))
    with pytest.raises(UnicodeEncodeError):
        plain.transform([surrogate])


def test_weights_do_not_depend_on_order_or_history(frequencies):
    other = DocumentFrequencies(vectorizer(), n_jobs=1)
    other.learn(["something else"]).learn(reversed(TEXTS)).forget(["something else"])
    assert other == frequencies
    assert other.digest() == frequencies.digest()
    assert other.weights().digest == frequencies.weights().digest
    halves = [DocumentFrequencies(vectorizer()).learn(part) for part in (TEXTS[:3], TEXTS[3:])]
    assert halves[0].merge(halves[1]) == frequencies
    assert halves[1] != frequencies


def test_later_learning_does_not_reach_a_vectorizer(frequencies):
    weighted = vectorizer(weights=frequencies)
    before = weighted.transform(TEXTS)
    digest = weighted.settings()["weights"]["digest"]
    frequencies.learn(["to be"] * 50)
    assert np.array_equal(weighted.transform(TEXTS), before)
    assert weighted.settings()["weights"]["digest"] == digest
    assert vectorizer(weights=frequencies).settings()["weights"]["digest"] != digest


def test_what_was_not_learnt_is_not_forgotten(frequencies):
    digest = frequencies.digest()
    for texts in (["zebra"], TEXTS * 2, ["to be or not to be"] * 2):
        with pytest.raises(ExampleError, match="Cannot forget"):
            frequencies.forget(texts)
    with pytest.raises(ExampleError, match="would be left"):
        DocumentFrequencies().learn(["a cat", "a cat"]).forget([""])
    assert frequencies.digest() == digest
    assert frequencies.forget(TEXTS).n_documents == 0


def test_only_what_is_counted_alike_is_merged(frequencies):
    others = [
        DocumentFrequencies(),
        DocumentFrequencies(vectorizer(lowercase=False)),
        DocumentFrequencies(vectorizer(), n_buckets=64),
    ]
    for other in others:
        with pytest.raises(MergeError, match="here"):
            frequencies.merge(other)
    with pytest.raises(ParameterError, match="Expected DocumentFrequencies"):
        frequencies.merge({})


def test_frequencies_of_nothing_give_plain_vectors():
    weighted = vectorizer(norm=None, dtype=np.int32, weights=DocumentFrequencies(vectorizer()))
    plain = vectorizer(norm=None, dtype=np.int32)
    assert np.array_equal(weighted.transform(TEXTS), plain.transform(TEXTS))


@pytest.mark.parametrize("n_buckets", [1, 7, 1024])
def test_few_buckets_are_shared(n_buckets):
    counts = DocumentFrequencies(vectorizer(), n_buckets=n_buckets).learn(TEXTS)
    hashed = HashingVectorizer(
        **CHARACTERS, n_features=n_buckets, alternate_sign=False, norm=None
    ).transform(TEXTS)
    tokens = ["t", "to", "o b"]
    buckets = [
        HashingVectorizer(analyzer=list, n_features=n_buckets, alternate_sign=False)
        .transform([[token]])
        .indices[0]
        for token in tokens
    ]
    assert counts.counts(tokens).tolist() == [(hashed[:, b] != 0).sum() for b in buckets]


def test_weights_of_texts_cut_otherwise_are_refused(frequencies):
    wrong = AdditiveHashingVectorizer(analyzer="char", ngram_range=(1, 4), weights=frequencies)
    with pytest.raises(ParameterError, match=r"differ in ngram_range \(\[1, 3\] and \[1, 4\]\)"):
        wrong.transform(TEXTS)
    for bad in (5, "idf", {"the": 2}):
        with pytest.raises(ParameterError, match="'weights' parameter"):
            vectorizer(weights=bad).fit()
    with pytest.raises(ParameterError, match="'sublinear_tf' parameter"):
        vectorizer(sublinear_tf="yes").fit()
    for bad in (0, 2**24 + 1, 2.5):
        with pytest.raises(ParameterError, match="n_buckets"):
            DocumentFrequencies(n_buckets=bad)
    with pytest.raises(ParameterError, match="'vectorizer' parameter"):
        DocumentFrequencies(HashingVectorizer())


def test_estimators_with_weights_are_cloned_and_pickled(frequencies):
    weighted = vectorizer(weights=frequencies, sublinear_tf=True)
    expected = weighted.transform(TEXTS)
    for other in (clone(weighted), deepcopy(weighted), pickle.loads(pickle.dumps(weighted))):
        assert np.array_equal(other.transform(TEXTS), expected)
    assert pickle.loads(pickle.dumps(frequencies)) == frequencies


def test_documents_refuse_what_edits_cannot_follow(frequencies):
    with pytest.raises(ParameterError, match="'sublinear_tf' parameter"):
        vectorizer(sublinear_tf=True).document("to be")
    with pytest.raises(ParameterError, match="'weights' parameter"):
        vectorizer(weights=frequencies).document("to be")


def test_saved_frequencies_are_loaded(tmp_path, frequencies):
    frequencies.save(tmp_path / "idf", metadata={"source": "a test"})
    loaded = DocumentFrequencies.load(tmp_path / "idf", n_jobs=1)
    assert loaded == frequencies
    assert loaded.metadata == {"source": "a test"}
    assert loaded.digest() == frequencies.digest()
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "idf").read_bytes()
    with pytest.raises(ModelFileError):
        TextIndex.load(tmp_path / "idf")
    with pytest.raises(ParameterError, match="takes the functions"):
        DocumentFrequencies.load(tmp_path / "idf", stop_words=None)


LABELS = [str(i % 3) for i in range(len(TEXTS))]


@pytest.mark.parametrize("method", ["nearest", "centroid"])
def test_a_model_file_holds_its_weights(tmp_path, frequencies, method):
    weighted = vectorizer(weights=frequencies, sublinear_tf=True)
    model = TextClassifier(method=method, vectorizer=weighted).fit(TEXTS, LABELS)
    model.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model")
    assert loaded.digest() == model.digest()
    assert loaded.predict(TEXTS).tolist() == model.predict(TEXTS).tolist()
    loaded.learn(["one more"], ["1"]).forget(["one more"], ["1"])
    assert loaded.digest() == model.digest()
    plain = TextClassifier(method=method, vectorizer=vectorizer()).fit(TEXTS, LABELS)
    later = vectorizer(weights=frequencies.learn(["a text"]), sublinear_tf=True)
    others = [plain, TextClassifier(method=method, vectorizer=later).fit(TEXTS, LABELS)]
    for other in others:
        with pytest.raises(MergeError, match=r"vectorizer\.weights"):
            model.merge(other)
        assert other.digest() != model.digest()


@pytest.mark.parametrize("sublinear_tf", [False, True])
@pytest.mark.parametrize("method", ["nearest", "centroid"])
def test_explanations_add_up(frequencies, method, sublinear_tf):
    weighted = vectorizer(weights=frequencies, sublinear_tf=sublinear_tf, n_features=4096)
    model = TextClassifier(method=method, vectorizer=weighted).fit(TEXTS, LABELS)
    text = "to be or to stay"
    explanation = model.explain(text)
    prediction = model.predict_scores([text])[0]
    assert explanation.score == pytest.approx(prediction.score, abs=1e-6)
    assert sum(share.evidence for share in explanation.tokens) == pytest.approx(
        explanation.evidence
    )


def test_naive_bayes_refuses_weights(frequencies):
    for settings in ({"weights": frequencies}, {"sublinear_tf": True}):
        with pytest.raises(ParameterError, match="method='bayes'"):
            TextClassifier(method="bayes", vectorizer=vectorizer(**settings)).fit(TEXTS, LABELS)


def test_an_index_file_holds_its_weights(tmp_path, frequencies):
    index = TextIndex(vectorizer(weights=frequencies, sublinear_tf=True))
    index.add(TEXTS)
    index.save(tmp_path / "index")
    loaded = TextIndex.load(tmp_path / "index")
    assert loaded.search(["to stay or go"], k=3) == index.search(["to stay or go"], k=3)


def test_a_file_whose_weights_were_changed_is_refused(tmp_path, frequencies):
    from addhash.files.model_file import read_model, write_model

    index = TextIndex(vectorizer(weights=frequencies))
    index.add(TEXTS)
    index.save(tmp_path / "index")
    model = read_model(tmp_path / "index", "TextIndex")
    table = model.arrays["token_weights"].copy()
    for change in (lambda: table.__setitem__(5, 7), lambda: table.__setitem__(5, 200)):
        change()
        write_model(
            tmp_path / "bad",
            "TextIndex",
            model.settings,
            {**model.arrays, "token_weights": table},
            {},
        )
        with pytest.raises(ModelFileError, match="weights of tokens"):
            TextIndex.load(tmp_path / "bad")
    rest = {name: array for name, array in model.arrays.items() if name != "token_weights"}
    write_model(tmp_path / "bad", "TextIndex", model.settings, rest, {})
    with pytest.raises(ModelFileError, match="token_weights is missing"):
        TextIndex.load(tmp_path / "bad")


@pytest.mark.parametrize(
    "change",
    [
        {"n_documents": 1},
        {"n_documents": -1},
        {"n_buckets": 3},
        {"n_buckets": 2**25},
        {"cut": {}},
        {"cut": None},
        {"more": 1},
    ],
)
def test_a_file_of_counts_that_cannot_be_is_refused(tmp_path, frequencies, change):
    from addhash.files.model_file import read_model, write_model

    frequencies.save(tmp_path / "idf")
    model = read_model(tmp_path / "idf", "DocumentFrequencies")
    write_model(tmp_path / "bad", "DocumentFrequencies", model.settings | change, model.arrays, {})
    with pytest.raises(ModelFileError):
        DocumentFrequencies.load(tmp_path / "bad")

"""BayesClassifier: scikit-learn's contract, and the laws of exact counts."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone

from addhash import BayesClassifier, TextClassifier
from addhash.errors import ExampleError, ParameterError


@pytest.fixture
def data():
    random = np.random.default_rng(5)
    y = np.repeat(["a", "b", "c"], 60)
    means = random.gamma(0.5, 2, (3, 40))
    X = random.poisson(means[np.repeat(np.arange(3), 60)])
    return X, y


def test_it_recognises_classes_and_takes_sparse_and_dense(data):
    X, y = data
    classifier = BayesClassifier().fit(X[::2], y[::2])
    assert classifier.score(X[1::2], y[1::2]) > 0.95
    np.testing.assert_array_equal(
        classifier.predict_proba(csr_matrix(X.astype(float))), classifier.predict_proba(X)
    )
    np.testing.assert_allclose(classifier.predict_proba(X).sum(axis=1), 1)


def test_forgetting_takes_back_learning_and_merging_commutes(data, tmp_path):
    X, y = data
    once = BayesClassifier(smoothing=0.5).fit(X[:90], y[:90])
    model = clone(once).fit(X[:90], y[:90]).partial_fit(X[90:], y[90:]).forget(X[90:], y[90:])
    np.testing.assert_array_equal(model.decision_function(X), once.decision_function(X))
    rest = clone(once).fit(X[90:], y[90:])
    one = clone(once).fit(X[:90], y[:90]).merge(rest)
    two = clone(once).fit(X[90:], y[90:]).merge(once)
    np.testing.assert_array_equal(one.predict(X), two.predict(X))
    with pytest.raises(ExampleError, match="nothing was forgotten"):
        once.forget(X[90:91] + 100, y[:1])


def test_what_is_not_a_count_is_refused(data):
    X, y = data
    for wrong in (-1, 0.5, 2**50):
        with pytest.raises(ParameterError):
            BayesClassifier().fit(np.where(X > 3, wrong, X), y)


def test_the_callers_matrix_is_left_as_it_is():
    indices, indptr = np.array([2, 0, 2, 1]), np.array([0, 3, 4])
    matrix = csr_matrix((np.array([1, 2, 3, 4]), indices, indptr), shape=(2, 3))
    for array in (matrix.data, matrix.indices, matrix.indptr):
        array.flags.writeable = False
    before = matrix.data.tolist(), matrix.indices.tolist(), matrix.indptr.tolist()
    classifier = BayesClassifier().fit(matrix, ["x", "y"])
    assert classifier.predict(matrix).tolist() == ["x", "y"]
    assert (matrix.data.tolist(), matrix.indices.tolist(), matrix.indptr.tolist()) == before
    whole = BayesClassifier().fit(matrix.toarray(), ["x", "y"])
    assert np.array_equal(classifier.predict_proba(matrix), whole.predict_proba(matrix))


def test_the_widest_matrix_is_saved_and_loaded():
    width = 2**31 - 1
    X = csr_matrix((np.ones(2), ([0, 1], [3, width - 1])), shape=(2, width))
    classifier = BayesClassifier().fit(X, ["a", "b"])
    loaded = BayesClassifier.from_bytes(classifier.to_bytes())
    assert loaded.predict(X).tolist() == classifier.predict(X).tolist() == ["a", "b"]
    texts = TextClassifier(n_buckets=width).fit(["red", "blue"], ["a", "b"])
    again = TextClassifier.from_bytes(texts.to_bytes())
    assert again.predict(["red", "blue"]).tolist() == ["a", "b"]

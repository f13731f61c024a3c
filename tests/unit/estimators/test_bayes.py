"""BayesClassifier: scikit-learn's contract, and the laws of exact counts."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone

from addhash import BayesClassifier
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

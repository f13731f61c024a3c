import numpy as np
import pytest

from addhash import CentroidClassifier
from addhash.errors import VectorError


def test_centroids_are_the_sums():
    model = CentroidClassifier().fit([[1, 2], [3, 4], [5, 6]], [1, 0, 1])
    assert model.centroids_.tolist() == [[3, 4], [6, 8]]
    assert model.class_counts_.tolist() == [1, 2]
    scores = model.decision_function([[4, -3]])
    assert scores.tolist() == [0.0]


def test_shares_follow_the_cosines():
    model = CentroidClassifier().fit(np.eye(3), ["a", "b", "c"])
    X = np.array([[3, 2, 1], [0, 1, 5]])
    scores, shares = model.decision_function(X), model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_array_equal(np.argsort(scores, axis=1), np.argsort(shares, axis=1))
    assert model.predict(X).tolist() == ["a", "c"]


def test_a_refused_example_changes_nothing():
    model = CentroidClassifier().fit([[1.0, 2.0], [3.0, 4.0]], [0, 1])
    with pytest.raises(VectorError, match="1e-120 to 1e120"):
        model.partial_fit([[1e200, 1.0]], [0])
    assert model.class_counts_.tolist() == [1, 1]
    assert model.centroids_.tolist() == [[1, 2], [3, 4]]

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier

from addhash import CentroidClassifier, NearestNeighborClassifier
from addhash.errors import ExampleError, MergeError, ParameterError


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 20))
    return X, np.array(["a", "b", "c"])[X[:, :3].argmax(axis=1)]


@pytest.mark.parametrize("k", [1, 5])
def test_scikit_learn_agrees(data, k):
    X, y = data
    ours = NearestNeighborClassifier(k).fit(X[:200], y[:200])
    theirs = KNeighborsClassifier(k, metric="cosine", algorithm="brute").fit(X[:200], y[:200])
    distances, indices = ours.kneighbors(X[200:])
    their_distances, their_indices = theirs.kneighbors(X[200:])
    np.testing.assert_array_equal(indices, their_indices)
    np.testing.assert_allclose(distances, their_distances, atol=1e-12)
    np.testing.assert_array_equal(ours.kneighbors(X[200:], return_distance=False), indices)
    np.testing.assert_allclose(
        ours.predict_proba(X[200:]), theirs.predict_proba(X[200:]), atol=2e-6
    )
    if k == 1:
        np.testing.assert_array_equal(ours.predict(X[200:]), theirs.predict(X[200:]))


def test_the_nearest_neighbour_decides_between_equal_votes():
    classifier = NearestNeighborClassifier(2).fit([[1, 0], [0, 1]], ["b", "a"])
    assert classifier.predict([[2, 1], [1, 2]]).tolist() == ["b", "a"]


def test_similar_neighbours_count_more():
    X, y = [[10, 0], [-1, 10], [-1, 11]], ["near", "far", "far"]
    assert NearestNeighborClassifier(3).fit(X, y).predict([[1, 0]]) == ["far"]
    weighted = NearestNeighborClassifier(3, weights="similarity").fit(X, y)
    assert weighted.predict([[1, 0]]) == ["near"]


def test_opposite_neighbours_still_vote():
    weighted = NearestNeighborClassifier(2, weights="similarity").fit([[1, 0], [2, 0]], ["a", "b"])
    assert weighted.predict_proba([[-1, 0]]).tolist() == [[1, 0]]


@pytest.mark.parametrize("kind", [NearestNeighborClassifier, CentroidClassifier])
def test_low_scores_are_rejected(kind):
    classifier = kind(reject_below=0.9).fit([[1, 0], [0, 1]], [7, 8])
    assert classifier.predict([[1, 0], [1, 1], [0.1, 1]]).tolist() == [7, None, 8]


@pytest.mark.parametrize("kind", [NearestNeighborClassifier, CentroidClassifier])
def test_the_score_weighs_examples_and_rejected_ones_are_wrong(kind):
    classifier = kind(reject_below=0.9).fit([[1, 0], [0, 1]], [7, 8])
    X, y = [[1, 0], [0, 1], [1, 1]], [7, 7, 7]
    assert classifier.score(X, y) == 1 / 3
    assert classifier.score(X, y, sample_weight=[5, 1, 2]) == 5 / 8


@pytest.mark.parametrize("kind", [NearestNeighborClassifier, CentroidClassifier])
@pytest.mark.parametrize("value", ["0.5", 2, -1.5, True])
def test_wrong_thresholds_are_refused(kind, value):
    with pytest.raises(ParameterError, match="reject_below"):
        kind(reject_below=value).fit([[1, 0], [0, 1]], [0, 1])


@pytest.mark.parametrize(("name", "value"), [("n_neighbors", 0), ("weights", "distance")])
def test_wrong_parameters_are_refused(name, value):
    with pytest.raises(ParameterError, match=name):
        NearestNeighborClassifier(**{name: value}).fit([[1, 0], [0, 1]], [0, 1])


@pytest.mark.parametrize("kind", [NearestNeighborClassifier, CentroidClassifier])
def test_learning_in_parts_equals_learning_at_once(data, kind):
    X, y = data
    whole = kind().fit(X, y)
    parts = kind()
    order = np.argsort(y, kind="stable")  # classes come one after the other
    for i in range(0, 300, 77):
        parts.partial_fit(X[order][i : i + 77], y[order][i : i + 77])
    assert parts.classes_.tolist() == whole.classes_.tolist()
    np.testing.assert_array_equal(parts.predict(X + 0.3), whole.predict(X + 0.3))
    np.testing.assert_array_equal(parts.predict_proba(X + 0.3), whole.predict_proba(X + 0.3))


@pytest.mark.parametrize("kind", [NearestNeighborClassifier, CentroidClassifier])
def test_forgetting_takes_back_learning(data, kind):
    X, y = data
    model = kind().fit(X[:100], y[:100])
    before = model.predict_proba(X)
    model.partial_fit(X[100:], np.where(y[100:] == "a", "new", y[100:]))
    assert "new" in model.classes_
    model.forget(X[100:], np.where(y[100:] == "a", "new", y[100:]))
    assert model.classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_one_of_two_equal_examples_is_forgotten():
    model = NearestNeighborClassifier().fit([[1, 0], [1, 0], [0, 1]], ["a", "a", "b"])
    assert model.forget([[1.0, 0.0]], ["a"]).n_samples_fit_ == 2
    assert model.predict([[1, 0]]) == ["a"]
    assert model.forget([[1, 0]], ["a"]).predict([[1, 0]]) == ["b"]


@pytest.mark.parametrize("kind", [NearestNeighborClassifier, CentroidClassifier])
def test_what_was_not_learnt_cannot_be_forgotten(kind):
    model = kind().fit([[1, 0], [0, 1]], ["a", "b"])
    for X, y in [([[1, 0]], ["c"]), ([[1, 1]], ["a"]), ([[1, 0]] * 2, ["a", "a"])]:
        with pytest.raises(ExampleError, match="nothing was forgotten"):
            model.forget(X, y)
    assert model.predict([[1, 0], [0, 1]]).tolist() == ["a", "b"]


@pytest.mark.parametrize("kind", [NearestNeighborClassifier, CentroidClassifier])
def test_nothing_left_to_predict_from(kind):
    model = kind().partial_fit([[1, 0]], ["a"], classes=["a", "b"])
    assert model.classes_.tolist() == ["a", "b"]
    assert model.predict([[1, 1]]) == ["a"]
    assert model.predict_proba([[1, 1]]).tolist() == [[1, 0]]
    model.forget([[1, 0]], ["a"])
    assert model.classes_.tolist() == ["a", "b"]
    with pytest.raises(ExampleError, match="no examples left"):
        model.predict([[1, 1]])
    assert model.partial_fit([[1, 0]], ["b"]).predict([[1, 1]]) == ["b"]


@pytest.mark.parametrize("kind", [NearestNeighborClassifier, CentroidClassifier])
def test_merging_equals_learning_everything(data, kind):
    X, y = data
    whole = kind().fit(X, y)
    merged = kind().fit(X[:50], y[:50])
    for part in (slice(50, 120), slice(120, 300)):
        other = kind().fit(X[part], y[part])
        merged.merge(other)
    np.testing.assert_array_equal(merged.predict_proba(X + 0.3), whole.predict_proba(X + 0.3))


def test_unequal_models_are_not_merged(data):
    X, y = data
    model = NearestNeighborClassifier().fit(X, y)
    with pytest.raises(MergeError, match="n_neighbors: 1 here, 3 there"):
        model.merge(NearestNeighborClassifier(3).fit(X, y))
    with pytest.raises(MergeError, match="n_features_in_: 20 here, 5 there"):
        model.merge(NearestNeighborClassifier().fit(X[:, :5], y))
    with pytest.raises(MergeError, match="got a CentroidClassifier"):
        model.merge(CentroidClassifier().fit(X, y))
    with pytest.raises(NotFittedError):
        model.merge(NearestNeighborClassifier())
    assert model.n_samples_fit_ == 300
    model.merge(clone(model).set_params(n_jobs=1).fit(X, y))


@pytest.mark.parametrize("kind", [NearestNeighborClassifier, CentroidClassifier])
def test_texts_and_numbers_do_not_mix_as_labels(kind):
    model = kind().fit([[1, 0], [0, 1]], ["a", "b"])
    with pytest.raises(ParameterError, match="but the classes so far are"):
        model.partial_fit([[1, 1]], [3])
    with pytest.raises(ExampleError):
        model.forget([[1, 0]], [0])
    assert model.predict([[1, 0]]) == ["a"]


@pytest.mark.parametrize("kind", [NearestNeighborClassifier, CentroidClassifier])
def test_forgetting_needs_a_fitted_model(kind):
    with pytest.raises(NotFittedError):
        kind().forget([[1, 0]], ["a"])

"""Laws of learning: order, parts and merging make no difference, forgetting takes back."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from addhash import CentroidClassifier, Index, NearestNeighborClassifier

numbers = st.one_of(
    st.integers(-300, 300).map(float),
    st.floats(-1e6, 1e6, allow_subnormal=False).filter(lambda v: v == 0 or abs(v) > 1e-6),
)


@st.composite
def examples(draw, least=2):
    count = draw(st.integers(least, 12))
    X = draw(arrays(np.float64, (count, 5), elements=numbers))
    y = draw(st.lists(st.sampled_from(["a", "b", "c"]), min_size=count, max_size=count))
    return X, np.array(y)


@settings(deadline=None, max_examples=60)
@given(examples(), st.randoms(use_true_random=False))
def test_centroids_do_not_depend_on_order_or_parts(data, random):
    X, y = data
    whole = CentroidClassifier().fit(X, y)
    order = list(range(len(X)))
    random.shuffle(order)
    cut = random.randrange(1, len(X))
    first = CentroidClassifier().fit(X[order[:cut]], y[order[:cut]])
    second = CentroidClassifier().fit(X[order[cut:]], y[order[cut:]])
    for merged in (
        CentroidClassifier().fit(X[order[:cut]], y[order[:cut]]).merge(second),
        CentroidClassifier().fit(X[order[cut:]], y[order[cut:]]).merge(first),
    ):
        assert merged.memory_.sums == whole.memory_.sums
        assert merged.classes_.tolist() == whole.classes_.tolist()
        assert merged.class_counts_.tolist() == whole.class_counts_.tolist()


@settings(deadline=None, max_examples=60)
@given(examples(), examples(), st.randoms(use_true_random=False))
def test_forgetting_takes_back_learning(data, more, random):
    X, y = data
    order = list(range(len(more[0])))
    random.shuffle(order)
    for kind in (CentroidClassifier, NearestNeighborClassifier):
        once = kind().fit(X, y)
        model = kind().fit(X, y).partial_fit(*more)
        model.forget(more[0][order], more[1][order])
        assert model.classes_.tolist() == once.classes_.tolist()
        np.testing.assert_array_equal(model.predict_proba(X), once.predict_proba(X))
        if kind is CentroidClassifier:
            assert model.memory_.sums == once.memory_.sums
        else:
            np.testing.assert_array_equal(model.kneighbors(X, 20)[1], once.kneighbors(X, 20)[1])


@settings(deadline=None, max_examples=60)
@given(examples(), st.integers(1, 12), st.integers(1, 5))
def test_index_in_parts_equals_index_at_once(data, k, size):
    X, _ = data
    whole, parts = Index(5), Index(5)
    whole.add(X)
    for i in range(0, len(X), size):
        parts.add(X[i : i + size])
    together, batch = whole.search(X, k), parts.search(X, k)
    np.testing.assert_array_equal(together.ids, batch.ids)
    np.testing.assert_array_equal(together.scores, batch.scores)
    for i, query in enumerate(X):
        np.testing.assert_array_equal(whole.search(query[None], k).ids[0], together.ids[i])


@settings(deadline=None, max_examples=60)
@given(examples(), examples())
def test_add_then_remove_is_identity(data, more):
    index, once = Index(5), Index(5)
    for each in (index, once):
        each.add(data[0])
    index.remove(index.add(more[0]))
    np.testing.assert_array_equal(index.search(data[0], 50), once.search(data[0], 50))

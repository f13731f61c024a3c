import pickle
import threading
from copy import deepcopy

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from addhash import AdditiveHashingVectorizer, DuplicateIndex, Index, TextIndex
from addhash.errors import IdError, ParameterError, VectorError


@pytest.fixture
def index():
    index = Index(3)
    index.add([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]])
    return index


def test_ids_go_on_from_the_largest(index):
    assert index.add([[1, 2, 3]], ids=[100]).tolist() == [100]
    assert index.add([[1, 2, 3], [3, 2, 1]]).tolist() == [101, 102]
    index.remove([102])
    assert index.add([[1, 2, 3]]).tolist() == [103]
    assert index.ids.tolist() == [0, 1, 2, 3, 100, 101, 103]


def test_the_order_of_adding_decides_ties(index):
    index.add([[2, 0, 0]], ids=[-5])
    found = index.search([[5, 0, 0]], 2)
    assert found.ids.tolist() == [[0, -5]]
    assert found.scores.tolist() == [[1.0, 1.0]]


def test_removed_vectors_are_not_found(index):
    index.remove([0, 3])
    assert len(index) == 2
    assert index.search([[1, 0, 0]], 10).ids.tolist() == [[1, 2]]


@pytest.mark.parametrize("queries", [[], np.empty((0, 3))])
def test_no_queries(index, queries):
    found = index.search(queries, 2)
    assert found.ids.shape == found.scores.shape == (0, 2)


def test_an_empty_index_finds_nothing():
    found = Index(3).search(np.ones((2, 3)))
    assert found.ids.shape == found.scores.shape == (2, 0)


def test_zero_vectors_score_zero(index):
    found = index.search([[0, 0, 0]], 4)
    assert found.ids.tolist() == [[0, 1, 2, 3]]
    assert found.scores.tolist() == [[0.0] * 4]


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([[1, 2]], "3 components, got 2"),
        ([1, 2, 3], "reshape"),
        ([[[1, 2, 3]]], "shape"),
        ([[1, 2, 3], [1, np.nan, 2]], r"Row 1 of the \w+ holds NaN"),
        ([[1, 2, 3], [1, -np.inf, 2]], r"Row 1 of the \w+ holds inf"),
        ([["a", "b", "c"]], "dtype <U1"),
        ([[None, 1, 2]], "dtype object"),
        ([[1, 2, 3j]], "dtype complex128"),
        ([[1, 2, 3], [1, 2]], "different lengths"),
        ([[1, 2, 2**53 + 1]], "beyond 2"),
        (np.array([[1, 2, 2**63]], np.uint64), "beyond 2"),
        ([[1e200, 0.5, 0]], "1e-120 to 1e120"),
        ([[1e-200, 0, 0]], "1e-120 to 1e120"),
        (csr_matrix([[1, 2, 3]]), "toarray"),
    ],
)
@pytest.mark.parametrize("method", ["add", "search"])
def test_wrong_vectors_are_refused(index, vectors, message, method):
    with pytest.raises(VectorError, match=message):
        getattr(index, method)(vectors)
    assert len(index) == 4


@pytest.mark.parametrize(
    "dtype",
    ["bool", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", ">i4", ">f8"],
)
def test_types_make_no_difference(dtype):
    values = np.array([[1, 0, 1], [0, 1, 1]])
    index = Index(3)
    index.add(values.astype(dtype))
    (_, vectors), *_ = index
    np.testing.assert_array_equal(vectors, values)
    assert index.search(values.astype(dtype), 1).ids.tolist() == [[0], [1]]


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([0], "taken"),
        ([7, 7], "id for each of 1"),
        ([1.5], "integer ids"),
        (["a"], "integer ids"),
        ([[9]], "shape"),
        (np.array([2**63], np.uint64), "below 2"),
    ],
)
def test_wrong_ids_are_refused(index, ids, message):
    with pytest.raises(IdError, match=message):
        index.add([[1, 2, 3]], ids=ids)
    assert len(index) == 4


def test_unknown_ids_remove_nothing(index):
    with pytest.raises(IdError, match="no id 9"):
        index.remove([0, 9])
    assert len(index) == 4


@pytest.mark.parametrize("n_features", [0, -1, 2.5, True, None, 2**21])
def test_wrong_widths_are_refused(n_features):
    with pytest.raises(ParameterError, match="n_features"):
        Index(n_features)


@pytest.mark.parametrize(("name", "value"), [("k", 0), ("k", 1.5), ("n_jobs", 0)])
def test_wrong_parameters_of_a_search_are_refused(index, name, value):
    with pytest.raises(ParameterError, match=name):
        index.search([[1, 2, 3]], **{name: value})


def test_vectors_come_back_exactly():
    rng = np.random.default_rng(0)
    parts = [
        rng.integers(-127, 128, (40, 9)),
        rng.integers(-31750, 31751, (40, 9)),
        rng.integers(-(2**53), 2**53, (40, 9)),
        rng.normal(size=(40, 9)),
        rng.normal(size=(40, 9)).astype(np.float32),
    ]
    index = Index(9)
    for part in parts:
        index.add(part)
    index.remove(index.ids[::3])
    expected = np.concatenate([part.astype(float) for part in parts])
    kept = np.arange(200) % 3 != 0
    got = np.concatenate([vectors for _, vectors in index.batches(7)])
    np.testing.assert_array_equal(got, expected[kept])
    ids = np.concatenate([ids for ids, _ in index.batches(7)])
    np.testing.assert_array_equal(ids, np.flatnonzero(kept))


def test_many_small_adds_equal_one(index):
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(300, 16)) * rng.choice([1, 50, 3000], (300, 1))
    vectors[::2] = vectors[::2].round()
    one, many = Index(16), Index(16)
    one.add(vectors)
    for vector in vectors:
        many.add(vector[None])
    for a, b in zip(one.search(vectors, 20), many.search(vectors, 20), strict=True):
        np.testing.assert_array_equal(a, b)


def test_additive_vectors_are_compact():
    texts = [f"{i} " * (i % 900 + 10) + "the quick brown fox" * 20 for i in range(300)]
    vectorizer = AdditiveHashingVectorizer(
        analyzer="char", ngram_range=(3, 3), norm=None, dtype=np.int32
    )
    vectors = vectorizer.transform(texts)
    assert np.abs(vectors).max() > 127
    index = Index(2048)
    index.add(vectors)
    assert index.nbytes / vectors.size <= 2.2


@pytest.mark.parametrize("copied", [deepcopy, lambda index: pickle.loads(pickle.dumps(index))])
def test_copies_are_independent(index, copied):
    copy = copied(index)
    copy.add([[5, 5, 5]])
    index.add([[7, 0, 0]])
    assert copy.search([[1, 1, 1]], 1).ids.tolist() == [[4]]
    assert index.search([[1, 0, 0]], 2).ids.tolist() == [[0, 4]]


def test_searches_during_changes_see_a_consistent_state():
    """Vectors come and go in pairs of opposites: the best and the worst score are opposite."""
    index = Index(64)
    rng = np.random.default_rng(2)
    first = rng.normal(size=(1, 64))
    index.add(np.concatenate([first, -first]))
    failures = []
    done = threading.Event()

    def look():
        while not done.is_set():
            found = index.search(first, 10**6, n_jobs=1)
            if found.ids.shape[1] % 2 or found.scores[0, 0] != -found.scores[0, -1]:
                failures.append(found)

    readers = [threading.Thread(target=look) for _ in range(3)]
    for reader in readers:
        reader.start()
    for i in range(150):
        vector = rng.normal(size=(1, 64)) * 10**i if i < 100 else rng.integers(-9, 10, (1, 64))
        ids = index.add(np.concatenate([vector, -vector]))
        if i % 3 == 0:
            index.remove(ids)
    done.set()
    for reader in readers:
        reader.join()
    assert not failures


@pytest.mark.parametrize("made", [lambda: Index(2), TextIndex, DuplicateIndex])
def test_numbering_continues_after_the_largest_id_ever_used(made):
    index = made()
    one = [[1, 0]] if isinstance(index, Index) else ["a text"]
    index.add(one, ids=[10])
    index.add(one, ids=[3])
    assert index.add(one).tolist() == [11]
    index.remove([10, 11])
    assert index.add(one).tolist() == [12]
    index.remove([3, 12])
    for copied in (
        type(index).from_bytes(index.to_bytes()),
        pickle.loads(pickle.dumps(index)),
        deepcopy(index),
    ):
        assert copied.add(one).tolist() == [13]


@pytest.mark.parametrize("made", [lambda: Index(2), TextIndex])
def test_numbering_ends_below_the_largest_number(made):
    index = made()
    one = [[1, 0]] if isinstance(index, Index) else ["a text"]
    index.add(one, ids=[2**63 - 3])
    with pytest.raises(IdError, match="no larger ids left"):
        index.add(one * 2)
    assert index.add(one).tolist() == [2**63 - 2]
    with pytest.raises(IdError, match="no larger ids left"):
        index.add(one)
    assert index.add(one, ids=[7]).tolist() == [7]
    assert index.ids.tolist() == [2**63 - 3, 2**63 - 2, 7]

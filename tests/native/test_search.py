"""Every instruction set, on one thread and on two, against a float64 brute force."""

from functools import cache

import numpy as np
import pytest

import addhash
from addhash import Index
from addhash.runtime import native
from addhash.search.encoded_vectors import NAMES, EncodedVectors

SETS = native.available_instruction_sets()


@pytest.fixture(params=SETS)
def instruction_set(request):
    addhash.set_instruction_set(request.param)
    before = native.instruction_set_uses()[request.param]
    yield request.param
    assert native.instruction_set_uses()[request.param] > before
    addhash.set_instruction_set(None)


def lane_dots(rows, query):
    """The documented sum: 16 partial sums of every 16th product, added in pairs."""
    products = rows.astype(np.float64) * query.astype(np.float64)
    padded = np.zeros((len(rows), -(-rows.shape[1] // 16) * 16))
    padded[:, : rows.shape[1]] = products
    lanes = np.zeros((len(rows), 16))
    for i in range(0, padded.shape[1], 16):
        lanes += padded[:, i : i + 16]
    while lanes.shape[1] > 1:
        lanes = lanes[:, ::2] + lanes[:, 1::2]
    return lanes[:, 0]


def norms_of(rows):
    return np.sqrt([lane_dots(row[None], row)[0] for row in rows])


def brute_force(rows, queries, k):
    norms = norms_of(rows)
    ids, scores = [], []
    for query, norm in zip(queries, norms_of(queries), strict=True):
        dots = lane_dots(rows, query)
        both = norm * norms
        score = np.divide(dots, both, out=np.zeros(len(rows)), where=both > 0)
        order = np.lexsort((np.arange(len(rows)), -score))[:k]
        ids.append(order)
        scores.append(score[order])
    return np.array(ids), np.array(scores)


def assert_exact(rows, queries, k, expected=None):
    expected_ids, expected_scores = expected or brute_force(rows, queries, k)
    index = Index(rows.shape[1])
    index.add(rows)
    for threads in (1, 2):
        found = index.search(queries, k, n_jobs=threads)
        np.testing.assert_array_equal(found.ids, expected_ids)
        np.testing.assert_array_equal(found.scores, expected_scores)


WIDTHS = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200, 2048]


@pytest.mark.parametrize("width", WIDTHS)
def test_widths_at_vector_edges(instruction_set, width):
    rng = np.random.default_rng(width)
    rows = rng.integers(-127, 128, (70, width))
    assert_exact(rows, rng.integers(-127, 128, (5, width)), 7)


@pytest.mark.parametrize("count", [1, 2, 31, 32, 33, 63, 64, 65, 1025])
@pytest.mark.parametrize("queries", [1, 2, 4, 5, 12, 13, 25])
def test_counts_at_tile_edges(instruction_set, count, queries):
    rng = np.random.default_rng(count * 100 + queries)
    rows = rng.integers(-20, 21, (count, 48))
    assert_exact(rows, rng.integers(-20, 21, (queries, 48)), min(count, 10))


def random_integers(rng):
    return rng.integers(-90, 91, (3000, 128)), rng.integers(-90, 91, (20, 128))


def extreme_codes(rng):
    return rng.choice([-127, 127], (300, 512)), rng.choice([-127, 127], (6, 512))


def sums_beyond_a_byte(rng):
    return rng.normal(0, 90, (2000, 128)).astype(int), rng.normal(0, 70, (20, 128)).astype(int)


def sums_up_to_two_bytes(rng):
    return rng.integers(-31750, 31751, (500, 96)), rng.integers(-31750, 31751, (10, 96))


def large_integers(rng):
    return rng.integers(-(2**40), 2**40, (500, 96)), rng.integers(-(2**40), 2**40, (10, 96))


def floats(rng):
    return rng.normal(size=(2000, 128)), rng.normal(size=(20, 128))


def single_floats(rng):
    return rng.normal(size=(1000, 100)).astype(np.float32), rng.normal(size=(9, 100))


def clusters(rng):
    centers = rng.integers(-60, 61, (10, 128))
    rows = centers[rng.integers(0, 10, 3000)] + rng.integers(-2, 3, (3000, 128))
    return rows, centers + rng.integers(-1, 2, centers.shape)


def float_clusters(rng):
    centers = rng.normal(size=(10, 128))
    rows = centers[rng.integers(0, 10, 2000)] + rng.normal(0, 1e-3, (2000, 128))
    return rows, centers + rng.normal(0, 1e-3, centers.shape)


def duplicates(rng):
    rows = np.repeat(rng.integers(-50, 51, (30, 64)), 100, axis=0)
    return rows[rng.permutation(len(rows))], rng.integers(-50, 51, (8, 64))


def float_duplicates(rng):
    rows = np.repeat(rng.normal(size=(10, 64)), 150, axis=0)
    return rows[rng.permutation(len(rows))], rng.normal(size=(8, 64))


def near_ties_of_integers(rng):
    base = rng.integers(-3000, 3001, 128)
    rows = np.repeat(base[None], 2500, axis=0)
    rows[np.arange(2500), rng.integers(0, 128, 2500)] += rng.choice([-1, 1], 2500)
    return rows, np.stack([base, base + 1, -base])


def near_ties_of_floats(rng):
    base = rng.normal(size=128)
    return base + rng.normal(0, 1e-12, (2500, 128)), np.stack([base, base * 3, -base])


def multiples(rng):
    base = rng.integers(-20, 21, (5, 64))
    factors = rng.integers(1, 200, (400, 1))
    return base[rng.integers(0, 5, 400)] * factors, base


def zeros_among_others(rng):
    rows = rng.integers(-3, 4, (200, 40))
    rows[::3] = 0
    queries = rng.integers(-3, 4, (4, 40))
    queries[1] = 0
    return rows, queries


def mixed_kinds(rng):
    rows = rng.normal(0, 1, (600, 64)) * rng.choice([1e-30, 1, 40, 5000, 1e30], (600, 1))
    rows[::2] = np.rint(np.clip(rows[::2], -30000, 30000))
    return rows, rng.integers(-200, 201, (12, 64)) * np.linspace(0.25, 3, 12)[:, None]


CASES = [
    random_integers,
    extreme_codes,
    sums_beyond_a_byte,
    sums_up_to_two_bytes,
    large_integers,
    floats,
    single_floats,
    clusters,
    float_clusters,
    duplicates,
    float_duplicates,
    near_ties_of_integers,
    near_ties_of_floats,
    multiples,
    zeros_among_others,
    mixed_kinds,
]


@cache
def answered(case, k):
    rows, queries = case(np.random.default_rng(1))
    return rows, queries, brute_force(rows, queries, k)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
@pytest.mark.parametrize("k", [1, 10])
def test_brute_force_agrees(instruction_set, case, k):
    rows, queries, expected = answered(case, k)
    assert_exact(rows, queries, k, expected)


def test_more_wanted_than_there_are(instruction_set):
    rows, queries = random_integers(np.random.default_rng(2))
    assert_exact(rows[:50], queries, 50)
    index = Index(rows.shape[1])
    index.add(rows[:50])
    assert index.search(queries, 1000).ids.shape == (len(queries), 50)


def test_very_wide_vectors(instruction_set):
    """Sums of more than 2**15 products do not fit 32 bits, and need not."""
    rng = np.random.default_rng(3)
    rows = np.full((40, 2**17 + 24), 127)
    rows[:, :40] -= np.triu(np.ones((40, 40), int))
    rows[5] *= -1
    assert_exact(rows, np.stack([rows[0], -rows[1], rng.choice([-127, 127], rows.shape[1])]), 3)


def test_integers_are_in_the_exact_rational_order(instruction_set):
    """Compared as fractions: dot * |dot| / squared norm."""
    from fractions import Fraction

    rng = np.random.default_rng(4)
    rows = rng.integers(-60, 61, (400, 16))
    queries = rng.integers(-60, 61, (5, 16))
    index = Index(16)
    index.add(rows)
    for query, ids in zip(queries, index.search(queries, 400).ids, strict=True):
        dots = (rows @ query).tolist()
        squares = (rows * rows).sum(axis=1).tolist()
        values = [Fraction(d * abs(d), n) for d, n in zip(dots, squares, strict=True)]
        assert ids.tolist() == sorted(range(400), key=lambda i: (-values[i], i))


def test_floats_agree_with_matrix_products(instruction_set):
    """NumPy's own product, on data whose order its roundings cannot change."""
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(3000, 200))
    queries = rng.normal(size=(10, 200))
    scores = (queries / np.linalg.norm(queries, axis=1)[:, None]) @ (
        rows / np.linalg.norm(rows, axis=1)[:, None]
    ).T
    expected = np.argsort(-scores, axis=1, kind="stable")[:, :10]
    top = np.take_along_axis(scores, np.argsort(-scores, axis=1)[:, :11], axis=1)
    assert np.diff(top, axis=1).max() < -1e-12
    index = Index(200)
    index.add(rows)
    found = index.search(queries, 10)
    np.testing.assert_array_equal(found.ids, expected)
    np.testing.assert_allclose(found.scores, top[:, :10], rtol=1e-12)


def test_fifty_thousand_vectors():
    rng = np.random.default_rng(6)
    width, k = 2048, 10
    rows = np.empty((50_000, width), np.int16)
    for start in range(0, 50_000, 5000):
        rows[start : start + 5000] = rng.normal(0, 24, (5000, width)).astype(np.int16)
    rows[::7] = rows[3]
    rows[::11, 0] += 1
    queries = np.concatenate([rows[3:5] + 1, rng.normal(0, 45, (4, width)).astype(np.int16)])
    dots = np.concatenate(
        [
            queries.astype(float) @ rows[i : i + 5000].astype(float).T
            for i in range(0, 50_000, 5000)
        ],
        axis=1,
    )
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.int64).astype(float))
    sums = np.einsum("ij,ij->i", queries, queries, dtype=np.int64).astype(float)
    scores = dots / (np.sqrt(sums)[:, None] * norms)
    expected = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    index = Index(width)
    index.add(rows)
    for name in SETS:
        addhash.set_instruction_set(name)
        try:
            found = index.search(queries, k)
        finally:
            addhash.set_instruction_set(None)
        np.testing.assert_array_equal(found.ids, expected)
        np.testing.assert_array_equal(found.scores, np.take_along_axis(scores, expected, axis=1))


def test_ranks_decide_ties(instruction_set):
    rows = EncodedVectors.encode(np.ones((100, 8), np.int16), 8, 1)
    ranks = np.random.default_rng(7).permutation(100)
    positions, _ = rows.nearest(rows.take(np.arange(3)), 100, 2, ranks)
    np.testing.assert_array_equal(positions, np.tile(np.argsort(ranks), (3, 1)))


def test_excluded_groups_are_not_matched(instruction_set):
    rng = np.random.default_rng(8)
    vectors = rng.integers(-200, 201, (500, 40))
    groups = rng.integers(0, 3, 500)
    excluded = rng.integers(0, 4, 30)
    rows = EncodedVectors.encode(vectors, 40, 1)
    queries = rng.integers(-9, 10, (30, 40))
    encoded = EncodedVectors.encode(queries, 40, 1)
    for threads in (1, 2):
        positions, scores = rows.nearest(encoded, 400, threads, None, groups, excluded)
        for i in range(30):
            kept = np.flatnonzero(groups != excluded[i])
            ids, expected = brute_force(vectors[kept], queries[i][None], 400)
            count = ids.shape[1]
            np.testing.assert_array_equal(positions[i, :count], kept[ids[0]])
            np.testing.assert_array_equal(scores[i, :count], expected[0])
            assert (positions[i, count:] == -1).all()
            assert np.isnan(scores[i, count:]).all()


def test_foreign_arrays_are_refused():
    """Whatever a file says, a search stays inside its arrays."""
    good = EncodedVectors.encode(np.array([[1, 300], [2, 3]]), 2, 1)
    for name, value, message in [
        ("places", np.array([5, -1]), "outside"),
        ("places", np.array([0, -2]), "outside"),
        ("scales", np.array([3.0, np.nan]), "impossible"),
        ("scales", np.array([1e300, 1.0]), "impossible"),
        ("norms", np.array([1.0]), "length"),
        ("norms", np.array([-1.0, 1.0]), "impossible"),
        ("tails", np.zeros((1, 3), np.int8), "width"),
    ]:
        arrays = dict(zip(NAMES, good.arrays(), strict=True))
        arrays[name] = value
        with pytest.raises(ValueError, match=message):
            EncodedVectors(**arrays).native  # noqa: B018

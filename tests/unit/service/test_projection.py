import numpy as np
import pytest

from addhash.service.projection import LEAST, beside, plane, refined


@pytest.fixture(scope="module")
def groups():
    """Vectors of length 1 in twelve groups of ten, and the group of each."""
    random = np.random.default_rng(3)
    group = np.arange(120) % 12
    vectors = random.normal(size=(12, 64))[group] + 0.6 * random.normal(size=(120, 64))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True), group


def nearest(points):
    distances = ((points[:, None] - points) ** 2).sum(axis=2)
    np.fill_diagonal(distances, np.inf)
    return distances.argmin(axis=1)


def test_neighbours_are_neighbours_on_a_refined_map(groups):
    vectors, group = groups
    points = refined(vectors)
    assert (group[nearest(points)] == group).mean() > 0.95
    assert (group[nearest(plane(vectors))] == group).mean() < 0.95
    np.testing.assert_array_equal(points, refined(vectors))
    assert points.min(axis=0).tolist() == [0, 0]
    assert points.max(axis=0).tolist() == [1, 1]


def test_a_map_goes_on_from_where_it_was(groups):
    vectors, group = groups
    old = refined(vectors[:100])
    start = beside(vectors, vectors[:100], old)
    start[:100] = old
    points = refined(vectors, start)
    assert 0 < np.abs(points[:100] - old).mean() < 0.08
    assert (group[nearest(points)] == group).mean() > 0.9


def test_a_new_point_is_where_similar_ones_are(groups):
    vectors, group = groups
    places = np.eye(12, 2)[group]  # all groups but two at the origin
    found = beside(vectors[100:], vectors[:100], places[:100])
    assert np.abs(found - places[100:]).max() < 0.01
    np.testing.assert_array_equal(beside(vectors[:1], vectors[:1], places[:1]), places[:1])


@pytest.mark.parametrize("count", range(LEAST + 1))
def test_few_points(groups, count):
    few = groups[0][:count]
    for points in (plane(few), refined(few), refined(np.zeros_like(few))):
        assert points.shape == (count, 2)
        assert np.isfinite(points).all()
        assert ((points >= 0) & (points <= 1)).all()

import numpy as np
import pytest

from addhash.errors import ParameterError
from addhash.learning.labels import as_labels, joined_classes, numbered


def test_classes_are_sorted_and_unique():
    assert joined_classes(None, np.array(["b", "a", "b"])).tolist() == ["a", "b"]
    joined = joined_classes(np.array(["a", "c"]), np.array(["long label", "c"]))
    assert joined.tolist() == ["a", "c", "long label"]
    assert joined_classes(np.array([1, 3]), np.array([], int)).tolist() == [1, 3]
    assert joined_classes(np.array([], int), np.array(["a"])).tolist() == ["a"]


@pytest.mark.parametrize(
    "more", [np.array([1]), as_labels(np.array([1], object)), as_labels([1.0])]
)
def test_texts_and_numbers_do_not_mix(more):
    with pytest.raises(ParameterError, match="but the classes so far are"):
        joined_classes(np.array(["a"]), more)


def test_labels_are_numbered():
    classes = np.array(["a", "c", "e"])
    assert numbered(np.array(["e", "a", "b", "z"]), classes).tolist() == [2, 0, -1, -1]
    assert numbered(np.array([1, 2]), classes).tolist() == [-1, -1]
    assert numbered(np.array(["a"]), np.array([], int)).tolist() == [-1]
    assert numbered(np.array(["c"], object), classes).tolist() == [1]


def test_measurements_are_no_labels():
    with pytest.raises(ValueError, match="continuous"):
        as_labels([0.5, 1.25])

from decimal import Decimal
from enum import Enum

import numpy as np
import pyarrow as pa
import pytest

from addhash import TextClassifier
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


@pytest.mark.parametrize("kind", [pa.decimal128(38), pa.decimal256(76)])
def test_decimals_without_fractions_are_whole_numbers(kind):
    labels = as_labels(pa.array([Decimal(3), Decimal(-1), Decimal(3)], kind))
    assert labels.tolist() == [3, -1, 3]
    assert labels.dtype == np.int64


def test_decimals_that_are_no_classes_are_refused():
    with pytest.raises(ParameterError, match="it holds decimals with fractions"):
        as_labels(pa.array([Decimal("1.5")]))
    with pytest.raises(ParameterError, match="row 1 has a number beyond 64 bits"):
        as_labels(pa.array([Decimal(1), Decimal(2**63)]))


def test_measurements_are_no_labels():
    with pytest.raises(ValueError, match="continuous"):
        as_labels([0.5, 1.25])


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", None], "Label 1 is None"),
        ([1.0, float("nan")], "Label 1 is nan"),
        (np.array(["a", None], object), "Label 1 is None"),
        (["a", float("nan")], "Label 1 is nan"),
        (["a", "b\0"], "ends with a NUL"),
        (["a", 1], "all texts or all numbers"),
        ([0.5, 1.0], "continuous"),
        ("ham", "single label 'ham'"),
        ([[1, 2], [3, 4]], "one dimension"),
        (np.array([2**63], np.uint64), "below 2"),
        ([1 + 2j], "texts or numbers"),
    ],
)
def test_what_is_not_a_label_is_refused(labels, message):
    with pytest.raises(ParameterError, match=message):
        as_labels(labels)


def test_numbers_of_different_kinds_do_not_meet():
    """Large whole numbers would become one float."""
    known = as_labels([1590000000000000001, 1590000000000000002])
    with pytest.raises(ParameterError, match=r"Got the label 3\.0, but .* whole numbers such as"):
        joined_classes(known, as_labels([3.0]))
    assert joined_classes(known, as_labels(np.array([5], np.uint8))).tolist()[0] == 5


def test_long_labels_take_no_more_than_themselves():
    labels = as_labels(["x" * 1_000_000, *(f"label {i}" for i in range(1000))])
    assert labels.nbytes < 100_000
    classes = joined_classes(None, labels)
    assert numbered(labels[:2], classes).tolist() == [1000, 0]
    assert numbered(as_labels(["label 1"]), classes).tolist() == [1]


class Kind(str, Enum):  # noqa: UP042  StrEnum has another str()
    SPAM = "spam"
    HAM = "ham and eggs"


def test_members_of_enumerations_are_their_values():
    for labels in ([Kind.SPAM, Kind.HAM], np.array([Kind.SPAM, Kind.HAM], object)):
        found = as_labels(labels)
        assert found.tolist() == ["spam", "ham and eggs"]
        assert found.dtype.kind == "U"
    classifier = TextClassifier().fit(["buy", "eat"], [Kind.SPAM, Kind.HAM])
    assert classifier.classes_.tolist() == ["ham and eggs", "spam"]
    assert classifier.predict(["buy"])[0] == Kind.SPAM


@pytest.mark.parametrize(
    "labels",
    [[1, 1.0], [1.0, 2], [True, 1], [0.0, False], [1, np.float64(1)], [True, np.int64(1)]],
)
def test_numbers_of_several_kinds_are_refused(labels):
    for given in (labels, tuple(labels), np.array(labels, object)):
        with pytest.raises(ParameterError, match="Labels must be all of one kind"):
            as_labels(given)


def test_whole_numbers_are_never_rounded():
    assert as_labels([2**53 + 1, 2**63 - 1, -(2**63)]).tolist() == [2**53 + 1, 2**63 - 1, -(2**63)]
    assert as_labels([1, np.int8(2), np.uint64(3)]).tolist() == [1, 2, 3]
    for wrong in ([2**63, -1], [-(2**63) - 1], [2**64, 1]):
        with pytest.raises(ParameterError, match=r"2\*\*63"):
            as_labels(wrong)


def test_zero_is_one_label():
    for labels in ([0.0, -0.0], [-0.0, 0.0], np.array([-0.0, 0.0])):
        assert np.signbit(as_labels(labels)).tolist() == [False, False]


@pytest.mark.parametrize("label", [float("inf"), float("-inf")])
def test_infinite_labels_are_refused(label):
    with pytest.raises(ParameterError, match="Label 1 is infinite"):
        as_labels([1.0, label])


@pytest.mark.parametrize("labels", [[["x"], ["y", "z"]], [1, (2, 3)]])
def test_several_labels_for_an_example(labels):
    first = 0 if isinstance(labels[0], list) else 1
    with pytest.raises(ParameterError) as caught:
        as_labels(labels)
    message = str(caught.value)
    assert message.startswith(f"Label {first} is {labels[first]!r}; expected one label for each")
    assert "OneVsRestClassifier" in message
    assert "inhomogeneous" not in message


@pytest.mark.parametrize("missing", [None, float("nan")])
@pytest.mark.parametrize("other", [1, 1.5, True])
def test_a_label_is_missing_among_numbers(missing, other):
    with pytest.raises(ParameterError, match=r"Label 1 is (None|nan)"):
        as_labels([other, missing, other])

import numpy as np
import pytest

from addhash.errors import ExampleError, ModelFileError
from addhash.files.parts import Parts, json_part
from addhash.learning.classes import Classes


def classes(**counts):
    labels = np.array(sorted(counts))
    return Classes(labels, np.array([counts[label] for label in labels]))


def shown(classes):
    declared = None if classes.declared is None else classes.declared.tolist()
    return dict(zip(classes.labels.tolist(), classes.counts.tolist(), strict=True)), declared


def test_new_labels_have_no_examples_and_known_ones_keep_theirs():
    some = classes(b=2, d=1)
    assert shown(some.including(np.array(["a", "d", "long"]))) == (
        {"a": 0, "b": 2, "d": 1, "long": 0},
        None,
    )
    assert some.including(np.array(["b", "b"])) is some


def test_learning_and_forgetting_count_examples():
    some = classes(a=1, b=2)
    more = some.learnt(some.codes(np.array(["b", "a", "b"])))
    assert shown(more) == ({"a": 2, "b": 4}, None)
    assert more.labels is some.labels
    less = more.forgotten(more.codes_to_forget(np.array(["a", "b", "a"])))
    assert shown(less) == ({"a": 0, "b": 3}, None)
    assert shown(less.known()) == ({"b": 3}, None)
    assert less.label(1) == "b"


def test_no_more_is_forgotten_than_there_is():
    some = classes(a=1, b=2)
    with pytest.raises(ExampleError, match="Cannot forget 3 examples of 'b': the model has 2"):
        some.codes_to_forget(np.array(["b", "b", "b"]))
    with pytest.raises(ExampleError, match="Cannot forget 1 example of 'z': the model has 0"):
        some.codes_to_forget(np.array(["a", "z"]))


def test_only_learnt_examples_can_be_left_out():
    some = classes(a=1, b=0)
    assert some.codes_to_leave_out(np.array(["a", "a"])).tolist() == [0, 0]
    for label in ("b", "z"):
        with pytest.raises(
            ExampleError, match=f"Example 1 was not learnt with the label '{label}'"
        ):
            some.codes_to_leave_out(np.array(["a", label]))


def test_declared_classes_stay_without_examples():
    some = classes(a=1).declare(np.array(["z"]))
    assert shown(some) == ({"a": 1, "z": 0}, ["z"])
    left = some.forgotten(some.codes_to_forget(np.array(["a"])))
    assert shown(left.known()) == ({"z": 0}, ["z"])


def test_merging_adds_counts_and_joins_what_was_declared():
    one, two = classes(a=1, c=2).declare(np.array(["x"])), classes(b=3, c=4)
    assert shown(one.merged(two)) == ({"a": 1, "b": 3, "c": 6, "x": 0}, ["x"])
    assert shown(two.merged(one)) == shown(one.merged(two))
    assert shown(one.merged(two.declare(np.array(["y"]))))[1] == ["x", "y"]


def test_counts_that_do_not_fit_are_refused():
    with pytest.raises(ExampleError, match=r"2\*\*63"):
        classes(a=2**62).merged(classes(b=2**62))
    parts = classes(a=2**62, b=2**62)
    with pytest.raises(ValueError, match="number of examples"):
        Classes.from_parts(Parts(parts.parts() | {"counts": parts.counts}))


def test_restricting_keeps_some_classes():
    some = classes(a=1, b=2, c=3).declare(np.array(["b", "c"]))
    assert shown(some.restricted(np.array(["a", "c"]))) == ({"a": 1, "c": 3}, ["c"])
    assert shown(some.restricted(np.array(["a"]))) == ({"a": 1}, None)


def test_parts_are_the_whole():
    some = classes(a=1, b=2).declare(np.array(["z"]))
    again = Classes.from_parts(Parts(some.parts() | {"counts": some.counts}))
    assert shown(again) == shown(some)
    counted = Classes.from_parts(Parts(some.parts()), np.array([1, 0, 1]))
    assert shown(counted) == shown(some)
    none = Classes.from_parts(Parts(Classes().parts()), np.empty(0, np.int64))
    assert shown(none) == ({}, None)


@pytest.mark.parametrize(
    ("labels", "counts", "message"),
    [
        (["b", "a"], [1, 1], "order of classes"),
        (["a", "a"], [1, 1], "order of classes"),
        ([1, "a"], [1, 1], "classes"),
        ({"a": 1}, [1], "classes"),
        (["a"], [-1], "number of examples of a class"),
        (["a"], [1, 2], "shape of counts"),
    ],
)
def test_wrong_parts_are_refused(labels, counts, message):
    parts = {"classes": json_part(labels), "declared": json_part(None)}
    with pytest.raises(ValueError, match=message):
        Classes.from_parts(Parts(parts | {"counts": np.array(counts, "<i8")}))


def test_codes_of_classes_that_are_not_there_are_refused():
    for code in (-1, 1):
        with pytest.raises(ValueError, match="labels"):
            Classes.from_parts(Parts(classes(a=1).parts()), np.array([code]))


def test_labels_that_are_not_json_cannot_be_saved():
    with pytest.raises(ModelFileError, match="Cannot save the label"):
        Classes(np.array([b"a"], object), np.array([1])).parts()

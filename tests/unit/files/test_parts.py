"""The values of a file, taken one by one."""

import numpy as np
import pytest

from addhash import CountVectorizer
from addhash.errors import ModelFileError
from addhash.files.parts import Parts, member, texts_parts
from tests.fuzz.targets import forged


def parts(ends, data=b"abcdefgh"):
    return Parts({"texts.ends": np.array(ends, "<i8"), "texts.bytes": np.frombuffer(data, "u1")})


@pytest.mark.parametrize(
    "texts", [[], [""], ["", "a", ""], ["語学", "\ud800", "x" * 300]], ids=repr
)
def test_texts_are_given_back(texts):
    taken = Parts(texts_parts(texts))
    assert taken.texts(len(texts)) == tuple(texts)
    taken.finish()


@pytest.mark.parametrize("ends", [[5, 3, 8], [-1, 3, 8], [0, 9, 8]], ids=str)
def test_ends_of_texts_that_do_not_ascend_are_refused(ends):
    with pytest.raises(ValueError, match=r"order of texts\.ends"):
        parts(ends).texts(3)


@pytest.mark.parametrize(("ends", "count"), [([3, 8], 3), ([3, 9], 2), ([3, 7], 2)], ids=str)
def test_every_byte_belongs_to_a_text(ends, count):
    with pytest.raises(ValueError, match=r"type or shape of texts\."):
        parts(ends).texts(count)


def test_an_array_is_taken_once_and_with_its_type():
    taken = parts([8])
    for dtype, shape in (("<i4", (1,)), ("<i8", (2,)), ("<i8", ()), ("<i8", (1, 1))):
        with pytest.raises(ValueError, match=r"type or shape of texts\.ends"):
            parts([8]).take("texts.ends", dtype, *shape)
    assert taken.take("texts.ends", "<i8", None).tolist() == [8]
    with pytest.raises(ValueError, match=r"texts\.ends is missing"):
        taken.take("texts.ends", "<i8", None)
    with pytest.raises(ValueError, match=r"texts\.bytes'\] have no meaning"):
        taken.finish()


def test_a_truth_value_is_no_number():
    with pytest.raises(ValueError, match="it has wrong count: True"):
        member({"count": True}, "count", int)


@pytest.mark.parametrize("dtype", [",", "(", "f4,", "O", "V8", "<M8"])
def test_a_type_that_is_none_is_an_error_of_the_file(dtype):
    made = forged(
        lambda: CountVectorizer().fit(["to be"]), lambda settings, _: settings.update(dtype=dtype)
    )
    with pytest.raises(ModelFileError):
        CountVectorizer.from_bytes(made)

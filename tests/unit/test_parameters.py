"""Which values parameters may have."""

import numpy as np
import pytest

from addhash import TextVectorizer
from addhash.errors import ParameterError


@pytest.mark.parametrize(
    "dtype", [",", "(", "f4,", "", "V-1", "O", "a", ">f4", None, [("a", "f4")], 3]
)
def test_what_is_no_type_of_vectors_is_refused(dtype):
    with pytest.raises(ParameterError, match="dtype"):
        TextVectorizer(dtype=dtype).transform(["a text"])


@pytest.mark.parametrize("dtype", ["f4", "float32", np.float32, np.dtype("float32")], ids=repr)
def test_a_type_may_be_written_in_any_way(dtype):
    assert TextVectorizer(dtype=dtype, n_features=8).transform(["a text"]).dtype == np.float32

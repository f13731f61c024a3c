"""Edits of kept sums by every instruction set, against the paper's code."""

import numpy as np
import pytest

from addhash.hashing.randomizers import make_randomizer
from addhash.runtime import native
from tests import oracle


@pytest.mark.parametrize("name", oracle.DIGESTS)
@pytest.mark.parametrize("width", [8, 64, 72, 512, 1000, 2048, 8192])
def test_edits_equal_the_papers_code(instruction_set, name, width):
    randomizer = make_randomizer(name, width, None)
    for n in (0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 33):
        tokens = [f"token {i}" * (1 + i % 20) for i in range(n)]
        weights = [(-1) ** i * (1 + 3**i % 1000) for i in range(n)]
        sums = np.arange(width)
        native.edit_sums(sums, randomizer, tuple(tokens), tuple(weights))
        expected = np.arange(width)
        for token, weight in zip(tokens, weights, strict=True):
            expected += weight * oracle.sums([token], width, name)
        assert np.array_equal(sums, expected), n


def test_bad_calls_change_nothing():
    randomizer = make_randomizer("shake256", 64, None)
    sums = np.zeros(64, np.int64)
    for tokens, weights in [(("a", 1), (1, 1)), (("a", "\ud800"), (1, 1)), (("a",), (1, 2))]:
        with pytest.raises((TypeError, ValueError)):
            native.edit_sums(sums, randomizer, tokens, weights)
    with pytest.raises((OverflowError, ValueError)):
        native.edit_sums(sums, randomizer, ("a",), (2**63,))
    with pytest.raises(ValueError, match="one element for each bit"):
        native.edit_sums(np.zeros(72, np.int64), randomizer, ("a",), (1,))
    with pytest.raises(TypeError):
        native.edit_sums(sums.astype(np.int32), randomizer, ("a",), (1,))
    assert not sums.any()

"""The temperature of evidence, by length."""

import numpy as np
import pytest

from addhash.languages.calibration import CAUTION, Calibration, pieces


def drawn(scale, rng):
    """Evidence that is right as often as a softmax with these temperatures says."""
    lengths = np.exp(rng.uniform(1, 6, 4000)).astype(int)
    temperatures = scale * (lengths[:, None] + 8) ** 0.7
    evidence = rng.normal(0, 1, (4000, 5)) * 2 * temperatures
    shares = np.exp(evidence * np.log(2) / temperatures)
    shares /= shares.sum(axis=1, keepdims=True)
    right = [rng.choice(5, p=p) for p in shares]
    return evidence, lengths, right


@pytest.mark.parametrize("scale", [0.4, 1.5])
def test_a_known_temperature_is_found_again(scale):
    found = Calibration.fitted(*drawn(scale, np.random.default_rng(0)))
    assert found.scale == pytest.approx(CAUTION * scale, rel=0.1)


@pytest.mark.parametrize("scale", ["nan", "-1", "a", "inf", "", "0", "1e9"])
def test_metadata_that_say_nothing_leave_the_usual(scale):
    entry = f"{scale} * (characters + 8) ** 0.7"
    assert Calibration.of({"temperature": entry}) == Calibration()
    assert Calibration.of({"temperature": "2"}) == Calibration()
    assert Calibration.of({"temperature": "2 * (characters + 8) ** 0.71"}) == Calibration()
    assert Calibration.of({}) == Calibration()


def test_pieces_are_parts_of_their_texts():
    texts = [" ".join(f"word{i}" for i in range(30)), "one two three", "12 34 56", "alone"]
    found = list(pieces(texts, seed=0))
    assert [i for i, _ in found] == [0, 0, 0, 0, 1, 1, 1, 2, 3]
    assert all(piece in texts[i] for i, piece in found)
    assert [len(piece.split()) for i, piece in found if i == 0] == [30, 20, 2, 1]
    assert found == list(pieces(texts, seed=0))

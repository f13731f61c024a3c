"""Both randomizers behave like random bits, as far as additive hashing needs it.

Every limit is a multiple of the standard error under perfect randomness, wide enough that a
good hash fails one of these tests with probability below 1e-6; the inputs are fixed, so a test
that passes once always passes.
"""

from itertools import product

import numpy as np
import pytest

from addhash.hashing.key import Key
from addhash.hashing.randomizers import make_randomizer
from addhash.runtime import native
from tests.oracle import DIGESTS

pytestmark = pytest.mark.parametrize("name", DIGESTS)

SIGMAS = 6


def rows(name, tokens, L=1024, key=None):
    """The tokens' bits, in the order of the digests."""
    batch = native.TokenBatch()
    batch.append_strings(tokens)
    digests = native.digests(batch, make_randomizer(name, L, Key.wrapped(key)))
    return np.unpackbits(digests, axis=1, bitorder="little")


def signs(*arguments, **keywords):
    return 2.0 * rows(*arguments, **keywords) - 1


COUNTERS = [str(i) for i in range(4000)]
TRIGRAMS = ["".join(letters) for letters in product("abcdefghijklm", repeat=3)]


@pytest.mark.parametrize("tokens", [COUNTERS, TRIGRAMS], ids=["counters", "trigrams"])
@pytest.mark.parametrize("L", [64, 1024, 2048])
def test_dot_products_of_distinct_tokens(name, tokens, L):
    """Their mean is 0 and their variance 1/L, for unit vectors."""
    v = signs(name, tokens[:2000], L) / np.sqrt(L)
    products = (v @ v.T)[np.triu_indices(len(v), 1)]
    pairs = len(products)
    # Pairs of 2,000 vectors are uncorrelated, so the mean of all has variance (1/L) / pairs.
    assert abs(products.mean()) < SIGMAS * np.sqrt(1 / L / pairs)
    # The squares have mean 1/L and variance below 2/L^2, and are uncorrelated too.
    assert abs(products.var() * L - 1) < SIGMAS * np.sqrt(2 / pairs) + 1 / pairs
    # Fourth moment: 3 - 2/L for sums of L independent signs.
    kurtosis = ((products * np.sqrt(L)) ** 4).mean()
    assert kurtosis == pytest.approx(3 - 2 / L, abs=SIGMAS * np.sqrt(96 / pairs) + 0.01)


def test_every_bit_is_balanced(name):
    bits = rows(name, COUNTERS)
    deviation = np.abs(bits.mean(axis=0) - 0.5) * 2 * np.sqrt(len(COUNTERS))
    assert deviation.max() < SIGMAS
    assert abs(bits.mean() - 0.5) * 2 * np.sqrt(bits.size) < SIGMAS


def test_bits_of_a_row_are_uncorrelated(name):
    """No two of 1,024 components go together over 4,000 tokens."""
    v = signs(name, COUNTERS)
    correlation = v.T @ v / len(v)
    np.fill_diagonal(correlation, 0)
    # The largest of 523,776 normal values stays below 6 standard errors but for 1 in 1,000.
    assert np.abs(correlation).max() * np.sqrt(len(v)) < SIGMAS
    assert correlation.var() * len(v) == pytest.approx(1, abs=0.02)


def test_neighbouring_words_are_independent(name):
    """The parity of four bits at equal distances, where weak counters show."""
    v = signs(name, COUNTERS, 2048)
    for step in (1, 2, 32, 63, 64, 65, 128, 512):
        parity = v[:, : -3 * step] * v[:, step : -2 * step]
        parity = parity * v[:, 2 * step : -step] * v[:, 3 * step :]
        worst = np.abs(parity.mean(axis=0)).max() * np.sqrt(len(v))
        assert worst < SIGMAS, step


def test_avalanche(name):
    """Flipping any one bit of a token flips each output bit half of the time."""
    rng = np.random.default_rng(3)
    for length in (1, 3, 8, 12, 40):
        tokens = [rng.bytes(length) for _ in range(max(20, 400 // length))]
        flipped, original = [], []
        for token in tokens:
            for bit in range(8 * length):
                changed = bytearray(token)
                changed[bit // 8] ^= 1 << bit % 8
                flipped.append(bytes(changed))
                original.append(token)
        difference = rows(name, flipped) ^ rows(name, original)
        mean = difference.mean(axis=0)
        # One changed token may occur twice for short ones: count distinct pairs.
        pairs = len({frozenset(pair) for pair in zip(flipped, original, strict=True)})
        assert np.abs(mean - 0.5).max() * 2 * np.sqrt(pairs) < SIGMAS + 1
        per_row = difference.mean(axis=1)
        assert per_row.min() > 0.5 - 7 / (2 * np.sqrt(1024))
        assert per_row.max() < 0.5 + 7 / (2 * np.sqrt(1024))


def test_key_avalanche(name):
    """Flipping one bit of the key changes half of every row."""
    key = bytes(range(16))
    before = rows(name, COUNTERS[:50], key=key)
    for bit in range(0, 128, 5):
        changed = bytearray(key)
        changed[bit // 8] ^= 1 << bit % 8
        after = rows(name, COUNTERS[:50], key=bytes(changed))
        fraction = (before ^ after).mean()
        assert abs(fraction - 0.5) * 2 * np.sqrt(before.size) < SIGMAS


def test_rows_are_linearly_independent(name):
    """Over the field of two elements, random rows lose hardly any rank."""
    packed = np.packbits(rows(name, COUNTERS[:512], 512), axis=1)
    matrix = [int.from_bytes(row.tobytes(), "big") for row in packed]
    rank = 0
    while matrix:
        pivot = max(matrix)
        if pivot == 0:
            break
        rank += 1
        top = 1 << (pivot.bit_length() - 1)
        matrix = [row ^ pivot if row & top else row for row in matrix if row != pivot]
    assert rank >= 512 - 6

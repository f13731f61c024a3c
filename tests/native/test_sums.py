"""The sums of every instruction set, with one and many threads, against the paper's code."""

from functools import cache

import numpy as np
import pytest

from addhash import AdditiveFeatureHasher, AdditiveHashingVectorizer
from tests import oracle
from tests.texts import SCRIPTS

WIDTHS = [8, 32, 64, 128, 512, 1000, 2048, 4096, 8192]
DOCUMENTS = [*SCRIPTS, "", *SCRIPTS[::-1]]
STARTS = [document[:25] for document in SCRIPTS]


@cache
def sums_of_words(width):
    return oracle.ahash([d.split(" ") if d else [] for d in DOCUMENTS], width)


@cache
def sums_of_characters(width):
    tokens = [[d[i : i + 3] for i in range(len(d) - 2)] for d in STARTS]
    return oracle.ahash(tokens, width)


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
@pytest.mark.parametrize("width", WIDTHS)
def test_words_equal_the_papers_code(instruction_set, width, n_jobs):
    vectorizer = AdditiveHashingVectorizer(
        n_features=width,
        lowercase=False,
        token_pattern=r"[^ ]+",
        norm=None,
        dtype=np.int64,
        n_jobs=n_jobs,
    )
    assert np.array_equal(vectorizer.transform(DOCUMENTS), sums_of_words(width))


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("width", WIDTHS)
def test_character_ngrams_equal_the_papers_code(instruction_set, width, n_jobs):
    vectorizer = AdditiveHashingVectorizer(
        n_features=width,
        lowercase=False,
        analyzer="char",
        ngram_range=(3, 3),
        norm=None,
        dtype=np.int64,
        n_jobs=n_jobs,
    )
    assert np.array_equal(vectorizer.transform(STARTS), sums_of_characters(width))


EDGES = [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257]


@pytest.mark.parametrize("name", oracle.DIGESTS)
def test_any_number_of_tokens(instruction_set, name):
    """The carry-save adder's groups of 16, and each bit plane's first use."""
    hasher = AdditiveFeatureHasher(
        n_features=520, input_type="string", norm=None, dtype=np.int64, randomizer=name
    )
    tokens = [f"token {i}" for i in range(max(EDGES))]
    found = hasher.transform([tokens[:n] for n in EDGES])
    for row, n in zip(found, EDGES, strict=True):
        assert np.array_equal(row, oracle.sums(tokens[:n], 520, name)), n


@pytest.mark.parametrize("count", [32766, 32767, 32768, 32783, 65534, 65535, 65536, 200_003])
def test_counts_past_the_bit_planes(instruction_set, count):
    """A bit plane holds 32767 rows; longer documents spill."""
    hasher = AdditiveFeatureHasher(
        n_features=72, input_type="string", norm=None, dtype=np.int64, n_jobs=1
    )
    one, two = oracle.sums(["a"], 72), oracle.sums(["b"], 72)
    found = hasher.transform([["a"] * count, ["a"] * (count - 5) + ["b"] * 5])
    assert np.array_equal(found[0], count * one)
    assert np.array_equal(found[1], (count - 5) * one + 5 * two)


@pytest.mark.parametrize("name", oracle.DIGESTS)
def test_weights(instruction_set, name):
    hasher = AdditiveFeatureHasher(n_features=136, norm=None, dtype=np.float64, randomizer=name)
    records = [
        {"a": 1, "b": 2, "c": -3},
        {"a": 2.5, "b": "text", "c": -0.125},
        {f"f{i}": i - 50 for i in range(101)},
        {"big": 2.0**50, "one": 1},
    ]
    found = hasher.transform(records)
    for row, record in zip(found, records, strict=True):
        expected = np.zeros(136)
        for feature, value in record.items():
            token = f"{feature}={value}" if isinstance(value, str) else feature
            weight = 1 if isinstance(value, str) else value
            expected += weight * oracle.sums([token], 136, name)
        assert np.array_equal(row, expected)

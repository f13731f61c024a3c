import gc

import numpy as np
import pytest

from addhash import AdditiveFeatureHasher, AdditiveHashingVectorizer
from addhash.errors import ParameterError
from addhash.hashing.dense import DenseRows
from addhash.hashing.vectorizer import TextVectorizer
from addhash.runtime import native

MEGABYTE = 2**20


def test_results_that_are_held_are_not_written_to():
    vectorizer = AdditiveHashingVectorizer(n_features=2048)
    texts = [[f"{letter} text {i}" for i in range(300)] for letter in "abcde"]
    held = [vectorizer.transform(batch) for batch in texts]
    copies = [result.copy() for result in held]
    view = held.pop(0)[5:7]
    gc.collect()
    for batch in texts:
        vectorizer.transform(batch)
    assert np.array_equal(view, copies[0][5:7])
    for result, copy in zip(held, copies[1:], strict=True):
        assert np.array_equal(result, copy)


def test_dropped_results_are_kept_within_a_bound():
    native.release_memory()
    rows = native.empty_bytes(3 * MEGABYTE)
    address = rows.ctypes.data
    assert address % 64 == 0
    del rows
    assert native.kept_bytes() >= 3 * MEGABYTE
    again = native.empty_bytes(3 * MEGABYTE - 5)
    assert again.ctypes.data == address
    del again
    held = [native.empty_bytes(50 * MEGABYTE) for _ in range(5)]
    del held
    assert 50 * MEGABYTE <= native.kept_bytes() <= 128 * MEGABYTE
    large = native.empty_bytes(200 * MEGABYTE)
    del large
    assert native.kept_bytes() <= 128 * MEGABYTE


def test_small_and_empty_results():
    assert native.empty_bytes(0).shape == (0,)
    assert native.empty_bytes(1).shape == (1,)


def filled(rows, counts):
    number = 0
    for count in counts:
        place = rows.place(count)
        assert place.shape == (count, 16)
        place[:] = np.arange(number, number + count)[:, None]
        number += count
    return rows.finish(), number


def test_rows_of_a_known_number():
    result, number = filled(DenseRows(16, "float32", 10), [4, 6])
    assert result.dtype == np.float32
    assert np.array_equal(result[:, 0], np.arange(number))


def test_rows_of_an_unknown_or_wrong_number():
    for expected in (None, 0, 5, 100_000):
        for counts in ([], [1], [3, 0, 9], [70_000, 650_000, 2]):
            result, number = filled(DenseRows(16, np.int32, expected), counts)
            assert result.shape == (number, 16)
            assert np.array_equal(result[:, -1], np.arange(number))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int64", "bits"])
def test_vectors_are_written_to_a_given_array(dtype):
    norm = None if dtype == "int64" else "l2"
    vectorizer = AdditiveHashingVectorizer(n_features=64, dtype=dtype, norm=norm)
    texts = [f"text number {i} of many" for i in range(20_000)]
    expected = vectorizer.transform(texts)
    out = np.full_like(expected, 1)
    assert vectorizer.transform(texts, out=out) is out
    assert np.array_equal(out, expected)
    out[:] = 1
    assert vectorizer.transform(iter(texts), out=out) is out
    assert np.array_equal(out, expected)
    engine = TextVectorizer(n_features=64, dtype=dtype, norm=norm)
    assert np.array_equal(engine.transform(texts, out=np.full_like(out, 1)), expected)


def test_records_are_written_to_a_given_array():
    hasher = AdditiveFeatureHasher(64)
    records = [{"a": i, "b": "c"} for i in range(5000)]
    out = np.empty((5000, 64), np.float32)
    assert hasher.transform(records, out=out) is out
    assert np.array_equal(out, hasher.transform(records))


@pytest.mark.parametrize(
    "out",
    [
        np.empty((2, 64), np.float64),
        np.empty((2, 63), np.float32),
        np.empty(128, np.float32),
        np.empty((64, 2), np.float32).T,
        np.empty((2, 128), np.float32)[:, ::2],
        np.empty((2, 64), ">f4"),
        np.frombuffer(bytes(512), np.float32).reshape(2, 64),
        np.frombuffer(bytearray(513), np.uint8)[1:].view(np.float32).reshape(2, 64),
        [[0.0] * 64] * 2,
        "out",
    ],
    ids=range(10),
)
def test_an_array_that_vectors_cannot_be_written_to(out):
    with pytest.raises(ParameterError, match=r"'out' .*float32 and 64 columns.* Got "):
        AdditiveHashingVectorizer(n_features=64).transform(["a", "b"], out=out)


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_an_array_of_too_few_or_too_many_rows(rows):
    for texts in (["a", "b"], iter(["a", "b"])):
        with pytest.raises(ParameterError, match=f"'out' parameter has {rows} rows"):
            AdditiveHashingVectorizer(n_features=64).transform(
                texts, out=np.empty((rows, 64), np.float32)
            )

import gc

import numpy as np

from addhash import AdditiveHashingVectorizer
from addhash.hashing.dense import DenseRows
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

import numpy as np
import pytest

from addhash.search.encoded_vectors import EncodedVectors
from addhash.search.vectors import as_vectors

RNG = np.random.default_rng(0)
VECTORS = np.concatenate(
    [
        RNG.integers(-127, 128, (10, 12)).astype(float),
        RNG.integers(-31750, 31751, (10, 12)).astype(float),
        RNG.normal(size=(10, 12)),
        np.zeros((2, 12)),
    ]
)


def encode(vectors):
    return EncodedVectors.encode(vectors, vectors.shape[1], 1)


def test_every_kind_is_exact():
    rows = encode(VECTORS)
    assert (rows.places[:10] == -1).all()
    assert rows.places[10:20].tolist() == list(range(10))
    assert rows.places[20:30].tolist() == [-2 - i for i in range(10)]
    np.testing.assert_array_equal(rows.decode(), VECTORS)


@pytest.mark.parametrize("dtype", [np.int16, np.int64, np.float32, np.float64])
def test_unaligned_vectors_are_copied(dtype):
    vectors = np.arange(24, dtype=dtype).reshape(2, 12)
    unaligned = np.frombuffer(b"x" + vectors.tobytes(), dtype, offset=1).reshape(2, 12)
    assert not unaligned.flags.aligned
    assert as_vectors(unaligned, 12).flags.aligned
    np.testing.assert_array_equal(encode(unaligned).decode(), vectors)


@pytest.mark.parametrize("largest", [127, 128, 129, 254, 255, 1000, 31749, 31750, 31751])
def test_limits_of_the_kinds(largest):
    vector = np.arange(-largest, largest + 1)[None]
    rows = encode(vector)
    np.testing.assert_array_equal(rows.decode(), vector)
    assert rows.decode().dtype == (np.int64 if largest <= 31750 else np.float64)
    assert np.abs(rows.codes.astype(int)).max() <= 127


def test_slack_bounds_what_codes_leave_out():
    rows = encode(VECTORS)
    left = VECTORS - rows.scales[:, None] * rows.codes
    norms = np.linalg.norm(VECTORS, axis=1)
    assert (np.linalg.norm(left, axis=1) <= rows.slacks * norms).all()
    np.testing.assert_allclose(rows.norms, norms, rtol=1e-14)


def test_growth_leaves_earlier_rows_as_they_were():
    rows, seen = EncodedVectors.empty(12), []
    for vector in VECTORS:
        rows = rows.appended(encode(vector[None]))
        seen.append(rows)
    for i, rows in enumerate(seen):
        np.testing.assert_array_equal(rows.decode(), VECTORS[: i + 1])


def test_rows_can_grow_in_several_ways():
    """Only one of several continuations may use the room behind the rows."""
    start = encode(VECTORS[:10]).appended(encode(VECTORS[10:12]))
    ends = [start.appended(encode(VECTORS[i : i + 1])) for i in range(12, len(VECTORS))]
    for i, rows in enumerate(ends, 12):
        np.testing.assert_array_equal(rows.decode(), [*VECTORS[:12], VECTORS[i]])
    np.testing.assert_array_equal(start.decode(), VECTORS[:12])


def test_taken_rows_are_as_if_encoded_alone():
    positions = RNG.permutation(len(VECTORS))[:20]
    for a, b in zip(
        encode(VECTORS).take(positions).arrays(), encode(VECTORS[positions]).arrays(), strict=True
    ):
        np.testing.assert_array_equal(a, b)
        assert a.dtype == b.dtype


def test_digests_tell_vectors_apart_but_not_types():
    digests = encode(VECTORS).digests()
    assert len(set(digests)) == len(VECTORS) - 1  # two are zeros
    assert digests[:20] == encode(VECTORS[:20].astype(np.int32)).digests()
    assert encode(np.array([[0.5, -0.0]])).digests() == encode(np.array([[0.5, 0.0]])).digests()
    single = np.array([[0.5, 0.25]], np.float32)
    assert encode(single).digests() == encode(single.astype(float)).digests()

"""The hashes of every instruction set against slow ones."""

import math
import random
from functools import cache

import numpy as np
import pytest
from sklearn.utils import murmurhash3_32

from addhash.hashing.key import Key
from addhash.hashing.randomizers import make_randomizer
from addhash.runtime import native
from tests import oracle

LENGTHS = [*range(34), 63, 64, 65, 127, 135, 136, 137, 271, 272, 273, 1000, 10_000]
COUNTS = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65]
WIDTHS = [8, 16, 24, 32, 56, 64, 72, 504, 512, 520, 1000, 1088, 2048, 2176, 4096, 8192]


def batch_of(tokens):
    batch = native.TokenBatch()
    batch.append_strings(tokens)
    return batch


def random_tokens(count, seed=0):
    rng = random.Random(seed)
    return [rng.randbytes(rng.choice(LENGTHS[:40])) for _ in range(count)]


@pytest.mark.parametrize("seed", [0, 1, 0xDEADBEEF])
def test_murmurhash3_equals_scikit_learn(instruction_set, seed):
    tokens = [random.Random(n).randbytes(n) for n in LENGTHS]
    found = native.murmurhash3(batch_of(tokens), seed)
    assert found.tolist() == [murmurhash3_32(t, seed, positive=True) for t in tokens]


@pytest.mark.parametrize("count", COUNTS)
def test_murmurhash3_of_any_number_of_tokens(instruction_set, count):
    tokens = random_tokens(count)
    found = native.murmurhash3(batch_of(tokens), 0)
    assert found.tolist() == [murmurhash3_32(t, 0, positive=True) for t in tokens]


@pytest.mark.parametrize("key", [None, b"k", b"sixteen byte key", bytes(range(128))])
@pytest.mark.parametrize("name", oracle.DIGESTS)
def test_digests_of_any_length(instruction_set, name, key):
    tokens = [random.Random(n).randbytes(n) for n in LENGTHS]
    found = native.digests(batch_of(tokens), make_randomizer(name, 2048, Key.wrapped(key)))
    for token, digest in zip(tokens, found, strict=True):
        assert digest.tobytes() == oracle.DIGESTS[name](token, 2048, key), len(token)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", oracle.DIGESTS)
def test_digests_of_any_width(instruction_set, name, width):
    tokens = random_tokens(11)
    found = native.digests(batch_of(tokens), make_randomizer(name, width, None))
    assert found.shape == (11, width // 8)
    for token, digest in zip(tokens, found, strict=True):
        assert digest.tobytes() == oracle.DIGESTS[name](token, width)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", oracle.DIGESTS)
def test_digests_of_any_number_of_tokens(instruction_set, name, count):
    tokens = random_tokens(count)
    found = native.digests(batch_of(tokens), make_randomizer(name, 264, None))
    assert [d.tobytes() for d in found] == [oracle.DIGESTS[name](t, 264) for t in tokens]


@pytest.mark.parametrize("name", oracle.DIGESTS)
def test_widest_digest(name):
    found = native.digests(batch_of([b"wide"]), make_randomizer(name, 2**20, None))
    assert found[0].tobytes() == oracle.DIGESTS[name](b"wide", 2**20)


@cache
def expected_digests(name):
    known = [b"%d" % i for i in range(5000)] + [b"a long token, number %d" % i for i in range(500)]
    return {token: oracle.DIGESTS[name](token, 8192) for token in known}


@pytest.mark.parametrize("name", oracle.DIGESTS)
def test_more_tokens_than_the_cache_holds(instruction_set, name):
    """Rows are evicted, and asked for again, in every order."""
    rng = random.Random(7)
    expected = expected_digests(name)
    known = list(expected)
    tokens = [known[rng.randrange(rng.choice([10, 600, 5500]))] for _ in range(8000)] + known
    found = native.digests(batch_of(tokens), make_randomizer(name, 8192, None))
    assert all(
        digest.tobytes() == expected[token] for token, digest in zip(tokens, found, strict=True)
    )


def test_keys_change_every_digest():
    tokens = random_tokens(20)
    for name in oracle.DIGESTS:
        digests = [
            native.digests(batch_of(tokens), make_randomizer(name, 256, Key.wrapped(key))).tobytes()
            for key in (None, b"a", b"b", b"a\0")
        ]
        assert len(set(digests)) == 4


def test_forced_set_is_the_one_that_runs(instruction_set):
    before = native.instruction_set_uses()
    native.murmurhash3(batch_of([b"x"]), 0)
    after = native.instruction_set_uses()
    assert {n for n in after if after[n] != before[n]} == {instruction_set}


@pytest.mark.parametrize(
    "arguments",
    [
        ("shake256", 0, b""),
        ("shake256", 12, b""),
        ("shake256", 2**20 + 8, b""),
        ("shake256", 64, b"short"),
        ("aes128", 64, b"sixteen bytes..."),
        ("md5", 64, b""),
    ],
)
def test_the_core_refuses_bad_randomizers(arguments):
    with pytest.raises(ValueError, match=r"must|has"):
        native.Randomizer(*arguments)


def test_batches_are_written_from_a_row_on():
    options = native.SumOptions(make_randomizer("shake256", 64, None))
    out = np.full((4, 64), 7, np.int64)
    for first, tokens in [(1, [b"x"]), (2, [b"y"])]:
        native.vectorize_tokens(batch_of(tokens), options, out=out, first=first, threads=1)
    assert np.array_equal(out[1:3], [oracle.sums(["x"], 64), oracle.sums(["y"], 64)])
    assert (out[[0, 3]] == 7).all()


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_batches_are_written_while_the_next_is_read(threads):
    options = native.SumOptions(make_randomizer("shake256", 64, None))
    documents = [[b"%d" % (i % 1000), b"%d" % (i // 3)] for i in range(3000)]
    out = np.empty((len(documents), 64), np.int64)
    vectorizer = native.TokenVectorizer(options, out=out, threads=threads)
    for first in range(0, len(documents), 700):
        batch = native.TokenBatch()
        for tokens in documents[first : first + 700]:
            batch.append_strings(tokens)
        vectorizer.start(batch, first)
    vectorizer.finish()
    vectorizer.finish()  # nothing is left to do
    expected = [oracle.sums([token.decode() for token in tokens], 64) for tokens in documents]
    assert np.array_equal(out, expected)


@pytest.mark.parametrize("threads", [1, 3])
def test_the_failure_of_a_batch_is_told_with_its_row(threads):
    options = native.SumOptions(make_randomizer("shake256", 64, None))
    vectorizer = native.TokenVectorizer(options, out=np.empty((500, 64)), threads=threads)
    records = [{"a": 1.5}] * 60 + [{"a": math.inf}] * 40
    batch = native.TokenBatch()
    batch.append_records(records, 0, "dict", False)
    with pytest.raises(native.Failure) as failure:  # noqa: PT012
        vectorizer.start(batch, 300)
        vectorizer.finish()
    assert (failure.value.status, failure.value.position) == (native.Status.not_finite, 360)
    vectorizer.finish()  # told once
    good = batch_of([b"x"])
    vectorizer.start(good, 0)
    with pytest.raises(ValueError, match="one row"):
        vectorizer.start(good, 500)
    vectorizer.start(good, 499)
    del vectorizer  # ends what it has begun


def test_the_core_refuses_bad_output():
    randomizer = make_randomizer("shake256", 64, None)
    options = native.SumOptions(randomizer)
    tokens = batch_of([b"x"])
    for shape, first in [((1, 63), 0), ((0, 64), 0), ((1, 64), 1), ((1, 64), 2**63)]:
        bad = np.empty(shape, np.float32)
        with pytest.raises(ValueError, match="one row"):
            native.vectorize_tokens(tokens, options, out=bad, first=first, threads=1)
    with pytest.raises(TypeError, match="dtype"):
        native.vectorize_tokens(
            tokens, options, out=np.empty((1, 64), np.float16), first=0, threads=1
        )
    turned = np.empty((64, 2), np.float32).T[:1]
    with pytest.raises(TypeError):
        native.vectorize_tokens(tokens, options, out=turned, first=0, threads=1)

"""What the native core refuses: one exception, a status and a position, one error for each."""

import numpy as np
import pytest

from addhash import AdditiveFeatureHasher, AdditiveHashingVectorizer, runtime
from addhash import _native as native
from addhash.errors import AddhashError, SumOverflowError, WeightError

CUT = native.TextOptions("word", 1, 1, True)


def failure_of(work):
    with pytest.raises(native.Failure) as caught:
        work()
    return caught.value.status, caught.value.position


def vectorize(documents, threads=1):
    options = native.SumOptions(native.Randomizer("shake256", 64, b""))
    out = np.empty((len(documents), 64), np.float32)
    native.vectorize_texts(documents, CUT, options, out=out, threads=threads)


def count(documents, threads=1):
    native.count_texts(documents, CUT, native.BucketOptions(1000), threads=threads)


@pytest.mark.parametrize("work", [vectorize, count])
@pytest.mark.parametrize("threads", [1, 3])
def test_the_first_bad_document_is_named(work, threads):
    good = ["a text"] * 200
    assert failure_of(lambda: work(["ok", 5], threads)) == (native.Status.not_text, 1)
    documents = [*good, "in the next: xx\ud800", *good]
    for place in (0, 150):
        documents[place] = "here"
    analyzed = native.TextOptions("char", 1, 1, True)
    options = native.BucketOptions(1000)
    status = failure_of(lambda: native.count_texts(documents, analyzed, options, threads=threads))
    assert status == (native.Status.surrogate, 200)


def test_rows_that_cannot_be_encoded_are_named():
    for value, status in (
        (np.nan, native.Status.nan),
        (np.inf, native.Status.infinite),
        (1e200, native.Status.out_of_range),
    ):
        vectors = np.ones((100, 8))
        vectors[70, 3] = value
        assert failure_of(lambda v=vectors: native.encode(v, 2)) == (status, 70)
    large = np.full((2, 8), 2**60)
    assert failure_of(lambda: native.encode(large, 2)) == (native.Status.too_large, 0)


# Of a null the row is told, and what to do, where the column is read.
OTHERS = (native.Status.done, native.Status.null)


@pytest.mark.parametrize("status", [s for s in native.Status if s not in OTHERS])
def test_every_failure_has_an_error(status):
    error = runtime.refusal(status, "Document 7", "int16")
    assert isinstance(error, AddhashError)
    assert str(error).startswith("Document 7 ")
    assert "{" not in str(error)


def test_errors_name_documents_across_batches():
    hasher = AdditiveFeatureHasher(n_features=8, dtype="int16", norm=None)
    records = [{"a": 1}] * 20_000
    with pytest.raises(SumOverflowError, match=r"Record 20000 .* int16"):
        hasher.transform([*records, {"b": 40_000}])
    with pytest.raises(WeightError, match=r"Record 20000 .* not integers"):
        hasher.transform([*records, {"b": 0.5}])
    bits = AdditiveFeatureHasher(n_features=8, dtype="bits")
    with pytest.raises(WeightError, match="Record 1 has an infinite or NaN weight"):
        bits.transform([{"a": 1}, {"b": float("nan")}])


def test_a_result_that_does_not_fit_is_a_memory_error():
    for size in (2**62, 2**64 - 1):
        with pytest.raises(MemoryError, match="does not fit in memory"):
            native.empty_bytes(size)
    vectors = AdditiveHashingVectorizer(n_features=64).transform(["still", "works"])
    assert vectors.shape == (2, 64)


@pytest.mark.parametrize(
    "make",
    [
        lambda: native.TextOptions("syllable", 1, 1, True),
        lambda: native.TextOptions("char", 0, 1, True),
        lambda: native.TextOptions("char", 3, 2, True),
        lambda: native.SumOptions(native.Randomizer("shake256", 64, b""), norm="max"),
        lambda: native.BucketOptions(0),
        lambda: native.BucketOptions(2**31),
        lambda: native.BucketOptions(8, norm="l3"),
    ],
)
def test_options_that_mean_nothing_are_refused(make):
    with pytest.raises(ValueError, match="must be"):
        make()

"""Long native calls answer a signal within a second, and leave nothing broken."""

import signal
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest

from addhash import AdditiveHashingVectorizer, HashingVectorizer, Index
from addhash import _native as native

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")

# 60 KB; with n-grams of 1 to 600 characters there are 36 million tokens of 10 GB.
LONG = "".join(chr(97 + i * i % 26) + " " * (i % 7 == 0) for i in range(55_000))


class AlarmError(Exception):
    pass


@contextmanager
def alarm_after(seconds: float):
    """Raise AlarmError in the main thread after some time, and check that it comes quickly."""

    def ring(*_):
        raise AlarmError

    before = signal.signal(signal.SIGALRM, ring)
    due = time.monotonic() + seconds
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        with pytest.raises(AlarmError):
            yield
        # Long before the work would end; a second on a machine with nothing else to do.
        assert due <= time.monotonic() < due + 30
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_vectorizing_a_long_text_is_interrupted():
    vectorizer = AdditiveHashingVectorizer(analyzer="char", ngram_range=(1, 600), n_features=512)
    short = ["some text", "another"]
    expected = AdditiveHashingVectorizer(n_features=512).transform(short)
    for documents in ([LONG], [LONG, *["short"] * 100, LONG]):
        with alarm_after(0.3):
            vectorizer.transform(documents)
        again = AdditiveHashingVectorizer(n_features=512).transform(short)
        assert np.array_equal(again, expected)


@pytest.mark.parametrize("analyzer", ["char", "char_wb", "word"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_every_analyzer_and_both_hashings_are_interrupted(analyzer, n_jobs):
    text = "x" * 60_000 if analyzer == "char_wb" else LONG.replace(" ", "  xy ")
    options = {"analyzer": analyzer, "ngram_range": (1, 30_000), "n_jobs": n_jobs}
    for vectorizer in (
        AdditiveHashingVectorizer(n_features=2048, **options),
        AdditiveHashingVectorizer(n_features=2048, binary=True, **options),
        AdditiveHashingVectorizer(n_features=2048, randomizer="aes128", **options),
        HashingVectorizer(**options),
    ):
        with alarm_after(0.1):
            vectorizer.transform([text] * 2)


def test_counting_and_listing_tokens_is_interrupted():
    options = native.TextOptions("char_wb", 1, 30_000, False)
    for work in (native.token_count, native.tokens_of):
        with alarm_after(0.1):
            work("x" * 60_000, options)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_long_search_is_interrupted(instruction_set, n_jobs):
    generator = np.random.default_rng(0)
    vectors = generator.integers(-100, 100, (24_000, 512)).astype(np.int16)
    index = Index(512, n_jobs=n_jobs)
    index.add(vectors)
    expected = index.search(vectors[:3], 2)
    with alarm_after(0.3):
        index.search(vectors, 1)
    found = index.search(vectors[:3], 2)
    assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


def test_a_handler_that_does_not_raise_changes_nothing():
    vectorizer = AdditiveHashingVectorizer(analyzer="char", ngram_range=(1, 60), n_features=512)
    text = 4 * LONG  # takes many times as long as the timer waits
    expected = vectorizer.transform([text])
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(vectorizer.transform(["inside"])))
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    try:
        assert np.array_equal(vectorizer.transform([text]), expected)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert rung


def test_other_threads_are_not_disturbed():
    """A signal ends the main thread's work alone."""
    vectorizer = AdditiveHashingVectorizer(analyzer="char", ngram_range=(1, 100), n_features=512)
    text = LONG[:20_000]
    expected = vectorizer.transform([text])
    results = []
    worker = threading.Thread(target=lambda: results.append(vectorizer.transform([text])))
    worker.start()
    with alarm_after(0.1):
        AdditiveHashingVectorizer(analyzer="char", ngram_range=(1, 600)).transform([LONG])
    worker.join()
    assert np.array_equal(results[0], expected)

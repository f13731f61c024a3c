"""Forked children, memory that is kept between calls, and texts of classes of their own."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from addhash import AdditiveHashingVectorizer, HashingVectorizer
from addhash import _native as native

TEXTS = [f"some text number {i} of a few" for i in range(200)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_children_work_while_other_threads_of_the_parent_do():
    dense = AdditiveHashingVectorizer(n_features=256, n_jobs=2)
    sparse = HashingVectorizer(n_jobs=2)
    expected, expected_sparse = dense.transform(TEXTS), sparse.transform(TEXTS)
    is_over = threading.Event()

    def work():
        while not is_over.is_set():
            AdditiveHashingVectorizer(n_features=256, n_jobs=2).transform(TEXTS[:40])
            sparse.transform(TEXTS[:80])
            native.release_memory()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            child = os.fork()
            if child == 0:
                same = np.array_equal(dense.transform(TEXTS), expected)
                same &= (sparse.transform(TEXTS) != expected_sparse).nnz == 0
                os._exit(0 if same else 1)
            deadline = time.monotonic() + 180
            while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
                if time.monotonic() > deadline:
                    os.kill(child, 9)
                    os.waitpid(child, 0)
                    pytest.fail("a forked child hangs")
                time.sleep(0.001)
            assert os.waitstatus_to_exitcode(ended[1]) == 0
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def run_and_measure(code: str) -> int:
    """Run code in a new process; return the most memory that it took, in MB."""
    script = f"import resource\n{code}\nprint(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return int(done.stdout.split()[-1]) // 1024


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="ru_maxrss has other units")
def test_threads_beyond_the_cores_take_no_memory():
    code = (
        "from addhash import AdditiveHashingVectorizer\n"
        "texts = [f'{{i}} {{i * i}} {{i * 7}} of their own {{i * 13}}' for i in range(10_000)]\n"
        "options = dict(n_features=2048, norm=None, dtype='int16', n_jobs={})\n"
        "AdditiveHashingVectorizer(**options).transform(texts)"
    )
    one, many = (run_and_measure(code.format(n_jobs)) for n_jobs in (1, 128))
    cores = len(os.sched_getaffinity(0))
    assert many < one + 30 * max(4, cores)


def test_memory_is_given_back():
    for number in range(6):
        vectorizer = AdditiveHashingVectorizer(n_features=2048, key=bytes([number]) * 16, n_jobs=2)
        vectorizer.transform(TEXTS * 10)
    HashingVectorizer(n_jobs=2).transform(TEXTS)
    released = native.release_memory()
    assert 0 < released < 400 << 20
    assert native.release_memory() == 0
    assert native.kept_bytes() == 0
    expected = AdditiveHashingVectorizer(n_features=64).transform(TEXTS)
    native.release_memory()
    assert np.array_equal(AdditiveHashingVectorizer(n_features=64).transform(TEXTS), expected)


@pytest.mark.parametrize("result", [b"x", 5, None, "other"])
def test_a_text_is_lowered_by_str_itself(result):
    """A subclass's own lower() is asked for nothing, whatever the text holds."""

    class Text(str):
        def lower(self):
            return result

    for text in ("ΑΣ ΟΔΟΣ" * 100, "İstanbul", "PLAIN"):
        for vectorizer in (AdditiveHashingVectorizer(n_features=64), HashingVectorizer()):
            own, plain = vectorizer.transform([Text(text)]), vectorizer.transform([text])
            assert abs(own - plain).sum() == 0
        cut = native.TextOptions("word", 1, 1, True)
        assert native.tokens_of(Text(text), cut) == native.tokens_of(text, cut)

"""Many threads read and change one object: no error, nothing lost, the same as one thread."""

import subprocess
import sys
import threading
import time

import numpy as np

from addhash import (
    CentroidClassifier,
    Index,
    NearestNeighborClassifier,
    TextClassifier,
    TextIndex,
)

SECONDS = 4
READERS, WRITERS = 8, 4
VECTORS = np.random.default_rng(0).integers(-60, 61, (400, 32)).astype(np.int16)


class Work:
    """One object that threads share; every writer learns its own examples, and forgets some."""

    def __init__(self, model, learn, forget, read):
        self.model, self.learn, self.forget, self.read = model, learn, forget, read
        self.kept = [[] for _ in range(WRITERS)]


def texts_of(numbers):
    return [f"the text of number {n}, and {n * 7919 % 10007} more" for n in numbers]


def labels_of(numbers):
    return [f"class {n % 5}" for n in numbers]


def vectors_of(numbers):
    return VECTORS[[n % len(VECTORS) for n in numbers]] + np.array(numbers, np.int16)[:, None] % 7


def text_work(method):
    model = TextClassifier(method, n_jobs=1).learn(texts_of([-1]), labels_of([-1]))
    return Work(
        model,
        lambda numbers: model.learn(texts_of(numbers), labels_of(numbers)),
        lambda numbers: model.forget(texts_of(numbers), labels_of(numbers)),
        lambda: model.predict_scores(texts_of([3, 4]), 2),
    )


def vector_work(kind):
    model = kind(n_jobs=1).fit(vectors_of([1]), labels_of([1]))
    return Work(
        model,
        lambda numbers: model.partial_fit(vectors_of(numbers), labels_of(numbers)),
        lambda numbers: model.forget(vectors_of(numbers), labels_of(numbers)),
        lambda: model.predict_proba(vectors_of([3, 4])),
    )


def index_work(model, of):
    return Work(
        model,
        lambda numbers: model.add(of(numbers), ids=numbers),
        lambda numbers: model.remove(numbers),
        lambda: model.search(of([3, 4]), k=3),
    )


def test_readers_and_writers(tmp_path):
    works = {
        "bayes": text_work("bayes"),
        "nearest": text_work("nearest"),
        "centroid": text_work("centroid"),
        "NearestNeighborClassifier": vector_work(NearestNeighborClassifier),
        "CentroidClassifier": vector_work(CentroidClassifier),
        "Index": index_work(Index(32, n_jobs=1), vectors_of),
        "TextIndex": index_work(TextIndex(n_jobs=1), texts_of),
    }
    end = time.monotonic() + SECONDS
    errors = []
    reads = [0] * READERS

    def write(writer):
        try:
            step = 0
            while time.monotonic() < end:
                start = 10 + (step * WRITERS + writer) * 3
                numbers = [start, start + 1, start + 2]
                for work in works.values():
                    work.learn(numbers)
                    work.forget(numbers[1:2])
                    work.kept[writer] += [numbers[0], numbers[2]]
                step += 1
                time.sleep(0.02)
        except BaseException as error:  # whatever it is, the test must see it
            errors.append(error)

    def read(reader):
        try:
            while time.monotonic() < end:
                for work in works.values():
                    work.read()
                    reads[reader] += 1
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(i,)) for i in range(WRITERS)]
    threads += [threading.Thread(target=read, args=(i,)) for i in range(READERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors[:3]
    assert all(reads)
    for name, work in works.items():
        kept = sorted(number for numbers in work.kept for number in numbers)
        assert len(kept) > WRITERS
        if name in ("bayes", "nearest", "centroid"):
            once = TextClassifier(name, n_jobs=1)
            once.learn(texts_of([-1, *kept]), labels_of([-1, *kept]))
            once.save(tmp_path / "once")
            work.model.save(tmp_path / "threads")
            assert (tmp_path / "once").read_bytes() == (tmp_path / "threads").read_bytes()
        elif name in ("Index", "TextIndex"):
            assert sorted(work.model.ids.tolist()) == kept
            of = vectors_of if name == "Index" else texts_of
            found = work.model.search(of(kept[:50]), k=1)
            best = found.scores[:, 0] if name == "Index" else [row[0].score for row in found]
            np.testing.assert_allclose(best, 1)
        elif name == "CentroidClassifier":
            once = CentroidClassifier().fit(vectors_of([1, *kept]), labels_of([1, *kept]))
            np.testing.assert_array_equal(work.model.centroids_, once.centroids_)
            assert work.model.class_counts_.tolist() == once.class_counts_.tolist()
        else:
            assert work.model.n_samples_fit_ == len(kept) + 1
            assert np.allclose(work.model.kneighbors(vectors_of(kept))[0], 0)


FIRST_CALLS = """
import sys, threading
from addhash import HashingVectorizer

ready = threading.Barrier(16)
found = []

def hashed():
    rows = HashingVectorizer(n_jobs=1).transform(["Größe ΑΣ İ und 語", "ÄÖÜ"])
    return rows.indices.tolist(), rows.data.tolist()

def work():
    ready.wait()
    found.append(hashed())

sys.setswitchinterval(1e-6)
threads = [threading.Thread(target=work) for _ in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert found == [hashed()] * 16
"""


def test_the_first_calls_of_a_process_may_come_at_once():
    """The tables of characters are made by whoever comes first: nobody sees half of one."""
    done = subprocess.run([sys.executable, "-c", FIRST_CALLS], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

"""Threads read what other threads change, with or without the GIL: each sees a legal state."""

import sys
import sysconfig
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest

from addhash import (
    AdditiveFeatureHasher,
    AdditiveHashingVectorizer,
    DocumentFrequencies,
    DocumentHash,
    DuplicateIndex,
    FeatureHasher,
    HashingVectorizer,
    RollingHash,
    TextClassifier,
    TextIndex,
    find_duplicates,
    release_memory,
    set_instruction_set,
    text_column,
)
from addhash.errors import DocumentError
from addhash.runtime import info, native

SECONDS = 0.25
READERS = 4
WORDS = ["rain", "Größe", "Нет", "語", "ΑΣ İ", "a" * 300]


@contextmanager
def switching_often():
    """Let threads that share a GIL take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@contextmanager
def allowed(kind, text):
    """Let an error pass that says so."""
    try:
        yield
    except kind as error:
        if text not in str(error):
            raise


def race(change, *reads):
    """Call `change(step)` in one thread and each read in others, over and over."""
    end = time.monotonic() + SECONDS
    ready = threading.Barrier(1 + READERS * len(reads))
    errors = []

    def repeat(call):
        try:
            ready.wait()
            step = 0
            while not errors and (step == 0 or time.monotonic() < end):
                call(step)
                step += 1
        except BaseException as error:  # whatever it is, the test must see it
            errors.append(error)

    calls = [change] + [lambda step, read=read: read() for read in reads for _ in range(READERS)]
    threads = [threading.Thread(target=repeat, args=(call,)) for call in calls]
    with switching_often():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]


def together(count, work):
    """Call `work(number)` in as many threads as that, all at once."""
    ready = threading.Barrier(count)
    errors = []

    def run(number):
        try:
            ready.wait()
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    with switching_often():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]


def fresh(mark):
    """Return equal texts that nobody else holds: they are gone once a list drops them."""
    return [f"{word} {mark} {i}" for i, word in enumerate(WORDS * 4)]


def as_plain(rows):
    return rows.toarray().tolist() if hasattr(rows, "toarray") else rows.tolist()


def test_a_python_without_the_gil_stays_without_it():
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("this Python has the GIL")
    assert not sys._is_gil_enabled()


READ_TEXTS = {
    "HashingVectorizer": HashingVectorizer(n_features=2**12, n_jobs=1).transform,
    "AdditiveHashingVectorizer": AdditiveHashingVectorizer(n_features=64, n_jobs=1).transform,
    "two threads": AdditiveHashingVectorizer(n_features=64, n_jobs=2).transform,
    "cut in Python": AdditiveHashingVectorizer(
        n_features=64, tokenizer=str.split, token_pattern=None
    ).transform,
}


@pytest.mark.parametrize("read", READ_TEXTS.values(), ids=READ_TEXTS)
def test_a_list_of_texts_is_read_in_one_state(read):
    legal = [as_plain(read(fresh(mark))) for mark in "ab"]
    texts = fresh("a")

    def change(step):
        texts[:] = fresh("ab"[step % 2])

    def check():
        assert as_plain(read(texts)) in legal

    race(change, check)


def test_a_list_of_texts_that_grows_and_shrinks():
    vectorizer = AdditiveHashingVectorizer(n_features=64, norm=None, dtype=np.int16, n_jobs=1)
    known = {row.tobytes() for row in vectorizer.transform(fresh("a"))}
    texts = []

    def change(step):
        if step % 50 == 49:
            texts.clear()
        else:
            texts.extend(fresh("a")[: step % 7])

    def check():
        assert {row.tobytes() for row in vectorizer.transform(texts)} <= known

    race(change, check)


@pytest.mark.parametrize("method", ["bayes", "nearest", "centroid"])
def test_a_classifier_asked_about_a_list_that_changes(method):
    labels = ["x", "y"] * (len(WORDS) * 2)
    model = TextClassifier(method, n_jobs=1).fit(fresh("a"), labels)
    legal = [model.predict_proba(fresh(mark)).tolist() for mark in "ab"]
    texts = fresh("a")

    def change(step):
        texts[:] = fresh("ab"[step % 2])

    def check():
        assert model.predict_proba(texts).tolist() in legal
        assert len(model.predict(texts)) == len(labels)

    race(change, check)


def test_examples_learnt_from_lists_that_change():
    """What is learnt is one state of the texts with one state of the labels, or is refused."""
    states = [(fresh("a"), ["x", "y"] * 12), (fresh("b")[:10], ["y", "z"] * 5)]
    legal = {
        TextClassifier(n_jobs=1).learn(texts, labels).digest()
        for texts, _ in states
        for _, labels in states
        if len(texts) == len(labels)
    }
    texts, labels = (list(part) for part in states[0])

    def change(step):
        new_texts, new_labels = states[step % 2]
        texts[:] = [text + "" for text in new_texts]
        labels[:] = new_labels

    def check():
        with allowed(DocumentError, "Expected a label for each"):
            assert TextClassifier(n_jobs=1).learn(texts, labels).digest() in legal

    race(change, check)


def test_an_index_of_texts_keeps_what_it_has_hashed():
    index = TextIndex(n_jobs=1)
    texts = fresh("a")

    def change(step):
        texts[:] = fresh("ab"[step % 2])[: 1 + step % 24]

    def check():
        first = int(index.add(texts)[0])
        assert index.text(first).startswith("rain")

    race(change, check)
    kept = [index.text(number) for number in index.ids[-200:].tolist()]
    assert kept == [best.text for (best,) in index.search(kept, k=1)]


def test_duplicates_in_a_list_that_changes():
    legal = [find_duplicates(fresh(mark), n_jobs=1).pairs for mark in "ab"]
    legal = [[column.tolist() for column in pairs] for pairs in legal]
    texts = fresh("a")

    def change(step):
        texts[:] = fresh("ab"[step % 2])

    def check():
        found = find_duplicates(texts, n_jobs=1).pairs
        assert [column.tolist() for column in found] in legal

    race(change, check)


HASHERS = [FeatureHasher, AdditiveFeatureHasher]


@pytest.mark.parametrize("kind", HASHERS)
def test_a_dict_is_read_in_one_state(kind):
    hasher = kind(n_features=256, input_type="dict")
    names = [f"name {i}" for i in range(40)] + ["Größe", "語"]
    states = [dict.fromkeys(names, 1.0), dict.fromkeys(names, 2), dict.fromkeys(names, "text")]
    legal = [as_plain(hasher.transform([state] * 3)[:1]) for state in states]
    record = dict(states[0])

    def change(step):
        record.update(states[step % 3])

    def check():
        rows = as_plain(hasher.transform([record, record, record]))
        assert all([row] in legal for row in rows)

    race(change, check)


def test_a_dict_that_grows_and_shrinks():
    hasher = FeatureHasher(n_features=2**20, input_type="dict", alternate_sign=False)
    kept = {f"kept {i}": float(i + 1) for i in range(20)}
    places = [int(hasher.transform([{name: 1}]).indices[0]) for name in kept]
    others = [f"other {i}" for i in range(100)]
    # The same names each time: among new ones, some would soon share a column with a kept one.
    assert hasher.transform([dict.fromkeys([*kept, *others], 1)]).nnz == len(kept) + len(others)
    record = dict(kept)

    def change(step):
        for i, name in enumerate(others):
            record[name] = 1000.0 + i
        for name in others:
            del record[name]

    def check():
        row = hasher.transform([record])
        assert row[0, places].toarray()[0].tolist() == list(kept.values())
        assert row.nnz <= len(kept) + 100

    race(change, check)


class Number:
    """What only Python code makes a number of: other threads may run meanwhile."""

    def __init__(self, value):
        self.value = value

    def __float__(self):
        time.sleep(0)
        return float(self.value)


def test_a_dict_that_changes_while_its_values_run_code():
    hasher = FeatureHasher(n_features=2**16, input_type="dict", alternate_sign=False)
    kept = {f"kept {i}": Number(i + 1) for i in range(8)}
    legal = sum(range(1, 9))
    record = dict(kept)

    def change(step):
        record[f"other {step}"] = Number(1000)
        del record[f"other {step}"]

    def check():
        with allowed(RuntimeError, "during iteration"):
            assert hasher.transform([record]).sum() in (legal, legal + 1000)

    race(change, check)


@pytest.mark.parametrize("kind", HASHERS)
def test_lists_of_pairs_and_of_strings_are_read_in_one_state(kind):
    pairs, strings = (kind(n_features=256, input_type=of) for of in ("pair", "string"))
    legal_pairs = [
        as_plain(pairs.transform([[(name, value) for name in fresh("a")]])) for value in (1, 2)
    ]
    legal_strings = [as_plain(strings.transform([fresh(mark)])) for mark in "ab"]
    record, names = [(name, 1) for name in fresh("a")], fresh("a")

    def change(step):
        record[:] = [(name, 1 + step % 2) for name in fresh("a")]
        names[:] = fresh("ab"[step % 2])

    def check():
        assert as_plain(pairs.transform([record])) in legal_pairs
        assert as_plain(strings.transform([names])) in legal_strings

    race(change, check)


@pytest.mark.parametrize("strict", [False, True])
def test_a_document_of_a_list_that_changes(strict):
    states = [fresh("a"), fresh("b")[:7], []]
    legal = [DocumentHash(64, strict=strict).update(state).to_bytes() for state in states]
    tokens = list(states[0])

    def change(step):
        tokens[:] = [token + "" for token in states[step % 3]]

    def check():
        assert DocumentHash(64, strict=strict).update(tokens).to_bytes() in legal

    race(change, check)


def test_a_document_is_read_in_one_state_while_it_is_edited():
    empty, full = DocumentHash(64), DocumentHash(64).update(fresh("a"))
    legal = {(d.count, d.value, d.to_bytes(), d.sums.tobytes()) for d in (empty, full)}
    document, window = DocumentHash(64), RollingHash(len(WORDS) * 4, 64)

    def change(step):
        document.edit(*[((), fresh("a")), (fresh("a"), ())][step % 2])
        window.extend(fresh("a"))

    def check():
        one = document.copy()
        assert (one.count, one.value, one.to_bytes(), one.sums.tobytes()) in legal
        assert document.value in {value for _, value, _, _ in legal}
        assert bool(one) == (one == full)
        merged = DocumentHash(64).merge(document)
        assert merged in (empty, full)
        assert window.document() in (empty, full)
        assert len(window) in (0, len(WORDS) * 4)

    race(change, check)


def test_documents_of_threads_are_merged_to_the_whole():
    parts = [DocumentHash(64) for _ in range(8)]

    def work(number):
        for i in range(200):
            parts[number].add(f"token {number} {i}").add("every").remove(f"token {number} {i // 2}")

    together(8, work)
    alone = [DocumentHash(64) for _ in range(8)]
    for number, part in enumerate(alone):
        for i in range(200):
            part.add(f"token {number} {i}").add("every").remove(f"token {number} {i // 2}")
    assert parts == alone


def test_one_index_of_duplicates_for_many_threads():
    index = DuplicateIndex(n_jobs=1)
    seen = []

    def work(number):
        for i in range(15):
            ids = index.add([f"one text of some words number {number}", f"another {i} {number}"])
            assert len(index.query([f"another {i} {number}"]).ids) >= 1
            index.update(ids[:1], [f"a text that was changed, number {number}"])
            if i % 3 == 0:
                index.remove(ids[1:])
            seen.append(len(index))
            assert len(index.ids) >= 0
            assert index.nbytes > 0

    together(8, work)
    assert len(index) == 8 * 25
    assert max(seen) <= 8 * 30
    for number in range(8):
        found = index.query([f"a text that was changed, number {number}"])
        assert (found.similarity == 1).sum() == 15


def test_frequencies_that_many_threads_count():
    frequencies = DocumentFrequencies(n_buckets=2**10, n_jobs=1)

    def work(number):
        for i in range(40):
            frequencies.learn(fresh(f"{number} {i}"))
            frequencies.weights()
            if i % 2:
                frequencies.forget(fresh(f"{number} {i}"))

    together(8, work)
    alone = DocumentFrequencies(n_buckets=2**10, n_jobs=1)
    alone.learn([text for n in range(8) for i in range(0, 40, 2) for text in fresh(f"{n} {i}")])
    assert frequencies == alone


def test_one_vectorizer_while_the_core_is_changed():
    """Which instruction set is in use and what memory is kept change no result."""
    vectorizer = AdditiveHashingVectorizer(n_features=1024, randomizer="aes128", n_jobs=2)
    expected = vectorizer.transform(fresh("a")).tobytes()
    sets = info()["instruction_sets"]

    def change(step):
        set_instruction_set(sets[step % len(sets)])
        release_memory()

    def check():
        assert vectorizer.transform(fresh("a")).tobytes() == expected

    try:
        race(change, check)
    finally:
        set_instruction_set(None)


def test_a_batch_of_tokens_that_many_threads_fill():
    batch = native.TokenBatch()
    tokens = fresh("a")

    def work(_):
        for _ in range(300):
            batch.append_strings(tokens)

    together(8, work)
    assert len(batch) == 2400
    assert batch.byte_count == 2400 * sum(len(token.encode()) for token in tokens)
    hashes = native.murmurhash3(batch, 0).reshape(2400, -1)
    assert (hashes == hashes[0]).all()


def test_sums_that_many_threads_edit():
    randomizer = native.Randomizer("shake256", 64, b"")
    sums = np.zeros(64, np.int64)

    def work(_):
        for _ in range(500):
            native.edit_sums(sums, randomizer, ("one", "two"), (1, 2))

    together(8, work)
    once = np.zeros(64, np.int64)
    native.edit_sums(once, randomizer, ("one", "two"), (1, 2))
    assert sums.tolist() == (once * 4000).tolist()


def test_one_column_for_many_threads():
    pa = pytest.importorskip("pyarrow")
    column = pa.chunked_array([fresh("a"), fresh("b")])
    vectorizer = AdditiveHashingVectorizer(n_features=64, n_jobs=1)
    expected = vectorizer.transform(fresh("a") + fresh("b")).tobytes()
    texts = text_column(column)

    def work(_):
        for _ in range(20):
            assert vectorizer.transform(column).tobytes() == expected
            assert vectorizer.transform(texts).tobytes() == expected

    together(8, work)


@pytest.mark.parametrize("kind", ["stream", "array"])
def test_of_many_threads_one_gets_what_a_capsule_holds(kind):
    pa = pytest.importorskip("pyarrow")
    for _ in range(30):
        array = pa.array(fresh("a"))
        if kind == "stream":
            capsules = (pa.chunked_array([array]).__arrow_c_stream__(),)
            read = native.ArrowTable.of_stream
        else:
            capsules, read = array.__arrow_c_array__(), native.ArrowTable.of_array
        got = []

        def work(_, capsules=capsules, read=read, got=got):
            with allowed(native.ArrowError, "read before"):
                got.append(len(read(*capsules)))

        together(4, work)
        assert got == [len(WORDS) * 4]

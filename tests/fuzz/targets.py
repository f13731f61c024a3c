"""What is fuzzed: a target takes bytes, and whatever they are, what it asserts must hold.

`python -m tests.fuzz` runs a target under atheris; `test_targets.py` runs each on its seeds.
"""

import re
from collections import Counter
from zlib import crc32

import numpy as np

from addhash import (
    CountVectorizer,
    DocumentFrequencies,
    DocumentHash,
    DuplicateIndex,
    Index,
    TextClassifier,
    TextIndex,
    TextVectorizer,
    TfidfVectorizer,
    errors,
)
from addhash.documents import blob
from addhash.files.model_file import ModelBytes, read_model, write_model
from addhash.learning.memory import Keeping
from addhash.learning.ngram_mixture import NgramMixture
from tests.fuzz import mutations
from tests.golden.make_files import FOLDER, KEY, LABELS, MODELS, TEXTS
from tests.golden.test_documents import BLOBS

NEW_MODELS = {
    "frequencies": lambda: DocumentFrequencies(n_buckets=64).learn(TEXTS),
    "counts": lambda: CountVectorizer().fit(TEXTS),
    "tfidf": lambda: TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True).fit(TEXTS),
    "mixture": lambda: TextClassifier.of_memory(
        "mixture", NgramMixture.empty(0, Keeping()).learn(TEXTS, np.array(LABELS))
    ),
    "words": lambda: TextClassifier(n_buckets=64).fit(TEXTS, LABELS),
    "widest": lambda: TextClassifier(n_buckets=2**31 - 1).fit(TEXTS, LABELS),
    "no tokens": lambda: (
        TextClassifier(n_buckets=64).fit(["", *TEXTS], ["empty", *LABELS]).forget(TEXTS, LABELS)
    ),
    "numbers": lambda: TextClassifier(n_buckets=64).fit(
        TEXTS, np.array([-(2**63), 2**63 - 1, 0, -1, 1, 2])
    ),
}
KINDS = {type(make()).__name__: type(make()) for make in (*MODELS.values(), *NEW_MODELS.values())}
KIND = re.compile(rb'\\"kind\\":\\"(\w+)\\"')
HAS_KEY = re.compile(rb'\\"key_fingerprint\\":\\"')
CHECKSUM = bytes(blob.CHECKSUM_BYTES)


def document_blobs(data):
    """With the right checksum, whatever is read is written again as it was."""
    whole = data + CHECKSUM
    flags = data[11] if len(data) > 11 else 0
    try:
        document = DocumentHash.from_bytes(whole, KEY if flags & blob.HAS_KEY else None)
    except (errors.BlobError, errors.ConfigurationMismatchError):
        return
    assert document.to_bytes() == whole


def model_files(data):
    """With the right digest, a file is refused by an error of addhash, or its model answers."""
    found = KIND.search(data)
    kind = KINDS.get(found[1].decode(), Index) if found else Index
    takes_key = kind in (TextClassifier, TextIndex) and HAS_KEY.search(data)
    try:
        model = kind.from_bytes(data, **({"key": KEY} if takes_key else {}))
        # A question takes longer than loading: one in four models is asked one.
        if crc32(data) % 4 == 0:
            ask(model)
    except errors.AddhashError:
        return


def ask(model):
    """Ask a model something that its kind can answer."""
    vectorizer = model.vectorizer if isinstance(model, TextClassifier | TextIndex) else model
    if getattr(vectorizer, "input", "content") != "content":
        return  # a text would be taken for the name of a file
    if isinstance(model, TextClassifier):
        model.predict_scores(TEXTS[:1])
    elif isinstance(model, TextIndex):
        model.search(TEXTS[:1], k=2)
    elif isinstance(model, Index):
        model.search(np.ones((1, model.n_features)), k=2)
    elif isinstance(model, DuplicateIndex):
        model.query(TEXTS[:1])
    elif isinstance(model, DocumentFrequencies):
        model.weights()
    elif hasattr(model, "transform"):
        model.transform(TEXTS[:1])
    else:
        model.predict(np.ones((1, model.n_features_in_)))


SMALL = {
    "bayes": {"n_buckets": 64},
    "nearest": {"vectorizer": TextVectorizer(n_features=64, norm=None, dtype=np.int32)},
    "centroid": {"vectorizer": TextVectorizer(n_features=64, norm=None, dtype=np.int32)},
}
METHODS = tuple(SMALL)


def histories(data):
    """After any history, a classifier answers as one that was taught what is left.

    The first byte names the method. Then each step has a byte that says what to do with which
    label, and a text up to the next zero byte; one that was learnt before is named by its number.
    """
    if not data:
        return
    classifier = _classifier(data[0])
    known = Counter()
    for step in data[1:].split(b"\0"):
        if not step:
            continue
        act, label = divmod(step[0] - 1, 4)
        example = step[1:].decode("utf-8", "replace"), "abcd"[label]
        if act % 2 and known:
            example = sorted(known)[len(step) % len(known)]
        _step(classifier, act // 2 % 4, example, known)
    if known:
        _compare(classifier, _classifier(data[0]), known)


def _classifier(number):
    method = METHODS[number % len(METHODS)]
    return TextClassifier(method, n_jobs=1, **SMALL[method])


def _step(classifier, act, example, known):
    text, label = example
    if act < 2:
        classifier.learn([text], [label])
        known[example] += 1
    elif known:
        # Sums and counts cannot tell everything that they do not contain.
        try:
            if act == 2 and known[example]:
                classifier.forget([text], [label])
                known[example] -= 1
            else:
                classifier.leave_one_out([text], [label])
        except errors.AddhashError:
            assert not known[example]
        known += Counter()  # without those that are not left


def _compare(classifier, fresh, known):
    texts, labels = zip(*sorted(known.elements()), strict=True)
    fresh.learn(texts, labels)
    assert classifier.classes_.tolist() == fresh.classes_.tolist() == sorted(set(labels))
    asked = [*texts[:2], "", "the cat"]
    got, expected = classifier.predict_scores(asked), fresh.predict_scores(asked)
    assert [(p.label, p.score) for p in got] == [(p.label, p.score) for p in expected]


def forged(make, change):
    """Return the file of a model whose settings or arrays were changed, with the right digest."""
    source, target = ModelBytes(make().to_bytes()), ModelBytes()
    kind = type(make()).__name__
    file = read_model(source, kind)
    arrays = {name: array.copy() for name, array in file.arrays.items()}
    change(file.settings, arrays)
    write_model(target, kind, file.settings, arrays, {})
    return target.content


def _too_large(settings, arrays):
    for array in arrays.values():
        if array.dtype == np.int64:
            array[:] = 2**62


def _too_many_lengths(settings, arrays):
    settings["vectorizer"]["ngram_range"] = [1, 2**30]


# Files and histories on which a version failed, or nearly did; fuzzing starts from them too.
FORGED = [
    *(forged(NEW_MODELS[name], _too_large) for name in ("words", "frequencies")),
    forged(MODELS["centroid"], _too_large),
    forged(NEW_MODELS["words"], _too_many_lengths),
    forged(MODELS["text-index"], _too_many_lengths),
]
LEARN, FORGET, LEAVE_OUT = 1, 17, 25  # plus the number of the label
KNOWN = 4  # more: not the text that is given, but one that was learnt


def _history(method, *steps):
    return bytes([METHODS.index(method)]) + b"\0".join(
        bytes([act]) + text.encode() for act, text in steps
    )


HISTORIES = [
    _history(method, (LEARN, "ham and eggs"), (LEARN + 1, "spam"), *steps)
    for method in METHODS
    for steps in (
        [(LEAVE_OUT, "never learnt"), (LEAVE_OUT + 1, "b" * 3000)],
        [(LEARN + 1, ""), (FORGET + KNOWN, ""), (FORGET + KNOWN, "x"), (FORGET + KNOWN, "xx")],
        [(LEARN + 2, "ham " * 500), (LEAVE_OUT + KNOWN, "x"), (FORGET + KNOWN, "x")],
        [(LEARN + 2, "語学\ud7ff \ufffd"), (LEARN + KNOWN, ""), (FORGET + KNOWN, "")],
    )
]
SEEDS = {
    "document_blobs": [bytes.fromhex(text)[: -blob.CHECKSUM_BYTES] for text in BLOBS.values()],
    "model_files": [
        *((FOLDER / name).read_bytes() for name in MODELS),
        *(make().to_bytes() for make in NEW_MODELS.values()),
        *FORGED,
    ],
    "histories": HISTORIES,
}


def change_history(data, random, blind):
    """Change a history: a step taken away, doubled or put elsewhere, or anything."""
    steps = data[1:].split(b"\0")
    how = random.randrange(4)
    at = random.randrange(len(steps))
    if how == 0:
        del steps[at]
    elif how == 1:
        steps.insert(random.randrange(len(steps) + 1), steps[at])
    elif how == 2:
        steps[at] = bytes([random.randrange(1, 32)]) + steps[at][1:]
    else:
        return blind(data)
    return data[:1] + b"\0".join(steps)


TARGETS = {
    "document_blobs": (document_blobs, mutations.change_document),
    "model_files": (model_files, mutations.change_model_file),
    "histories": (histories, change_history),
}

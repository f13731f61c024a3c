"""Fuzz what Python reads of foreign bytes: atheris brings libFuzzer to Python.

``python -m tests.fuzz document_blobs -runs=1000000 FOUND``: a target, libFuzzer's options, and the
folder for what is found. The golden files are the seeds.
"""

import re
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from random import Random
from zlib import crc32

import atheris
import numpy as np

# What reads the bytes and checks them. Following more, such as what hashes, only takes time.
READERS = {
    "document_blobs": ["addhash.documents.blob"],
    "model_files": [
        "addhash.files.model_file",
        "addhash.files.parts",
        "addhash.hashing.frequencies",
        "addhash.hashing.vectorizer",
        "addhash.learning.class_sums",
        "addhash.learning.exact_sums",
        "addhash.learning.examples",
        "addhash.learning.labels",
        "addhash.learning.classifier_state",
        "addhash.learning.token_counts",
        "addhash.search.index_state",
        "addhash.search.encoded_vectors",
    ],
}
NAME = sys.argv[1]


def _other_modules():
    """Return the modules that are not followed: atheris takes whole packages, but for those."""
    root = Path(find_spec("addhash").origin).parent
    for path in root.rglob("*.py"):
        name = ".".join(["addhash", *path.relative_to(root).with_suffix("").parts])
        if name not in READERS[NAME]:
            yield name.removesuffix(".__init__")


with atheris.instrument_imports(include=["addhash"], exclude=list(_other_modules())):
    from addhash import (
        DocumentFrequencies,
        DocumentHash,
        DuplicateIndex,
        Index,
        TextClassifier,
        TextIndex,
        conventions,
        errors,
    )
    from addhash.documents import blob
    from addhash.files import model_file
    from tests.fuzz import mutations
    from tests.golden.make_files import FOLDER, KEY, MODELS, TEXTS
    from tests.golden.test_documents import BLOBS

KINDS = {type(make()).__name__: type(make()) for make in MODELS.values()}
KINDS["DocumentFrequencies"] = DocumentFrequencies
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
            _ask(model)
    except errors.AddhashError:
        return


def _ask(model):
    if isinstance(model, TextClassifier | TextIndex) and model.vectorizer.input != "content":
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
    else:
        model.predict(np.ones((1, model.n_features_in_)))


def _frequencies():
    frequencies = DocumentFrequencies(n_buckets=64)
    frequencies.learn(TEXTS)
    return frequencies


SEEDS = {
    "document_blobs": lambda: [
        bytes.fromhex(text)[: -blob.CHECKSUM_BYTES] for text in BLOBS.values()
    ],
    "model_files": lambda: [
        *((FOLDER / name).read_bytes() for name in MODELS),
        _frequencies().to_bytes(),
    ],
}
TARGETS = {
    "document_blobs": (document_blobs, mutations.change_document),
    "model_files": (model_files, mutations.change_model_file),
}


def main(found, options):
    target, change = TARGETS[NAME]
    found.mkdir(parents=True, exist_ok=True)
    seeds = SEEDS[NAME]()
    for i, seed in enumerate(seeds):
        (found / f"seed-{i}").write_bytes(seed)
    # An attacker makes the checksum and the digest fit.
    blob._checksum = lambda data: CHECKSUM
    model_file._digest = lambda about, arrays: about["digest"]
    # What parameters a class has is read from its code, and never changes.
    conventions.signature = cache(conventions.signature)

    def mutate(data, most, seed):
        random = Random(seed)
        # Much of what is found is refused early, and so would be whatever is made of it.
        if random.random() < 0.5:
            data = random.choice(seeds)
        changed = change(data, random, lambda part: atheris.Mutate(part, most))
        return changed if len(changed) <= most else atheris.Mutate(data, most)

    atheris.Setup([NAME, *options, str(found)], target, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main(Path(sys.argv[-1]), sys.argv[2:-1])

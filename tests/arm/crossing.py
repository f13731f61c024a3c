"""What must be the same on every architecture, as files: to write, and to read elsewhere.

``python -m tests.arm.crossing write FOLDER`` writes the golden digests, documents, models, a few
thousand hashed texts, and probabilities. ``python -m tests.arm.crossing read FOLDER ANSWERS`` reads
the documents and models of such a folder, and writes what they answer.
"""

import json
import random
import sys
from pathlib import Path

import numpy as np

import addhash
from addhash import (
    AdditiveHashingVectorizer,
    DocumentHash,
    HashingVectorizer,
    TextClassifier,
    languages,
)
from addhash.hashing.key import Key
from addhash.hashing.randomizers import make_randomizer
from addhash.runtime import native
from addhash.sample import load_languages, load_messages
from tests.golden.make_files import KEY, METADATA, MODELS, answers
from tests.golden.make_vectors import KEYS, TOKENS, WIDTHS
from tests.golden.test_documents import DOCUMENTS
from tests.texts import HOSTILE

RANDOMIZERS = ("shake256", "aes128")
MADE_UP = 3000


def texts():
    """Return the sample's texts, hostile ones, and made-up ones of the sample's words."""
    samples = load_languages()[0] + load_messages()[0]
    words = " ".join(samples).split(" ")
    drawn = random.Random(0)
    made_up = [" ".join(drawn.choices(words, k=drawn.randrange(1, 60))) for _ in range(MADE_UP)]
    return samples + HOSTILE + made_up


def digests():
    batch = native.TokenBatch()
    batch.append_strings(TOKENS)
    return {
        f"digests-{name}-{width}-{'none' if key is None else key.hex()}": native.digests(
            batch, make_randomizer(name, width, Key.wrapped(key))
        )
        for name in RANDOMIZERS
        for key in KEYS
        for width in WIDTHS
    }


def hashed_texts():
    found = {}
    for name in RANDOMIZERS:
        for norm, dtype in ((None, np.int32), ("l2", np.float32), ("l2", np.float64)):
            vectorizer = AdditiveHashingVectorizer(
                analyzer="char", ngram_range=(1, 3), n_features=1000, randomizer=name,
                norm=norm, dtype=dtype,
            )  # fmt: skip
            found[f"texts-{name}-{norm}-{np.dtype(dtype).name}"] = vectorizer.transform(texts())
    counts = HashingVectorizer(ngram_range=(1, 2)).transform(texts())
    for part in ("indptr", "indices", "data"):
        found[f"texts-trick-{part}"] = getattr(counts, part)
    return found


def probabilities():
    """Return those of tuned classifiers, of their answers, and of detected languages."""
    known, labels = load_languages()
    asked = load_messages()[0]
    found = {}
    for method in ("bayes", "nearest", "centroid"):
        classifier = TextClassifier(method).fit(known, labels)
        found[f"probabilities-{method}"] = classifier.predict_proba(asked)
        scores = [answer.score for answer in classifier.predict_scores(asked)]
        found[f"scores-{method}"] = np.array(scores)
    rows = languages.detect(known, top=5, threshold=0)
    shares = [[language.probability for language in row] for row in rows]
    return found | {"probabilities-languages": np.array(shares)}


def arrays_of_every_set():
    """Return the arrays, after a look that no instruction set gives others."""
    first = None
    for name in addhash.info()["instruction_sets"]:
        addhash.set_instruction_set(name)
        found = {
            array: np.ascontiguousarray(values).tobytes()
            for array, values in (digests() | hashed_texts() | probabilities()).items()
        }
        first = first or found
        differing = [array for array in found if found[array] != first[array]]
        assert not differing, f"{name} gives other {differing}"
    addhash.set_instruction_set(None)
    return first


def write(folder):
    folder.mkdir(parents=True)
    for name, content in arrays_of_every_set().items():
        (folder / name).write_bytes(content)
    for name, document in DOCUMENTS.items():
        (folder / f"document-{name}").write_bytes(document.to_bytes())
    for name, make in MODELS.items():
        make().save(folder / f"model-{name}", metadata=METADATA)
    print(f"{len(list(folder.iterdir()))} files by {addhash.info()['instruction_sets']}")


def read(folder, target):
    found = {}
    for name in DOCUMENTS:
        blob = (folder / f"document-{name}").read_bytes()
        document = DocumentHash.from_bytes(blob, KEY if name == "keyed" else None)
        found[f"document-{name}"] = [document.digest().hex(), document.vector().tolist()]
    for name, make in MODELS.items():
        key = {"key": KEY} if name == "keyed" else {}
        found[f"model-{name}"] = answers(type(make()).load(folder / f"model-{name}", **key))
    target.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    {"write": write, "read": read}[sys.argv[1]](*map(Path, sys.argv[2:]))

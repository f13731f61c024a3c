"""Makes the golden files: ``python -m tests.golden.make_files``.

They were written by 0.2.0 and are read by every later version. Do not make them anew: a new layout
gets a new format number, new files beside these, and a reader for both.
"""

import json
from pathlib import Path

import numpy as np

from addhash import (
    AdditiveHashingVectorizer,
    BayesClassifier,
    CentroidClassifier,
    DuplicateIndex,
    Index,
    NearestNeighborClassifier,
    TextClassifier,
    TextIndex,
)

FOLDER = Path(__file__).with_name("files")
KEY = b"0123456789abcdef"
TEXTS = [
    "The cat sat on the mat.",
    "A dog and a bird, and nothing else.",
    "Le chat est sur la table.",
    "Un chien et un oiseau, rien de plus.",
    "Größe ist nicht alles, sagte die Katze.",
    "語学は楽しい",
]
LABELS = ["en", "en", "fr", "fr", "de", "ja"]
PROBES = ["a cat on a table", "la table et le chat", "Katze", "語学", ""]
X = np.array([[3, -1, 0, 2], [300, -20000, 5, 1], [0, 0, 0, 1], [-3, 1, 0, -2], [1, 1, 1, 1]])
FLOATS = X + np.array([0.5, 0.25, 1e-9, 0])
Y = [0, 1, 2, 1, 0]
METADATA = {"source": "golden", "license": "CC0"}


def narrow(**parameters):
    return AdditiveHashingVectorizer(
        analyzer="char_wb", ngram_range=(2, 3), n_features=64, norm=None, dtype=np.int32,
        **parameters,
    )  # fmt: skip


def index(vectors):
    made = Index(4)
    made.add(vectors, ids=[5, 3, 9, 1, 7])
    made.remove([9])
    return made


def text_index():
    made = TextIndex(narrow())
    made.add(TEXTS)
    return made


def duplicates():
    made = DuplicateIndex(threshold=0.5)
    made.add([*TEXTS, TEXTS[0] + " Yes."])
    return made


MODELS = {
    "index": lambda: index(X),
    "index-floats": lambda: index(FLOATS),
    "text-index": text_index,
    "nearest-vectors": lambda: NearestNeighborClassifier(n_neighbors=3).fit(X, Y),
    "centroid-vectors": lambda: CentroidClassifier(reject_below=0.25).fit(FLOATS, Y),
    "bayes": lambda: TextClassifier("bayes", n_buckets=4096).fit(TEXTS, LABELS),
    "bayes-vectors": lambda: BayesClassifier(smoothing=0.5).fit(np.abs(X), Y),
    "nearest": lambda: TextClassifier(
        "nearest", vectorizer=narrow(), keep_texts=True, n_neighbors=2
    ).fit(TEXTS, LABELS),
    "centroid": lambda: TextClassifier("centroid", vectorizer=narrow()).fit(TEXTS, LABELS),
    "keyed": lambda: TextClassifier("nearest", vectorizer=narrow(key=KEY, randomizer="aes128")).fit(
        TEXTS, LABELS
    ),
    "duplicates": duplicates,
}


def answers(model):
    """Return what a model says, as JSON has it."""
    if isinstance(model, Index):
        found = model.search(X, k=3)
        return [found.ids.tolist(), found.scores.tolist(), model.ids.tolist()]
    if isinstance(model, TextIndex):
        return [[list(match) for match in row] for row in model.search(PROBES, k=2)]
    if isinstance(model, DuplicateIndex):
        return [[array.tolist() for array in model.pairs], model.clusters.tolist()]
    if isinstance(model, TextClassifier):
        scores = model.predict_scores(PROBES, 2)
        return [
            [p.label, p.score, p.margin, p.runner_up, [list(n) for n in p.nearest]] for p in scores
        ]
    vectors = np.abs(X) if isinstance(model, BayesClassifier) else X
    return [model.predict(vectors).tolist(), model.predict_proba(vectors).tolist()]


def main():
    FOLDER.mkdir(exist_ok=True)
    found = {}
    for name, make in MODELS.items():
        model = make()
        model.save(FOLDER / name, metadata=METADATA)
        found[name] = answers(model)
    (FOLDER / "answers.json").write_text(
        json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()

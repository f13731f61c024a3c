"""The methods that are compared: addhash's, scikit-learn's and fastText's."""

import os
import pickle
import tempfile
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy.sparse import hstack
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB
from sklearn.svm import LinearSVC

from addhash import AdditiveHashingVectorizer, DocumentFrequencies, TextClassifier
from benchmarks.accuracy.data import Texts
from benchmarks.accuracy.names import OURS, PEERS

Labels = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
# With more classes than this, n-grams of a single text are left out.
MANY_CLASSES = 60
# With more coefficients than this, LogisticRegression gets the most frequent n-grams of each kind,
# and fewer iterations.
MOST_COEFFICIENTS = 10_000_000
FREQUENT_COLUMNS = 20_000
FEWER_ITERATIONS = 30
AUTOTUNE_SECONDS = 60


class Method(Protocol):
    """What is compared."""

    def fit(self, known: Texts, labels: Labels) -> None: ...

    def answers(self, asked: Texts) -> tuple[Labels, Floats | None]:
        """Return labels and, where the method has them, their probabilities."""

    def n_bytes(self) -> int: ...


class Addhash:
    """A TextClassifier, perhaps with the document frequencies of what it learns."""

    def __init__(self, method: Any, with_idf: bool, n_jobs: int | None = 1) -> None:
        self._method, self._with_idf, self._n_jobs = method, with_idf, n_jobs

    def fit(self, known: Texts, labels: Labels) -> None:
        vectorizer = None
        if self._method != "bayes":
            vectorizer = AdditiveHashingVectorizer(
                analyzer="char", ngram_range=(1, 4), n_features=8192, norm=None, dtype=np.int32,
                randomizer="aes128", n_jobs=self._n_jobs,
            )  # fmt: skip
        if vectorizer is not None and self._with_idf:
            frequencies = DocumentFrequencies(vectorizer, n_jobs=self._n_jobs).learn(known.texts)
            vectorizer.set_params(weights=frequencies, sublinear_tf=True)
        self.model = TextClassifier(self._method, vectorizer=vectorizer, n_jobs=self._n_jobs)
        self.model.fit(known.texts, labels)

    def predict(self, asked: Texts) -> Labels:
        found: Labels = self.model.predict(asked.texts)
        return found

    def answers(self, asked: Texts) -> tuple[Labels, Floats | None]:
        return self.predict(asked), self.model.predict_proba(asked.texts).max(axis=1)

    def n_bytes(self) -> int:
        with tempfile.TemporaryDirectory() as folder:
            self.model.save(Path(folder) / "model")
            return (Path(folder) / "model").stat().st_size


class Paper(Addhash):
    """The paper's classifier: the nearest text by the cosine of character 3-grams, L = 4096."""

    def __init__(self, lowercase: bool) -> None:
        super().__init__("nearest", False, None)
        self._lowercase = lowercase

    def fit(self, known: Texts, labels: Labels) -> None:
        vectorizer = AdditiveHashingVectorizer(
            analyzer="char", ngram_range=(3, 3), lowercase=self._lowercase, n_features=4096,
            norm=None, dtype=np.int32,
        )  # fmt: skip
        self.model = TextClassifier(method="nearest", vectorizer=vectorizer)
        self.model.fit(known.texts, labels)


class ScikitLearn:
    """A classifier on TF-IDF vectors of words, of characters, or of both side by side."""

    def __init__(self, classifier: str, kinds: tuple[str, ...]) -> None:
        self._classifier, self._kinds = classifier, kinds

    def fit(self, known: Texts, labels: Labels) -> None:
        n_classes = len(np.unique(labels))
        is_large = False
        self._columns: dict[str, Any] = {}
        self._tfidf: dict[str, TfidfTransformer] = {}
        vectors = []
        for kind in self._kinds:
            counts = known.counts(kind)
            documents = np.bincount(counts.indices, minlength=counts.shape[1])
            columns = np.flatnonzero(documents >= (2 if n_classes > MANY_CLASSES else 1))
            if self._classifier == "LogisticRegression":
                is_large |= n_classes * len(columns) > MOST_COEFFICIENTS
                if is_large:
                    columns = np.sort(np.argsort(-documents, kind="stable")[:FREQUENT_COLUMNS])
            self._columns[kind] = columns
            self._tfidf[kind] = TfidfTransformer(sublinear_tf=True)
            vectors.append(self._tfidf[kind].fit_transform(counts[:, columns]))
        self.classifier = make_classifier(self._classifier, is_large)
        self.classifier.fit(_beside(vectors), labels)

    def answers(self, asked: Texts) -> tuple[Labels, Floats | None]:
        vectors = _beside(
            [
                self._tfidf[kind].transform(asked.counts(kind)[:, self._columns[kind]])
                for kind in self._kinds
            ]
        )
        if not hasattr(self.classifier, "predict_proba"):
            return self.classifier.predict(vectors), None
        shares = self.classifier.predict_proba(vectors)
        return self.classifier.classes_[shares.argmax(axis=1)], shares.max(axis=1)

    def n_bytes(self) -> int:
        return len(pickle.dumps((self._columns, self._tfidf, self.classifier)))


def _beside(vectors: list[Any]) -> Any:
    return vectors[0] if len(vectors) == 1 else hstack(vectors, format="csr")


def make_classifier(kind: str, is_large: bool = False) -> Any:
    if kind == "LinearSVC":
        return LinearSVC()
    if kind == "LogisticRegression":
        return LogisticRegression(C=100, max_iter=FEWER_ITERATIONS if is_large else 100, tol=1e-3)
    return ComplementNB()


class FastText:
    """fastText's supervised mode, with the settings that its own search finds in a minute.

    A fifth of what is known serves the search; the settings it finds are then used to learn all
    of it. They are found once per data set, on its first split.
    """

    def __init__(self) -> None:
        self._settings: dict[str, Any] | None = None

    def fit(self, known: Texts, labels: Labels) -> None:
        import fasttext

        self._classes, numbers = np.unique(labels, return_inverse=True)
        lines = [
            f"__label__{number} {_line(text)}\n"
            for number, text in zip(numbers, known.texts, strict=True)
        ]
        with tempfile.TemporaryDirectory() as folder:
            path, part, judge = (Path(folder) / name for name in ("known", "part", "judge"))
            path.write_text("".join(lines), encoding="utf-8")
            if self._settings is None:
                order = np.random.default_rng(0).permutation(len(lines))
                kept = len(lines) * 4 // 5
                part.write_text("".join(lines[i] for i in order[:kept]), encoding="utf-8")
                judge.write_text("".join(lines[i] for i in order[kept:]), encoding="utf-8")
                found = fasttext.train_supervised(
                    str(part), autotuneValidationFile=str(judge),
                    autotuneDuration=AUTOTUNE_SECONDS, thread=1, verbose=0,
                )  # fmt: skip
                chosen = found.f.getArgs()
                names = ("dim", "epoch", "lr", "minn", "maxn", "bucket", "minCount", "wordNgrams")
                self._settings = {name: getattr(chosen, name) for name in names}
                self._settings["loss"] = chosen.loss.name
            self._model = self._trained(fasttext, str(path))

    def _trained(self, fasttext: Any, path: str) -> Any:
        """Return a model with the settings found; a rate at which it diverges is halved."""
        assert self._settings is not None
        while True:
            try:
                return fasttext.train_supervised(path, **self._settings, thread=1, verbose=0)
            except RuntimeError:  # "Encountered NaN."
                self._settings["lr"] /= 2

    def answers(self, asked: Texts) -> tuple[Labels, Floats | None]:
        found, shares = self._model.predict([_line(text) for text in asked.texts])
        numbers = [int(labels[0].removeprefix("__label__")) if labels else 0 for labels in found]
        likely = np.array([share[0] if len(share) else 0.0 for share in shares])
        return self._classes[numbers], np.clip(likely, 0, 1)

    def n_bytes(self) -> int:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model"
            self._model.save_model(str(path))
            return os.path.getsize(path)


def _line(text: str) -> str:
    return " ".join(text.lower().split())


def make(name: str) -> Method:
    if name in OURS:
        return Addhash(*OURS[name])
    return FastText() if name == "fastText" else ScikitLearn(*PEERS[name])

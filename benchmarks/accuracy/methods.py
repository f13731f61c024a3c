"""The methods that are compared: addhash's, scikit-learn's and fastText's."""

import os
import pickle
import tempfile
from pathlib import Path
from typing import Any, Protocol

import fasttext
import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import NearestCentroid
from sklearn.svm import LinearSVC

from addhash import AdditiveHashingVectorizer, DocumentFrequencies, TextClassifier
from benchmarks.accuracy.data import NGRAMS, Texts
from benchmarks.accuracy.names import OURS

Labels = npt.NDArray[Any]
MANY_CLASSES = 50
MANY_CLASSES_COLUMNS = 20_000
MANY_CLASSES_ITERATIONS = 30
DENSE_COLUMNS = 10_000


class Method(Protocol):
    """What is compared. `needs_counts` says whether texts must come with their counts."""

    needs_counts: bool

    def fit(self, known: Texts, labels: Labels) -> None: ...
    def predict(self, asked: Texts) -> Labels: ...
    def n_bytes(self) -> int: ...


class Addhash:
    """A TextClassifier, perhaps with the document frequencies of what it learns."""

    needs_counts = False

    def __init__(self, method: Any, with_idf: bool, n_jobs: int | None) -> None:
        self._method, self._with_idf, self._n_jobs = method, with_idf, n_jobs

    def fit(self, known: Texts, labels: Labels) -> None:
        settings: dict[str, Any] = {"analyzer": "char", "ngram_range": NGRAMS}
        if self._method != "bayes":
            settings |= {"ngram_range": (1, 4), "n_features": 8192, "norm": None}
            settings |= {"dtype": np.int32, "randomizer": "aes128"}
        vectorizer = AdditiveHashingVectorizer(**settings, n_jobs=self._n_jobs)
        if self._with_idf:
            frequencies = DocumentFrequencies(vectorizer, n_jobs=self._n_jobs).learn(known.texts)
            vectorizer.set_params(weights=frequencies, sublinear_tf=True)
        self._model = TextClassifier(
            method=self._method, vectorizer=vectorizer, n_jobs=self._n_jobs
        ).fit(known.texts, labels)

    def predict(self, asked: Texts) -> Labels:
        found: Labels = self._model.predict(asked.texts)
        return found

    def n_bytes(self) -> int:
        with tempfile.TemporaryDirectory() as folder:
            self._model.save(Path(folder) / "model")
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
        self._model = TextClassifier(method="nearest", vectorizer=vectorizer)
        self._model.fit(known.texts, labels)


class ScikitLearn:
    """A classifier on TF-IDF vectors of the n-grams that at least two known texts have."""

    needs_counts = True

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def fit(self, known: Texts, labels: Labels) -> None:
        counts = known.counts
        documents = np.bincount(counts.indices, minlength=counts.shape[1])
        self._columns = np.flatnonzero(documents >= 2)
        has_many = len(np.unique(labels)) > MANY_CLASSES
        most = len(self._columns)
        if self._kind == "LogisticRegression" and has_many:
            most = MANY_CLASSES_COLUMNS
        elif self._kind == "NearestCentroid":
            most = DENSE_COLUMNS  # it makes a dense matrix of what it is given
        if most < len(self._columns):
            self._columns = np.sort(np.argsort(-documents, kind="stable")[:most])
        self._tfidf = TfidfTransformer(sublinear_tf=True)
        vectors = self._tfidf.fit_transform(counts[:, self._columns])
        self.classifier = make_classifier(self._kind, has_many).fit(vectors, labels)

    def predict(self, asked: Texts) -> Labels:
        vectors = self._tfidf.transform(asked.counts[:, self._columns])
        found: Labels = self.classifier.predict(vectors)
        return found

    def n_bytes(self) -> int:
        return len(pickle.dumps((self._columns, self._tfidf, self.classifier)))


def make_classifier(kind: str, has_many_classes: bool) -> Any:
    if kind == "LinearSVC":
        return LinearSVC()
    if kind == "LogisticRegression":
        return LogisticRegression(
            C=100, max_iter=MANY_CLASSES_ITERATIONS if has_many_classes else 100, tol=1e-3
        )
    if kind == "MultinomialNB":
        return MultinomialNB(alpha=0.01)
    return NearestCentroid()


class FastText:
    """fastText's supervised mode: words and the n-grams inside them."""

    needs_counts = False

    def fit(self, known: Texts, labels: Labels) -> None:
        self._classes, numbers = np.unique(labels, return_inverse=True)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "known"
            lines = [
                f"__label__{number} {_line(text)}\n"
                for number, text in zip(numbers, known.texts, strict=True)
            ]
            path.write_text("".join(lines), encoding="utf-8")
            self._model = fasttext.train_supervised(
                str(path), dim=32, epoch=15, lr=1.0, minn=1, maxn=5, bucket=500_000, minCount=1,
                loss="softmax", thread=1, verbose=0,
            )  # fmt: skip

    def predict(self, asked: Texts) -> Labels:
        found, _ = self._model.predict([_line(text) for text in asked.texts])
        numbers = [int(labels[0].removeprefix("__label__")) if labels else 0 for labels in found]
        return self._classes[numbers]

    def n_bytes(self) -> int:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model"
            self._model.save_model(str(path))
            return os.path.getsize(path)


def _line(text: str) -> str:
    return " ".join(text.lower().split())


def make(name: str, n_jobs: int | None = None) -> Method:
    if name in OURS:
        return Addhash(*OURS[name], n_jobs)
    return FastText() if name == "fastText" else ScikitLearn(name)

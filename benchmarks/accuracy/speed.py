"""Speed and size of whole ways from texts to labels, on one thread."""

import pickle
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from sklearn.base import clone
from sklearn.feature_extraction.text import HashingVectorizer as SklearnVectorizer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline, make_union

from addhash import AdditiveHashingVectorizer, DocumentFrequencies, TextClassifier
from benchmarks.accuracy.data import BUCKETS, NGRAMS, TASKS
from benchmarks.accuracy.methods import make, make_classifier
from benchmarks.accuracy.names import OURS, PEERS
from benchmarks.detectors import fasttext_model

Row = dict[str, Any]
# How often methods are fitted, in turns: the least time counts. What is short varies more.
SETS = {"trec": 3, "reviews": 1, "subset-21": 1}
ANSWERS = 3


def _seconds(function: Callable[[], Any], times: int = 1) -> float:
    """Return the least processor time."""
    least = float("inf")
    for _ in range(times):
        start = time.process_time()
        function()
        least = min(least, time.process_time() - start)
    return least


def pipeline(name: str) -> Any:
    """Return a peer as one would write it: scikit-learn cuts and counts its own n-grams."""
    classifier, kinds = PEERS[name]
    vectorizers = [TfidfVectorizer(**NGRAMS[kind], sublinear_tf=True) for kind in kinds]
    return make_pipeline(make_union(*vectorizers), make_classifier(classifier))


def speed(methods: list[str]) -> Iterator[Row]:
    """Yield processor times, texts in and labels out, and the sizes of models."""
    for data, turns in SETS.items():
        found = [[_speed(data, name) for name in methods] for _ in range(turns)]
        for i, name in enumerate(methods):
            fit, answer, size = (min(turn[i][j] for turn in found) for j in range(3))
            yield {
                "data": data,
                "method": name,
                "fit (s)": fit,
                "texts per second": 1 / answer,
                "model (bytes)": size,
            }


def _speed(data: str, name: str) -> tuple[float, float, int]:
    """Return how long it takes to fit, and to answer one text, and the size of the model."""
    task = TASKS[data]()
    known, asked = (task.texts.part(positions) for positions in task.splits[0])
    labels = task.labels[task.splits[0].known]
    if name in PEERS:
        model = pipeline(name)
        fit = _seconds(partial(model.fit, known.texts, labels))
        some = asked.texts[:: max(1, len(asked.texts) // 500)]
        answer = _seconds(partial(model.predict, some), ANSWERS) / len(some)
        return fit, answer, len(pickle.dumps(model))
    method = make(name)
    fit = _seconds(partial(method.fit, known, labels))
    answer = _seconds(_asking(name, method, asked), ANSWERS) / len(asked.texts)
    return fit, answer, method.n_bytes()


def _asking(name: str, method: Any, asked: Any) -> Callable[[], Any]:
    if name in OURS:
        return lambda: method.predict(asked)
    return lambda: method.answers(asked)


def labels() -> Iterator[Row]:
    """Yield the speed from texts to labels beside that of cutting alone."""
    task = TASKS["subset-21"]()
    known, asked = (task.texts.part(positions).texts for positions in task.splits[0])
    known_labels, fasttext = task.labels[task.splits[0].known], fasttext_model()
    model = TextClassifier(n_jobs=1).fit(known, known_labels)
    cutting = SklearnVectorizer(analyzer="char", ngram_range=(1, 5), n_features=BUCKETS)
    lines = [text.replace("\n", " ") for text in asked]
    some = asked[::10]
    ways: dict[str, tuple[int, Callable[[], Any]]] = {
        "bayes": (len(asked), lambda: model.predict(asked)),
        "bayes, leave-one-out": (len(known), lambda: model.leave_one_out(known, known_labels)),
        "scikit-learn HashingVectorizer": (len(some), lambda: cutting.transform(some)),
        "fastText lid.176.ftz": (len(lines), lambda: fasttext.predict(lines)),
    }
    least = dict.fromkeys(ways, float("inf"))
    for _ in range(5):
        for name, (_, function) in ways.items():
            least[name] = min(least[name], _seconds(function))
    for name, (count, _) in ways.items():
        yield {"method": name, "texts per second": count / least[name]}


def weights() -> Iterator[Row]:
    """Yield how fast weighed vectors are made, as a part of the speed of plain ones."""
    texts = TASKS["subset-21"]().texts.texts[:1000]
    for randomizer in ("shake256", "aes128"):
        for n_features in (2048, 8192):
            plain = AdditiveHashingVectorizer(
                analyzer="char", ngram_range=(1, 4), n_features=n_features,
                randomizer=randomizer, n_jobs=1,
            )  # fmt: skip
            frequencies = DocumentFrequencies(plain).learn(texts)
            weighed = clone(plain).set_params(weights=frequencies, sublinear_tf=True)
            least = [float("inf")] * 2
            for _ in range(15):
                for i, vectorizer in enumerate((plain, weighed)):
                    least[i] = min(least[i], _seconds(lambda v=vectorizer: v.transform(texts)))
            yield {
                "data": f"{randomizer}, {n_features} components",
                "plain (texts per second)": len(texts) / least[0],
                "weighed (texts per second)": len(texts) / least[1],
                "ratio": least[0] / least[1],
            }

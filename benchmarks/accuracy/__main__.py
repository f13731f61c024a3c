"""Measure accuracy: all sections, or those named on the command line. Rows are kept one by one."""

import argparse
import json
import pickle
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import HashingVectorizer as SklearnVectorizer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import matthews_corrcoef

from addhash import AdditiveHashingVectorizer, DocumentFrequencies, TextClassifier
from benchmarks import harness
from benchmarks.accuracy.data import BUCKETS, NGRAMS, TASKS, Split, Task, subset_21
from benchmarks.accuracy.methods import DENSE_COLUMNS, Method, Paper, make, make_classifier
from benchmarks.accuracy.names import NAMES, OURS, PEERS
from benchmarks.detectors import fasttext_model

FILE = harness.RESULTS / "accuracy.json"
# Fewer splits than there are, where a method takes long for all of them.
MOST_SPLITS = {
    "head-235": {"LinearSVC": 3, "LogisticRegression": 1, "fastText": 3},
    "udhr": {"LinearSVC": 1, "LogisticRegression": 1, "fastText": 1},
    "sms": dict.fromkeys(NAMES[2:], 10),
}
EXAMPLES = (1, 2, 5, 10, 20, 50, 100, 200, 500)
CURVES = (*OURS, "MultinomialNB", "LinearSVC", "fastText")
REPEATS = 3
ASKED_PER_CLASS = 100

wanted = list(NAMES)  # the methods that are measured

Row = dict[str, Any]
KEYS = ("data", "method", "examples")  # what tells the rows of a section apart


def outcome(task: Task, split: Split, method: Method) -> dict[str, float]:
    """Return how well a method does on one split."""
    known, asked = (task.texts.part(positions, method.needs_counts) for positions in split)
    method.fit(known, task.labels[split.known])
    called, right = method.predict(asked), task.labels[split.asked]
    found = {"accuracy": 100 * float(np.mean(called == right))}
    if set(right) == {"ham", "spam"}:
        found["spam caught"] = 100 * float(np.mean(called[right == "spam"] == "spam"))
        found["blocked ham"] = 100 * float(np.mean(called[right == "ham"] == "spam"))
        found["MCC"] = float(matthews_corrcoef(right, called))
    return found


def accuracy(section: str) -> Iterator[Row]:
    """Yield the figures of every method on one data set, each with its standard error."""
    task = TASKS[section]()
    for name in wanted:
        splits = task.splits[: MOST_SPLITS.get(section, {}).get(name, len(task.splits))]
        outcomes = [outcome(task, split, make(name)) for split in splits]
        yield {"method": name} | summary(outcomes, splits)


def summary(outcomes: list[dict[str, float]], splits: list[Split]) -> Row:
    """Return the means of all figures over splits, and their standard errors."""
    row: Row = {"splits": len(splits), "asked": len(splits[0].asked)}
    for figure in outcomes[0]:
        values = [found[figure] for found in outcomes]
        row[figure] = float(np.mean(values))
        if len(values) > 1:
            row[f"{figure}, standard error"] = float(np.std(values, ddof=1) / np.sqrt(len(values)))
    return row


def paper() -> Iterator[Row]:
    """Yield the figures of the paper's own classifier on its two tasks."""
    for section in ("head-235", "subset-21", "sms"):
        task = TASKS[section]()
        outcomes = [outcome(task, split, Paper(section == "sms")) for split in task.splits]
        yield {"data": section} | summary(outcomes, task.splits)


def curve() -> Iterator[Row]:
    """Yield the accuracy on the languages of subset-21 by the number of examples of each."""
    task = subset_21()
    known, asked = task.splits[0]
    few_asked = asked[_firsts(task.labels[asked], ASKED_PER_CLASS)]
    for name in [name for name in CURVES if name in wanted]:
        for count in EXAMPLES:
            values = []
            for seed in range(REPEATS if count < EXAMPLES[-1] else 1):
                order = np.random.default_rng(seed).permutation(known)
                chosen = order[_firsts(task.labels[order], count)]
                values.append(outcome(task, Split(chosen, few_asked), make(name))["accuracy"])
            yield {"method": name, "examples": count, "accuracy": float(np.mean(values))}


def _firsts(labels: Any, count: int) -> Any:
    """Return the positions of the first texts of each class."""
    found = [np.flatnonzero(labels == label)[:count] for label in np.unique(labels)]
    return np.sort(np.concatenate(found))


def _seconds(function: Callable[[], Any]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def speed() -> Iterator[Row]:
    """Yield times on one thread, texts in and labels out, and the sizes of models."""
    task = subset_21()
    known, asked = (task.texts.part(positions, False) for positions in task.splits[0])
    labels = task.labels[task.splits[0].known]
    # Both sides cut and hash or look up their own tokens: nothing is shared here.
    vectorizer = TfidfVectorizer(analyzer="char", ngram_range=NGRAMS, sublinear_tf=True, min_df=2)
    vectors: list[Any] = []
    cutting = _seconds(lambda: vectors.append(vectorizer.fit_transform(known.texts)))
    some = asked.texts[::5]
    asking = _seconds(lambda: vectors.append(vectorizer.transform(some)))
    for name in wanted:
        if name in PEERS:
            classifier = make_classifier(name, False)
            a, b = vectors if name != "NearestCentroid" else _most_frequent(*vectors)
            fit = cutting + _seconds(lambda c=classifier, a=a: c.fit(a, labels))
            predict = asking + _seconds(lambda c=classifier, b=b: c.predict(b))
            per_second = len(some) / predict
            size = _pickled(vectorizer, classifier)
        else:
            method = make(name, n_jobs=1)
            fit = _seconds(lambda m=method: m.fit(known, labels))
            predict = min(_seconds(lambda m=method: m.predict(asked)) for _ in range(3))
            per_second = len(asked.texts) / predict
            size = method.n_bytes()
        yield {
            "method": name,
            "fit (s)": fit,
            "texts per second": per_second,
            "model (bytes)": size,
        }


def labels() -> Iterator[Row]:
    """Yield the speed from texts to labels beside that of cutting alone, on one thread."""
    task = subset_21()
    known, asked = (task.texts.part(positions, False).texts for positions in task.splits[0])
    known_labels, fasttext = task.labels[task.splits[0].known], fasttext_model()
    model = TextClassifier(
        vectorizer=AdditiveHashingVectorizer(analyzer="char", ngram_range=NGRAMS), n_jobs=1
    ).fit(known, known_labels)
    cutting = SklearnVectorizer(analyzer="char", ngram_range=NGRAMS, n_features=BUCKETS)
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
            start = time.process_time()
            function()
            least[name] = min(least[name], time.process_time() - start)
    for name, (count, _) in ways.items():
        yield {"method": name, "texts per second": count / least[name]}


def weights() -> Iterator[Row]:
    """Yield how fast weighed vectors are made, as a part of the speed of plain ones."""
    texts = subset_21().texts.texts[:1000]
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
                    start = time.process_time()
                    vectorizer.transform(texts)
                    least[i] = min(least[i], time.process_time() - start)
            yield {
                "data": f"{randomizer}, {n_features} components",
                "plain (texts per second)": len(texts) / least[0],
                "weighed (texts per second)": len(texts) / least[1],
                "ratio": least[0] / least[1],
            }


def _most_frequent(known: Any, asked: Any) -> tuple[Any, Any]:
    """Return what a method is given that makes dense matrices."""
    documents = np.bincount(known.indices, minlength=known.shape[1])
    columns = np.sort(np.argsort(-documents, kind="stable")[:DENSE_COLUMNS])
    return known[:, columns], asked[:, columns]


def _pickled(*objects: Any) -> int:
    return sum(len(pickle.dumps(each)) for each in objects)


SECTIONS: dict[str, Callable[[], Iterator[Row]]] = {
    **{name: lambda name=name: accuracy(name) for name in TASKS},
    "paper": paper,
    "curve": curve,
    "speed": speed,
    "labels": labels,
    "weights": weights,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--method", action="append", choices=NAMES, help="only this one; repeat it")
    chosen = parser.parse_args()
    sections = chosen.sections or list(SECTIONS)
    unknown = set(sections) - set(SECTIONS)
    if unknown:
        parser.error(f"no such section: {', '.join(sorted(unknown))}")
    if chosen.method:
        wanted[:] = chosen.method
    warnings.simplefilter("ignore", ConvergenceWarning)
    for section in sections:
        for row in SECTIONS[section]():
            keep(section, row)


def keep(section: str, row: Row) -> None:
    """Write a row to the results, in the place of an older one of the same name."""
    print(section, row, flush=True)
    results = json.loads(FILE.read_text()) if FILE.exists() else {"sections": {}}
    results["machine"] = harness.machine()
    rows = results["sections"].setdefault(section, [])
    names = [tuple(old.get(key) for key in KEYS) for old in rows]
    name = tuple(row.get(key) for key in KEYS)
    if name in names:
        rows[names.index(name)] = row
    else:
        rows.append(row)
    FILE.write_text(json.dumps(results, indent=1) + "\n")


main()

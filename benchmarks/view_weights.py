"""The usual weights of "bayes": what learning/view_weights.py has, from training parts alone.

    python -m benchmarks.view_weights

Tasks are samples of 1, 5 and 20 examples per class, each asked about other examples, and whole
training parts, each example as if it had never been learnt. Weights make the true classes of all
tasks likeliest together, each task as important as the next, and none is negative.
"""

import lzma
import re
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from addhash.hashing.token_buckets import TokenBuckets
from addhash.learning.memory import Keeping, Question
from addhash.learning.token_counts import TokenCounts
from addhash.text.analysis import Analysis
from benchmarks import harness

Floats = npt.NDArray[np.float64]
BUCKETS = 2**20
SHOTS = (1, 5, 20)
MOST_KNOWN, MOST_ASKED = 6000, 600
COST = 1e-3  # of the squares of standardized weights
PRIOR_WEIGHT = 0.5
# Most tasks have few examples, of which weights make less sure than they could of many. So much
# more leaves the calibration of few as good as it is, and nearly halves the error of whole parts.
SHARPER = 4 / 3
ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}


class Task(NamedTuple):
    """Views of examples, the true class of each, and what classes have without any token."""

    views: Floats
    codes: npt.NDArray[np.int64]
    prior: Floats


def training_parts() -> dict[str, tuple[list[str], list[str]]]:
    parts: dict[str, tuple[list[str], list[str]]] = {}
    for name in ("trec", "subj", "polarity", "reviews", "names", "afri", "pcmnews"):
        path = harness.data_folder() / "classification" / f"{name}.tsv.xz"
        content = lzma.decompress(path.read_bytes()).decode()
        rows = [line.split("\t") for line in content.removesuffix("\n").split("\n")]
        known = [(label, text) for part, label, text in rows if part == "train"]
        texts = [re.sub(r"\\(.)", lambda found: ESCAPED[found[1]], text) for _, text in known]
        parts[name] = (texts, [label for label, _ in known])
    texts, labels = parts["trec"]
    parts["trec-6"] = (texts, [label.split(":")[0] for label in labels])
    rows = [line.split("\t", 1) for line in harness.lines("sms-spam/SMSSpamCollection")[::2]]
    parts["sms"] = ([text for _, text in rows], [label for label, _ in rows])
    parts["subset-21"] = (
        harness.wili("subset-21/x_train.txt"),
        harness.wili("subset-21/y_train.txt"),
    )
    return parts


def tasks_of(texts: list[str], labels: list[str], random: np.random.Generator) -> list[Task]:
    analysis = Analysis(analyzer="text", ngram_range=(1, 5))
    hashing = TokenBuckets(BUCKETS, False, analysis)
    order = random.permutation(len(texts))[:MOST_KNOWN]
    y = np.array(labels)[order]
    chosen = [texts[i] for i in order]

    def rows_of(positions: Any) -> Any:
        return hashing.of_texts(analysis, [chosen[i] for i in positions], 2)

    def memory_of(known: Any) -> TokenCounts:
        memory = TokenCounts.empty(BUCKETS, Keeping(orders=analysis.orders))
        return memory.learn(rows_of(known), y[known])

    def task(memory: TokenCounts, views: Any, codes: Any) -> Task:
        counts = memory.classes.counts
        prior = PRIOR_WEIGHT * np.log(counts + counts.mean())
        return Task(views - views.mean(axis=2, keepdims=True), codes, prior - prior.mean())

    everything = np.arange(len(chosen))
    memory, asked = memory_of(everything), everything[:MOST_ASKED]
    question = Question(threads=2)
    tasks = [task(memory, *memory.left_out_views(rows_of(asked), y[asked], question))]
    for shots in SHOTS:
        places = [np.flatnonzero(y == label) for label in np.unique(y)]
        known = np.concatenate([place[:shots] for place in places])
        others = np.concatenate([place[shots:] for place in places])
        memory = memory_of(known)
        views, codes = [], []
        for i in random.permutation(others)[: MOST_ASKED // 2]:
            # A text that was not learnt: it is, and then it is left out.
            row = rows_of([i])
            with_it = memory.learn(row, y[i : i + 1])
            found, code = with_it.left_out_views(row, y[i : i + 1], question)
            views.append(found[0])
            codes.append(code[0])
        tasks.append(task(memory, np.array(views), np.array(codes)))
    return tasks


def weights_of(tasks: list[Task]) -> Floats:
    scales = np.sqrt(np.mean([(task.views**2).mean(axis=(0, 2)) for task in tasks], axis=0))

    def loss(weights: Floats) -> tuple[float, Floats]:
        value, slope = COST * (weights @ weights), 2 * COST * weights
        for views, codes, prior in tasks:
            standard = views / scales[:, None]
            scores = np.einsum("skc,k->sc", standard, weights) + prior
            scores -= scores.max(axis=1, keepdims=True)
            shares = np.exp(scores)
            shares /= shares.sum(axis=1, keepdims=True)
            rows = np.arange(len(codes))
            size = len(codes) * np.log(len(prior)) * len(tasks)
            value -= np.log(np.maximum(shares[rows, codes], 1e-300)).sum() / size
            shares[rows, codes] -= 1
            slope = slope + np.einsum("skc,sc->k", standard, shares) / size
        return float(value), slope

    start = np.full(len(scales), 0.1)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(start))
    weights: Floats = found.x / scales
    return weights


def main() -> None:
    random = np.random.default_rng(0)
    tasks = []
    for name, (texts, labels) in training_parts().items():
        tasks += tasks_of(texts, labels, random)
        print(name, len(tasks), flush=True)
    weights = SHARPER * weights_of(tasks).reshape(-1, 2)
    orders = Analysis(analyzer="text", ngram_range=(1, 5)).orders
    for order, (rare, common) in zip(orders, weights.tolist(), strict=True):
        print(f'    "{order}": ({rare:.3f}, {common:.3f}),')


if __name__ == "__main__":
    main()

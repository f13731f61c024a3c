"""How much spam detection by the nearest neighbour leans on near-duplicates.

The paper's experiment (character 3-grams in lower case, L = 4096, random halves), as it is; with
the near-duplicates of the other half taken out of the half that is known; and on a collection
without near-duplicates. Run: python -m benchmarks sms_duplicates
"""

from typing import Any

import numpy as np

from addhash import AdditiveHashingVectorizer, NearestNeighborClassifier, find_duplicates
from benchmarks.harness import lines

HALVES = 20
THRESHOLD = 0.8
FIGURES = ("accuracy", "spam caught", "blocked hams")


def figures(is_spam: Any, answers: Any) -> list[float]:
    """Return the paper's measures, in percent."""
    return [
        100 * float((is_spam == answers).mean()),
        100 * float(answers[is_spam].mean()),
        100 * float(answers[~is_spam].mean()),
    ]


def classify(vectors: Any, is_spam: Any, known: Any, asked: Any) -> list[float]:
    classifier = NearestNeighborClassifier().fit(vectors[known], is_spam[known])
    return figures(is_spam[asked], classifier.predict(vectors[asked]))


def run() -> list[dict[str, Any]]:
    labels, texts = zip(
        *(line.split("\t", 1) for line in lines("sms-spam/SMSSpamCollection")), strict=True
    )
    is_spam = np.array(labels) == "spam"
    vectorizer = AdditiveHashingVectorizer(
        analyzer="char", ngram_range=(3, 3), n_features=4096, norm=None, dtype=np.int32
    )
    vectors = vectorizer.fit_transform(texts)
    whole = find_duplicates(texts, threshold=THRESHOLD)
    distinct = np.flatnonzero(whole.keep)
    found: dict[str, list[list[float]]] = {"as it is": [], "other half out": [], "distinct": []}
    taken_out = []
    for half in range(HALVES):
        order = np.random.default_rng(half).permutation(len(texts))
        known, asked = order[: len(texts) // 2], order[len(texts) // 2 :]
        found["as it is"].append(classify(vectors, is_spam, known, asked))
        leaks = find_duplicates(
            [texts[i] for i in known], threshold=THRESHOLD, against=[texts[i] for i in asked]
        )
        taken_out.append(int((~leaks.keep).sum()))
        found["other half out"].append(classify(vectors, is_spam, known[leaks.keep], asked))
        kept = order[np.isin(order, distinct)]
        known, asked = kept[: len(kept) // 2], kept[len(kept) // 2 :]
        found["distinct"].append(classify(vectors, is_spam, known, asked))
    about = {
        "as it is": f"{len(texts):,} messages, {int((~whole.keep).sum())} near-duplicates at"
        f" {THRESHOLD} ({whole.n_pairs:,} pairs)",
        "other half out": f"on average {np.mean(taken_out):.0f} of {len(texts) // 2:,} known"
        " messages taken out",
        "distinct": f"{len(distinct):,} messages",
    }
    rows = []
    for name, values in found.items():
        row: dict[str, Any] = {"messages": name, "what": about[name]}
        for column, figure in enumerate(FIGURES):
            one = np.array(values)[:, column]
            row[f"{figure} (%)"] = float(one.mean())
            row[f"{figure}, standard error"] = float(one.std(ddof=1) / np.sqrt(HALVES))
        rows.append(row)
    return rows

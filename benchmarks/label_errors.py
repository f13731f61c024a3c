"""Plant label errors, and count them among the first suspects."""

import numpy as np

from addhash import TextClassifier
from benchmarks import harness
from benchmarks.accuracy.data import TASKS

SETS = ("trec", "subj", "polarity", "reviews", "afri", "pcmnews", "sms", "subset-21")
SHARE = 0.05  # of the labels that are replaced by another one, drawn at random
SEEDS = 3


def planted(labels: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels of which some are wrong, and which."""
    chance = np.random.default_rng(seed)
    wrong = chance.choice(len(labels), max(1, round(SHARE * len(labels))), replace=False)
    classes, changed = np.unique(labels), labels.copy()
    for i in wrong:
        changed[i] = chance.choice(classes[classes != labels[i]])
    return changed, wrong


def main() -> None:
    rows = []
    for data in SETS:
        task = TASKS[data]()
        known = task.splits[0].known
        texts = [task.texts.texts[i] for i in known]
        shares = []
        for seed in range(SEEDS):
            labels, wrong = planted(task.labels[known], seed)
            model = TextClassifier().fit(texts, labels)
            is_planted = np.isin([s.position for s in model.suspects(texts, labels)], wrong)
            firsts = [is_planted[:count].mean() for count in (50, 200)]
            shares.append([*firsts, is_planted[: len(wrong)].sum() / len(wrong)])
        first_50, first_200, found = np.mean(shares, axis=0).tolist()
        rows.append(
            {
                "data": data,
                "examples": len(texts),
                "planted": len(wrong),
                "first 50": first_50,
                "first 200": first_200,
                "found": found,
            }
        )
        print(rows[-1], flush=True)
    harness.save("label_errors", rows)


if __name__ == "__main__":
    main()

"""Without `fit`: how well calibrated what was learnt is, and whether a later class is believed."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from addhash import TextClassifier
from benchmarks.accuracy.data import TASKS, Positions, Task
from benchmarks.accuracy.methods import ScikitLearn
from benchmarks.accuracy.names import LESSON_PEER, PEERS
from benchmarks.accuracy.runs import expected_calibration_error

Row = dict[str, Any]
LESSON_SETS = ("subset-21", "pcmnews", "trec")
# How many examples of four classes are fitted, and how many of a fifth are learnt then.
LESSONS = ((5000, 10), (2000, 2))
FURTHER = 50
OTHERS = 2000


def learnt() -> Iterator[Row]:
    """Yield the calibration of classifiers that only ever called `learn`, on the first split."""
    for data, read in TASKS.items():
        task = read()
        texts, (known, asked) = task.texts.texts, task.splits[0]
        model = TextClassifier(n_jobs=1).learn([texts[i] for i in known], task.labels[known])
        shares = model.predict_proba([texts[i] for i in asked])
        is_right = model.classes_[shares.argmax(axis=1)] == task.labels[asked]
        error = expected_calibration_error(is_right, shares.max(axis=1))
        yield {
            "data": data,
            "method": "bayes",
            "accuracy": 100 * float(is_right.mean()),
            "ECE": error,
        }


def right(model: TextClassifier, task: Task, positions: Positions) -> float:
    found = model.predict([task.texts.texts[i] for i in positions])
    return 100 * float(np.mean(found == task.labels[positions]))


def lessons() -> Iterator[Row]:
    """Yield what a fifth class that comes later gains, and what four others lose; and of a peer.

    The five classes with the most examples, of which the last is taught; "others" are texts of the
    four.
    """
    for data in LESSON_SETS:
        task = TASKS[data]()
        texts, (known, asked) = task.texts.texts, task.splits[0]
        names, counts = np.unique(task.labels[known], return_counts=True)
        chosen = names[np.argsort(-counts, kind="stable")[:5]]
        old, new = chosen[:4], chosen[4]
        random = np.random.default_rng(0)
        for examples, taught in LESSONS:
            mine = known[np.isin(task.labels[known], old)]
            mine = random.permutation(mine)[:examples]
            lesson = random.permutation(known[task.labels[known] == new])[:taught]
            further = asked[task.labels[asked] == new][:FURTHER]
            others = asked[np.isin(task.labels[asked], old)][:OTHERS]
            model = TextClassifier(n_jobs=1).fit([texts[i] for i in mine], task.labels[mine])
            before = right(model, task, others)
            model.learn([texts[i] for i in lesson], task.labels[lesson])
            everything = np.concatenate([mine, lesson])
            peer = ScikitLearn(*PEERS[LESSON_PEER])
            peer.fit(task.texts.part(everything), task.labels[everything])
            found, _ = peer.answers(task.texts.part(further))
            yield {
                "data": data,
                "method": f"{len(mine)} + {len(lesson)}",
                "taught texts right": right(model, task, lesson),
                "further texts": len(further),
                "further texts right": right(model, task, further),
                "others before": before,
                "others after": right(model, task, others),
                LESSON_PEER: 100 * float(np.mean(found == task.labels[further])),
            }

"""One at a time: a text predicted, an example learnt, a query searched, a command started.

With ADDHASH_BEFORE set to the Python of an environment that has an earlier version of addhash, the
same work is measured there too, in turns with this one. Of each case, the best turn counts.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

BEFORE = "ADDHASH_BEFORE"
TURNS = 3

# Runs with any version of addhash: prints the microseconds of each case.
SCRIPT = r"""
import json, sys, time
import numpy as np
from addhash import AdditiveHashingVectorizer, CentroidClassifier, Index, TextClassifier

rng = np.random.default_rng(0)
letters = list("abcdefghijklmnopqrstuvwxyz")
words = ["".join(rng.choice(letters, rng.integers(2, 9))) for _ in range(5000)]


def texts(count):
    return [" ".join(rng.choice(words, 12)) for _ in range(count)]


def median(function, inputs):
    times = []
    for each in inputs:
        start = time.perf_counter()
        function(each)
        times.append(time.perf_counter() - start)
    return 1e6 * float(np.median(times))


def loaded(method, count):
    model = TextClassifier(method).fit(texts(count), [f"class {i % 20}" for i in range(count)])
    model.save(sys.argv[1])
    model = TextClassifier.load(sys.argv[1])
    model.predict(texts(20))
    return model


found = {}
for method in ("bayes", "nearest", "centroid"):
    model = loaded(method, 2000)
    case = f"predict one text, {method}, 2,000 examples"
    found[case] = median(lambda text: model.predict([text]), texts(500))
    found[f"explain one text, {method}, 2,000 examples"] = median(model.explain, texts(100))
vectorizer = AdditiveHashingVectorizer(n_features=2048)
found["transform one text, 2,048 components"] = median(
    lambda text: vectorizer.transform([text]), texts(500)
)
model = loaded("nearest", 10_000)
model.learn(texts(1), ["class 1"])


def learn_and_predict(text):
    model.learn([text], ["class 1"])
    model.predict([text])


asked = texts(60)
found["learn one and predict one, nearest, 10,000 examples"] = median(learn_and_predict, asked)
found["forget one, nearest, 10,000 examples"] = median(
    lambda text: model.forget([text], ["class 1"]), asked[:30]
)
vectors = rng.normal(size=(9600, 2048)).astype(np.float32)
labels = rng.integers(0, 21, 9600)
found["CentroidClassifier.fit, 9,600 x 2,048 float32"] = median(
    lambda _: CentroidClassifier().fit(vectors, labels), range(3)
)
rows = rng.integers(-60, 61, (20_000, 2048)).astype(np.int16)
index = Index(2048, n_jobs=1)
index.add(rows)
found["search one query, 20,000 x 2,048, 1 thread"] = median(
    lambda i: index.search(rows[i : i + 1], 1), range(0, 300)
)
found["add one vector to 20,000 x 2,048"] = median(
    lambda i: index.add(rows[i : i + 1]), range(0, 300)
)
print(json.dumps(found))
"""

READING = "reading 20,000 x 2,048 codes once, 1 thread"
PEERS = r"""
import json, time
import numpy as np
from sklearn.neighbors import NearestCentroid

rng = np.random.default_rng(0)
vectors = rng.normal(size=(9600, 2048)).astype(np.float32)
labels = rng.integers(0, 21, 9600)
codes = rng.integers(-60, 61, 20_000 * 2048).astype(np.int8).view(np.int64)


def best(function, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1e6 * float(np.median(times))


print(json.dumps([best(lambda: NearestCentroid().fit(vectors, labels), 3), best(codes.max, 300)]))
"""


def measured(python: str) -> dict[str, float]:
    """Run the script, and the commands, with one version of addhash."""
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder, "model"))
        done = subprocess.run(
            [python, "-c", SCRIPT, model], capture_output=True, text=True, check=True
        )
        found: dict[str, float] = json.loads(done.stdout)
        program = str(Path(python).with_name("addhash"))
        for name, words, text in (
            ("addhash predict MODEL -", ["predict", model, "-"], "some text\n"),
            ("addhash inspect MODEL", ["inspect", model], ""),
            ("addhash predict, no such file", ["predict", "nowhere.model", "-"], ""),
        ):
            seconds, megabytes = started([program, *words], text)
            found[f"`{name}`, CPU"] = 1e6 * seconds
            found[f"`{name}`, memory (MB)"] = megabytes
    return found


def started(command: list[str], text: str) -> tuple[float, float]:
    """Return the least CPU time of a command in three runs, and the memory it took."""
    script = (
        "import json, resource, subprocess, sys\n"
        "subprocess.run(sys.argv[2:], input=sys.argv[1].encode(), capture_output=True)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))\n"
    )
    runs = [
        json.loads(subprocess.check_output([sys.executable, "-c", script, text, *command]))
        for _ in range(3)
    ]
    return min(run[0] for run in runs), min(run[1] for run in runs)


def best(turns: list[dict[str, float]]) -> dict[str, float]:
    """Return the least of each case."""
    return {case: min(turn[case] for turn in turns) for case in turns[0]}


def version(python: str) -> str:
    script = "import addhash; print(addhash.__version__)"
    return subprocess.check_output([python, "-c", script], text=True).strip()


def run() -> list[dict[str, Any]]:
    before = os.environ.get(BEFORE)
    pythons = [sys.executable, before] if before else [sys.executable]
    turns = [[measured(python) for python in pythons] for _ in range(TURNS)]
    now, *earlier = map(best, map(list, zip(*turns, strict=True)))
    centroid, reading = json.loads(subprocess.check_output([sys.executable, "-c", PEERS]))
    peers = {
        "CentroidClassifier.fit, 9,600 x 2,048 float32": ("scikit-learn NearestCentroid", centroid),
        "search one query, 20,000 x 2,048, 1 thread": (READING, reading),
    }
    rows = []
    for case, value in now.items():
        peer, theirs = peers.get(case, ("", None))
        rows.append(
            {
                "case": case,
                "µs": value,
                **({f"{version(before)}, µs": earlier[0].get(case, "")} if before else {}),
                "peer": peer,
                "peer, µs": "" if theirs is None else theirs,
            }
        )
    return rows

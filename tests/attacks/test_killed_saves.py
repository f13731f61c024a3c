"""A process killed at any moment of saving leaves the old file or the new one."""

import os
import subprocess
import sys

KILLS = 200

# One process makes the models, then forks one victim after the other: it saves two models in turn
# to the same file until it is killed. Temporary files left behind show that kills hit saves.
SCRIPT = """
import os, random, signal, sys, time
from pathlib import Path
import numpy as np
from addhash import Index

folder, kills = Path(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(0)
models = []
for i in range(2):
    index = Index(64, n_jobs=1)
    index.add(rng.integers(-99, 100, (2000, 64)))
    index.save(folder / f"expected{i}")
    models.append(index)
expected = [(folder / f"expected{i}").read_bytes() for i in range(2)]
path = folder / "model"
models[0].save(path)
dice = random.Random(1)
seen = set()
cut_short = 0
for _ in range(kills):
    victim = os.fork()
    if victim == 0:
        while True:
            for model in models:
                model.save(path)
    time.sleep(dice.uniform(0, 0.05))
    os.kill(victim, signal.SIGKILL)
    os.waitpid(victim, 0)
    Index.load(path, n_jobs=1)
    content = path.read_bytes()
    assert content in expected
    seen.add(expected.index(content))
    for temporary in folder.glob(".model.*.part"):
        cut_short += 1
        temporary.unlink()
print(len(seen), cut_short)
"""


def test_killed_saves(tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", SCRIPT, tmp_path, str(KILLS)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    seen, cut_short = map(int, done.stdout.split())
    assert seen == 2
    assert cut_short > KILLS // 10

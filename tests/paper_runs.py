"""Fixtures that are computed once per session, even if several workers of pytest-xdist share it."""

import json
import os
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest
from filelock import FileLock

from tests.cli.program import ADDHASH, environment


@pytest.fixture(scope="session")
def computed_once(tmp_path_factory):
    """Return a function that fills a named folder unless another worker has done so."""
    base = tmp_path_factory.getbasetemp()
    # Each worker has a folder of its own in the one of the session.
    session = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def once(name, fill):
        folder = session / name
        with FileLock(f"{folder}.lock"):
            if not (folder / "done").exists():
                folder.mkdir(exist_ok=True)
                fill(folder)
                (folder / "done").touch()
        return folder

    return once


@dataclass(frozen=True)
class QuickRun:
    """The folder that `addhash reproduce all --quick` wrote, and what it printed."""

    command: list[str]
    out: Path
    code: int
    stdout: str
    stderr: str

    @property
    def results(self):
        return json.loads((self.out / "results.json").read_text())


@pytest.fixture(scope="session")
def quick_run(computed_once, data_folder):
    """All experiments on the real data, run once by the installed program."""

    def run(folder):
        out = folder / "out"
        command = [ADDHASH, "reproduce", "all", "--quick", "--out", out, "--data", data_folder]
        command = [str(word) for word in command]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment()
        )
        kept = {"command": command, "code": done.returncode}
        kept |= {"stdout": done.stdout, "stderr": done.stderr}
        (folder / "run.json").write_text(json.dumps(kept))

    folder = computed_once("quick-run", run)
    return QuickRun(out=folder / "out", **json.loads((folder / "run.json").read_text()))


@pytest.fixture(scope="session")
def made_up_results():
    """Made-up results of all experiments; not to be changed."""
    # It loads scikit-learn, for which nobody waits who runs other tests.
    from tests.paper_results import full_results

    return full_results()


@pytest.fixture(scope="session")
def drawn(computed_once, made_up_results):
    """All figures of the made-up results, and the folder they were drawn to."""
    from addhash.paper.report import figures

    def draw(folder):
        found = figures.draw(made_up_results, folder / "a" / "figures")
        (folder / "figures.json").write_text(json.dumps([asdict(one) for one in found]))

    folder = computed_once("drawn-figures", draw)
    kept = json.loads((folder / "figures.json").read_text())
    return [figures.Figure(**one) for one in kept], folder / "a" / "figures"

"""Runs with --memory that are killed go on where they were, and give the same bytes."""

import json
import os
import signal
import subprocess
import time
from contextlib import chdir

import numpy as np
import pytest

from tests.cli.program import ADDHASH, WAIT, call, environment, fails

OUTPUTS = ("out.jsonl", "report.csv")


def write_texts(path, seed, count=1500):
    """Texts of 300 words, with passages of 60 that stand in several of them."""
    rng = np.random.default_rng(seed)
    words = np.array([f"w{i}" for i in range(5000)])
    pool = [" ".join(rng.choice(words, 60)) for _ in range(40)]
    with path.open("w", encoding="utf-8") as file:
        for i in range(count):
            parts = [" ".join(rng.choice(words, 150)) for _ in range(2)]
            file.write(json.dumps({"id": i, "text": pool[rng.integers(40)].join(parts)}) + "\n")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """Two inputs, and what a run that nobody stops makes of each."""
    folder = tmp_path_factory.mktemp("inputs")
    expected = {}
    for name, seed in (("a", 1), ("b", 2)):
        write_texts(folder / f"{name}.jsonl", seed)
        done = folder / name
        done.mkdir()
        (done / "in.jsonl").write_bytes((folder / f"{name}.jsonl").read_bytes())
        err = finish(done)
        expected[name] = [(done / output).read_bytes() for output in OUTPUTS]
        assert "Cut: " in err
        assert "Cut: 0 " not in err
    assert expected["a"] != expected["b"]
    return folder, expected


LINE = ["passages", "in.jsonl", "--memory", "4GB", "-o", "out.jsonl", "--report", "report.csv"]


def finish(folder):
    """Run the program to its end."""
    with chdir(folder):
        code, _, err = call(*LINE)
    assert code == 0, err
    return err


def kill_at(folder, is_there):
    """Start the program, and kill it as soon as something is there."""
    process = subprocess.Popen(
        [ADDHASH, *LINE],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    end = time.monotonic() + WAIT
    while process.poll() is None and not is_there() and time.monotonic() < end:
        time.sleep(0.0005)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL  # it had not ended before


def readings(work):
    try:
        return json.loads((work / "state.json").read_text())["readings"]
    except FileNotFoundError:
        return 0


STAGES = {
    "before the first reading ended": lambda folder, work: work.exists(),
    "after the first reading": lambda folder, work: readings(work) == 1,
    "after the second reading": lambda folder, work: readings(work) == 2,
    "while the output is written": lambda folder, work: any(folder.glob(".out.jsonl.*.part")),
}


@pytest.mark.parametrize("stage", STAGES)
def test_a_killed_search_for_passages_goes_on(tmp_path, inputs, stage):
    folder, expected = inputs
    given = (folder / "a.jsonl").read_bytes()
    (tmp_path / "in.jsonl").write_bytes(given)
    (tmp_path / "out.jsonl").write_text("what was there before")
    (tmp_path / "mine.txt").write_text("not of this run")
    work = tmp_path / ".out.jsonl.passages"
    kill_at(tmp_path, lambda: STAGES[stage](tmp_path, work))
    assert (tmp_path / "out.jsonl").read_text() == "what was there before"
    finish(tmp_path)
    assert [(tmp_path / output).read_bytes() for output in OUTPUTS] == expected["a"]
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["in.jsonl", "mine.txt", *sorted(OUTPUTS)]
    assert (tmp_path / "in.jsonl").read_bytes() == given
    assert (tmp_path / "mine.txt").read_text() == "not of this run"


def test_a_search_that_is_killed_again_and_again_ends(tmp_path, inputs):
    folder, expected = inputs
    (tmp_path / "in.jsonl").write_bytes((folder / "a.jsonl").read_bytes())
    work = tmp_path / ".out.jsonl.passages"
    for stage in STAGES:
        kill_at(tmp_path, lambda stage=stage: STAGES[stage](tmp_path, work))
    assert readings(work) == 2
    finish(tmp_path)
    assert [(tmp_path / output).read_bytes() for output in OUTPUTS] == expected["a"]


@pytest.mark.parametrize("stage", ["after the first reading", "after the second reading"])
def test_what_another_input_left_is_not_taken(tmp_path, inputs, stage):
    folder, expected = inputs
    (tmp_path / "in.jsonl").write_bytes((folder / "a.jsonl").read_bytes())
    work = tmp_path / ".out.jsonl.passages"
    kill_at(tmp_path, lambda: STAGES[stage](tmp_path, work))
    (tmp_path / "in.jsonl").write_bytes((folder / "b.jsonl").read_bytes())
    finish(tmp_path)
    assert [(tmp_path / output).read_bytes() for output in OUTPUTS] == expected["b"]
    assert not work.exists()


@pytest.mark.parametrize("command", ["passages", "dedupe"])
def test_a_folder_of_others_is_left_alone(tmp_path, command):
    (tmp_path / "in.txt").write_text("one text\nanother text\n")
    work = tmp_path / f".out.txt.{command}"
    work.mkdir()
    (work / "notes").write_text("mine")
    message = fails(
        *(command, tmp_path / "in.txt", "-o", tmp_path / "out.txt", "--memory", "8GB"), code=2
    )
    run = {"passages": "find_passages", "dedupe": "find_duplicates"}[command]
    assert f"contains something other than a run of {run}" in message
    assert [path.name for path in work.iterdir()] == ["notes"]
    # Put beside the files of a run, it stays when they go.
    (work / "notes").rename(tmp_path / "notes")
    os.rmdir(work)
    assert call(command, tmp_path / "in.txt", "-o", tmp_path / "out.txt", "--memory", "8GB")[0] == 0
    assert not work.exists()

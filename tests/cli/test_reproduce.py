"""`addhash reproduce` as a user runs it."""

import json
import os
import signal
import subprocess
import time

import pytest

from tests.cli.program import ADDHASH, WAIT, environment, fails, run_on_terminal


def test_a_quick_run_of_everything(quick_run):
    assert (quick_run.code, quick_run.stderr) == (0, "")
    out, results = quick_run.out, quick_run.results
    assert results["example"]["ah"] == pytest.approx([0.7778062, -0.1737021, -0.2583356])
    assert len(results["synthetic"]["ah"]["1024"][0]) == 3
    assert set(results["sms"]["ah"]["4096"]) >= {"acc", "sc", "bh"}
    assert results["sms"]["ht"]["4096"]["acc"] == pytest.approx(97.3, abs=0.4)
    # The official split leaves nothing to chance: a quick run finds what a full one does.
    subset = results["languages"]["subset-21"]
    assert subset["ah"]["2048"]["accuracy"] == pytest.approx(93.86, abs=0.05)
    rows = [line.split("\t") for line in quick_run.stdout.splitlines()]
    assert {len(row) for row in rows} == {6}
    assert {row[0] for row in rows} <= {
        *("agrees", "differs", "undecided", "on other data", "not run")
    }
    names = {path.name for path in (out / "figures").iterdir()}
    for name in ("synthetic", "languages", "languages-curve", "sms"):
        assert {f"{name}.png", f"{name}.svg"} <= names
    page = (out / "report.md").read_text(encoding="utf-8")
    assert page.count("](figures/") >= 5
    # Again, with all of it finished: nothing is run, the same is written.
    before = (out / "results.json").read_bytes()
    again = subprocess.run(
        quick_run.command, capture_output=True, text=True, check=True, env=environment()
    )
    assert again.stdout == quick_run.stdout
    assert (out / "results.json").read_bytes() == before
    assert (out / "report.md").read_text(encoding="utf-8") == page


def test_on_a_terminal_and_then_with_another_seed(tmp_path):
    out = tmp_path / "out"
    shown = run_on_terminal("reproduce", "example", "--out", out)
    assert "verdict" in shown
    assert "agrees" in shown
    assert "report.md" in shown
    assert "Drawing the figures" in shown
    assert "100%" in shown
    message = fails("reproduce", "example", "--out", out, "--seed", "1")
    assert "seed 0" in message
    assert "another folder" in message


def test_stopping_keeps_what_is_finished(tmp_path, data_folder):
    out = tmp_path / "out"
    process = subprocess.Popen(
        [ADDHASH, "reproduce", "all", "--out", out, "--data", data_folder],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    deadline = time.monotonic() + WAIT
    kept = out / "results.json"
    while not kept.exists() or not json.loads(kept.read_text())["finished"]:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=WAIT)
    assert process.returncode == 128 + signal.SIGINT
    assert "run the same command again to resume" in err
    assert "example" in json.loads(kept.read_text())["finished"]
    assert not any(name.endswith(".part") for name in os.listdir(out))


def test_missing_data(tmp_path):
    (tmp_path / "data").mkdir()
    message = fails("reproduce", "sms", "--data", tmp_path / "data", "--out", tmp_path / "out")
    assert "sms-spam/SMSSpamCollection" in message
    assert "7d039a24a6083ed9ef0f806ebad56bbb976e3aeb8de05669173bfdc4996c239d" in message
    assert "was not found" in message
    assert "archive.ics.uci.edu" in message
    assert not (tmp_path / "out").exists()


def test_cut_data(tmp_path, data_folder):
    folder = tmp_path / "wili-2018" / "subset-21"
    folder.mkdir(parents=True)
    content = (data_folder / "wili-2018" / "subset-21" / "x_train.txt").read_bytes()
    (folder / "x_train.txt").write_bytes(content[:-1])
    message = fails("reproduce", "languages", "--data", tmp_path, "--out", tmp_path / "out")
    assert "truncated" in message
    assert str(folder / "x_train.txt") in message
    assert not (tmp_path / "out").exists()


def test_wrong_use(tmp_path):
    assert "'figures'" in fails("reproduce", "figures", code=2)
    assert "--seed" in fails("reproduce", "example", "--seed", "-1", code=2)


def test_a_file_where_the_folder_should_be(tmp_path):
    (tmp_path / "out").write_text("in the way")
    message = fails("reproduce", "example", "--out", tmp_path / "out")
    assert str(tmp_path / "out") in message


def test_without_matplotlib(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    message = fails("reproduce", "example", "--out", tmp_path / "out")
    assert "pip install 'addhash[paper]'" in message
    assert not (tmp_path / "out").exists()

"""Whole runs: what is written, going on after a stop, and what is refused before it begins."""

import hashlib
import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from addhash import paper
from addhash.errors import DataFileError, ParameterError, ResultsFileError
from addhash.paper import catalogue, data_sets, reproduction
from addhash.paper.experiments.step import Step
from addhash.sample import load_languages, load_messages

pytestmark = pytest.mark.slow


def test_runs_write_results_figures_and_report_and_add_up(tmp_path):
    out = tmp_path / "new" / "folder"
    paper.reproduce("example", out, quick=True)
    results = paper.reproduce("synthetic", out, quick=True)
    assert {"example", "synthetic"} <= set(results)
    assert json.loads((out / "results.json").read_text()) == results
    curve = results["synthetic"]["ah"]["1024"]
    assert len(curve) == 11
    assert all(len(point) == 3 for point in curve)
    names = {path.name for path in (out / "figures").iterdir()}
    assert {"synthetic.png", "synthetic.svg"} <= names
    page = (out / "report.md").read_text(encoding="utf-8")
    assert page.startswith("# ")
    assert "popcorn" in page


def fake_steps(monkeypatch, run):
    """Let the example have three steps; return the names of those that were run."""
    ran = []

    def step(i):
        def go(tick):
            ran.append(i)
            tick(0.5)
            return run(i)

        return Step(f"step {i}", 1, go)

    monkeypatch.setattr(reproduction.example, "steps", lambda settings: [step(i) for i in range(3)])
    monkeypatch.setattr(reproduction.figures, "draw", lambda results, folder: [])
    monkeypatch.setattr(reproduction.page, "write", lambda results, figures, path: None)
    return ran


def test_a_run_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    def stopped(i):
        if i == 1:
            raise KeyboardInterrupt
        return {str(i): i}

    ran = fake_steps(monkeypatch, stopped)
    with pytest.raises(KeyboardInterrupt):
        paper.reproduce("example", tmp_path)
    assert json.loads((tmp_path / "results.json").read_text())["example"] == {"0": 0}
    assert ran == [0, 1]
    ran = fake_steps(monkeypatch, lambda i: {str(i): i})
    results = paper.reproduce("example", tmp_path)
    assert ran == [1, 2]
    assert results["example"] == {"0": 0, "1": 1, "2": 2}
    ran = fake_steps(monkeypatch, lambda i: {str(i): i})
    paper.reproduce("example", tmp_path)
    assert ran == []


def test_progress_only_grows(tmp_path, monkeypatch):
    fake_steps(monkeypatch, lambda i: {})
    seen = []
    paper.reproduce(
        "example", tmp_path, watch=lambda doing, fraction: seen.append((doing, fraction))
    )
    fractions = [fraction for _, fraction in seen]
    assert fractions == sorted(fractions)
    assert fractions[0] == 0
    assert fractions[-1] == 1
    assert ("step 1", pytest.approx(0.5)) in seen


def test_finished_experiments_are_shown_though_the_next_one_fails(tmp_path, monkeypatch):
    def fail(tick):
        raise MemoryError

    monkeypatch.setattr(
        reproduction.synthetic, "steps", lambda settings: [Step("synthetic", 1, fail)]
    )
    monkeypatch.setattr(reproduction, "EXPERIMENTS", ("example", "synthetic"))
    with pytest.raises(MemoryError):
        paper.reproduce("all", tmp_path, quick=True)
    assert "popcorn" in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_all_without_data_runs_what_needs_none_and_reports_the_rest(tmp_path, monkeypatch):
    monkeypatch.setattr(reproduction.synthetic, "REPEATS", 3)
    (tmp_path / "data").mkdir()
    out = tmp_path / "out"
    results = paper.reproduce("all", out, data=tmp_path / "data", quick=True)
    assert results["example"]["ah"]
    assert results["synthetic"]["ah"]
    for name in ("sms", "languages"):
        assert "was not found" in results[name]["not_run"]
        claims = [claim for claim in paper.claims_of(results) if claim.experiment == name]
        assert [claim.verdict for claim in claims] == ["not run"]
        assert "was not found" in claims[0].why
    page = (out / "report.md").read_text(encoding="utf-8")
    assert page.count("**This experiment was not run.**") == 2
    # With the data of one, the same folder has it too.
    lines = "".join(f"{label}\t{text}\n" for text, label in zip(*load_messages(), strict=True))
    digest = hashlib.sha256(lines.encode()).hexdigest()
    known = replace(catalogue.SMS, size=len(lines.encode()), sha256=digest)
    monkeypatch.setattr(data_sets, "SMS", known)
    (tmp_path / "data" / "SMSSpamCollection").write_bytes(lines.encode())
    results = paper.reproduce("sms", out, data=tmp_path / "data", quick=True)
    assert results["sms"]["messages"] == 150
    assert "ah" in results["sms"]
    page = (out / "report.md").read_text(encoding="utf-8")
    assert page.count("**This experiment was not run.**") == 1


@pytest.mark.parametrize("which", ["sms", "languages"])
def test_without_data_nothing_is_written(tmp_path, which):
    (tmp_path / "data").mkdir()
    with pytest.raises(DataFileError, match="was not found"):
        paper.reproduce(which, tmp_path / "out", data=tmp_path / "data")
    assert not (tmp_path / "out").exists()


def test_altered_data_leaves_earlier_results_alone(tmp_path, data_folder):
    out = tmp_path / "out"
    paper.reproduce("example", out)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    content = bytearray((data_folder / "sms-spam" / "SMSSpamCollection").read_bytes())
    content[1000] ^= 1
    (tmp_path / "SMSSpamCollection").write_bytes(content)
    with pytest.raises(DataFileError, match="altered"):
        paper.reproduce("sms", out, data=tmp_path)
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before


def test_results_of_other_settings_are_not_mixed(tmp_path):
    paper.reproduce("example", tmp_path)
    with pytest.raises(ResultsFileError, match="seed"):
        paper.reproduce("example", tmp_path, seed=1)


@pytest.mark.parametrize("which", ["figures", "", "ALL"])
def test_unknown_experiments_are_refused(tmp_path, which):
    with pytest.raises(ParameterError, match="'which' parameter"):
        paper.reproduce(which, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("seed", [-1, 1.5, "0", True, None])
def test_seeds_that_are_none_are_refused(tmp_path, seed):
    with pytest.raises(ParameterError, match="'seed' parameter"):
        paper.reproduce("example", tmp_path / "out", seed=seed)


class Downloads:
    """Stands for data files that are not there; downloading fails or is not allowed."""

    def __init__(self, may_download):
        self.may_download = may_download

    def has(self, file):
        return False

    def can_download(self, file):
        return self.may_download

    def read(self, file, tick):
        raise DataFileError("Downloading wili-2018.zip failed (no network).")


@pytest.mark.parametrize(
    ("may_download", "why"),
    [(True, "no network"), (False, "neither x_train.txt nor wili-2018.zip")],
)
def test_the_reason_why_the_full_set_was_not_run(may_download, why):
    settings = reproduction.Settings()
    watch = reproduction.unwatched
    full, why_not = reproduction._full_wili(Downloads(may_download), settings, watch)
    assert full is None
    assert why in why_not
    quick = reproduction.Settings(quick=True)
    assert reproduction._full_wili(Downloads(may_download), quick, watch) == (None, None)


CODES = ("ara", "arz", "bos", "dan", "deu", "eng", "fas", "fin", "fra", "hin", "hrv", "ita")


@pytest.fixture
def small_wili(tmp_path, monkeypatch):
    """A folder with a zip file that passes for WiLI-2018 in full: 12 languages, 20 + 20 sentences.

    Its first lines are what head-235 is cut from, its languages what subset-21 is.
    """
    texts, labels = load_languages()
    codes = dict(zip(sorted(set(labels)), CODES, strict=True))
    order = np.random.default_rng(0).permutation(len(texts))
    contents = {}
    for name, part in (("train", order[::2]), ("test", order[1::2])):
        contents[f"x_{name}.txt"] = [texts[i] for i in part]
        contents[f"y_{name}.txt"] = [codes[labels[i]] for i in part]
    path = tmp_path / "data" / "wili-2018.zip"
    path.parent.mkdir()
    encoded = {name: "".join(f"{line}\n" for line in lines) for name, lines in contents.items()}
    with zipfile.ZipFile(path, "w") as file:
        for name, text in encoded.items():
            file.writestr(name, text)
    archive = replace(
        catalogue.WILI["x_train.txt"].archive,
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
    )
    for name, text in encoded.items():
        content = text.encode()
        known = replace(
            catalogue.WILI[name],
            size=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
            archive=archive,
        )
        monkeypatch.setitem(catalogue.WILI, name, known)
    return path.parent


def test_the_full_set_is_run_where_it_is(tmp_path, small_wili):
    results = paper.reproduce("languages", tmp_path / "out", data=small_wili)
    full, subset = (results["languages"][name] for name in ("full", "subset-21"))
    # All languages are in the subset here, so that both are the same.
    assert full["ah"] == subset["ah"]
    assert full["known"] == full["asked"] == 240
    assert full["ah"]["4096"]["accuracy"] > 50
    assert list(full["ngrams"]) == ["1", "2", "4", "5"]
    assert full["network"]["epochs"] == 20
    # The reference's rate where the data is the reference's.
    assert (full["network"]["rate"], subset["network"]["rate"]) == (1e-4, 1e-3)
    first = paper.claims_of(results)[0]
    assert (first.paper, first.verdict) == ("92.16 %", "differs")
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "was not run" not in page

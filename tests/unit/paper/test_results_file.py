"""Results that grow step by step, and are never mixed."""

import json
from datetime import UTC, date, datetime, timedelta

import pytest

from addhash.errors import ResultsFileError
from addhash.paper.experiments.step import Settings
from addhash.paper.results_file import ResultsFile, merged


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.json"


def test_steps_are_kept(path):
    file = ResultsFile(path, Settings(seed=3))
    assert not path.exists()
    file.add("sms", "one", 1.234, {"ah": {"16": {"acc": 90.0}}})
    file.add("sms", "two", 5, {"ah": {"32": {"acc": 91.0}}, "ht": {}})
    file.add("example", "three", 0, {"ah": [0.5]})
    file.note("languages", {"full": {"not_run": "no data"}})
    kept = json.loads(path.read_text())
    assert kept["sms"] == {"ah": {"16": {"acc": 90.0}, "32": {"acc": 91.0}}, "ht": {}}
    assert kept["finished"] == {"one": 1.23, "two": 5, "three": 0}
    assert kept["about"]["seed"] == 3
    assert kept["about"]["machine"]["cores"] >= 1
    again = ResultsFile(path, Settings(seed=3))
    assert again.results == kept
    assert again.has("two")
    assert not again.has("four")
    assert [p.name for p in path.parent.iterdir()] == ["results.json"]


def test_results_that_no_json_can_hold_change_nothing(path):
    file = ResultsFile(path, Settings())
    file.add("sms", "one", 1, {"ah": 1.0})
    before = path.read_bytes()
    with pytest.raises(ValueError, match="JSON"):
        file.add("sms", "two", 1, {"ah": float("nan")})
    assert path.read_bytes() == before
    assert not file.has("two")


@pytest.mark.parametrize(
    ("changed", "what"), [(Settings(seed=1), "seed"), (Settings(quick=True), "quick")]
)
def test_other_settings_are_refused(path, changed, what):
    ResultsFile(path, Settings()).add("sms", "one", 1, {})
    before = path.read_bytes()
    with pytest.raises(ResultsFileError, match=what):
        ResultsFile(path, changed)
    assert path.read_bytes() == before


def test_other_versions_are_refused(path, monkeypatch):
    ResultsFile(path, Settings()).add("sms", "one", 1, {})
    monkeypatch.setattr("addhash.paper.results_file.__version__", "99.0")
    with pytest.raises(
        ResultsFileError, match=r"addhash '.*', which cannot be resumed with.*99\.0"
    ):
        ResultsFile(path, Settings())


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"[]", b"{}", b'{"about": {}}', b"null"]
)
def test_files_of_another_kind_are_refused(path, content):
    path.write_bytes(content)
    with pytest.raises(ResultsFileError, match=r"results\.json"):
        ResultsFile(path, Settings())
    assert path.read_bytes() == content


def test_merging_leaves_the_old_as_it_is():
    old = {"a": {"b": 1}, "c": 2}
    assert merged(old, {"a": {"d": 3}, "c": {"e": 4}}) == {"a": {"b": 1, "d": 3}, "c": {"e": 4}}
    assert old == {"a": {"b": 1}, "c": 2}


def test_the_date_is_that_of_the_first_run(path):
    ResultsFile(path, Settings()).add("sms", "one", 1, {})
    about = json.loads(path.read_text())["about"]
    assert abs(date.fromisoformat(about["date"]) - datetime.now(UTC).date()) <= timedelta(days=1)
    content = path.read_text().replace(about["date"], "2020-02-29")
    path.write_text(content)
    ResultsFile(path, Settings()).add("sms", "two", 1, {})
    assert json.loads(path.read_text())["about"]["date"] == "2020-02-29"

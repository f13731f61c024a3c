import json
import os
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import addhash
from addhash.errors import ParameterError
from addhash.search.duplicates import on_disk
from addhash.search.duplicates.memory_limit import bytes_of, memory_in_use
from tests.texts import HOSTILE
from tests.unit.search.duplicates.test_finding import MEASURES, as_dict, random_texts


def same(one, other):
    assert as_dict(one.pairs) == as_dict(other.pairs)
    for name in ("clusters", "representatives", "keep", "similarity"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes()
    assert [vars(c).keys() for c in one.largest()] == [vars(c).keys() for c in other.largest()]
    for a, b in zip(one.largest(3), other.largest(3), strict=True):
        assert (a.id, a.similarity, a.members.tolist()) == (b.id, b.similarity, b.members.tolist())
        assert a.least_similarity == b.least_similarity


@pytest.fixture(params=[0.75, 1e-3, 6e-4])
def memory(request, monkeypatch):
    """A limit, with blocks of all sets, of some and of a few ones."""
    monkeypatch.setattr(on_disk, "JOINED", request.param)
    monkeypatch.setattr(on_disk, "PIECE", 500)
    return memory_in_use() + (64 << 20)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("clusters", ["representative", "connected"])
def test_any_memory_gives_the_same_result(memory, measure, clusters):
    texts = [*random_texts(1, 150), *HOSTILE, *HOSTILE[::2]]
    options = {"threshold": 0.6, "measure": measure, "clusters": clusters}
    expected = addhash.find_duplicates(texts, **options)
    for n_jobs in (1, 2):
        found = addhash.find_duplicates(iter(texts), **options, memory=memory, n_jobs=n_jobs)
        same(found, expected)


@pytest.mark.parametrize("measure", MEASURES)
def test_against_a_reference(memory, measure):
    reference, texts = random_texts(2, 60), random_texts(2, 120)[40:]
    options = {"threshold": 0.6, "measure": measure}
    expected = addhash.find_duplicates(texts, **options, against=reference)
    found = addhash.find_duplicates(texts, **options, against=iter(reference), memory=memory)
    assert as_dict(found.pairs) == as_dict(expected.pairs)
    assert found.keep.tolist() == expected.keep.tolist()
    assert found.representatives.tolist() == expected.representatives.tolist()


def test_no_texts(memory):
    assert len(addhash.find_duplicates([], memory=memory)) == 0


def test_a_temporary_folder_goes_with_the_result(monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    found = addhash.find_duplicates(["a b c d"] * 3, memory="2GB")
    assert len(list(tmp_path.iterdir())) == 1
    assert found.largest()[0].least_similarity == 1
    del found
    assert list(tmp_path.iterdir()) == []


def stopping(texts, at):
    for i, text in enumerate(texts):
        if i == at:
            raise KeyboardInterrupt
        yield text


def test_a_stopped_run_goes_on(memory, tmp_path, monkeypatch):
    monkeypatch.setattr(on_disk, "SECONDS", 0.0)
    monkeypatch.setattr(on_disk, "CUT_CHARACTERS", 100)
    monkeypatch.setattr(on_disk, "CUT_TEXTS", 10)
    texts = random_texts(3, 300)
    expected = addhash.find_duplicates(texts, threshold=0.6)
    options = {"threshold": 0.6, "memory": memory, "folder": tmp_path / "run"}
    done = 0
    for at in (50, 170, 299):
        with pytest.raises(KeyboardInterrupt):
            addhash.find_duplicates(stopping(texts, at), **options)
        state = json.loads((tmp_path / "run" / "state.json").read_text())
        assert done <= state["texts"] <= at
        done = state["texts"]
    assert done > 0

    def interrupt(stage, step, total):
        if stage == "compare" and step == min(2, total - 1):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        addhash.find_duplicates(texts, **options, progress=interrupt)
    same(addhash.find_duplicates(texts, **options), expected)
    # A finished run is only looked up.
    joined = []
    monkeypatch.setattr(on_disk.SetsOnDisk, "_join_two", lambda *args: joined.append(args))
    same(addhash.find_duplicates(texts, **options), expected)
    assert joined == []


def test_another_threshold_uses_the_sets_again(tmp_path):
    texts = random_texts(4, 100)
    for threshold in (0.6, 0.9):
        found = addhash.find_duplicates(texts, threshold=threshold, memory="4GB", folder=tmp_path)
        same(found, addhash.find_duplicates(texts, threshold=threshold))


def test_what_was_found_against_a_reference_is_not_taken_for_all(tmp_path):
    reference, texts = random_texts(6, 60), random_texts(6, 120)[60:]
    options = {"threshold": 0.6, "memory": "4GB", "folder": tmp_path}
    addhash.find_duplicates(texts, against=reference, **options)
    both = [*reference, *texts]
    same(addhash.find_duplicates(both, **options), addhash.find_duplicates(both, threshold=0.6))


def test_more_pairs_than_fit_are_an_error():
    texts = [f"a b c d e f g h i j k {i}" for i in range(3000)]
    memory = memory_in_use() + (64 << 20)
    with pytest.raises(ParameterError, match="Raise it, or raise the threshold"):
        addhash.find_duplicates(texts, memory=memory)


def test_other_texts_are_refused(tmp_path):
    texts = random_texts(5, 100)
    addhash.find_duplicates(texts, memory="4GB", folder=tmp_path)
    for others in (texts[:-1], [*texts, "more"], ["other", *texts[1:]]):
        with pytest.raises(ParameterError, match="a run over other texts"):
            addhash.find_duplicates(others, memory="4GB", folder=tmp_path)


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "state.json").write_text('{"a": 1}')
    with pytest.raises(ParameterError, match="something other than a run"):
        addhash.find_duplicates(["a"], memory="4GB", folder=tmp_path)
    with pytest.raises(ParameterError, match="pass both"):
        addhash.find_duplicates(["a"], folder=tmp_path)


def test_too_little_memory_is_said_at_once(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(ParameterError, match=r"holds .* already"):
        addhash.find_duplicates(["a"], memory=1000)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("memory", [0, -5, 1.5, "much", "2 bananas", True])
def test_bad_memory(memory):
    with pytest.raises(ParameterError, match="a number of bytes"):
        addhash.find_duplicates(["a"], memory=memory)


def test_words_for_memory():
    assert [bytes_of(x) for x in ("1GB", "1 gib", "10k", "7B", 7)] == [10**9, 2**30, 10**4, 7, 7]


SCRIPT = """
import json, resource, sys
import addhash
from addhash.search.duplicates import on_disk
from tests.unit.search.duplicates.test_on_disk import many_texts

on_disk.SECONDS = 0.05
folder, memory, count, limit = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
found = addhash.find_duplicates(many_texts(count), threshold=0.7, memory=memory, folder=folder)
# Not ru_maxrss, which a child inherits from the process that started it.
status = dict(line.split(":") for line in open("/proc/self/status").read().splitlines())
peak = int(status["VmHWM"].split()[0]) * 1024
print(json.dumps({"clusters": found.clusters.tolist()[::50], "pairs": found.n_pairs, "peak": peak}))
"""


def many_texts(count):
    random = np.random.default_rng(0)
    for _ in range(count // 1000):
        words = random.integers(0, 4000, (1000, 12))
        words[::10] = words[1::10]
        words[::10, 0] = 5
        yield from (" ".join(map(str, row)) for row in words.tolist())


def run(folder, memory, count, limit=0):
    command = [sys.executable, "-c", SCRIPT, str(folder), str(memory), str(count), str(limit)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_memory_holds_and_kill_is_survived(tmp_path):
    """A process that may take 160 MB, of which Python and NumPy need a third."""
    count, memory = 200_000, 160 << 20
    child = run(tmp_path / "killed", memory, count)
    state = tmp_path / "killed" / "state.json"
    while child.poll() is None and not (
        state.exists() and json.loads(state.read_text())["texts"] > count // 4
    ):
        time.sleep(0.01)
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    assert json.loads(state.read_text())["texts"] < count
    out, errors = run(tmp_path / "killed", memory, count).communicate()
    assert errors == ""
    result = json.loads(out)
    assert result["peak"] <= memory
    expected = addhash.find_duplicates(many_texts(count), threshold=0.7)
    assert result["pairs"] == expected.n_pairs
    assert result["clusters"] == expected.clusters.tolist()[::50]


@pytest.mark.slow
def test_a_full_disk_is_a_clear_error_and_the_run_goes_on_later(tmp_path):
    out, errors = run(tmp_path / "run", 1 << 30, 20_000, 300_000).communicate()
    assert out == ""
    assert "No room left for the" in errors
    assert "the input was not touched" in errors
    out, errors = run(tmp_path / "run", 1 << 30, 20_000).communicate()
    assert errors == ""
    expected = addhash.find_duplicates(many_texts(20_000), threshold=0.7)
    assert json.loads(out)["pairs"] == expected.n_pairs


def test_memory_in_use_is_what_the_system_says():
    assert 0 < memory_in_use() <= resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@pytest.mark.parametrize("how", ["refused", "killed"])
def test_a_run_that_ended_early_does_not_spoil_the_folder(tmp_path, monkeypatch, how):
    texts = random_texts(8, 120)
    options = {"memory": "4GB", "folder": tmp_path}
    expected = addhash.find_duplicates(texts, threshold=0.6, **options)
    assert expected.n_pairs
    if how == "refused":
        with pytest.raises(ParameterError, match="a run over other texts"):
            addhash.find_duplicates(texts[:-1], threshold=0.7, **options)
    else:
        monkeypatch.setattr("addhash.search.duplicates.on_disk.first_equal", interrupted)
        with pytest.raises(KeyboardInterrupt):
            addhash.find_duplicates(texts, threshold=0.7, **options)
        monkeypatch.undo()
    same(addhash.find_duplicates(texts, threshold=0.6, **options), expected)


def interrupted(*arguments):
    raise KeyboardInterrupt

import os
import subprocess
import sys
from pathlib import Path

import pytest

import addhash
from addhash import runtime
from addhash.runtime import native, resolve_threads


def test_info_reports_the_active_set():
    info = addhash.info()
    assert info["instruction_set"] == info["instruction_sets"][-1]
    assert info["instruction_sets"][0] == "baseline"
    assert info["version"] == addhash.__version__
    assert info["cores"] >= 1


def test_unknown_instruction_set_is_refused():
    with pytest.raises(addhash.errors.ParameterError, match=r"'baseline'.*Got 'mmx'"):
        addhash.set_instruction_set("mmx")


def run_python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", native.available_instruction_sets())
def test_environment_forces_the_set(name):
    code = "import addhash; print(addhash.info()['instruction_set'])"
    done = run_python(code, ADDHASH_INSTRUCTION_SET=name)
    assert done.stdout.strip() == name, done.stderr


def test_wrong_environment_is_refused():
    done = run_python("import addhash; addhash.info()", ADDHASH_INSTRUCTION_SET="mmx")
    assert done.returncode != 0
    assert "ADDHASH_INSTRUCTION_SET" in done.stderr
    assert "Got 'mmx'" in done.stderr


def test_import_is_light():
    done = run_python(
        "import addhash, sys; print([m for m in ('numpy', 'scipy', 'sklearn') if m in sys.modules])"
    )
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize("name", addhash.__all__)
def test_every_public_name_is_there(name):
    assert getattr(addhash, name) is not None
    assert name in dir(addhash)


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        addhash.no_such_name  # noqa: B018


def test_threads():
    cores = addhash.info()["cores"]
    assert resolve_threads(None) == cores
    assert resolve_threads(-1) == cores
    assert resolve_threads(3) == 3
    assert resolve_threads(-1000) == 1


def test_threads_respect_the_limits_of_the_process(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)), raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    runtime._granted_cores.cache_clear()
    try:
        for content, expected in [("max 100000", 16), ("250000 100000", 3), ("50000 100000", 1)]:
            runtime._granted_cores.cache_clear()
            monkeypatch.setattr(Path, "read_text", lambda self, content=content: content)
            assert addhash.info()["cores"] == expected
        monkeypatch.undo()
        runtime._granted_cores.cache_clear()
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)), raising=False)
        monkeypatch.setenv("OMP_NUM_THREADS", "5,2")
        assert addhash.info()["cores"] <= 5
        monkeypatch.setenv("OMP_NUM_THREADS", "many")
        assert addhash.info()["cores"] <= 16
    finally:
        runtime._granted_cores.cache_clear()


def test_kept_memory_is_given_back():
    vectorizer = addhash.AdditiveHashingVectorizer()
    expected = vectorizer.transform(["some text"] * 100).sum()
    assert runtime.native.kept_bytes() >= 0
    addhash.release_memory()
    assert runtime.native.kept_bytes() == 0
    assert vectorizer.transform(["some text"] * 100).sum() == expected

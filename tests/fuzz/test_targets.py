"""What is fuzzed is all there, and each target holds for its seeds."""

import importlib
import json
import pkgutil
import runpy
import sys
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

import addhash
from addhash import conventions
from addhash.documents import blob
from addhash.files import model_file
from addhash.files.saved_model import SavedModel
from benchmarks import fuzz
from tests.fuzz import readers, targets


@pytest.mark.parametrize(
    ("name", "i"), [(name, i) for name, seeds in targets.SEEDS.items() for i in range(len(seeds))]
)
def test_targets_hold_for_their_seeds(name, i, monkeypatch):
    monkeypatch.setattr(blob, "_checksum", lambda data: targets.CHECKSUM)
    monkeypatch.setattr(targets, "crc32", lambda data: 0)  # every model is asked
    target, _ = targets.TARGETS[name]
    assert target(targets.SEEDS[name][i]) is None  # what does not hold raises


@pytest.mark.parametrize("name", targets.TARGETS)
def test_the_program_runs_without_its_fuzzer(name, tmp_path, monkeypatch):
    """Stands in for atheris: whatever the program imports or calls of addhash is there."""
    tried = []

    def setup(arguments, target, custom_mutator):
        for i, path in enumerate(sorted(tmp_path.iterdir())):
            changed = custom_mutator(path.read_bytes(), 1 << 20, seed=i)
            tried.append(changed)
            target(changed)

    fuzzer = SimpleNamespace(
        instrument_imports=lambda include, exclude: nullcontext(),
        Mutate=lambda data, most: data[:-1],
        Setup=setup,
        Fuzz=lambda: None,
    )
    monkeypatch.setitem(sys.modules, "atheris", fuzzer)
    monkeypatch.setattr(sys, "argv", ["tests.fuzz", name, "-runs=1", str(tmp_path)])
    for module, replaced in (
        (blob, "_checksum"),
        (model_file, "_digest"),
        (conventions, "signature"),
    ):
        monkeypatch.setattr(module, replaced, getattr(module, replaced))  # put back afterwards
    runpy.run_module("tests.fuzz", run_name="__main__")
    assert len(tried) == len(targets.SEEDS[name])


def test_every_kind_of_model_is_a_seed():
    for module in pkgutil.walk_packages(addhash.__path__, "addhash."):
        if module.name.startswith(("addhash.estimators.", "addhash.search.", "addhash.learning.")):
            importlib.import_module(module.name)
    public = {kind for kind in _subclasses(SavedModel) if hasattr(addhash, kind.__name__)}
    assert public == set(targets.KINDS.values())
    methods = {
        model_file.read_model(model_file.ModelBytes(seed), "TextClassifier").settings["method"]
        for seed in targets.SEEDS["model_files"]
        if b"TextClassifier" in seed
    }
    assert methods == {*targets.METHODS, "mixture"}


def _subclasses(kind):
    return {kind}.union(*map(_subclasses, kind.__subclasses__()))


def test_every_target_is_run_and_follows_some_modules():
    commands = fuzz.commands([])
    for name in targets.TARGETS:
        assert name in commands
        assert any(readers.is_reader(name, source) for _, source in readers.modules())
    assert targets.TARGETS.keys() == targets.SEEDS.keys() == readers.MARKS.keys()


def test_forged_seeds_have_the_right_digest():
    for seed in targets.FORGED:
        header = json.loads(seed[8 : 8 + int.from_bytes(seed[:8], "little")])
        kind = json.loads(header["__metadata__"]["addhash"])["kind"]
        assert model_file.read_model(model_file.ModelBytes(seed), kind)

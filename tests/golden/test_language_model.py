"""The model of the detector is what its sources make, and nothing has changed it since."""

from importlib.resources import files
from pathlib import Path

import pytest

from addhash import languages
from addhash.files import inspect
from addhash.languages.corpus import FILES
from addhash.languages.provenance import provenance
from addhash.languages.training import RULE, trait_of

MODEL = Path(str(files("addhash.languages").joinpath("model.safetensors")))
DIGEST = "1e4a3d21cd1fb246841c13bf3936dca5487ede416a163f987fc6aede10d26297"


def test_the_model_is_the_one_that_was_made():
    assert languages.load().digest() == DIGEST
    assert MODEL.stat().st_size <= 20_000_000


def test_the_model_says_where_it_comes_from():
    metadata = inspect(MODEL).metadata
    assert "Tatoeba" in metadata["sources"]
    assert "Universal Declaration" in metadata["sources"]
    assert "CC BY" in metadata["license"]


def test_the_files_and_the_code_are_those_that_made_the_model(data_folder):
    for name in FILES:
        if not (data_folder / name).is_file():
            pytest.skip(f"{name} is not in {data_folder}")
    metadata = inspect(MODEL).metadata
    # The model in full is made again by `make language-model`, which takes 90 seconds.
    for name, value in provenance(data_folder).items():
        assert metadata[name] == value, "run `make language-model`"


def test_no_language_is_so_small_that_what_it_learnt_goes_before_evidence():
    # A class of fewer than 1,000 n-grams would be: see native/detection/README.md.
    assert languages.load().memory.totals.sum(axis=1).min() >= 1000


def test_the_numbers_of_the_model_are_those_of_the_code():
    memory = languages.load().memory
    assert memory.rule == RULE
    for code in memory.classes.labels.tolist():
        assert memory.trait(code) == trait_of(code), code
    metadata = inspect(MODEL).metadata
    for source in languages.sources():
        assert source.attribution in metadata["sources"]

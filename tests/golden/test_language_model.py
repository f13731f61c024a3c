"""The model of the detector is what its sources make, and nothing has changed it since."""

from importlib.resources import files
from pathlib import Path

import pytest

from addhash import languages
from addhash.files import inspect
from addhash.languages.corpus import FILES
from addhash.languages.provenance import provenance
from addhash.languages.training import MANY_WRITTEN, RULE, trait_of

MODEL = Path(str(files("addhash.languages").joinpath("model.safetensors")))
DIGEST = "66af0f472c31cc10b86621e1adec40dd814a75bc2332ee57c8f76721a078fa5f"


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


def test_the_numbers_of_the_model_are_those_of_the_code():
    memory = languages.load().memory
    assert memory.rule == RULE
    for code in memory.classes.labels.tolist():
        least, most, found = trait_of(code, 0), trait_of(code, MANY_WRITTEN), memory.trait(code)
        assert least.prior <= found.prior <= most.prior, code
        assert found._replace(prior=0) == least._replace(prior=0), code
    assert memory.trait("eng") == trait_of("eng", MANY_WRITTEN)
    metadata = inspect(MODEL).metadata
    for source in languages.sources():
        assert source.attribution in metadata["sources"]

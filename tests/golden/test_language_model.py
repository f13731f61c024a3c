"""The model of the detector is what its sources make, and nothing has changed it since."""

from importlib.resources import files
from pathlib import Path

import pytest

import addhash
from addhash import languages
from addhash.files import inspect

MODEL = Path(str(files("addhash.languages").joinpath("model.safetensors")))
DIGEST = "487aaa727bc88d565542a7be38cdef27aac6206a7194ffaf51db47bd021c58f2"


def test_the_model_is_the_one_that_was_made():
    assert languages.load().digest() == DIGEST
    assert MODEL.stat().st_size <= 12_000_000


def test_the_model_says_where_it_comes_from():
    metadata = inspect(MODEL).metadata
    assert "WiLI-2018" in metadata["sources"]
    assert "Universal Declaration" in metadata["sources"]
    assert "ODbL" in metadata["license"]


@pytest.mark.slow
def test_the_data_make_the_model_again(data_folder, tmp_path):
    for name in ("wili-2018/head-235/x.txt", "udhr/paragraphs.tsv"):
        if not (data_folder / name).is_file():
            pytest.skip(f"{name} is not in {data_folder}")
    classifier, metadata = languages.train(languages.read_corpus(data_folder))
    path = tmp_path / "model.safetensors"
    classifier.save(path, metadata=metadata)
    assert classifier.digest() == DIGEST, "run `make language-model`"
    assert metadata == inspect(MODEL).metadata
    assert inspect(path).settings == inspect(MODEL).settings
    if inspect(MODEL).version == addhash.__version__:
        assert path.read_bytes() == MODEL.read_bytes()

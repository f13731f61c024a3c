"""The model of the detector is what its sources make, and nothing has changed it since."""

from importlib.resources import files
from pathlib import Path

import pytest

import addhash
from addhash import languages
from addhash.files import inspect

MODEL = Path(str(files("addhash.languages").joinpath("model.safetensors")))
DIGEST = "d14bc3896c424c904d78790a9ef13cd1736c36b10e9d491511a609c54f1bc8e8"


def test_the_model_is_the_one_that_was_made():
    assert languages.load().digest() == DIGEST
    assert MODEL.stat().st_size <= 20_000_000


def test_the_model_says_where_it_comes_from():
    metadata = inspect(MODEL).metadata
    assert "Tatoeba" in metadata["sources"]
    assert "Universal Declaration" in metadata["sources"]
    assert "CC BY" in metadata["license"]


@pytest.mark.slow
def test_the_data_make_the_model_again(data_folder, tmp_path):
    for name in ("languages/sentences.tsv.xz", "udhr/paragraphs.tsv"):
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

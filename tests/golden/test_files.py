"""Files that 0.2.0 wrote are read by this version, and give the answers that they gave then."""

import hashlib
import json

import pytest

from addhash import TextClassifier, files
from addhash.errors import ModelFileError
from addhash.files.model_file import FORMAT, read_model, write_model
from tests.golden.make_files import FOLDER, KEY, METADATA, MODELS, answers

ANSWERS = json.loads((FOLDER / "answers.json").read_text(encoding="utf-8"))


def load(name, **parameters):
    kind = type(MODELS[name]())
    return kind.load(FOLDER / name, **({"key": KEY} if name == "keyed" else {}), **parameters)


def plain(value):
    return json.loads(json.dumps(value))


def test_nothing_is_missing():
    assert {path.name for path in FOLDER.iterdir()} == {*MODELS, "answers.json"}
    assert ANSWERS.keys() == MODELS.keys()


@pytest.mark.parametrize("name", MODELS)
def test_golden_files_are_read(name):
    assert plain(answers(load(name))) == ANSWERS[name]
    assert load(name).metadata == METADATA
    summary = files.inspect(FOLDER / name)
    assert summary.version == "0.2.0"
    assert summary.metadata == METADATA


@pytest.mark.parametrize("name", MODELS)
def test_the_same_model_has_the_same_content_today(name, tmp_path):
    """What is written now is what was written then, but for the version."""
    MODELS[name]().save(tmp_path / "now", metadata=METADATA)
    load(name).save(tmp_path / "again")
    kind = files.inspect(FOLDER / name).kind
    then = read_model(FOLDER / name, kind)
    for path in (tmp_path / "now", tmp_path / "again"):
        now = read_model(path, kind)
        assert now.settings == then.settings
        assert now.metadata == then.metadata
        assert now.arrays.keys() == then.arrays.keys()
        for array in then.arrays:
            assert now.arrays[array].dtype == then.arrays[array].dtype
            assert now.arrays[array].tobytes() == then.arrays[array].tobytes()


def test_the_golden_files_are_not_made_anew():
    digest = hashlib.sha256()
    for path in sorted(FOLDER.iterdir()):
        digest.update(path.name.encode() + path.read_bytes())
    assert digest.hexdigest() == FILES_SHA256


FILES_SHA256 = "da93a6ebd47044f1a6135d77788fe463e358275a66e47cb35cb968ab5c347b8d"


def test_another_format_is_refused_by_number(tmp_path):
    assert FORMAT == 2
    content = bytearray((FOLDER / "centroid").read_bytes())
    at = content.index(b'\\"format\\":2')
    content[at : at + 12] = b'\\"format\\":3'
    (tmp_path / "newer").write_bytes(content)
    with pytest.raises(ModelFileError, match="format 3, and this version reads format 2"):
        TextClassifier.load(tmp_path / "newer")


def test_a_wrong_key_is_refused_by_its_fingerprint():
    with pytest.raises(ValueError, match="not the one"):
        TextClassifier.load(FOLDER / "keyed", key=b"another key of some bytes")


def test_metadata_are_texts(tmp_path):
    model = read_model(FOLDER / "centroid", "TextClassifier")
    for wrong in ({"a": 1}, {1: "a"}, ["a"], "text", {"a": "x" * 70_000}):
        with pytest.raises(ValueError, match="metadata"):
            write_model(tmp_path / "model", "TextClassifier", model.settings, model.arrays, wrong)
    assert not (tmp_path / "model").exists()

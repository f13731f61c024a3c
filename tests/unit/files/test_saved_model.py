import numpy as np
import pytest

import addhash
from addhash.errors import MergeError, ModelFileError, ParameterError
from addhash.files.model_file import ModelBytes, write_model

TEXTS = ["good morning to you", "bonjour les enfants", "guten Morgen"]
LABELS = ["en", "fr", "de"]
VECTORS = np.arange(48).reshape(3, 16) % 7


def text_index():
    index = addhash.TextIndex()
    index.add(TEXTS)
    return index


def index():
    made = addhash.Index(16)
    made.add(VECTORS)
    return made


def duplicate_index():
    made = addhash.DuplicateIndex()
    made.add(TEXTS)
    return made


MODELS = {
    "frequencies": lambda: addhash.DocumentFrequencies().learn(TEXTS),
    "bayes": lambda: addhash.TextClassifier().fit(TEXTS, LABELS),
    "nearest": lambda: addhash.TextClassifier("nearest", keep_texts=True).fit(TEXTS, LABELS),
    "centroid": lambda: addhash.TextClassifier("centroid").fit(TEXTS, LABELS),
    "text index": text_index,
    "index": index,
    "duplicates": duplicate_index,
    "vectors": lambda: addhash.CentroidClassifier().fit(VECTORS, LABELS),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_bytes_are_those_of_the_file(name, tmp_path):
    model = MODELS[name]()
    data = model.to_bytes()
    model.save(tmp_path / "file")
    assert data == (tmp_path / "file").read_bytes()
    assert type(model).from_bytes(data).to_bytes() == data
    assert type(model).from_bytes(memoryview(data)).to_bytes() == data


@pytest.mark.parametrize("name", MODELS)
def test_other_bytes_are_refused(name):
    model = MODELS[name]()
    data = bytearray(model.to_bytes())
    kind = type(model)
    for wrong in (b"", b"something", data[:-1], data + b"x"):
        with pytest.raises(ModelFileError, match="Cannot load '"):
            kind.from_bytes(wrong)
    data[-1] ^= 1
    with pytest.raises(ModelFileError):
        kind.from_bytes(data)
    with pytest.raises(ParameterError, match=f"bytes of {kind.__name__}.to_bytes, got a str"):
        kind.from_bytes("text")


@pytest.mark.parametrize("method", ["bayes", "nearest", "centroid"])
def test_models_are_merged_in_any_order_and_tree(method):
    parts = [
        addhash.TextClassifier(method).fit([t], [x]) for t, x in zip(TEXTS, LABELS, strict=True)
    ]
    before = [part.digest() for part in parts]
    whole = addhash.TextClassifier(method).fit(TEXTS, LABELS).digest()
    assert addhash.merged(parts).digest() == whole
    assert addhash.merged(iter(parts[::-1])).digest() == whole
    tree = addhash.merged([addhash.merged(parts[:2]), addhash.merged(parts[2:])])
    assert tree.digest() == whole
    assert [part.digest() for part in parts] == before


def test_what_cannot_be_merged_is_refused():
    with pytest.raises(MergeError, match="at least one model"):
        addhash.merged([])
    with pytest.raises(MergeError, match="Model 0 is 7 of type int"):
        addhash.merged([7])
    with pytest.raises(MergeError, match="Expected a TextClassifier"):
        addhash.merged([MODELS["bayes"](), MODELS["vectors"]()])


@pytest.mark.parametrize("name", MODELS)
def test_loaded_models_use_the_threads_they_are_told(name):
    model = MODELS[name]()
    assert type(model).from_bytes(model.to_bytes(), n_jobs=3).n_jobs == 3
    assert type(model).from_bytes(model.to_bytes()).n_jobs is None
    with pytest.raises(ParameterError, match="'n_jobs'"):
        type(model).from_bytes(model.to_bytes(), n_jobs=0)


@pytest.mark.parametrize("name", MODELS)
def test_metadata_is_kept_until_other_metadata_is_given(name, tmp_path):
    model = MODELS[name]()
    assert model.metadata == {}
    model.save(tmp_path / "one", metadata={"license": "CC0"})
    assert model.metadata == {"license": "CC0"}
    loaded = type(model).load(tmp_path / "one")
    loaded.metadata["license"] = "changed"
    loaded.save(tmp_path / "two")
    assert type(model).load(tmp_path / "two").metadata == {"license": "CC0"}
    loaded.save(tmp_path / "three", metadata={})
    assert type(model).load(tmp_path / "three").metadata == {}
    with pytest.raises(ParameterError, match="a dict of texts"):
        model.save(tmp_path / "four", metadata={"n": 1})
    assert not (tmp_path / "four").exists()


@pytest.mark.parametrize("name", ["index", "text index"])
def test_a_next_id_that_is_taken_is_refused(name):
    model = MODELS[name]()
    settings, parts = model._content()
    for next_id, is_free in ((3, True), (2, False), (-1, False)):
        held = ModelBytes()
        write_model(held, type(model).__name__, settings | {"next_id": next_id}, parts)
        if is_free:
            assert len(type(model).load(held)) == 3
        else:
            with pytest.raises(ModelFileError, match="next_id"):
                type(model).load(held)


def test_parts_that_nothing_asked_for_are_refused():
    model = index()
    settings, parts = model._content()
    held = ModelBytes()
    write_model(held, "Index", settings, parts | {"more": np.zeros(3)})
    with pytest.raises(ModelFileError, match="more"):
        addhash.Index.load(held)

import json
import os
import random
import stat
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save

from addhash import (
    AdditiveHashingVectorizer,
    CentroidClassifier,
    Index,
    NearestNeighborClassifier,
    TextClassifier,
)
from addhash.errors import ModelFileError, ParameterError
from addhash.files.model_file import DTYPES, ModelBytes, write_model

RNG = np.random.default_rng(0)
VECTORS = np.concatenate(
    [RNG.integers(-9, 10, (20, 6)), RNG.integers(-900, 901, (20, 6)), RNG.normal(size=(20, 6))]
)
LABELS = np.array(["x", "ü", "z"])[np.arange(60) % 3]
TEXTS = [f"{word} number {i}" for i in range(20) for word in ("spam", "hämmer")]
TEXT_LABELS = ["spam", "ham"] * 20


def split_words(text):
    return text.split()


def make_index():
    index = Index(6)
    index.add(VECTORS, ids=np.arange(60) * 7 - 100)
    return index


MODELS = {
    "index": make_index,
    "neighbors": lambda: NearestNeighborClassifier(2, reject_below=0.1).fit(VECTORS, LABELS),
    "numbers": lambda: NearestNeighborClassifier().fit(VECTORS, np.arange(60) % 3),
    "declared": lambda: CentroidClassifier().partial_fit(VECTORS, LABELS, classes=["other"]),
    "centroids": lambda: CentroidClassifier().fit(VECTORS, LABELS),
    "nearest texts": lambda: TextClassifier("nearest", keep_texts=True).fit(TEXTS, TEXT_LABELS),
    "centroid texts": lambda: TextClassifier("centroid").fit(TEXTS, TEXT_LABELS),
    "unit vectors": lambda: TextClassifier(
        vectorizer=AdditiveHashingVectorizer(n_features=64, stop_words=["number"])
    ).fit(TEXTS, TEXT_LABELS),
}


def answers(model):
    if isinstance(model, Index):
        return model.search(VECTORS, 9)
    if isinstance(model, TextClassifier):
        return model.classes_.tolist(), model.predict_scores([*TEXTS, "x"])
    return model.classes_.tolist(), model.predict(VECTORS), model.predict_proba(VECTORS)


@pytest.mark.parametrize("name", MODELS)
def test_save_then_load_is_identity(name, tmp_path):
    model = MODELS[name]()
    first, second = tmp_path / "first", tmp_path / "second"
    model.save(first)
    loaded = type(model).load(str(first))
    for a, b in zip(answers(model), answers(loaded), strict=True):
        np.testing.assert_array_equal(np.array(a, object), np.array(b, object))
    loaded.save(second)
    assert first.read_bytes() == second.read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["first", "second"]


@pytest.mark.parametrize("name", MODELS)
def test_loaded_models_go_on_learning(name, tmp_path):
    model = MODELS[name]()
    model.save(tmp_path / "model")
    before = (tmp_path / "model").read_bytes()
    loaded = type(model).load(tmp_path / "model")
    if isinstance(model, Index):
        model.remove(model.add(VECTORS))
        loaded.remove(loaded.add(VECTORS))
    elif isinstance(model, TextClassifier):
        loaded.learn(["more", "and more"], ["new", "ham"]).forget(["more"], ["new"])
        model.learn(["and more"], ["ham"])
    else:
        extra = [LABELS[0] if name != "numbers" else 1]
        loaded.partial_fit(VECTORS[:1], extra).forget(VECTORS[:1], extra)
    for each in ("a", "b"):
        (model if each == "a" else loaded).save(tmp_path / each)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "model").read_bytes() == before


@pytest.mark.parametrize(
    ("method", "keep_texts"), [("nearest", False), ("nearest", True), ("centroid", False)]
)
def test_learning_and_forgetting_gives_back_the_identical_file(method, keep_texts, tmp_path):
    dice = random.Random(1)
    words = ["spam", "ham", "eggs", "bacon", "tomato", "lobster", "truffle"]

    def example():
        return " ".join(dice.choices(words, k=dice.randint(0, 300))), dice.choice(words)

    known = [example() for _ in range(300)]
    model = TextClassifier(method, keep_texts=keep_texts).fit(*zip(*known, strict=True))
    model.save(tmp_path / "before")
    more = [example() for _ in range(900)] + dice.sample(known, 100)
    more[0] = (more[0][0], "a class of its own")
    model.learn(*zip(*more, strict=True))
    model.save(tmp_path / "between")
    dice.shuffle(more)
    model.forget(*zip(*more, strict=True))
    model.save(tmp_path / "after")
    assert (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()
    assert (tmp_path / "before").read_bytes() != (tmp_path / "between").read_bytes()


@pytest.mark.parametrize("method", ["nearest", "centroid"])
def test_history_does_not_show_in_files(method, tmp_path):
    order = np.random.default_rng(1).permutation(40)
    texts, labels = np.array(TEXTS)[order], np.array(TEXT_LABELS)[order]
    TextClassifier(method).fit(TEXTS, TEXT_LABELS).save(tmp_path / "a")
    merged = TextClassifier(method).fit(texts[:9], labels[:9])
    merged.merge(TextClassifier(method).fit(texts[9:], labels[9:]))
    merged.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_files_are_safetensors_with_a_description(tmp_path):
    make_index().save(tmp_path / "model")
    with safe_open(tmp_path / "model", framework="numpy") as file:
        about = json.loads(file.metadata()["addhash"])
        assert about["kind"] == "Index"
        assert about["settings"]["n_features"] == 6
        assert "ids" in file.keys()  # noqa: SIM118


@pytest.mark.parametrize("change", ["overwrite", "truncate", "remove"])
def test_a_loaded_model_does_not_depend_on_its_file(tmp_path, change):
    index, path = make_index(), tmp_path / "model"
    index.save(path)
    loaded = Index.load(path)
    if change == "remove":
        path.unlink()
    else:
        with path.open("r+b") as file:
            file.write(b"\xff" * path.stat().st_size) if change == "overwrite" else file.truncate(9)
    query = np.ones((1, 6), np.int16)
    assert loaded.search(query).ids.tolist() == index.search(query).ids.tolist()
    assert loaded.search(query).scores.tolist() == index.search(query).scores.tolist()


def test_files_have_the_rights_of_new_files(tmp_path):
    make_index().save(tmp_path / "model")
    (tmp_path / "other").touch()
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert len(modes) == 1


def test_a_failed_save_leaves_no_trace(tmp_path):
    words = AdditiveHashingVectorizer(stop_words=[f"{i:060}" for i in range(20000)])
    with pytest.raises(ModelFileError, match="stop words"):
        TextClassifier(vectorizer=words).fit(["a"], ["b"]).save(tmp_path / "model")
    with pytest.raises(FileNotFoundError):
        make_index().save(tmp_path / "no" / "folder")
    assert list(tmp_path.iterdir()) == []


def test_another_kind_is_refused(tmp_path):
    make_index().save(tmp_path / "model")
    with pytest.raises(ModelFileError, match="holds a 'Index', not a 'CentroidClassifier'"):
        CentroidClassifier.load(tmp_path / "model")


def test_feature_names_are_kept(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(np.eye(3), columns=["a", "b", "c"])
    CentroidClassifier().fit(frame, [1, 2, 3]).save(tmp_path / "model")
    loaded = CentroidClassifier.load(tmp_path / "model")
    assert loaded.feature_names_in_.tolist() == ["a", "b", "c"]
    assert loaded.predict(frame).tolist() == [1, 2, 3]


def test_functions_are_handed_in_again(tmp_path):
    vectorizer = AdditiveHashingVectorizer(analyzer=split_words, lowercase=False)
    model = TextClassifier(vectorizer=vectorizer).fit(TEXTS, TEXT_LABELS)
    model.save(tmp_path / "model")
    with pytest.raises(ParameterError, match=r"split_words.*pass analyzer="):
        TextClassifier.load(tmp_path / "model")
    with pytest.raises(ParameterError, match=r"split_words.*Got"):
        TextClassifier.load(tmp_path / "model", analyzer=len)
    with pytest.raises(ParameterError, match="given as tokenizer"):
        TextClassifier.load(tmp_path / "model", analyzer=split_words, tokenizer=split_words)
    with pytest.raises(ParameterError, match="Got stemmer"):
        TextClassifier.load(tmp_path / "model", stemmer=split_words)
    loaded = TextClassifier.load(tmp_path / "model", analyzer=split_words)
    assert answers(loaded) == answers(model)


def test_a_key_is_never_stored(tmp_path):
    key = b"a secret of thirty-two bytes ..."
    model = TextClassifier("nearest", vectorizer=AdditiveHashingVectorizer(key=key)).fit(
        TEXTS, TEXT_LABELS
    )
    model.save(tmp_path / "model")
    content = (tmp_path / "model").read_bytes()
    assert key not in content
    assert key.hex().encode() not in content
    with pytest.raises(ParameterError, match="pass key="):
        TextClassifier.load(tmp_path / "model")
    with pytest.raises(ParameterError, match="not the one"):
        TextClassifier.load(tmp_path / "model", key=b"another")
    assert answers(TextClassifier.load(tmp_path / "model", key=key)) == answers(model)
    TextClassifier().fit(TEXTS, TEXT_LABELS).save(tmp_path / "open")
    with pytest.raises(ParameterError, match="without one"):
        TextClassifier.load(tmp_path / "open", key=key)


def test_subclasses_of_vectorizers_are_not_saved(tmp_path):
    class Own(AdditiveHashingVectorizer):
        def build_tokenizer(self):
            return str.split

    with pytest.raises(ModelFileError, match="class Own"):
        TextClassifier(vectorizer=Own()).fit(TEXTS, TEXT_LABELS).save(tmp_path / "model")


def test_a_missing_file_is_no_model_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        Index.load(tmp_path / "none")


def test_functions_without_a_name_of_their_own_are_not_saved(tmp_path):
    """Any other lambda would be taken for it."""
    for function in (lambda text: text.split(), _inner()):
        vectorizer = AdditiveHashingVectorizer(analyzer=function)
        model = TextClassifier("nearest", vectorizer=vectorizer).fit(TEXTS, TEXT_LABELS)
        with pytest.raises(ModelFileError, match="Define it with def at the top level of a module"):
            model.save(tmp_path / "model")


def _inner():
    def cut(text):
        return text.split()

    return cut


def test_files_have_the_bytes_of_safetensors():
    arrays = {
        f"{name} {'ü' * i}": RNG.integers(0, 99, (i, 3)).astype(dtype)
        for i in range(4)
        for name, dtype in DTYPES.items()
    }
    held = ModelBytes()
    write_model(held, "Index", {"a": 'é"\\\n\x1f'}, arrays, {"more": "日本\x7f"})
    length = int.from_bytes(held.content[:8], "little")
    header = json.loads(held.content[8 : 8 + length])
    assert held.content == save(arrays, header["__metadata__"])


def test_loading_takes_the_size_of_a_file_once(tmp_path):
    index = Index(64)
    index.add(np.ones((40_000, 64), np.int8))
    index.save(tmp_path / "model")
    size = (tmp_path / "model").stat().st_size
    Index.load(tmp_path / "model")
    tracemalloc.start()
    loaded = Index.load(tmp_path / "model")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(loaded) == 40_000
    assert peak < 1.5 * size


def test_saving_takes_no_copy_of_a_model(tmp_path):
    index = Index(64)
    index.add(np.ones((40_000, 64), np.int8))
    index.save(tmp_path / "model")
    size = (tmp_path / "model").stat().st_size
    tracemalloc.start()
    index.save(tmp_path / "model")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.5 * size


def test_threads_may_save_to_one_path(tmp_path):
    index, path = make_index(), tmp_path / "model"
    index.save(path)
    content = path.read_bytes()
    with ThreadPoolExecutor(8) as threads:
        for done in [threads.submit(index.save, path) for _ in range(200)]:
            done.result()
    assert path.read_bytes() == content
    assert os.listdir(tmp_path) == ["model"]


def test_a_full_disk_is_reported_with_the_name_of_the_file(tmp_path):
    with pytest.raises(OSError, match="/dev/full"):
        make_index().save("/dev/full")

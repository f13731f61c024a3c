"""Errors carry what they are about, so that no one reads it back from their texts."""

import copy
import pickle

import pytest

import addhash
from addhash.errors import ModelFileError, ParameterError


def raised_by(call):
    with pytest.raises((ModelFileError, ParameterError)) as caught:
        call()
    return caught.value


PARAMETERS = [
    (lambda: addhash.TextVectorizer(n_features=7).transform([]), "TextVectorizer", "n_features"),
    (lambda: addhash.TextVectorizer(dtype="int32").transform([]), "TextVectorizer", "norm"),
    (lambda: addhash.TextClassifier("mean").fit(["a"], ["b"]), "TextClassifier", "method"),
    (
        lambda: addhash.TextClassifier(vectorizer="char").fit(["a"], ["b"]),
        "TextClassifier",
        "vectorizer",
    ),
    (
        lambda: addhash.TextClassifier(keep_texts=True).fit(["a"], ["b"]),
        "TextClassifier",
        "keep_texts",
    ),
    (lambda: addhash.TextIndex(vectorizer=3), "TextIndex", "vectorizer"),
    (lambda: addhash.Index(n_features=0), "Index", "n_features"),
    (lambda: addhash.find_duplicates([], threshold=2), "find_duplicates", "threshold"),
    (lambda: addhash.find_duplicates([], memory="much"), "find_duplicates", "memory"),
    (lambda: addhash.find_duplicates(["a"], keep="worst"), "find_duplicates", "keep"),
    (lambda: addhash.RollingHash(0), "RollingHash", "window"),
    (lambda: addhash.text_column(["a"], null="skip"), "text_column", "null"),
    (lambda: addhash.paper.reproduce("everything", out="nowhere"), "reproduce", "which"),
]


@pytest.mark.parametrize(("call", "owner", "parameter"), PARAMETERS)
def test_a_parameter_error_names_its_parameter(call, owner, parameter):
    error = raised_by(call)
    assert (error.owner, error.parameter) == (owner, parameter)
    assert str(error) == f"The {parameter!r} parameter of {owner} {error.reason}"


def test_an_error_about_no_single_parameter_is_its_own_reason():
    error = ParameterError("A key was given.")
    assert (error.owner, error.parameter, error.reason) == (None, None, "A key was given.")


def test_a_model_file_error_keeps_the_file_apart_from_the_reason(tmp_path):
    path = tmp_path / "a: b.model"
    path.write_bytes(b"something else")
    error = raised_by(lambda: addhash.Index.load(path))
    assert error.path == str(path)
    assert error.reason == "it is not an addhash model file."
    assert str(error) == f"Cannot load {str(path)!r}: {error.reason}"


@pytest.mark.parametrize("twin", [copy.copy, lambda e: pickle.loads(pickle.dumps(e))])
def test_errors_keep_their_data_between_processes(twin):
    for error, names in [
        (ParameterError.of("Index", "k", "must be positive."), ("owner", "parameter", "reason")),
        (ModelFileError.of("some.model", "it was truncated."), ("path", "reason")),
    ]:
        other = twin(error)
        assert str(other) == str(error)
        assert [getattr(other, n) for n in names] == [getattr(error, n) for n in names]

"""scikit-learn's own tests of the classes that ours replace, run against ours.

They come from the installed scikit-learn: its test modules are loaded anew with our classes in
the place of its own, and those tests are kept that name one of them.
"""

import importlib.util
import inspect
import sys
from pathlib import Path
from unittest import mock

import pytest
import sklearn.feature_extraction
import sklearn.feature_extraction.text

import addhash

# What scikit-learn warns of inside its own tests is not ours to judge.
pytestmark = pytest.mark.filterwarnings("ignore")

# Tests that ask for scikit-learn's very words where ours say more.
OTHER_WORDS: dict[str, str] = {}


def load_tests(name, place, class_names):
    """Load a test module of scikit-learn while the classes of `place` are ours."""
    folder = Path(sklearn.feature_extraction.__file__).parent / "tests"
    spec = importlib.util.spec_from_file_location(f"ours_{name}", folder / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    with mock.patch.multiple(place, **{name: getattr(addhash, name) for name in class_names}):
        spec.loader.exec_module(module)
    for class_name in class_names:
        assert getattr(module, class_name) is getattr(addhash, class_name)
    return {
        f"{test}__sklearn": with_lists(function)
        for test, function in vars(module).items()
        if test.startswith("test_") and names(function, class_names) and test not in OTHER_WORDS
    }


def with_lists(test):
    """Return a test whose parameters are lists: pytest no longer takes iterators."""
    test.pytestmark = [
        getattr(pytest.mark, mark.name)(mark.args[0], list(mark.args[1]), **mark.kwargs).mark
        if mark.name == "parametrize"
        else mark
        for mark in getattr(test, "pytestmark", [])
    ]
    return test


def names(test, class_names):
    """Tell whether a test's text or parameters name one of the classes."""
    parameters = [str(mark.args) for mark in getattr(test, "pytestmark", [])]
    texts = (inspect.getsource(test), *parameters)
    return any(class_name in text for text in texts for class_name in class_names)


TEXT_CLASSES = ["CountVectorizer", "HashingVectorizer", "TfidfTransformer", "TfidfVectorizer"]
TEXT_TESTS = load_tests("test_text", sklearn.feature_extraction.text, TEXT_CLASSES)
HASHER_TESTS = load_tests("test_feature_hasher", sklearn.feature_extraction, ["FeatureHasher"])
globals().update(TEXT_TESTS, **HASHER_TESTS)


def test_scikit_learns_tests_were_found():
    assert len(TEXT_TESTS) >= 60
    assert len(HASHER_TESTS) >= 9

"""scikit-learn's own tests of HashingVectorizer and FeatureHasher, run against ours.

They come from the installed scikit-learn: its test modules are loaded anew with our classes in
the place of its own, and those tests are kept that name one of the two classes.
"""

import importlib.util
import inspect
import sys
from pathlib import Path

import pytest
import sklearn.feature_extraction
import sklearn.feature_extraction.text

import addhash

# What scikit-learn warns of inside its own tests is not ours to judge.
pytestmark = pytest.mark.filterwarnings("ignore")


def load_tests(name, place, class_name, patch):
    """Load a test module of scikit-learn while `place.class_name` is ours."""
    folder = Path(sklearn.feature_extraction.__file__).parent / "tests"
    spec = importlib.util.spec_from_file_location(f"ours_{name}", folder / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    original = getattr(place, class_name)
    setattr(place, class_name, patch)
    try:
        spec.loader.exec_module(module)
    finally:
        setattr(place, class_name, original)
    assert getattr(module, class_name) is patch
    return {
        f"{test}__sklearn": function
        for test, function in vars(module).items()
        if test.startswith("test_") and names(function, class_name)
    }


def names(test, class_name):
    """Tell whether a test's text or parameters name the class."""
    parameters = [str(mark.args) for mark in getattr(test, "pytestmark", [])]
    return any(class_name in text for text in (inspect.getsource(test), *parameters))


TEXT_TESTS = load_tests(
    "test_text", sklearn.feature_extraction.text, "HashingVectorizer", addhash.HashingVectorizer
)
HASHER_TESTS = load_tests(
    "test_feature_hasher", sklearn.feature_extraction, "FeatureHasher", addhash.FeatureHasher
)
globals().update(TEXT_TESTS, **HASHER_TESTS)


def test_scikit_learns_tests_were_found():
    assert len(TEXT_TESTS) >= 15
    assert len(HASHER_TESTS) >= 9

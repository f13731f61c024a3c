"""TextClassifier follows scikit-learn's conventions without needing scikit-learn."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from addhash import AdditiveHashingVectorizer, TextClassifier
from addhash.errors import ParameterError

EN = ["the cat sat", "she sells shells", "a dog and a bird", "the old man", "good morning to you"]
FR = ["le chat est là", "elle vend des", "un chien et un", "le vieil homme", "bonjour à vous tous"]
TEXTS, LABELS = EN + FR, ["en"] * 5 + ["fr"] * 5


def test_clone_and_parameters():
    classifier = TextClassifier("centroid", reject_below=0.1, n_jobs=2)
    copied = clone(classifier)
    assert copied is not classifier
    assert copied.get_params(deep=False) == classifier.get_params(deep=False)
    assert copied.get_params()["vectorizer__n_features"] == 2048
    assert clone(TextClassifier(vectorizer=AdditiveHashingVectorizer())).vectorizer is not None
    with pytest.raises(ParameterError, match="no parameter 'methods'"):
        classifier.set_params(methods="nearest")
    assert is_classifier(classifier)


def test_nested_parameters_of_the_default_vectorizer():
    classifier = TextClassifier("nearest").set_params(
        vectorizer__n_features=64, vectorizer__lowercase=True
    )
    assert classifier.vectorizer.n_features == 64
    assert classifier.vectorizer.ngram_range == (3, 3)
    assert classifier.fit(TEXTS, LABELS).vectorizer_.n_features == 64
    assert "n_features=64" in repr(classifier)


@pytest.mark.parametrize("method", ["nearest", "centroid"])
def test_searches_and_cross_validation(method):
    scores = cross_val_score(TextClassifier(method), TEXTS, LABELS, cv=5)
    assert scores.shape == (5,)
    assert scores.mean() > 0.7
    search = GridSearchCV(
        TextClassifier(method),
        {"vectorizer__ngram_range": [(1, 1), (2, 3)], "vectorizer__n_features": [256, 512]},
        cv=2,
    ).fit(TEXTS, LABELS)
    assert search.best_params_.keys() == {"vectorizer__ngram_range", "vectorizer__n_features"}
    assert search.predict(["the cat"]).tolist() == ["en"]
    found = cross_val_predict(TextClassifier(method), TEXTS, LABELS, cv=5, method="predict_proba")
    np.testing.assert_allclose(found.sum(axis=1), 1)
    pipeline = make_pipeline(TextClassifier(method)).fit(TEXTS, LABELS)
    assert pipeline.predict(["le chat"]).tolist() == ["fr"]
    assert "TextClassifier" in estimator_html_repr(pipeline)
    check_is_fitted(pipeline)


def test_rejection_does_not_break_scoring():
    classifier = TextClassifier("nearest", reject_below=0.9).fit(TEXTS, LABELS)
    assert classifier.score(TEXTS, LABELS) == 1
    assert classifier.score(["0123456789"], ["en"]) == 0
    assert (
        cross_val_score(TextClassifier("nearest", reject_below=0.9), TEXTS, LABELS, cv=5).tolist()
        == [0] * 5
    )
    assert classifier.explain("0123").is_rejected
    assert not classifier.explain(EN[0]).is_rejected


@pytest.mark.parametrize("method", ["nearest", "centroid"])
def test_decisions_and_shares_agree_with_predictions(method):
    classifier = TextClassifier(method).fit([*TEXTS, "eine Katze"], [*LABELS, "de"])
    probes = ["the cat", "le chat", "eine Katze sitzt"]
    decisions, shares = classifier.decision_function(probes), classifier.predict_proba(probes)
    assert decisions.shape == shares.shape == (3, 3)
    labels = classifier.predict(probes).tolist()
    assert classifier.classes_[decisions.argmax(axis=1)].tolist() == labels
    assert classifier.classes_[shares.argmax(axis=1)].tolist() == labels
    two = TextClassifier(method).fit(TEXTS, LABELS)
    assert (two.decision_function(probes[:2]) > 0).tolist() == [False, True]
    assert CalibratedClassifierCV(TextClassifier(method), cv=2).fit(TEXTS, LABELS) is not None


def test_partial_fit_is_learn():
    classifier = TextClassifier().partial_fit(TEXTS[:2], LABELS[:2], classes=["en", "fr"])
    assert classifier.classes_.tolist() == ["en", "fr"]
    assert classifier.class_counts_.tolist() == [2, 0]
    classifier.partial_fit(TEXTS[2:], LABELS[2:])
    assert classifier.predict(TEXTS).tolist() == LABELS


LIGHT = """
import sys
import addhash
{use}
heavy = {{"sklearn", "scipy", "pandas", "matplotlib", "pyarrow"}} & set(sys.modules)
assert not heavy, heavy
"""


@pytest.mark.parametrize(
    "use",
    [
        "addhash.TextClassifier().fit(['a b c', 'x y z'], ['l', 'r']).predict(['a b'])",
        "addhash.TextClassifier('centroid').fit(['a b c'], ['l']).explain('a b c')",
        "addhash.Index(4).add([[1, 2, 3, 4]])",
        "addhash.TextIndex().add(['some text'])",
        "addhash.DocumentHash(64).update(['a']).decode(['a', 'b'])",
        "addhash.files.inspect",
        "import addhash.cli.app",
    ],
)
def test_the_engine_does_not_load_scikit_learn(use):
    done = subprocess.run(
        [sys.executable, "-c", LIGHT.format(use=use)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("method", ["nearest", "centroid"])
def test_pickles_and_copies(method):
    classifier = TextClassifier(method).fit(TEXTS, LABELS)
    for again in (pickle.loads(pickle.dumps(classifier)), copy.deepcopy(classifier)):
        assert again.digest() == classifier.digest()
        assert again.learn(["neu"], ["de"]).predict(["neu"]).tolist() == ["de"]
    assert classifier.classes_.tolist() == ["en", "fr"]

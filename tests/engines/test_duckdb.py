"""The functions of DuckDB against one call."""

import duckdb
import numpy as np
import pytest

import addhash
from addhash import sample
from addhash.engines.duckdb import register, register_detect
from addhash.errors import ParameterError

TEXTS, LABELS = sample.load_messages()


@pytest.fixture
def connection():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE messages (id INTEGER, text VARCHAR)")
        connection.executemany("INSERT INTO messages VALUES (?, ?)", list(enumerate(TEXTS)))
        yield connection


def column(connection, query):
    return [row[0] for row in connection.sql(query).fetchall()]


@pytest.mark.parametrize(
    "labels", [LABELS, [len(x) for x in LABELS], [x == "spam" for x in LABELS]]
)
def test_labels_are_those_of_one_call(connection, labels):
    model = addhash.TextClassifier().fit(TEXTS, labels)
    assert register(connection, model, name="answer") is connection
    found = column(connection, "SELECT answer(text) FROM messages ORDER BY id")
    assert found == model.predict(TEXTS).tolist()


def test_nulls_stay_null(connection):
    model = addhash.TextClassifier().fit(TEXTS, LABELS)
    register(connection, model, name="answer")
    found = column(
        connection, "SELECT answer(if(id % 3 = 0, NULL, text)) FROM messages ORDER BY id"
    )
    expected = model.predict(TEXTS).tolist()
    expected[::3] = [None] * len(expected[::3])
    assert found == expected


def test_vectors_are_those_of_one_call(connection):
    for dtype in (np.float32, np.int32):
        norm = "l2" if dtype == np.float32 else None
        vectorizer = addhash.AdditiveHashingVectorizer(n_features=64, dtype=dtype, norm=norm)
        register(connection, vectorizer, name="vector")  # the second time it is replaced
        found = column(connection, "SELECT vector(text) FROM messages ORDER BY id")
        np.testing.assert_array_equal(np.array(found, dtype), vectorizer.transform(TEXTS))


def test_other_models_are_refused(connection):
    with pytest.raises(ParameterError, match="AdditiveHashingVectorizer"):
        register(connection, addhash.HashingVectorizer(), name="vector")


def test_scores_and_probabilities_are_those_of_one_call(connection):
    model = addhash.TextClassifier().fit(TEXTS, LABELS)
    register(connection, model, name="kind")
    shares = model.predict_proba(TEXTS)
    found = column(connection, "SELECT kind_probabilities(text) FROM messages ORDER BY id")
    np.testing.assert_array_equal(np.array(found), shares)
    found = column(connection, "SELECT kind_score(text) FROM messages ORDER BY id")
    np.testing.assert_array_equal(np.array(found), shares.max(axis=1))
    nulls = "SELECT kind_score(NULL::VARCHAR), kind_probabilities(NULL::VARCHAR)"
    assert connection.sql(nulls).fetchall() == [(None, None)]


def test_a_batch_of_nulls(connection):
    model = addhash.TextClassifier().fit(TEXTS, LABELS)
    register(connection, model, name="kind")
    register_detect(connection)
    query = "SELECT kind(x), detect_language(x) FROM (SELECT NULL::VARCHAR AS x FROM range(5000))"
    assert set(connection.sql(query).fetchall()) == {(None, None)}


def test_languages_are_those_of_one_call(connection):
    register_detect(connection, languages=["en", "fr"])
    query = "SELECT detect_language(x) FROM (VALUES ('Tous les hommes'), ('All men'), ('1')) t(x)"
    assert column(connection, query) == ["fra", "eng", None]


def test_rejected_answers_are_null(connection):
    model = addhash.TextClassifier("centroid").fit(TEXTS, LABELS)
    model.reject_below = float(np.median([p.score for p in model.predict_scores(TEXTS)]))
    register(connection, model, name="kind")
    found = column(connection, "SELECT kind(text) FROM messages ORDER BY id")
    assert found == model.predict(TEXTS).tolist()
    assert 0 < found.count(None) < len(TEXTS)

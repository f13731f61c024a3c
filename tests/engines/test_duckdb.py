"""The functions of DuckDB against one call."""

import duckdb
import numpy as np
import pytest

import addhash
from addhash import sample
from addhash.engines.duckdb import register
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

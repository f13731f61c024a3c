"""The expressions of Polars against one call, eager, lazy and streaming."""

import numpy as np
import polars as pl
import pytest

import addhash
import addhash.engines.polars
from addhash import sample
from addhash.errors import ParameterError

TEXTS, LABELS = sample.load_messages()
FRAME = pl.DataFrame({"id": range(len(TEXTS)), "text": TEXTS})
QUERIES = {
    "eager": FRAME.select,
    "lazy": lambda *given, **named: FRAME.lazy().select(*given, **named).collect(),
    "streaming": lambda *given, **named: (
        FRAME.lazy().select(*given, **named).collect(engine="streaming")
    ),
}


@pytest.fixture(params=QUERIES)
def select(request):
    return QUERIES[request.param]


@pytest.mark.parametrize(
    "labels", [LABELS, [len(x) for x in LABELS], [x == "spam" for x in LABELS]]
)
def test_labels_are_those_of_one_call(select, labels):
    model = addhash.TextClassifier().fit(TEXTS, labels)
    found = select(pl.col("text").addhash.predict(model).alias("answer"))["answer"]
    assert found.to_list() == model.predict(TEXTS).tolist()


def test_vectors_are_those_of_one_call(select):
    for dtype in (np.float32, np.float64, np.int16, "bits"):
        norm = None if dtype in (np.int16, "bits") else "l2"
        vectorizer = addhash.AdditiveHashingVectorizer(n_features=64, dtype=dtype, norm=norm)
        found = select(pl.col("text").addhash.vector(vectorizer).alias("vector"))["vector"]
        np.testing.assert_array_equal(found.to_numpy(), vectorizer.transform(TEXTS))


def test_nulls_stay_null():
    model = addhash.TextClassifier().fit(TEXTS, LABELS)
    vectorizer = addhash.AdditiveHashingVectorizer(n_features=64)
    texts = [None, *TEXTS[:5], None, TEXTS[5]]
    frame = pl.DataFrame({"text": texts})
    found = frame.select(
        answer=pl.col("text").addhash.predict(model),
        vector=pl.col("text").addhash.vector(vectorizer),
    )
    expected = model.predict(TEXTS[:6]).tolist()
    assert found["answer"].to_list() == [None, *expected[:5], None, expected[5]]
    assert found["vector"].is_null().to_list() == [text is None for text in texts]
    empty = frame.head(0).select(pl.col("text").addhash.predict(model))
    assert empty.dtypes == [pl.String]
    for kind in (pl.String, pl.Null):
        nothing = pl.DataFrame({"text": [None, None]}, schema={"text": kind})
        for column in (
            pl.col("text").addhash.predict(model),
            pl.col("text").addhash.predict_proba(model),
            pl.col("text").addhash.score(model),
            pl.col("text").addhash.vector(vectorizer),
            pl.col("text").addhash.detect(),
        ):
            assert nothing.select(column)["text"].to_list() == [None] * 2


def test_rejected_answers_are_null():
    model = addhash.TextClassifier("centroid").fit(TEXTS, LABELS)
    model.reject_below = float(np.median([p.score for p in model.predict_scores(TEXTS)]))
    found = FRAME.select(pl.col("text").addhash.predict(model))["text"]
    assert found.to_list() == model.predict(TEXTS).tolist()
    assert 0 < found.null_count() < len(TEXTS)


def test_sparse_vectors_are_refused():
    with pytest.raises(ParameterError, match="dense"):
        pl.col("text").addhash.vector(addhash.HashingVectorizer())


def test_languages_are_those_of_one_call():
    texts = ["All human beings are born free.", None, "123", "Tous les hommes naissent libres."]
    frame = pl.LazyFrame({"text": texts})
    found = frame.select(pl.col("text").addhash.detect()).collect()["text"].to_list()
    assert found == ["eng", None, None, "fra"]
    some = frame.select(pl.col("text").addhash.detect(["deu", "eng"])).collect()
    assert some["text"].to_list()[0] == "eng"


def test_probabilities_are_those_of_one_call(select):
    model = addhash.TextClassifier().fit(TEXTS, LABELS)
    shares = model.predict_proba(TEXTS)
    found = select(
        all=pl.col("text").addhash.predict_proba(model), best=pl.col("text").addhash.score(model)
    )
    np.testing.assert_array_equal(found["all"].to_numpy(), shares)
    np.testing.assert_array_equal(found["best"].to_numpy(), shares.max(axis=1))


@pytest.mark.parametrize("values", [[1, 2], [1.5, None], [{"a": "x"}], [["x"]], [True, False]])
def test_what_is_not_text_is_refused(values):
    model = addhash.TextClassifier().fit(TEXTS, LABELS)
    frame = pl.DataFrame({"n": values})
    with pytest.raises(Exception, match="Expected a column of texts, got the column 'n'"):
        frame.select(pl.col("n").addhash.predict(model))


def test_categories_and_bytes_are_texts():
    model = addhash.TextClassifier().fit(TEXTS, LABELS)
    expected = model.predict(TEXTS[:5]).tolist()
    for column in (
        pl.Series("text", TEXTS[:5], dtype=pl.Categorical),
        pl.Series("text", [text.encode() for text in TEXTS[:5]]),
    ):
        found = pl.DataFrame([column]).select(pl.col("text").addhash.predict(model))
        assert found["text"].to_list() == expected

"""Columns of Arrow data, from every holder and hostile ones, against lists of str."""

import ctypes
import threading
import tracemalloc

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import addhash
from addhash.errors import DocumentError, ParameterError
from addhash.runtime import native
from addhash.text.reading import BATCH_CHARACTERS, BATCH_DOCUMENTS, batches
from tests.texts import HOSTILE

TEXTS = [
    text for text in HOSTILE if text.isascii() or text.encode("utf-8", "ignore").decode() == text
]
TEXTS += [
    "",
    "plain ASCII that is longer than a view holds",
    "ΟΔΟΣ ΣΑΣ",
    "İstanbul",
    "Ünïcode",
    "日本語",
]
TEXTS += ["😀 and more", "\x00zero", "\U0010ffff", "\ufeffmark"]
TEXTS = TEXTS * 3


def chunked(texts):
    return pa.chunked_array([texts[:5], [], texts[5:6], texts[6:]])


def record_batch_reader(texts):
    table = pa.table({"other": range(len(texts)), "text": chunked(texts)})
    return addhash.text_column(table.to_reader(), text="text")


def duckdb_result(texts):
    table = pa.table({"text": texts, "id": range(len(texts))})
    # Of a connection that stays: older relations do not keep theirs open.
    relation = duckdb.from_arrow(table).order("id")
    return addhash.text_column(relation, text="text")


HOLDERS = {
    "string": pa.array,
    "large_string": lambda texts: pa.array(texts, pa.large_string()),
    "string_view": lambda texts: pa.array(texts, pa.string_view()),
    "binary": lambda texts: pa.array([text.encode() for text in texts]),
    "large_binary": lambda texts: pa.array([text.encode() for text in texts], pa.large_binary()),
    "dictionary": lambda texts: pa.array(texts).dictionary_encode(),
    "runs": lambda texts: pc.run_end_encode(pa.array(["x", "x", *texts])).slice(2),
    "runs of a dictionary": lambda texts: pa.RunEndEncodedArray.from_arrays(
        range(1, len(texts) + 1), pa.array(texts).dictionary_encode()
    ),
    "slice": lambda texts: pa.array(["before", *texts, "after"]).slice(1, len(texts)),
    "slice of views": lambda texts: pa.array(["x", *texts], pa.string_view()).slice(1),
    "chunks": chunked,
    "reader": record_batch_reader,
    "polars": pl.Series,
    "polars categories": lambda texts: pl.Series(texts, dtype=pl.Categorical),
    "pandas": pd.Series,
    "pandas with arrow": lambda texts: pd.Series(texts, dtype=pd.ArrowDtype(pa.string())),
    "pandas categories": lambda texts: pd.Series(texts).astype("category"),
    "duckdb": duckdb_result,
}
CUTS = {
    "words": {"analyzer": "word", "ngram_range": (1, 2)},
    "characters": {"analyzer": "char", "ngram_range": (1, 3)},
    "characters in words": {"analyzer": "char_wb", "ngram_range": (2, 3), "lowercase": False},
    "cut in Python": {"tokenizer": str.split, "token_pattern": None},
    "accents": {"strip_accents": "unicode"},
}


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("cut", CUTS)
def test_vectors_have_the_same_bits_as_from_a_list(holder, cut):
    for threads in (1, 3):
        dense = addhash.AdditiveHashingVectorizer(n_features=256, n_jobs=threads, **CUTS[cut])
        column = HOLDERS[holder](TEXTS)
        np.testing.assert_array_equal(dense.transform(column), dense.transform(TEXTS))
        sparse = addhash.HashingVectorizer(n_jobs=threads, **CUTS[cut])
        difference = sparse.transform(HOLDERS[holder](TEXTS)) != sparse.transform(TEXTS)
        assert difference.nnz == 0


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("method", ["bayes", "nearest", "centroid"])
def test_classifiers_learn_and_answer_the_same(holder, method):
    labels = [str(i % 3) for i in range(len(TEXTS))]
    expected = addhash.TextClassifier(method).fit(TEXTS, labels)
    column = HOLDERS[holder](TEXTS)
    runs = pc.run_end_encode(pa.array(labels))
    for given in (labels, pa.array(labels), runs, pl.Series(labels), pd.Series(labels)):
        found = addhash.TextClassifier(method).fit(HOLDERS[holder](TEXTS), given)
        assert found.digest() == expected.digest()
    assert found.predict(column).tolist() == expected.predict(TEXTS).tolist()
    np.testing.assert_array_equal(found.predict_proba(column), expected.predict_proba(TEXTS))
    assert found.score(column, pa.array(labels)) == expected.score(TEXTS, labels)
    assert found.leave_one_out(column, pl.Series(labels)).accuracy == (
        expected.leave_one_out(TEXTS, labels).accuracy
    )
    found.learn(column, labels).forget(column, pa.array(labels))
    assert found.digest() == expected.digest()


@pytest.mark.parametrize("holder", HOLDERS)
def test_indexes_and_duplicates_find_the_same(holder):
    column = HOLDERS[holder](TEXTS)
    found = addhash.find_duplicates(column, threshold=0.5)
    expected = addhash.find_duplicates(TEXTS, threshold=0.5)
    assert found.clusters.tolist() == expected.clusters.tolist()
    index, other = addhash.TextIndex(), addhash.TextIndex()
    index.add(TEXTS)
    other.add(column)
    if holder not in ("binary", "large_binary"):
        assert other.search(column, k=2) == index.search(TEXTS, k=2)
    kept_nowhere = addhash.TextIndex(keep_texts=False)
    kept_nowhere.add(column)
    assert [m[0].id for m in kept_nowhere.search(column, k=1)] == [
        m[0].id for m in index.search(TEXTS, k=1)
    ]


@pytest.mark.parametrize("strict", [False, True])
def test_documents_take_columns_of_tokens(strict):
    tokens = ["to", "be", "or", "not", "to", "be"]
    document = addhash.DocumentHash(strict=strict).update(pa.array(tokens))
    assert document == addhash.DocumentHash(strict=strict).update(tokens)
    assert document.downdate(pl.Series(tokens)).count == 0
    with pytest.raises(DocumentError, match="is null"):
        document.update(pa.array(["a", None]))


def test_labels_of_every_kind():
    for labels in ([3, 1, 2], [True, False, True], [1.0, 2.0, 1.0], ["b", "a", "b"]):
        expected = addhash.TextClassifier("centroid").fit(["x", "y", "z"], labels)
        for column in (
            pa.array(labels),
            pl.Series(labels),
            pa.chunked_array([labels[:1], labels[1:]]),
        ):
            found = addhash.TextClassifier("centroid").fit(["x", "y", "z"], column)
            assert found.classes_.dtype == expected.classes_.dtype
            assert found.classes_.tolist() == expected.classes_.tolist()
            assert found.digest() == expected.digest()


def test_batches_of_columns_are_parts_of_them():
    column = pa.array([f"text {i}" for i in range(BATCH_DOCUMENTS + 5)])
    sizes = [len(batch) for batch in batches(column)]
    assert sizes == [BATCH_DOCUMENTS, 5]
    large = pa.array(["x" * (BATCH_CHARACTERS // 2 + 1)] * 5)
    assert [len(batch) for batch in batches(large)] == [1] * 5
    assert list(batches(pa.array([], pa.string()))) == []


def test_columns_are_sequences():
    column = addhash.text_column(pa.array(TEXTS))
    assert list(column) == TEXTS
    assert (column[0], column[-1]) == (TEXTS[0], TEXTS[-1])
    with pytest.raises(IndexError):
        column[len(TEXTS)]
    assert list(addhash.text_column(pa.array([b"\xff"]))) == [b"\xff"]


def peak_of(work):
    work()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_no_python_string_is_made():
    column = pa.array(["word " * 200] * 10_000)  # 10 MB of text, one word in each
    vectorizer = addhash.HashingVectorizer(n_jobs=1)
    model = addhash.TextClassifier().fit(["word", "other"], ["a", "b"])
    for do in (vectorizer.transform, model.predict, addhash.token_sets):
        assert peak_of(lambda do=do: do(column)) < 4_000_000
    # So that the figure means something.
    assert (
        peak_of(lambda: vectorizer.transform(addhash.text_column(column)[i] for i in range(10_000)))
        > 7_000_000
    )


def test_the_gil_is_free_while_a_column_is_read():
    column = pa.array(["ein längerer Text mit Wörtern " * 200] * 2000)
    vectorizer = addhash.HashingVectorizer(analyzer="char", ngram_range=(3, 3), n_jobs=1)
    turns, done = [], threading.Event()

    def count():
        while not done.wait(0.0005):
            turns.append(1)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        vectorizer.transform(column)
    finally:
        done.set()
        thread.join()
    assert len(turns) > 20


def test_nulls_are_refused_or_empty():
    column = pa.chunked_array([["a b", "c d"], ["e f", None, "g h"]])
    vectorizer = addhash.HashingVectorizer()
    with pytest.raises(DocumentError, match=r"Document 3 is null.*null='empty'"):
        vectorizer.transform(column)
    with pytest.raises(DocumentError, match="Document 3 is null"):
        addhash.TextClassifier().fit(column, ["a"] * 5)
    with pytest.raises(ParameterError, match="Label 1 is null"):
        addhash.TextClassifier().fit(["a", "b"], pa.array(["x", None]))
    expected = vectorizer.transform(["a b", "c d", "e f", "", "g h"])
    found = vectorizer.transform(addhash.text_column(column, null="empty"))
    assert (found != expected).nnz == 0
    nothing = addhash.text_column(pa.nulls(3), null="empty")
    assert vectorizer.transform(nothing).nnz == 0
    dictionary = pa.DictionaryArray.from_arrays([0, 1, 0], pa.array(["a", None]))
    with pytest.raises(DocumentError, match="Document 1 is null"):
        vectorizer.transform(dictionary)


@pytest.mark.parametrize(
    "table",
    [
        pa.table({"id": [1], "body": ["a text"]}),
        pl.DataFrame({"id": [1], "body": ["a text"]}),
        pd.DataFrame({"id": [1], "body": ["a text"]}),
        duckdb.from_arrow(pa.table({"id": [1], "body": ["a text"]})),
    ],
    ids=["pyarrow", "polars", "pandas", "duckdb"],
)
def test_tables_need_the_name_of_the_column(table):
    vectorizer = addhash.HashingVectorizer()
    for take in (vectorizer.transform, vectorizer.fit_transform, addhash.find_duplicates):
        with pytest.raises(DocumentError, match=r"'id', 'body'.*text_column\(frame, text='id'\)"):
            take(table)
    assert vectorizer.transform(addhash.text_column(table, text="body")).shape[0] == 1
    with pytest.raises(ParameterError, match="no column 'text'; it has 'id', 'body'"):
        addhash.text_column(table, text="text")
    with pytest.raises(DocumentError, match="text=") as raised:
        addhash.text_column(table)
    assert "'id', 'body'" in str(raised.value)
    with pytest.raises(DocumentError, match="Expected a column of texts, got one of integers"):
        addhash.text_column(table, text="id")


def test_what_is_no_column_is_refused():
    with pytest.raises(DocumentError, match="Arrow PyCapsule interface, got"):
        addhash.text_column(["a list"])
    with pytest.raises(ParameterError, match="names a column of a table"):
        addhash.text_column(pa.array(["a"]), text="body")
    with pytest.raises(ParameterError, match="'error' or 'empty'"):
        addhash.text_column(pa.array(["a"]), null="drop")
    with pytest.raises(DocumentError, match="expected texts, numbers or booleans"):
        addhash.HashingVectorizer().transform(pa.array([[1], [2]]))
    twice = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], ["x", "x"])
    with pytest.raises(ParameterError, match="more than one column 'x'"):
        addhash.text_column(twice, text="x")
    reader = pa.table({"x": ["a"]}).to_reader()
    assert len(addhash.text_column(reader, text="x")) == 1


def test_bytes_that_are_no_utf8_are_named():
    column = pa.array([b"fine", b"caf\xe9"])
    with pytest.raises(DocumentError, match="Document 1 is not valid UTF-8"):
        addhash.HashingVectorizer().transform(column)
    with pytest.raises(DocumentError, match="Document 1 is not valid UTF-8"):
        addhash.find_duplicates(column)
    latin = addhash.HashingVectorizer(encoding="latin-1")
    assert (latin.transform(column) != latin.transform([b"fine", b"caf\xe9"])).nnz == 0
    lenient = addhash.HashingVectorizer(decode_error="replace")
    assert (lenient.transform(column) != lenient.transform([b"fine", b"caf\xe9"])).nnz == 0


# Structs as a hostile producer makes them.


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.c_void_p),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Hostile:
    """Two texts, "ab" and "c", in structs that can be spoilt before they are handed out."""

    def __init__(self, format=b"u"):
        self.offsets = (ctypes.c_int32 * 3)(0, 2, 3)
        self.data = ctypes.create_string_buffer(b"abc")
        self.buffers = (ctypes.c_void_p * 3)(
            None, ctypes.addressof(self.offsets), ctypes.addressof(self.data)
        )
        self.releases = []
        self.schema_callback = RELEASE_SCHEMA(lambda s: self._release(s, "schema"))
        self.array_callback = RELEASE_ARRAY(lambda a: self._release(a, "array"))
        self.schema = Schema(
            format=format, release=ctypes.cast(self.schema_callback, ctypes.c_void_p)
        )
        self.array = Array(
            length=2,
            n_buffers=3,
            buffers=ctypes.addressof(self.buffers),
            release=ctypes.cast(self.array_callback, ctypes.c_void_p),
        )
        self.names = (b"arrow_schema", b"arrow_array")

    def _release(self, struct, what):
        struct.contents.release = None
        self.releases.append(what)

    def __arrow_c_array__(self, requested_schema=None):
        return (
            new_capsule(ctypes.addressof(self.schema), self.names[0], None),
            new_capsule(ctypes.addressof(self.array), self.names[1], None),
        )


def test_structs_are_read_and_released_once():
    holder = Hostile()
    column = addhash.text_column(holder)
    assert list(column) == ["ab", "c"]
    assert holder.releases == []
    del column
    assert sorted(holder.releases) == ["array", "schema"]
    with pytest.raises(DocumentError, match="read before"):
        addhash.text_column(holder)


SPOILT = {
    "no schema": lambda h: setattr(h.schema, "release", None),
    "no array": lambda h: setattr(h.array, "release", None),
    "negative length": lambda h: setattr(h.array, "length", -1),
    "huge length": lambda h: setattr(h.array, "length", 2**63 - 1),
    "negative offset": lambda h: setattr(h.array, "offset", -1),
    "huge offset": lambda h: setattr(h.array, "offset", 2**63 - 1),
    "too many nulls": lambda h: setattr(h.array, "null_count", 3),
    "nulls nowhere": lambda h: setattr(h.array, "null_count", 1),
    "two buffers": lambda h: setattr(h.array, "n_buffers", 2),
    "negative buffers": lambda h: setattr(h.array, "n_buffers", -1),
    "no buffers": lambda h: setattr(h.array, "buffers", None),
    "no offsets": lambda h: h.buffers.__setitem__(1, None),
    "no data": lambda h: h.buffers.__setitem__(2, None),
    "negative start": lambda h: h.offsets.__setitem__(0, -1),
    "falling offsets": lambda h: h.offsets.__setitem__(1, 2**31 - 1),
    "no format": lambda h: setattr(h.schema, "format", None),
    "unknown format": lambda h: setattr(h.schema, "format", b"\xff" * 50),
    "dictionary here only": lambda h: setattr(h.schema, "dictionary", ctypes.addressof(h.schema)),
    "dictionary there only": lambda h: setattr(h.array, "dictionary", ctypes.addressof(h.array)),
    "table without columns": lambda h: setattr(h.schema, "format", b"+s"),
    "wrong capsule": lambda h: setattr(h, "names", (b"arrow_schema", b"something_else")),
}


@pytest.mark.parametrize("how", SPOILT)
def test_hostile_structs_are_refused(how):
    holder = Hostile()
    SPOILT[how](holder)
    with pytest.raises(DocumentError):
        addhash.text_column(holder)
    with pytest.raises(DocumentError):
        addhash.HashingVectorizer().transform(holder)


def test_what_is_no_capsule_is_refused():
    class Liar:
        def __arrow_c_stream__(self, requested_schema=None):
            return 7

    with pytest.raises(DocumentError, match="not a capsule of the name arrow_array_stream"):
        addhash.HashingVectorizer().transform(Liar())
    with pytest.raises(native.ArrowError):
        native.ArrowTable.of_array(7, 7)


def test_a_stream_that_fails_says_why():
    def fail():
        raise RuntimeError("the disk is on fire")
        yield

    reader = pa.RecordBatchReader.from_batches(pa.schema([("text", pa.string())]), fail())
    with pytest.raises(Exception, match="the disk is on fire"):
        addhash.text_column(reader, text="text")

"""Tables of records against the dicts of the same rows."""

from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import addhash
from addhash.errors import DocumentError, WeightError
from addhash.text.reading import BATCH_DOCUMENTS

ROWS = 200
DATA = {
    "city": [["Oslo", "Lima", "日本", "", "x=y"][i % 5] for i in range(ROWS)],
    "rooms": [i % 7 for i in range(ROWS)],
    "price": [i / 8 - 3 for i in range(ROWS)],
    "garden": [i % 3 == 0 for i in range(ROWS)],
    "ünïcode": ["a" * (i % 20) for i in range(ROWS)],
}
RECORDS = [dict(zip(DATA, values, strict=True)) for values in zip(*DATA.values(), strict=True)]


def with_nulls():
    data = {
        name: [None if (i + j) % 4 == 0 else value for i, value in enumerate(values)]
        for j, (name, values) in enumerate(DATA.items())
    }
    table = pa.table(data)
    dicts = [
        {name: value for name, value in row.items() if value is not None}
        for row in table.to_pylist()
    ]
    return table, dicts


def dictionary_encoded():
    table = pa.table(DATA)
    return table.set_column(0, "city", table["city"].combine_chunks().dictionary_encode())


TABLES = {
    "pyarrow": lambda: pa.table(DATA),
    "chunks": lambda: pa.concat_tables([pa.table(DATA).slice(0, 7), pa.table(DATA).slice(7)]),
    "slice": lambda: pa.concat_tables([pa.table(DATA)] * 2).combine_chunks().slice(ROWS, ROWS),
    "record batch": lambda: pa.RecordBatch.from_pydict(DATA),
    "reader": lambda: pa.table(DATA).to_reader(),
    "dictionary": dictionary_encoded,
    "polars": lambda: pl.DataFrame(DATA),
    "pandas": lambda: pd.DataFrame(DATA),
    "pandas with an index": lambda: pd.DataFrame(DATA, index=[f"row {i}" for i in range(ROWS)]),
    "pandas with categories": lambda: pd.DataFrame(DATA).astype({"city": "category"}),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_the_dicts_of_their_rows(name):
    sparse = addhash.FeatureHasher(n_features=64)
    found, expected = sparse.transform(TABLES[name]()), sparse.transform(RECORDS)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.toarray(), expected.toarray())
    for dtype in (np.float32, np.float16, "bits"):
        dense = addhash.AdditiveFeatureHasher(n_features=64, dtype=dtype)
        np.testing.assert_array_equal(dense.transform(TABLES[name]()), dense.transform(RECORDS))


@pytest.mark.parametrize(
    "kind",
    [
        "int8",
        "uint8",
        "int16",
        "uint16",
        "int32",
        "uint32",
        "int64",
        "uint64",
        "float32",
        "float64",
    ],
)
def test_numbers_of_every_type_are_weights(kind):
    values = np.array([0, 1, 2, 100], kind)
    hasher = addhash.FeatureHasher(n_features=16)
    found = hasher.transform(pa.table({"n": values}))
    expected = hasher.transform([{"n": float(value)} for value in values])
    np.testing.assert_array_equal(found.toarray(), expected.toarray())


def test_nulls_are_features_that_are_not_there():
    table, dicts = with_nulls()
    for hasher in (addhash.FeatureHasher(64), addhash.AdditiveFeatureHasher(64)):
        found, expected = hasher.transform(table), hasher.transform(dicts)
        np.testing.assert_array_equal(
            getattr(found, "toarray", found.copy)(), getattr(expected, "toarray", expected.copy)()
        )


def test_many_rows_go_in_batches():
    count = BATCH_DOCUMENTS + 3
    table = pa.table({"n": range(count), "t": [str(i % 10) for i in range(count)]})
    hasher = addhash.FeatureHasher(16)
    assert (hasher.transform(table) != hasher.transform(table.to_pylist())).nnz == 0


def test_runs_and_decimals_are_read_as_what_they_hold():
    table = pa.table({"t": ["a", "a", None, "b"], "n": [1, 1, 1, 7]})
    runs = pa.table({"t": pc.run_end_encode(table["t"]), "n": pc.run_end_encode(table["n"])})
    wide = table.set_column(1, "n", table["n"].cast(pa.decimal128(30, 0)))
    hasher = addhash.FeatureHasher(64)
    for other in (runs, runs.slice(1), wide):
        expected = hasher.transform(table.slice(len(table) - len(other)))
        assert (hasher.transform(other) != expected).nnz == 0


def test_wrong_tables_are_refused():
    for hasher in (addhash.FeatureHasher(64), addhash.AdditiveFeatureHasher(64)):
        with pytest.raises(DocumentError, match="single column; pass a table"):
            hasher.transform(pa.array([1.0, 2.0]))
        for values, kind in (
            ([[1, 2]], "lists"),
            ([datetime(2020, 1, 2, 3)], "dates with times"),
            ([date(2020, 1, 2)], "dates"),
            ([Decimal("1.5")], "decimals with fractions"),
            ([b"x"], "bytes"),
        ):
            message = f"column 'b': it holds {kind}; expected texts, numbers or booleans"
            with pytest.raises(DocumentError, match=message):
                hasher.transform(pa.table({"a": [1], "b": values}))
    with pytest.raises(WeightError, match="Record 1"):
        addhash.AdditiveFeatureHasher(64).transform(pa.table({"a": [1.0, float("inf")]}))
    spoilt = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.array([0, 1, 2], pa.int32()).buffers()[1], pa.py_buffer(b"a\xff")]
    )
    with pytest.raises(DocumentError, match="Record 1 is not valid UTF-8"):
        addhash.FeatureHasher(64).transform(pa.table({"a": spoilt}))

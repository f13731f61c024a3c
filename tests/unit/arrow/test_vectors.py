import gc

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from addhash import vector_column
from addhash.errors import VectorError


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8"]
)
def test_rows_become_lists_without_a_copy(dtype):
    rows = np.arange(12).reshape(3, 4).astype(dtype)
    column = pa.array(vector_column(rows))
    assert column.type == pa.list_(pa.from_numpy_dtype(dtype), 4)
    assert column.to_pylist() == rows.tolist()
    assert column.values.buffers()[1].address == rows.ctypes.data


def test_the_numbers_live_as_long_as_the_column():
    expected = np.arange(40_000, dtype=np.float32).reshape(100, 400)
    column = pa.array(vector_column(expected.copy()))
    gc.collect()
    np.testing.assert_array_equal(column.flatten().to_numpy().reshape(100, 400), expected)
    series = pl.Series(vector_column(expected.copy()))
    gc.collect()
    np.testing.assert_array_equal(series.to_numpy(), expected)


def test_columns_that_nobody_reads_are_given_back():
    rows = np.zeros((2, 8), np.float32)
    base = len(gc.get_referrers(rows))
    for _ in range(3):
        vector_column(rows).__arrow_c_array__()
    gc.collect()
    assert len(gc.get_referrers(rows)) == base


def test_rows_of_other_shapes():
    assert pa.array(vector_column(np.zeros((0, 8)))).to_pylist() == []
    every_second = np.arange(16.0).reshape(2, 8)[:, ::2]
    assert pa.array(vector_column(every_second)).to_pylist() == every_second.tolist()
    for wrong in (
        np.zeros(3),
        np.zeros((2, 2), complex),
        np.array([["a"]]),
        np.zeros((1, 1), bool),
        np.zeros((1, 1), np.uint16),
    ):
        with pytest.raises(VectorError, match="Expected an array of two dimensions"):
            vector_column(wrong)

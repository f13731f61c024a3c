"""Vectors as a column of fixed-size lists, whose numbers are not copied."""

from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.errors import VectorError
from addhash.runtime import native


class VectorColumn:
    """The rows of an array, for any consumer of the Arrow PyCapsule interface."""

    def __init__(self, vectors: npt.NDArray[Any]) -> None:
        self._vectors = vectors

    def __len__(self) -> int:
        return len(self._vectors)

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return native.export_matrix(self._vectors)

    def __arrow_c_schema__(self) -> object:
        return native.export_matrix(self._vectors)[0]


def vector_column(vectors: Any) -> VectorColumn:
    """Return vectors as an Arrow column, one FixedSizeList per row.

    Parameters
    ----------
    vectors : array of shape (n_samples, n_features)
        Such as an additive vectorizer's `transform` returns. It is not copied if it is contiguous,
        and must not be changed afterwards.

    Returns
    -------
    column : VectorColumn
        For ``pyarrow.array``, ``polars.Series`` and anything else that reads the Arrow PyCapsule
        interface.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from addhash import AdditiveHashingVectorizer, vector_column
    >>> vectors = AdditiveHashingVectorizer(n_features=64).transform(["a text", "another"])
    >>> pa.array(vector_column(vectors)).type
    FixedSizeListType(fixed_size_list<item: float>[64])
    """
    rows = np.ascontiguousarray(vectors)
    if (
        rows.ndim != 2
        or rows.dtype.kind not in "fiu"
        or (rows.dtype.kind == "u" and rows.itemsize > 1)
    ):
        raise VectorError(
            "Expected an array of two dimensions, of floats, signed integers or bytes, got one of"
            f" {rows.dtype} and shape {rows.shape}."
        )
    return VectorColumn(rows)

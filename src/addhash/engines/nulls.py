"""Columns with nulls: models get the texts, and nulls stay null."""

from collections.abc import Callable

import pyarrow as pa


def around_nulls(
    texts: pa.Array, answer: Callable[[pa.Array], pa.Array], kind: pa.DataType | str
) -> pa.Array:
    """Return the answers to the texts that are not null, with nulls for the others."""
    present = texts.drop_null()
    if not len(present):
        return pa.array([None] * len(texts), kind)
    if len(present) == len(texts):
        return answer(texts)
    places = iter(range(len(present)))
    chosen = [next(places) if valid else None for valid in texts.is_valid().to_pylist()]
    return answer(present).take(pa.array(chosen, pa.int64()))

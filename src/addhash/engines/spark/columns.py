"""Columns and paths that Spark stages take: checked on the driver, before any task starts."""

import os
import re
from typing import Any

from addhash.errors import ParameterError

TEXTS = ("string", "binary")
REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")


def check_texts(dataset: Any, column: str) -> None:
    """Refuse a DataFrame without a column of texts of this name."""
    if column not in dataset.columns:
        raise ParameterError(
            f"Expected a column {column!r} of texts, got the columns"
            f" {', '.join(map(repr, dataset.columns))}. Name it as inputCol."
        )
    kind = dataset.schema[column].dataType.simpleString()
    if kind not in TEXTS and not kind.startswith(("varchar", "char")):
        raise ParameterError(
            f"Expected a column of texts, got the column {column!r} of type {kind}. Cast it if its"
            " values are meant as texts."
        )


def check_new_columns(dataset: Any, *columns: str) -> None:
    """Refuse to overwrite columns of a DataFrame."""
    for column in columns:
        if column in dataset.columns:
            raise ParameterError(
                f"There is already a column {column!r}; it would be overwritten. Drop it, or name"
                " another one to add."
            )


def local_path(path: Any) -> str:
    """Return a path of this machine; addresses of other storage are refused."""
    place = str(os.fspath(path))
    if REMOTE.match(place):
        raise ParameterError(
            f"Expected a local path, got {place!r}. Use a file of this machine and copy it, or"
            " save the stage with Spark's own write().save(), which takes remote paths."
        )
    return place

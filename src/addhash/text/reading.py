"""Documents as the user gives them: checked, and cut into batches."""

import math
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

import numpy as np

from addhash.errors import DocumentError
from addhash.runtime import native
from addhash.text.columns import TextColumn, is_arrow_column, is_table, names_of, text_column

__all__ = ["as_sequence", "as_texts", "batches", "check_iterable", "check_present", "item_batches"]

BATCH_DOCUMENTS = 16384
BATCH_CHARACTERS = 1 << 23


def check_iterable(documents: Any) -> None:
    """Refuse what is not many texts: a single text, a table, an array that hides some."""
    if isinstance(documents, str | bytes):
        raise DocumentError(
            "Iterable over raw text documents expected, string object received."
            f" Put it in a list: [{documents[:20]!r}{'...' if len(documents) > 20 else ''}]."
        )
    if is_table(documents):
        names = names_of(documents)
        raise DocumentError(
            f"Expected texts, got a {type(documents).__name__} of the columns"
            f" {', '.join(map(repr, names[:5]))}{', ...' if len(names) > 5 else ''};"
            f" pass one of them, such as frame[{(names or ['text'])[0]!r}] or"
            f" addhash.text_column(frame, text={(names or ['text'])[0]!r})."
        )
    if isinstance(documents, np.ndarray) and documents.ndim != 1:
        raise DocumentError(
            f"Expected texts in one dimension, got an array of shape {documents.shape}."
            " Use its ravel()."
        )
    if isinstance(documents, np.ma.MaskedArray) and documents.mask.any():
        raise DocumentError(
            f"Document {int(documents.mask.argmax())} is masked; expected a str or bytes."
            " Drop the masked ones with compressed()."
        )


def as_texts(documents: Any) -> Any:
    """Check documents, and return them for reading: a column of Arrow data where they are one."""
    check_iterable(documents)
    if is_arrow_column(documents):
        # pandas exports by pyarrow, which may not be there.
        with suppress(ImportError):
            return text_column(documents)
    return documents


def as_sequence(documents: Any) -> Any:
    """Check documents, and return them as a list or a column, to be read more than once.

    The list is our own: whoever has the one that was given may change it between two readings.
    """
    documents = as_texts(documents)
    return documents if isinstance(documents, TextColumn) else list(documents)


def batches(documents: Iterable[Any], most: int = BATCH_DOCUMENTS) -> Iterator[Any]:
    """Yield documents, up to `most` that hold about BATCH_CHARACTERS together.

    A batch is a list, or, of a column of Arrow data, a part of the column.
    """
    documents = as_texts(documents)
    if not isinstance(documents, TextColumn):
        yield from item_batches(documents, most)
        return
    start = 0
    while count := documents.fitting(start, most, BATCH_CHARACTERS):
        yield documents.slice(start, count)
        start += count


def item_batches(documents: Iterable[Any], most: int = BATCH_DOCUMENTS) -> Iterator[list[Any]]:
    """Yield lists of up to `most` items that hold about BATCH_CHARACTERS together."""
    if isinstance(documents, list | tuple):
        yield from _slices(documents, most)
        return
    remaining = iter(documents)
    while batch := list(islice(remaining, 1)):
        characters = _length(batch)
        while len(batch) < most and characters < BATCH_CHARACTERS:
            # A generator's documents exist only once they are asked for, so ask for no more
            # than should fit, going by those that came.
            fitting = (BATCH_CHARACTERS - characters) * len(batch) // (characters + 1)
            more = list(islice(remaining, max(1, min(fitting, most - len(batch), 512))))
            if not more:
                break
            batch += more
            characters += _length(more)
        yield batch


def _slices(documents: list[Any] | tuple[Any, ...], most: int) -> Iterator[list[Any]]:
    start = 0
    while batch := list(documents[start : start + most]):
        characters = _length(batch)
        if characters > BATCH_CHARACTERS:
            del batch[max(1, len(batch) * BATCH_CHARACTERS // characters) :]
        yield batch
        start += len(batch)


def _length(batch: list[Any]) -> int:
    length = native.text_length(batch)
    if length is not None:
        return length
    try:
        return sum(map(len, batch))
    except TypeError:  # a file, or not a document at all
        return sum(len(document) for document in batch if isinstance(document, str | bytes))


def check_present(document: Any, position: int) -> None:
    """Refuse None and NaN, the usual signs of a missing text."""
    if document is None:
        raise DocumentError(
            f"Document {position} is None; expected a str or bytes."
            " Drop it, or replace it by an empty text."
        )
    if isinstance(document, float) and math.isnan(document):
        raise DocumentError(
            f"Document {position} is NaN: np.nan is an invalid document, expected byte or"
            " unicode string. Drop it, or replace it by an empty text."
        )

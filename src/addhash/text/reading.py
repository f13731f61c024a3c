"""Documents from the user, checked and split into batches."""

import math
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

import numpy as np

from addhash.arrow.records import is_table, names_of
from addhash.arrow.texts import TextColumn, is_arrow_column, text_column
from addhash.errors import DocumentError
from addhash.runtime import native

BATCH_DOCUMENTS = 16384
BATCH_CHARACTERS = 1 << 23


def check_iterable(documents: Any) -> None:
    """Refuse anything but many texts: a single text, a table, a masked array."""
    if isinstance(documents, str | bytes):
        raise DocumentError(
            "Iterable over raw text documents expected, string object received."
            f" Put it in a list: [{documents[:20]!r}{'...' if len(documents) > 20 else ''}]."
        )
    if is_table(documents):
        names = names_of(documents)
        raise DocumentError(
            f"Expected texts, got a {type(documents).__name__} with the columns"
            f" {', '.join(map(repr, names[:5]))}{', ...' if len(names) > 5 else ''}; pass one of"
            f" them, such as frame[{(names or ['text'])[0]!r}] or addhash.text_column(frame,"
            f" text={(names or ['text'])[0]!r})."
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
    """Check documents and return them for reading; Arrow data stays a column."""
    check_iterable(documents)
    if is_arrow_column(documents):
        # pandas exports by pyarrow, which may not be there.
        with suppress(ImportError):
            return text_column(documents)
    return documents


def as_sequence(documents: Any) -> Any:
    """Check documents and return them as a list or a column, to be read more than once.

    The list is a copy: the caller may change the given one between two readings.
    """
    documents = as_texts(documents)
    return documents if isinstance(documents, TextColumn) else list(documents)


def batches(
    documents: Iterable[Any], most: int = BATCH_DOCUMENTS, characters: int = BATCH_CHARACTERS
) -> Iterator[Any]:
    """Yield documents in batches of up to `most`, with about so many characters in total.

    A batch is a list, or a slice of an Arrow column.
    """
    if (batch := small_batch(documents, most, characters)) is not None:
        yield batch
        return
    documents = as_texts(documents)
    if not isinstance(documents, TextColumn):
        yield from item_batches(documents, most, characters)
        return
    start = 0
    while count := documents.fitting(start, most, characters):
        yield documents.slice(start, count)
        start += count


def small_batch(
    documents: Any, most: int = BATCH_DOCUMENTS, characters: int = BATCH_CHARACTERS
) -> list[str] | None:
    """Return a copy of documents that are a list of few str, which needs no further check."""
    if type(documents) is not list or not 0 < len(documents) <= most:
        return None
    batch = documents.copy()
    length = native.text_length(batch)
    return batch if length is not None and length <= characters else None


def item_batches(
    documents: Iterable[Any], most: int = BATCH_DOCUMENTS, characters: int = BATCH_CHARACTERS
) -> Iterator[list[Any]]:
    """Yield lists of up to `most` items, with about so many characters in total."""
    if isinstance(documents, list | tuple):
        yield from _slices(documents, most, characters)
        return
    remaining = iter(documents)
    while batch := list(islice(remaining, 1)):
        length = _length(batch)
        while len(batch) < most and length < characters:
            # A generator's documents exist only once requested, so request no more than should fit,
            # judging by those that came.
            fitting = (characters - length) * len(batch) // (length + 1)
            more = list(islice(remaining, max(1, min(fitting, most - len(batch), 512))))
            if not more:
                break
            batch += more
            length += _length(more)
        yield batch


def _slices(
    documents: list[Any] | tuple[Any, ...], most: int, characters: int
) -> Iterator[list[Any]]:
    start = 0
    while part := documents[start : start + most]:
        batch = part if type(part) is list else list(part)
        length = _length(batch)
        if length > characters:
            del batch[max(1, len(batch) * characters // length) :]
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


def bytes_in(documents: Any) -> int:
    """Return about how many characters a list has, or at most how many bytes an Arrow column."""
    if not isinstance(documents, TextColumn):
        return _length(documents)
    start = total = 0
    while count := documents.fitting(start, len(documents), BATCH_CHARACTERS):
        start += count
        total += BATCH_CHARACTERS
    return total


def as_strings(batch: Any, start: int) -> Any:
    """Return a batch as str, the first of which is number `start` of all; a column stays one."""
    if isinstance(batch, TextColumn) or set(map(type, batch)) == {str}:
        return batch
    return [_as_string(text, start + i) for i, text in enumerate(batch)]


def _as_string(text: Any, position: int) -> str:
    if isinstance(text, str):
        return text
    check_present(text, position)
    if not isinstance(text, bytes):
        raise DocumentError(
            f"Document {position} is {text!r:.80} of type {type(text).__name__};"
            " expected a str or bytes."
        )
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        error.add_note(f"in document {position}; decode bytes of other encodings yourself")
        raise


def check_present(document: Any, position: int) -> None:
    """Refuse None and NaN, the usual signs of a missing text."""
    if document is None:
        raise DocumentError(
            f"Document {position} is None; expected a str or bytes."
            " Drop it, or replace it with an empty text."
        )
    if isinstance(document, float) and math.isnan(document):
        raise DocumentError(
            f"Document {position} is NaN: np.nan is an invalid document, expected byte or"
            " unicode string. Drop it, or replace it with an empty text."
        )

"""Documents as the user gives them: checked, decoded, and cut into batches."""

import math
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from addhash.errors import DocumentError

__all__ = ["batches", "check_iterable", "check_present", "decode_batch"]

BATCH_DOCUMENTS = 4096
BATCH_CHARACTERS = 1 << 23


def check_iterable(documents: Any) -> None:
    """Refuse a single text where many are meant."""
    if isinstance(documents, str | bytes):
        raise DocumentError(
            "Iterable over raw text documents expected, string object received."
            f" Put it in a list: [{documents[:20]!r}{'...' if len(documents) > 20 else ''}]."
        )


def batches(documents: Iterable[Any], most: int = BATCH_DOCUMENTS) -> Iterator[list[Any]]:
    """Yield lists of up to `most` documents that hold about BATCH_CHARACTERS together."""
    remaining = iter(documents)
    while batch := list(islice(remaining, 1)):
        characters = _length(batch[0])
        while len(batch) < most and characters < BATCH_CHARACTERS:
            # Few at a time: a generator's documents exist only once they are asked for.
            room = max(1, min(64, most - len(batch)))
            more = list(islice(remaining, room))
            if not more:
                break
            batch += more
            characters += sum(map(_length, more))
        yield batch


def _length(document: Any) -> int:
    return len(document) if isinstance(document, str | bytes) else 0


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


def decode_batch(vectorizer: Any, batch: list[Any], position: int) -> list[str]:
    """Turn the documents from `position` on into texts, as the vectorizer's parameters say."""
    if vectorizer.input == "content" and all(isinstance(document, str) for document in batch):
        return batch
    return [_decode(vectorizer, document, position + i) for i, document in enumerate(batch)]


def _decode(vectorizer: Any, document: Any, position: int) -> str:
    check_present(document, position)
    try:
        text = vectorizer.decode(document)
    except UnicodeDecodeError as error:
        error.add_note(f"in document {position}; see the parameters encoding and decode_error")
        raise
    if not isinstance(text, str):
        raise DocumentError(
            f"Document {position} is {text!r:.80} of type {type(text).__name__};"
            " expected a str or bytes."
        )
    return text

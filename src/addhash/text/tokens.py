"""Batches of ready tokens for the native core: of texts that Python cut, and of records."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from addhash.errors import DocumentError
from addhash.parameters import InputType
from addhash.runtime import native, refusal

__all__ = ["noting", "record_batch", "table_batches", "token_batches"]

# A batch ends once its tokens take this many bytes, long before the native core's limit.
BATCH_BYTES = 1 << 25


@contextmanager
def noting(position: int, noun: str) -> Iterator[None]:
    """Add the position of a document to what is raised while it is read."""
    try:
        yield
    except native.Failure as failure:
        raise refusal(failure.status, f"{noun.capitalize()} {position}") from None
    except Exception as error:
        error.add_note(f"in {noun} {position}")
        raise


def token_batches(
    documents: list[Any], start: int, tokens_of: Callable[[Any, int], Iterable[Any]]
) -> Iterator[native.TokenBatch]:
    """Cut documents into tokens in Python; the first one is number `start` of all."""
    batch = native.TokenBatch()
    for position, document in enumerate(documents, start):
        tokens = tokens_of(document, position)
        with noting(position, "document"):
            batch.append_strings(tokens)
        if batch.byte_count >= BATCH_BYTES:
            yield batch
            batch = native.TokenBatch()
    if len(batch):
        yield batch


def record_batch(input_type: InputType, records: list[Any], start: int) -> native.TokenBatch:
    """Read records of the given type; the first one is number `start` of all."""
    batch = native.TokenBatch()
    for position, record in enumerate(records, start):
        with noting(position, "record"):
            if input_type == "string":
                batch.append_strings(record)
            else:
                batch.append_pairs(_items(record) if input_type == "dict" else record)
    return batch


def table_batches(records: native.ArrowRecords, most: int) -> Iterator[native.TokenBatch]:
    """Read the records of a table, up to `most` at a time."""
    start = 0
    while start < len(records):
        try:
            batch = records.batch(start, most, BATCH_BYTES)
        except native.Failure as failure:
            raise refusal(failure.status, f"Record {start + failure.position}") from None
        yield batch
        start += len(batch)


def _items(record: Any) -> Iterable[tuple[Any, Any]]:
    if not hasattr(record, "items"):
        raise DocumentError(
            f"expected a dict, got {record!r:.80} of type {type(record).__name__};"
            " for other records set input_type to 'pair' or 'string'."
        )
    items: Iterable[tuple[Any, Any]] = record.items()
    return items

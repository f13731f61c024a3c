"""Batches of tokens for the native core: of texts tokenized in Python, and of records."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from addhash.errors import DocumentError
from addhash.parameters import InputType
from addhash.runtime import native, refusal

# A batch ends once its tokens take this many bytes, long before the native core's limit.
BATCH_BYTES = 1 << 25


@contextmanager
def noting(position: int, noun: str) -> Iterator[None]:
    """Add the position of a document to exceptions raised while it is read."""
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
    """Tokenize documents in Python; the first one is number `start` of all."""
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


def record_batches(
    input_type: InputType, records: list[Any], start: int, *, refuses_text: bool = False
) -> Iterator[native.TokenBatch]:
    """Read records of the given type; the first one is number `start` of all.

    A batch is valid until the one after the next is requested. The records before one that cannot
    be read are yielded before its error is raised, so that their errors come first.
    """
    batch, other = native.TokenBatch(), native.TokenBatch()
    done = 0
    while done < len(records):
        batch, other = other, batch
        batch.clear()
        error = None
        try:
            batch.append_records(records, done, input_type, refuses_text)
        except Exception as raised:
            error = raised
        position = len(batch)
        if position:
            yield batch
        done += position
        if error is not None:
            raise _named(error, input_type, records[done], start + done)


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


def _named(error: Exception, input_type: InputType, record: Any, position: int) -> Exception:
    """Add the number of the record to an error."""
    if not isinstance(error, native.Failure):
        error.add_note(f"in record {position}")
        return error
    error.__cause__ = None
    if error.status != native.Status.not_record:
        return refusal(error.status, f"Record {position}")
    if input_type == "dict":
        return DocumentError(
            f"Record {position} is {record!r:.80} of type {type(record).__name__}; expected a dict."
            " For other records set input_type to 'pair' or 'string'."
        )
    return DocumentError(
        f"Record {position} is the single string {record!r:.80}; expected an iterable of features."
    )

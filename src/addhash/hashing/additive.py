"""Additive hashing: tokens to dense vectors, the sums of the tokens' hashes."""

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.errors import DocumentError
from addhash.hashing.configuration import HashConfiguration
from addhash.hashing.dense import DenseRows, NativeRows, is_bits, raise_sum_failure
from addhash.parameters import InputType, NormName
from addhash.runtime import native
from addhash.text.analysis import Analysis
from addhash.text.reading import batches
from addhash.text.tokens import record_batch

__all__ = ["AdditiveHashing"]

Array = npt.NDArray[Any]
Failure = tuple[str, int] | None


@dataclass(frozen=True)
class AdditiveHashing:
    """How tokens become a vector: their hashes, how they count, and how the sum is scaled.

    Its values have been checked. It is never changed, so any number of threads may use it.
    """

    configuration: HashConfiguration
    binary: bool = False
    alternate_sign: bool = True
    norm: NormName | None = None
    dtype: Any = np.int32

    def _options(self, threads: int) -> dict[str, Any]:
        """Return what is asked of the native core, beside the tokens."""
        bits = is_bits(self.dtype)
        return {
            "randomizer": self.configuration.hasher,
            "is_signed": self.alternate_sign,
            "is_binary": self.binary,
            "norm": "none" if bits or self.norm is None else self.norm,
            "as_bits": bits,
            "threads": threads,
        }

    def of_texts(self, analysis: Analysis, documents: Iterable[Any], threads: int) -> Array:
        """Return the vectors of texts."""
        options = self._options(threads)

        def add(batch: list[Any], start: int, out: Array) -> Failure:
            if analysis.is_native:
                texts = analysis.decode_batch(batch, start)
                failure = native.vectorize_texts(
                    texts, **analysis.native_options, **options, out=out
                )
                if failure is None or failure[0] not in ("surrogate", "too_long"):
                    return failure
                tokens = analysis.retry(failure, texts, start)
            else:
                tokens = analysis.token_batches(batch, start)
            return _add_tokens(tokens, options, out)

        return self._rows(documents, "Document", add)

    def of_records(self, input_type: InputType, records: Iterable[Any], threads: int) -> Array:
        """Return the vectors of records."""
        options = self._options(threads)

        def add(batch: list[Any], start: int, out: Array) -> Failure:
            for i, record in enumerate(batch, start):
                if isinstance(record, str | bytes):
                    raise DocumentError(
                        f"Record {i} is the single string {record!r:.80}; expected an iterable"
                        " of features."
                    )
            return _add_tokens(iter([record_batch(input_type, batch, start)]), options, out)

        return self._rows(records, "Record", add)

    def of_tokens(self, tokens: Sequence[str | bytes]) -> npt.NDArray[np.float64]:
        """Return the vector of each token, not scaled."""
        batch = native.TokenBatch()
        for token in tokens:
            batch.append_strings([token])
        out = np.empty((len(tokens), self.configuration.n_features), np.float64)
        options = self._options(1) | {"norm": "none", "as_bits": False}
        native.vectorize_tokens(batch, **options, out=out)
        return out

    def _rows(
        self, documents: Iterable[Any], noun: str, add: Callable[[list[Any], int, Array], Failure]
    ) -> Array:
        """Return the rows that `add` writes for each batch, given its first document's number."""
        expected = len(documents) if isinstance(documents, Sized) else None
        rows = DenseRows(self.configuration.n_features, self.dtype, expected)
        start = 0
        for batch in batches(documents, rows.batch_rows):
            target = NativeRows(rows.place(len(batch)))
            failure = add(batch, start, target.out)
            if failure is not None:
                raise_sum_failure(failure, start, noun, self.dtype)
            target.finish()
            start += len(batch)
        return rows.finish()


def _add_tokens(
    batches_of_tokens: Iterator[native.TokenBatch], options: dict[str, Any], out: Array
) -> Failure:
    done = 0
    for tokens in batches_of_tokens:
        count = len(tokens)
        failure = native.vectorize_tokens(tokens, **options, out=out[done : done + count])
        if failure is not None:
            return failure[0], done + failure[1]
        done += count
    return None

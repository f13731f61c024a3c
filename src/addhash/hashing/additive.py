"""Additive hashing: tokens to dense vectors, the sums of the tokens' hashes."""

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.arrays import Array
from addhash.arrow.records import record_table
from addhash.errors import AddhashError
from addhash.hashing.configuration import HashConfiguration
from addhash.hashing.dense import (
    DenseRows,
    GivenRows,
    NativeRows,
    empty_rows,
    is_bits,
    row_width,
)
from addhash.hashing.weights import TokenWeights
from addhash.parameters import InputType, NormName
from addhash.runtime import FieldsOnly, native, refusal
from addhash.text.analysis import Analysis
from addhash.text.reading import as_texts, batches, item_batches, small_batch
from addhash.text.tokens import record_batches, table_batches

# Writes the rows of a batch, given its first document's number.
Add = Callable[[list[Any], int, Array], None]


@dataclass(frozen=True)
class AdditiveHashing(FieldsOnly):
    """How tokens become a vector: their hashes, how they count, and how the sum is scaled.

    Its values have been checked. It is immutable, so any number of threads can use it.
    """

    configuration: HashConfiguration
    binary: bool = False
    alternate_sign: bool = True
    norm: NormName | None = None
    dtype: Any = np.int32
    weights: TokenWeights | None = None
    sublinear_tf: bool = False

    @cached_property
    def _options(self) -> native.SumOptions:
        """The arguments for the native core besides the tokens."""
        bits = is_bits(self.dtype)
        return native.SumOptions(
            self.configuration.hasher,
            is_signed=self.alternate_sign,
            is_binary=self.binary,
            norm="none" if bits or self.norm is None else self.norm,
            as_bits=bits,
            weights=None if self.weights is None else self.weights.native,
            is_sublinear=self.sublinear_tf,
        )

    @property
    def width(self) -> int:
        """The number of components."""
        return self.configuration.n_features

    @cached_property
    def _row_type(self) -> tuple[int, np.dtype[Any]]:
        """The columns of a row, and their type."""
        bits = is_bits(self.dtype)
        return row_width(self.width, self.dtype), np.dtype(np.uint8 if bits else self.dtype)

    def of_texts(
        self, analysis: Analysis, documents: Iterable[Any], threads: int, out: Any = None
    ) -> Array:
        """Return the vectors of texts, written to `out` if it is given."""
        if out is None and (batch := small_batch(documents)) is not None:
            return self.of_batch(analysis, batch, threads)

        def add(batch: Any, start: int, out: Array) -> None:
            self._write(analysis, batch, start, out, threads)

        return self._rows(as_texts(documents), batches, add, out)

    def of_batch(self, analysis: Analysis, batch: Any, threads: int) -> Array:
        """Return the vectors of a batch, which was checked and cut by `batches`."""
        rows = empty_rows(len(batch), *self._row_type)
        target = NativeRows(rows)
        self._write(analysis, batch, 0, target.out, threads)
        target.finish()
        return rows

    of_questions = of_batch

    def _write(self, analysis: Analysis, batch: Any, start: int, out: Array, threads: int) -> None:
        """Write the vectors of a batch whose first document is number `start` of all."""
        if not analysis.is_native:
            self._add_tokens(analysis.token_batches(batch, start), start, out, threads)
            return
        texts = analysis.decode_batch(batch, start)
        cut = analysis.native_options
        try:
            native.vectorize_texts(texts, cut, self._options, out=out, threads=threads)
        except native.Failure as failure:
            if failure.status != native.Status.surrogate:
                raise self._refusal(failure, "Document", start) from None
            self._add_tokens(analysis.retry(texts, start), start, out, threads)

    def of_records(
        self, input_type: InputType, records: Iterable[Any], threads: int, out: Any = None
    ) -> Array:
        """Return the vectors of records, written to `out` if it is given."""

        def add(batch: list[Any], start: int, out: Array) -> None:
            tokens = record_batches(input_type, batch, start, refuses_text=True)
            self._add_tokens(tokens, start, out, threads, "Record")

        table = record_table(records) if input_type == "dict" else None
        if table is not None:
            return self._of_table(table, threads, out)
        return self._rows(records, item_batches, add, out)

    def _of_table(self, table: native.ArrowRecords, threads: int, out: Any) -> Array:
        rows = self._places(len(table), out)
        start = 0
        for tokens in table_batches(table, rows.batch_rows):
            target = NativeRows(rows.place(len(tokens)))
            self._add_tokens(iter([tokens]), start, target.out, threads, "Record")
            target.finish()
            start += len(tokens)
        return rows.finish()

    def token_weights(
        self, tokens: Sequence[str | bytes], occurrences: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """Return what a text's distinct tokens count in its sum, given how often they occur."""
        times = np.ones_like(occurrences) if self.binary else occurrences
        if self.weights is None and not self.sublinear_tf:
            return times.astype(np.float64)
        weights = (
            np.full(len(tokens), native.UNIT_WEIGHT)
            if self.weights is None
            else self.weights.of(tokens)
        )
        if not self.sublinear_tf or self.binary:
            return weights.astype(np.float64) * times
        pairs = zip(weights.tolist(), times.tolist(), strict=True)
        return np.array([native.sublinear_weight(w, n) for w, n in pairs], np.float64)

    def of_tokens(self, tokens: Sequence[str | bytes]) -> npt.NDArray[np.float64]:
        """Return the vector of each token, neither weighted nor scaled."""
        batch = native.TokenBatch()
        for token in tokens:
            batch.append_strings([token])
        out = np.empty((len(tokens), self.configuration.n_features), np.float64)
        options = native.SumOptions(
            self.configuration.hasher, is_signed=self.alternate_sign, is_binary=self.binary
        )
        native.vectorize_tokens(batch, options, out=out, first=0, threads=1)
        return out

    def _places(self, expected: int | None, out: Any) -> DenseRows | GivenRows:
        """Return where vectors go: to new memory, or to the caller's array."""
        n_features = self.configuration.n_features
        if out is None:
            return DenseRows(n_features, self.dtype, expected)
        return GivenRows(out, n_features, self.dtype)

    def _rows(self, documents: Iterable[Any], cut: Callable[..., Any], add: Add, out: Any) -> Array:
        """Return the rows that `add` writes for all batches."""
        rows = self._places(len(documents) if isinstance(documents, Sized) else None, out)
        start = 0
        for batch in cut(documents, rows.batch_rows):
            target = NativeRows(rows.place(len(batch)))
            add(batch, start, target.out)
            target.finish()
            start += len(batch)
        return rows.finish()

    def _add_tokens(
        self,
        batches_of_tokens: Iterator[native.TokenBatch],
        start: int,
        out: Array,
        threads: int,
        noun: str = "Document",
    ) -> None:
        """Write the vectors of batches, each while the next one is read."""
        vectorizer = native.TokenVectorizer(self._options, out=out, threads=threads)
        done = 0
        try:
            try:
                for tokens in batches_of_tokens:
                    vectorizer.start(tokens, first=done)
                    done += len(tokens)
            finally:
                vectorizer.finish()
        except native.Failure as failure:
            raise self._refusal(failure, noun, start) from None

    def _refusal(self, failure: native.Failure, noun: str, start: int) -> AddhashError:
        where = f"{noun} {start + failure.position}"
        dtype = self.dtype if is_bits(self.dtype) else np.dtype(self.dtype).name
        return refusal(failure.status, where, dtype)

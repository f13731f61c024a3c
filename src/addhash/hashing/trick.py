"""The hashing trick: tokens to counts in buckets, the rows of a sparse matrix."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.arrow.records import record_table
from addhash.parameters import InputType, NormName
from addhash.runtime import FieldsOnly, native, unless_surrogate
from addhash.text.analysis import Analysis
from addhash.text.reading import BATCH_DOCUMENTS, batches, item_batches
from addhash.text.tokens import record_batches, table_batches

# Where each row starts, the buckets of all rows, and their values.
Csr = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[Any]]


@dataclass(frozen=True)
class BucketHashing(FieldsOnly):
    """How tokens become counts in buckets. Its values have been checked."""

    n_features: int
    alternate_sign: bool = True
    binary: bool = False
    norm: NormName | None = None
    single: bool = False  # float32 instead of float64

    @cached_property
    def _options(self) -> native.BucketOptions:
        return native.BucketOptions(
            self.n_features,
            alternate_sign=self.alternate_sign,
            is_binary=self.binary,
            norm=self.norm or "none",
            single=self.single,
        )

    def of_texts(self, analysis: Analysis, documents: Iterable[Any], threads: int) -> Iterator[Csr]:
        """Yield the rows of texts, batch by batch."""
        options = self._options
        start = 0
        for batch in batches(documents):
            if analysis.is_native:
                texts = analysis.decode_batch(batch, start)
                cut = analysis.native_options
                counted: Iterable[Csr]
                try:
                    counted = [native.count_texts(texts, cut, options, threads=threads)]
                except native.Failure as failure:
                    unless_surrogate(failure, start)
                    counted = self._of_tokens(analysis.retry(texts, start), threads)
            else:
                counted = self._of_tokens(analysis.token_batches(batch, start), threads)
            yield from counted
            start += len(batch)

    def _of_tokens(
        self, batches_of_tokens: Iterator[native.TokenBatch], threads: int
    ) -> Iterator[Csr]:
        for tokens in batches_of_tokens:
            yield native.count_tokens(tokens, self._options, threads=threads)

    def of_records(self, input_type: InputType, records: Iterable[Any], threads: int) -> Csr:
        """Return the rows of records, with sums bit-identical to scikit-learn's."""
        entries = native.RecordEntries()
        for tokens in self._record_batches(input_type, records):
            entries.append(tokens, self._options)
        return entries.sum(self.single, threads)

    def entries_of_records(self, input_type: InputType, records: Iterable[Any]) -> Iterator[Csr]:
        """Yield an entry per feature of the records, batch by batch, without summing them."""
        for tokens in self._record_batches(input_type, records):
            yield native.place_tokens(tokens, self._options)

    @staticmethod
    def _record_batches(
        input_type: InputType, records: Iterable[Any]
    ) -> Iterator[native.TokenBatch]:
        table = record_table(records) if input_type == "dict" else None
        if table is not None:
            yield from table_batches(table, BATCH_DOCUMENTS)
            return
        start = 0
        for batch in item_batches(records):
            yield from record_batches(input_type, batch, start)
            start += len(batch)

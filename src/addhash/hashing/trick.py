"""The hashing trick: tokens to counts in buckets, the rows of a sparse matrix."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.parameters import InputType, NormName
from addhash.runtime import native
from addhash.text.analysis import Analysis
from addhash.text.reading import batches
from addhash.text.tokens import record_batch

__all__ = ["BucketHashing", "Csr"]

# Where each row starts, the buckets of all rows, and their values.
Csr = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[Any]]


@dataclass(frozen=True)
class BucketHashing:
    """How tokens become counts in buckets. Its values have been checked."""

    n_features: int
    alternate_sign: bool = True
    binary: bool = False
    norm: NormName | None = None
    single: bool = False  # float32 instead of float64

    def of_texts(self, analysis: Analysis, documents: Iterable[Any], threads: int) -> Iterator[Csr]:
        """Yield the rows of texts, batch by batch."""
        options: dict[str, Any] = {
            "n_features": self.n_features,
            "alternate_sign": self.alternate_sign,
            "is_binary": self.binary,
            "norm": self.norm or "none",
            "single": self.single,
            "threads": threads,
        }
        start = 0
        for batch in batches(documents):
            if analysis.is_native:
                texts = analysis.decode_batch(batch, start)
                counted = native.count_texts(texts, **analysis.native_options, **options)
                if len(counted) == 2:
                    for tokens in analysis.retry(counted, texts, start):
                        yield native.count_tokens(tokens, **options)
                else:
                    yield counted
            else:
                for tokens in analysis.token_batches(batch, start):
                    yield native.count_tokens(tokens, **options)
            start += len(batch)

    def of_records(self, input_type: InputType, records: Iterable[Any]) -> Iterator[Csr]:
        """Yield an entry for each feature of records, batch by batch; they are not summed."""
        start = 0
        for batch in batches(records):
            yield native.place_tokens(
                record_batch(input_type, batch, start),
                n_features=self.n_features,
                alternate_sign=self.alternate_sign,
            )
            start += len(batch)

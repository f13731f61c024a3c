"""What every way of hashing texts can do, whatever it returns."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from addhash.text.analysis import Analysis


class TextHashing(Protocol):
    """Texts to rows: vectors, or counts in buckets."""

    @property
    def width(self) -> int:
        """The number of components or buckets."""

    def of_texts(self, analysis: Analysis, documents: Any, threads: int) -> Any:
        """Return the rows of any number of texts."""

    def of_batch(self, analysis: Analysis, batch: Any, threads: int) -> Any:
        """Return the rows of a batch, which was checked and cut by `batches`."""

    def of_questions(self, analysis: Analysis, batch: Any, threads: int) -> Any:
        """Return a batch in the form that is compared: as `of_batch`, or with less work."""

    def token_weights(
        self, tokens: Sequence[str], occurrences: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """Return what a text's distinct tokens count, given how often they occur."""

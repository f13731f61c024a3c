"""Texts as sets of 64-bit hashes of their n-grams."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.errors import DocumentError
from addhash.parameters import DUPLICATES, UnitAnalyzer, check_values
from addhash.progress import Progress, no_progress
from addhash.runtime import native, resolve_threads, text_refusal
from addhash.text.reading import as_strings, batches


@dataclass(frozen=True)
class Cutting:
    """How texts become sets of tokens.

    Examples
    --------
    >>> from addhash.search.duplicates.token_sets import Cutting
    >>> sets = Cutting.of("auto", (1, 1), True).sets(["A rose is a rose", "a rose"], 1)
    >>> sets.sizes(0, 2)
    array([3, 2], dtype=uint32)
    """

    analyzer: UnitAnalyzer
    ngram_range: tuple[int, int]
    lowercase: bool

    @classmethod
    def of(
        cls, analyzer: Any, ngram_range: Any, lowercase: Any, owner: str = "find_duplicates"
    ) -> "Cutting":
        """Check a user's values."""
        given = {"analyzer": analyzer, "ngram_range": ngram_range, "lowercase": lowercase}
        check_values(owner, DUPLICATES, given)
        low, high = ngram_range
        return cls(analyzer, (int(low), int(high)), bool(lowercase))

    @property
    def native_options(self) -> dict[str, Any]:
        """The arguments for the native core."""
        return {
            "analyzer": self.analyzer,
            "min_n": self.ngram_range[0],
            "max_n": self.ngram_range[1],
            "lowercase": self.lowercase,
        }

    def sets(
        self,
        texts: Iterable[Any],
        threads: int,
        progress: Progress = no_progress,
        total: int | None = None,
    ) -> native.TokenSets:
        """Return the sets of all texts."""
        sets = native.TokenSets()
        for batch in batches(texts):
            self.add(sets, batch, len(sets), threads)
            progress("read", len(sets), total)
        return sets

    def add(self, sets: native.TokenSets, batch: Any, start: int, threads: int) -> None:
        """Add the sets of some texts, the first of which is number `start` of all."""
        try:
            sets.add_texts(as_strings(batch, start), **self.native_options, threads=threads)
        except native.Failure as failure:
            if failure.status == native.Status.surrogate:
                raise DocumentError(
                    f"Document {start + failure.position} contains a lone surrogate, which has no"
                    " UTF-8 form. Read the text with the right encoding, or use analyzer='auto'."
                ) from None
            raise text_refusal(failure, "Document", start) from None


def token_sets(
    texts: Iterable[Any],
    *,
    analyzer: UnitAnalyzer = "auto",
    ngram_range: tuple[int, int] = (3, 3),
    lowercase: bool = True,
    n_jobs: int | None = None,
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint64]]:
    """Return the sets of hashed n-grams that `find_duplicates` compares.

    For engines that do the comparing themselves. The other parameters are those of
    `find_duplicates`.

    Parameters
    ----------
    texts : iterable of str or bytes
    analyzer : {"auto", "word", "char", "char_wb"}, default="auto"
    ngram_range : tuple (min_n, max_n), default=(3, 3)
    lowercase : bool, default=True
    n_jobs : int or None, default=None

    Returns
    -------
    sizes : ndarray of uint32
        How many hashes each text has.
    hashes : ndarray of uint64
        The sets one after the other, each in ascending order.

    Examples
    --------
    >>> from addhash import token_sets
    >>> sizes, hashes = token_sets(["A rose is a rose", "a rose"], ngram_range=(1, 1))
    >>> sizes.tolist(), bool(hashes[3] in hashes[:3])
    ([3, 2], True)
    """
    check_values("token_sets", DUPLICATES, {"n_jobs": n_jobs})
    cutting = Cutting.of(analyzer, ngram_range, lowercase, "token_sets")
    sets = cutting.sets(texts, resolve_threads(n_jobs))
    return sets.sizes(0, len(sets)), sets.hashes(0, len(sets))

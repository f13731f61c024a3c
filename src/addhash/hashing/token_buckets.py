"""Texts as buckets of tokens: what naive Bayes counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.runtime import FieldsOnly, native, unless_surrogate
from addhash.text.analysis import Analysis
from addhash.text.ngrams import WORD
from addhash.text.reading import as_sequence

Buckets = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class TokenBuckets(FieldsOnly):
    """How tokens are counted: in how many buckets, and of which order each is.

    The orders are the lengths of n-grams. Tokens from a function are all of one.
    """

    n_buckets: int
    binary: bool
    analysis: Analysis

    @property
    def width(self) -> int:
        """The number of buckets."""
        return self.n_buckets

    def of_texts(self, analysis: Analysis, documents: Any, threads: int) -> native.TokenRows:
        """Return texts as rows of counted buckets."""
        return self.of_batch(analysis, as_sequence(documents), threads)

    def of_batch(self, analysis: Analysis, batch: Any, threads: int) -> native.TokenRows:
        """Return a batch, which was checked and cut by `batches`, as rows of counted buckets."""
        if analysis.is_native:
            texts = analysis.decode_batch(batch, 0)
            try:
                return native.count_token_rows(
                    texts, analysis.native_options, self._options, threads=threads
                )
            except native.Failure as failure:
                unless_surrogate(failure)
            batches = analysis.retry(texts, 0)
        else:
            batches = analysis.token_batches(batch, 0)
        shortest = analysis.ngram_range[0] if analysis.analyzer == "word" else 1
        rows = [
            native.count_token_batch(tokens, self._options, int(shortest), len(analysis.orders))
            for tokens in batches
        ]
        return rows[0] if len(rows) == 1 else native.TokenRows.joined(rows)

    def of_questions(
        self, analysis: Analysis, batch: Any, threads: int
    ) -> native.PendingTexts | native.TokenRows:
        """Return texts that only need to be scored, without counting them first."""
        if self.binary or not analysis.is_native:
            return self.of_batch(analysis, batch, threads)
        texts = analysis.decode_batch(batch, 0)
        try:
            return native.PendingTexts(texts, analysis.native_options, self._options, threads)
        except native.Failure as failure:
            unless_surrogate(failure)
        # Only once: an open file cannot be read a second time.
        return self.of_batch(analysis.for_content(), texts, threads)

    @cached_property
    def _options(self) -> native.BucketOptions:
        return native.BucketOptions(
            n_features=self.n_buckets,
            alternate_sign=False,
            is_binary=self.binary,
            norm="none",
            single=False,
        )

    def token_weights(
        self, tokens: Sequence[str], occurrences: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """Return how often a text's distinct tokens count, given how often they occur."""
        return np.where(self.binary, 1.0, occurrences.astype(np.float64))

    def places(self, tokens: Sequence[str]) -> tuple[Buckets, Buckets]:
        """Return the buckets of tokens, and their orders."""
        orders = np.array(self._orders(tokens), np.uint32)
        return self._buckets(tokens), orders

    def _buckets(self, tokens: Sequence[str]) -> Buckets:
        batch = native.TokenBatch()
        batch.append_strings(tokens)
        _, buckets, _ = native.place_tokens(batch, self._options)
        return buckets.astype(np.uint32)

    def _orders(self, tokens: Sequence[str]) -> list[int]:
        if not self.analysis.is_native:
            return [0] * len(tokens)
        low, high = map(int, self.analysis.ngram_range)
        if self.analysis.analyzer == "word":
            return [token.count(" ") + 1 - low for token in tokens]
        is_mixed = self.analysis.analyzer == "text"
        # A short word may be a token of char_wb.
        return [
            high - low + token.count(WORD)
            if is_mixed and token[0] == WORD
            else max(len(token) - low, 0)
            for token in tokens
        ]

"""Texts as buckets of tokens: what naive Bayes counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.runtime import native, refusal
from addhash.text.analysis import Analysis
from addhash.text.reading import as_sequence

__all__ = ["TokenCounting"]

Buckets = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class TokenCounting:
    """How tokens are counted: in how many buckets, and what an n-gram extends.

    The prefix of an n-gram is the n-gram without its last word or character, if that is long enough
    to be a token too. Tokens from a function extend nothing.
    """

    n_buckets: int
    binary: bool
    analysis: Analysis

    def of_texts(self, analysis: Analysis, documents: Any, threads: int) -> native.TokenRows:
        """Return texts as rows of counted buckets."""
        documents = as_sequence(documents)
        options = self._options
        if analysis.is_native:
            texts = analysis.decode_batch(documents, 0)
            try:
                return native.count_token_rows(
                    texts, analysis.native_options, options, threads=threads
                )
            except native.Failure as failure:
                if failure.status != native.Status.surrogate:
                    where = f"Document {failure.position}"
                    raise refusal(failure.status, where) from None
            batches = analysis.retry(texts, 0)
        else:
            batches = analysis.token_batches(documents, 0)
        rows = [native.count_token_batch(batch, options) for batch in batches]
        return rows[0] if len(rows) == 1 else native.TokenRows.joined(rows)

    def of_questions(
        self, analysis: Analysis, documents: Any, threads: int
    ) -> native.TextsToScore | native.TokenRows:
        """Return texts that only need to be scored, without counting them first."""
        documents = as_sequence(documents)
        if analysis.is_native and not self.binary:
            texts = analysis.decode_batch(documents, 0)
            try:
                return native.TextsToScore(texts, analysis.native_options, self._options, threads)
            except native.Failure as failure:
                if failure.status != native.Status.surrogate:
                    where = f"Document {failure.position}"
                    raise refusal(failure.status, where) from None
            # Only once: an open file cannot be read a second time.
            return self.of_texts(analysis.for_content(), texts, threads)
        return self.of_texts(analysis, documents, threads)

    @property
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
        """Return the buckets of tokens and of their prefixes."""
        prefixes = [self._prefix(token) for token in tokens]
        known = np.array([prefix is not None for prefix in prefixes], bool)
        extended = np.full(len(tokens), native.NO_PREFIX, np.uint32)
        extended[known] = self._buckets([prefix for prefix in prefixes if prefix is not None])
        return self._buckets(tokens), extended

    def _buckets(self, tokens: Sequence[str]) -> Buckets:
        batch = native.TokenBatch()
        batch.append_strings(tokens)
        _, buckets, _ = native.place_tokens(batch, self._options)
        return buckets.astype(np.uint32)

    def _prefix(self, token: str) -> str | None:
        if not self.analysis.is_native:
            return None
        least = self.analysis.ngram_range[0]
        if self.analysis.analyzer == "word":
            words = token.split(" ")
            return " ".join(words[:-1]) if len(words) > least else None
        return token[:-1] if len(token) > least else None

"""Texts as words and the letter sequences in them: what tells languages apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.runtime import native
from addhash.text.analysis import Analysis
from addhash.text.reading import as_sequence

WORD = "="


@dataclass(frozen=True)
class LetterSequences:
    """Words, and sequences of up to five letters in them, as the native core finds them.

    Links, addresses, tags and numbers are left out, and each word counts once per text. Tokens are
    written with a space for the edge of a word, and whole words with an equals sign before them.
    """

    @property
    def width(self) -> int:
        """None: its keys are not numbered."""
        return 0

    def of_texts(self, analysis: Analysis, documents: Any, threads: int) -> list[str]:
        """Return texts as str: the memory finds their n-grams."""
        return self.of_batch(analysis, as_sequence(documents), threads)

    def of_batch(self, analysis: Analysis, batch: Any, threads: int) -> list[str]:
        """Return a batch of texts as str."""
        texts = analysis.decode_batch(batch, 0)
        return texts if isinstance(texts, list) else list(texts)

    def of_questions(self, analysis: Analysis, batch: Any, threads: int) -> list[str]:
        """Return a batch of texts as str."""
        return self.of_batch(analysis, batch, threads)

    def token_weights(
        self, tokens: Sequence[str], occurrences: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """Return how often a text's distinct tokens count, given how often they occur."""
        return occurrences.astype(np.float64)

    def placed(self, text: str) -> list[tuple[str, list[int]]]:
        """Return the tokens of a text, each with the positions of its letters.

        >>> LetterSequences().placed("Hi")[-1]
        ('=hi', [0, 1])
        """
        marks = {native.WORD_KIND: WORD}
        return [
            (marks.get(key >> native.KIND_SHIFT & 3, "") + "".join(map(chr, letters)), positions)
            for key, letters, positions in native.placed_ngrams(text)
        ]

    def keys(self, tokens: Sequence[str]) -> npt.NDArray[np.uint64]:
        """Return the keys by which a memory knows tokens."""
        return native.ngram_keys(list(tokens))

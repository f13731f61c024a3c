"""A vocabulary and the counts of its tokens: what hashing does without."""

from collections.abc import Iterable, Iterator
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from addhash.hashing.trick import Csr
from addhash.runtime import native, unless_surrogate
from addhash.text.analysis import Analysis
from addhash.text.reading import batches

Numbers = npt.NDArray[np.int32]

BATCH_DOCUMENTS = 4096
COUNTED_CHARACTERS = 1 << 20
# Small, since each thread holds all tokens of its texts until the others have numbered theirs.
LEARNT_CHARACTERS = 1 << 18


class UnreadableTextError(Exception):
    """A text has a lone surrogate, which the core cannot store; `rest` begins with its batch."""

    def __init__(self, rest: Iterator[str]) -> None:
        super().__init__("a text has a lone surrogate")
        self.rest = rest


class Vocabulary:
    """Distinct tokens, numbered in the order in which texts first contain them.

    Examples
    --------
    >>> from addhash.hashing.vocabulary import Vocabulary
    >>> from addhash.text.analysis import Analysis
    >>> vocabulary = Vocabulary()
    >>> [counts for _, _, counts in vocabulary.learn(Analysis(), ["to be or not to be"], 1)]
    [array([2, 2, 1, 1])]
    >>> vocabulary.tokens(), vocabulary.sort().tolist(), vocabulary.tokens()
    (['to', 'be', 'or', 'not'], [3, 0, 2, 1], ['be', 'not', 'or', 'to'])
    """

    def __init__(self, tokens: Iterable[str] = ()) -> None:
        self._native = native.Vocabulary()
        batch = native.TokenBatch()
        batch.append_strings(list(tokens))
        self._native.add_tokens(batch)

    def __len__(self) -> int:
        return len(self._native)

    def learn(
        self,
        analysis: Analysis,
        documents: Iterable[Any],
        threads: int,
        *,
        as_integers: bool = True,
    ) -> Iterator[Csr]:
        """Yield the rows of documents, batch by batch, and number their new tokens.

        Counts are int64, or else float64.
        """
        parts = batches(documents, BATCH_DOCUMENTS, LEARNT_CHARACTERS)
        return _rows(analysis, parts, threads, as_integers, self._native.learn)

    def count(
        self,
        analysis: Analysis,
        documents: Iterable[Any],
        threads: int,
        *,
        as_integers: bool = True,
    ) -> Iterator[Csr]:
        """Yield the rows of documents, batch by batch, without the tokens that are not known."""
        parts = batches(documents, BATCH_DOCUMENTS, COUNTED_CHARACTERS)
        return _rows(analysis, parts, threads, as_integers, self._native.count)

    def tokens(self) -> list[str]:
        """Return the tokens by number."""
        return self._native.tokens()

    def sort(self) -> Numbers:
        """Renumber the tokens in the order of their characters; return the new number of each."""
        return self._native.sort()

    def to_dict(self, numbers: Numbers) -> dict[str, int]:
        """Return some tokens with their numbers, in the order given."""
        return self._native.to_dict(numbers)

    def take(self, numbers: Numbers) -> Self:
        """Return a vocabulary of some tokens, numbered in the order given."""
        taken = type(self)()
        taken._native = self._native.take(numbers)
        return taken


def _rows(
    analysis: Analysis, remaining: Iterator[Any], threads: int, as_integers: bool, count: Any
) -> Iterator[Csr]:
    start = 0
    for batch in remaining:
        texts = analysis.decode_batch(batch, start)
        try:
            starts, numbers, counts = count(texts, analysis.native_options, threads, as_integers)
        except native.Failure as failure:
            unless_surrogate(failure, start)
            rest = _decoded(analysis, texts, remaining, start + len(batch))
            raise UnreadableTextError(rest) from None
        # int64 itself, as scikit-learn has it: longlong is another type of the same size.
        yield starts, numbers, counts.view(np.int64 if as_integers else np.float64)
        start += len(batch)


def _decoded(
    analysis: Analysis, texts: Iterable[str], remaining: Iterator[Any], start: int
) -> Iterator[str]:
    yield from texts
    for batch in remaining:
        yield from analysis.decode_batch(batch, start)
        start += len(batch)

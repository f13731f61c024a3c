"""What a classifier learns into: the protocol that every kind of memory follows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from addhash.arrays import Array, Floats, Integers
from addhash.files.parts import Parts
from addhash.learning.classes import Classes
from addhash.learning.rejection import Rejection
from addhash.parameters import Weights


@dataclass(frozen=True)
class Keeping:
    """How a memory keeps examples, if it does."""

    texts: bool = False
    order: bool = False  # in which they were learnt; otherwise the history leaves no trace
    smoothing: float | None = None  # of counts; None leaves it to the memory
    orders: tuple[str, ...] = ("token",)  # the kinds of tokens, if they are counted


@dataclass(frozen=True)
class Question:
    """What is asked of a memory, besides the vectors to compare with it."""

    threads: int = 1
    n_neighbors: int = 1  # examples that vote
    weights: Weights = "similarity"  # of their votes
    n_nearest: int = 1  # examples to name
    with_runner_up: bool = True
    with_priors: bool = True  # whether the number of its examples is evidence for a class
    text: str = ""  # that is explained


@dataclass(frozen=True)
class Ranking:
    """What vectors are most similar to, one entry per vector.

    Classes are positions in `Memory.classes`, -1 if there is none. A row says what a vector was
    compared with, for `Memory.token_shares`.
    """

    winners: Integers
    winner_rows: Integers
    scores: Floats
    runners_up: Integers
    runner_up_rows: Integers
    runner_up_scores: Floats
    nearest: Integers  # positions of examples, one row per vector; none if no examples are kept
    nearest_scores: Floats
    # Of winners and others, where it may not be the sum of that of their tokens and the prior.
    evidence: Floats | None = None
    runner_up_evidence: Floats | None = None

    def rejected_by(self, rejection: Rejection) -> npt.NDArray[np.bool_]:
        """Return for each vector whether its answer is too uncertain to give."""
        return rejection.rejects(self.scores, self.runner_up_scores)


class Memory(Protocol):
    """Examples and their classes, in whatever form. A change returns a new memory.

    It may also have numbers of its own, which `tuned` chooses: how confident probabilities may be,
    and the like. They are its "scale" among the parts.

    A memory itself is immutable: threads can read it while others make new ones from it.
    """

    @property
    def classes(self) -> Classes:
        """The classes, sorted, and the number of examples of each."""

    def learn(self, vectors: Any, labels: Array, texts: Sequence[str] | None, threads: int) -> Self:
        """Return a memory that has learnt more examples."""

    def forget(
        self, vectors: Any, labels: Array, texts: Sequence[str] | None, threads: int
    ) -> Self:
        """Return a memory that never learnt some examples, or raise an ExampleError."""

    def with_classes_of(self, labels: Array) -> Self:
        """Return a memory that already knows the classes of these labels."""

    def declare(self, classes: Array) -> Self:
        """Return a memory that also knows some classes without examples."""

    def merge(self, other: Self) -> Self:
        """Return a memory of the examples of both."""

    def compare(self, vectors: Any, question: Question) -> Ranking:
        """Return what each vector is most similar to."""

    def compare_without(self, vectors: Any, labels: Array, question: Question) -> Ranking:
        """Return what each vector is most similar to in the memory that never learnt it.

        Each must have been learnt with its label, otherwise raises ExampleError.
        """

    def decisions(self, vectors: Any, question: Question) -> Floats:
        """Return one number per vector and class: the higher, the likelier."""

    def probabilities(self, vectors: Any, question: Question) -> Floats:
        """Return shares of the classes that add up to 1 for each vector."""

    def token_shares(
        self, hashing: Any, tokens: Sequence[str], weights: Floats, rows: Sequence[int]
    ) -> Floats:
        """Return each token's share of the score of a text with some rows of a ranking."""

    def prior(self, row: int, question: Question) -> float:
        """Return the part of the score with a row that belongs to no token."""

    def restrict(self, classes: Array) -> Self:
        """Return a memory that has learnt only the examples of some of its classes."""

    def tuned(self, vectors: Any, labels: Array, question: Question, is_auto: bool) -> Self:
        """Return a memory whose own numbers best suit these examples, which it has learnt."""

    def chosen(self) -> dict[str, float]:
        """Return the numbers that `tuned` chooses, by name."""

    def example(self, position: int) -> tuple[int, str | None]:
        """Return the class of a kept example, and its text if kept."""

    @classmethod
    def empty(cls, n_features: int, keeping: Keeping) -> Self:
        """Return a memory without examples."""

    def parts(self) -> dict[str, Array]:
        """Return the whole memory as arrays; all but "scale" depend on the examples alone."""

    @classmethod
    def from_parts(cls, parts: Parts, n_features: int, keeping: Keeping) -> Self:
        """Return the memory that `parts` came from."""

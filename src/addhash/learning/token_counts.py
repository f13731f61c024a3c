"""A memory of how often each token occurs in each class: naive Bayes on exact counts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.errors import ExampleError
from addhash.files.parts import Parts, require
from addhash.learning.calibration import LEAST_EXAMPLES, LN2, best_temperature, softmax
from addhash.learning.labels import (
    classes_from_parts,
    classes_part,
    joined_classes,
    numbered,
    restricted_classes,
)
from addhash.learning.memory import Comparison, Keeping, Question
from addhash.learning.token_counting import TokenCounting
from addhash.runtime import native

__all__ = ["TokenCounts"]

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Rows = native.TokenRows
Asked = native.TextsToScore | native.TokenRows

# Scores are integer multiples of this fraction of a bit.
UNIT = 2.0**-9
NATS = LN2 * UNIT
MOST_CLASSES = 2**23
# What "auto" chooses from, and its fallback when there is little to judge by.
SMOOTHINGS = (0.03125, 0.0625, 0.125, 0.25, 0.5, 1.0)
USUAL_SMOOTHING = 0.25
USUAL_TEMPERATURE = 8.0
TOO_MANY = "The counts of tokens add up to 2**63 or more."


@dataclass(frozen=True, eq=False)
class TokenCounts:
    """Exact counts of the tokens of each class, in buckets.

    A text belongs to the class under which its tokens are likeliest, each given the token it
    extends, compared with all classes together. `temperature` says by how much the evidence of
    overlapping tokens is overstated.
    """

    buckets: native.ClassCounts
    tokens: Integers  # of each class
    counts: Integers
    classes: Array
    declared: Array | None
    n_features: int
    temperature: float = USUAL_TEMPERATURE

    @classmethod
    def empty(cls, n_features: int, keeping: Keeping) -> "TokenCounts":
        """Return a memory without examples."""
        none = np.empty(0, np.int64)
        smoothing = USUAL_SMOOTHING if keeping.smoothing is None else keeping.smoothing
        buckets = native.ClassCounts(smoothing)
        return cls(buckets, none, none, none, None, n_features)

    @property
    def smoothing(self) -> float:
        """How many tokens are needed to trust the counts of a class."""
        return self.buckets.smoothing

    def _arranged(self, classes: Array) -> "TokenCounts":
        """Return the counts for other classes; counts of classes not among them are lost."""
        if classes is self.classes:
            return self
        if len(classes) > MOST_CLASSES:
            raise ExampleError(f"Expected at most {MOST_CLASSES} classes, got {len(classes)}.")
        places = numbered(self.classes, classes)
        kept = places >= 0
        tokens, counts = np.zeros((2, len(classes)), np.int64)
        tokens[places[kept]] = self.tokens[kept]
        counts[places[kept]] = self.counts[kept]
        buckets = self.buckets
        if len(buckets) and not np.array_equal(places, np.arange(len(places))):
            numbers = np.where(kept, places, native.DROPPED).astype(np.uint32)
            buckets = buckets.renumbered(numbers)
        return replace(self, buckets=buckets, tokens=tokens, counts=counts, classes=classes)

    def learn(
        self, vectors: Rows, labels: Array, texts: Sequence[str] | None = None, threads: int = 1
    ) -> "TokenCounts":
        """Return a memory that has learnt more examples."""
        memory = self.expecting(labels)
        codes = numbered(labels, memory.classes)
        try:
            buckets = memory.buckets.change(vectors, codes.astype(np.uint32), False)
        except native.Failure:
            raise ExampleError(TOO_MANY) from None
        return replace(
            memory,
            buckets=buckets,
            tokens=_sum(memory.tokens, _by_class(vectors.lengths, codes, len(memory.classes))),
            counts=memory.counts + np.bincount(codes, minlength=len(memory.classes)),
        )

    def forget(
        self, vectors: Rows, labels: Array, texts: Sequence[str] | None = None, threads: int = 1
    ) -> "TokenCounts":
        """Return a memory without some examples, if the counts can contain them."""
        codes = numbered(labels, self.classes)
        unknown = np.flatnonzero(codes < 0)
        if len(unknown):
            _refuse(labels.tolist()[unknown[0]], len(unknown), 0)
        size = len(self.classes)
        wanted = np.bincount(codes, minlength=size)
        for code in np.flatnonzero(wanted > self.counts).tolist():
            _refuse(self.classes.tolist()[code], int(wanted[code]), int(self.counts[code]))
        try:
            buckets = self.buckets.change(vectors, codes.astype(np.uint32), True)
        except native.Failure as failure:
            raise _not_learnt(self.classes.tolist()[failure.position]) from None
        tokens = self.tokens - _by_class(vectors.lengths, codes, size)
        left = self.counts - wanted
        for code in np.flatnonzero((left == 0) & (tokens != 0)).tolist():
            raise _not_learnt(self.classes.tolist()[code])
        memory = replace(self, buckets=buckets, tokens=tokens, counts=left)
        known = left > 0
        if self.declared is not None:
            known |= numbered(self.classes, self.declared) >= 0
        return memory if known.all() else memory._arranged(self.classes[known])

    def declare(self, classes: Array) -> "TokenCounts":
        """Return a memory that also knows some classes without examples."""
        declared = joined_classes(self.declared, classes)
        return replace(self.expecting(declared), declared=declared)

    def expecting(self, labels: Array) -> "TokenCounts":
        """Return a memory that has the classes of labels whose examples it is about to learn."""
        return self._arranged(joined_classes(self.classes, labels))

    def restrict(self, classes: Array) -> "TokenCounts":
        """Return a memory that has learnt only the examples of some classes."""
        declared = restricted_classes(self.declared, classes)
        return replace(self._arranged(classes), declared=declared)

    def merge(self, other: "TokenCounts") -> "TokenCounts":
        """Return a memory of the examples of both, with the larger smoothing and temperature."""
        classes = joined_classes(self.classes, other.classes)
        mine, theirs = self._arranged(classes), other._arranged(classes)
        declared = self.declared
        if other.declared is not None:
            declared = joined_classes(declared, other.declared)
        tokens, counts = _sum(mine.tokens, theirs.tokens), _sum(mine.counts, theirs.counts)
        merged = replace(
            mine,
            buckets=mine.buckets.merged(theirs.buckets),
            tokens=tokens,
            counts=counts,
            declared=declared,
            temperature=max(self.temperature, other.temperature),
        )
        return merged._smoothed(max(self.smoothing, other.smoothing))

    def _smoothed(self, smoothing: float) -> "TokenCounts":
        if smoothing == self.smoothing:
            return self
        return replace(self, buckets=self.buckets.with_smoothing(smoothing))

    # Answers.

    @property
    def _rate(self) -> float:
        return NATS / self.temperature

    def compare(self, vectors: Asked, question: Question) -> Comparison:
        """Return the two likeliest classes and their probabilities."""
        return self._compare(vectors, question, None)

    def compare_without(self, vectors: Asked, labels: Array, question: Question) -> Comparison:
        """Return the two likeliest classes in the memory that never learnt a text."""
        unknown = np.flatnonzero(numbered(labels, self.classes) < 0)
        if len(unknown):
            raise _not_left_out(int(unknown[0]), labels)
        try:
            return self._compare(vectors, question, labels)
        except native.Failure as failure:
            if failure.status != native.Status.out_of_range:
                raise
            raise _not_left_out(failure.position, labels) from None

    def _compare(self, vectors: Asked, question: Question, left_out: Array | None) -> Comparison:
        winners, scores, others, other_scores, masses = self.buckets.best(
            vectors,
            self.tokens,
            self.counts,
            question.with_priors,
            self._codes(left_out),
            self._rate,
            question.threads,
        )
        shares = np.where(winners < 0, np.nan, 1 / np.maximum(masses, 1))
        gaps = np.where(others < 0, 0, scores - other_scores)
        ratios = -self._rate * gaps
        native.exponentials(ratios)
        other_shares = np.where(others < 0, np.nan, ratios * shares)
        none = np.empty((len(winners), 0))
        return Comparison(
            winners, winners, shares, others, others, other_shares, none.astype(np.int64), none
        )

    def _codes(self, labels: Array | None) -> Array | None:
        return None if labels is None else numbered(labels, self.classes).astype(np.uint32)

    def decisions(self, vectors: Asked, question: Question) -> Floats:
        """Return the evidence for each class in bits; -inf for one without examples."""
        return self._decisions(vectors, question, None)

    def _decisions(self, vectors: Asked, question: Question, left_out: Array | None) -> Floats:
        scores = self.buckets.scores(
            vectors,
            self.tokens,
            self.counts,
            question.with_priors,
            self._codes(left_out),
            question.threads,
        )
        return np.where(scores == np.iinfo(np.int64).min, -np.inf, scores * UNIT)

    def probabilities(self, vectors: Asked, question: Question) -> Floats:
        """Return the probabilities of the classes."""
        return softmax(self.decisions(vectors, question) * (LN2 / self.temperature))

    def token_shares(
        self, hashing: TokenCounting, tokens: Sequence[str], weights: Floats, row: int
    ) -> Floats:
        """Return each token's share of the evidence for a class, in bits."""
        buckets, prefixes = hashing.places(tokens)
        shares, _ = self.buckets.explain(
            buckets,
            prefixes,
            weights.astype(np.int64),
            self.tokens,
            self.counts,
            True,
            row,
        )
        return shares.astype(np.float64) * UNIT

    def prior(self, row: int, question: Question) -> float:
        """Return the part of the evidence for a class that belongs to no token, in bits."""
        none = np.empty(0, np.uint32)
        _, start = self.buckets.explain(
            none, none, none.astype(np.int64), self.tokens, self.counts, question.with_priors, row
        )
        return float(start * UNIT)

    def example(self, position: int) -> tuple[int, str | None]:
        """Refuse: no example is kept."""
        raise IndexError("Counts keep no examples.")

    # The two numbers chosen by leave-one-out.

    def tuned(
        self, vectors: Rows, labels: Array, question: Question, is_auto: bool
    ) -> "TokenCounts":
        """Return a memory with the best-fitting temperature and, if it is free, smoothing.

        `vectors` are examples that were learnt. Too few of them change nothing.
        """
        if len(labels) < LEAST_EXAMPLES or (self.counts > 0).sum() < 2:
            return self
        codes = numbered(labels, self.classes)
        best, fewest = self, len(labels) + 1
        for smoothing in SMOOTHINGS if is_auto else (self.smoothing,):
            tried = self._smoothed(smoothing)
            found = tried._compare(vectors, question, labels).winners
            errors = int((found != codes).sum())
            if errors < fewest or (errors == fewest and smoothing == USUAL_SMOOTHING):
                best, fewest = tried, errors
        decisions = best._decisions(vectors, question, labels) * LN2
        return replace(best, temperature=best_temperature(decisions, codes))

    # Copies and files.

    def __reduce__(self) -> tuple[Any, ...]:
        own = (self.tokens, self.counts, self.classes, self.declared, self.n_features)
        return _restored, (self.buckets.to_bytes(), self.smoothing, *own, self.temperature)

    def parts(self) -> dict[str, Array]:
        """Return all of the memory as arrays."""
        return {
            "buckets": self.buckets.to_bytes(),
            "tokens": self.tokens,
            "counts": self.counts,
            "classes": classes_part(self.classes),
            "declared": classes_part(self.declared),
            "scale": np.array([self.smoothing, self.temperature]),
        }

    @classmethod
    def from_parts(cls, parts: Parts, n_features: int, keeping: Keeping) -> "TokenCounts":
        """Return the memory that `parts` came from."""
        classes = classes_from_parts(parts, "classes")
        classes = np.empty(0, np.int64) if classes is None else classes
        counts = parts.take("counts", "<i8", len(classes))
        tokens = parts.take("tokens", "<i8", len(classes))
        require(bool((counts >= 0).all() and (tokens >= 0).all()), "number of examples of a class")
        smoothing, temperature = parts.take("scale", "<f8", 2).tolist()
        require(1e-6 <= smoothing <= 1e6 and 1e-6 <= temperature <= 1e9, "scale")
        coded = parts.take("buckets", "|u1", None)
        try:
            buckets, sums = native.ClassCounts.from_bytes(
                coded, n_features, len(classes), smoothing
            )
        except native.Failure:
            raise ValueError("its counts of buckets are damaged") from None
        require(
            np.array_equal(sums, tokens),
            "counts: those of buckets do not add up to those of tokens",
        )
        require(bool((tokens[counts == 0] == 0).all()), "tokens of a class without examples")
        declared = classes_from_parts(parts, "declared")
        return cls(buckets, tokens, counts, classes, declared, n_features, temperature)


def _restored(coded: Array, smoothing: float, tokens: Array, *rest: Any) -> TokenCounts:
    n_features = rest[3]
    buckets, _ = native.ClassCounts.from_bytes(coded, n_features, len(tokens), smoothing)
    return TokenCounts(buckets, tokens, *rest)


def _by_class(values: Integers, codes: Integers, size: int) -> Integers:
    """Return exact sums of values by class; ExampleError if they do not fit."""
    sums = np.zeros(size, np.int64)
    np.add.at(sums, codes, values)
    if _total(values) >= 2**63:
        raise ExampleError(TOO_MANY)
    return sums


def _total(values: Integers) -> int:
    """Return the exact sum of numbers that are not negative."""
    return (int((values >> 32).sum()) << 32) + int((values & 0xFFFFFFFF).sum())


def _sum(a: Integers, b: Integers) -> Integers:
    if _total(a) + _total(b) >= 2**63:
        raise ExampleError(TOO_MANY)
    return a + b


def _not_left_out(position: int, labels: Array) -> ExampleError:
    return ExampleError(
        f"Example {position} was not learnt with the label {labels.tolist()[position]!r}, so it"
        " cannot be left out."
    )


def _not_learnt(label: Any) -> ExampleError:
    return ExampleError(
        f"The examples to forget of the label {label!r} are not those that were learnt; nothing"
        " was forgotten."
    )


def _refuse(label: Any, wanted: int, known: int) -> None:
    examples = "1 example" if wanted == 1 else f"{wanted} examples"
    raise ExampleError(
        f"Cannot forget {examples} of {label!r}: the model has {known}; nothing was forgotten."
    )

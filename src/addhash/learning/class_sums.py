"""A memory of one exact sum per class: a vector matches the one with the highest cosine."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.errors import ExampleError
from addhash.files.parts import Parts, require
from addhash.hashing.additive import AdditiveHashing
from addhash.learning.calibration import LEAST_EXAMPLES, best_temperature, softmax
from addhash.learning.cosines import cosine_shares
from addhash.learning.exact_sums import ExactSums
from addhash.learning.labels import (
    classes_from_parts,
    classes_part,
    joined_classes,
    numbered,
    restricted_classes,
)
from addhash.learning.memory import Comparison, Keeping, Question
from addhash.search.rows import EncodedRows
from addhash.search.vectors import check_comparable

__all__ = ["ClassSums"]

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ClassSums:
    """The exact sum of each class's examples, and how many there are.

    Classes that are known without examples are `declared`.
    """

    sums: ExactSums
    rows: EncodedRows  # the sums, encoded for comparison
    counts: Integers
    classes: Array
    declared: Array | None
    temperature: float = 1.0  # how confident probabilities may be

    @classmethod
    def empty(cls, n_features: int, keeping: Keeping) -> "ClassSums":
        """Return a memory without examples."""
        none = np.empty(0, np.int64)
        return cls(ExactSums(n_features), EncodedRows.empty(n_features), none, none, None)

    @property
    def n_features(self) -> int:
        """The width of the vectors."""
        return self.sums.n_features

    def _with(
        self, sums: ExactSums, counts: Integers, classes: Array, changed: Integers | None = None
    ) -> "ClassSums":
        """Return a memory of other sums; if given, only the classes in `changed` differ."""
        # Encoding refuses sums that cannot be compared.
        if changed is None or classes is not self.classes:
            rows = EncodedRows.encode(sums.to_float(), self.n_features, 1, "centroids")
        else:
            some = EncodedRows.encode(sums.to_float(changed), self.n_features, 1, "centroids")
            rows = self.rows.replaced(changed, some)
        return replace(self, sums=sums, rows=rows, counts=counts, classes=classes)

    def _arranged(self, classes: Array) -> tuple[ExactSums, Integers]:
        """Return sums and counts for other classes."""
        if classes is self.classes:
            return self.sums.copy(), self.counts.copy()
        positions = numbered(classes, self.classes)
        counts = np.zeros(len(classes), np.int64)
        counts[positions >= 0] = self.counts[positions[positions >= 0]]
        return self.sums.arranged(positions), counts

    def learn(
        self,
        vectors: Array,
        labels: Array,
        texts: Sequence[str] | None = None,
        threads: int = 1,
    ) -> "ClassSums":
        """Return a memory that has learnt more examples."""
        vectors = check_comparable(vectors, self.n_features)
        classes = joined_classes(self.classes, labels)
        sums, counts = self._arranged(classes)
        groups = numbered(labels, classes)
        sums.add(vectors, groups, threads)
        counts += np.bincount(groups, minlength=len(classes))
        return self._with(sums, counts, classes, np.unique(groups))

    def declare(self, classes: Array) -> "ClassSums":
        """Return a memory that also knows some classes without examples."""
        declared = joined_classes(self.declared, classes)
        return replace(self.expecting(declared), declared=declared)

    def expecting(self, labels: Array) -> "ClassSums":
        """Return a memory that has the classes of labels whose examples it is about to learn."""
        joined = joined_classes(self.classes, labels)
        return self._with(*self._arranged(joined), joined)

    def merge(self, other: "ClassSums") -> "ClassSums":
        """Return a memory of the examples of both."""
        classes = joined_classes(self.classes, other.classes)
        sums, counts = self._arranged(classes)
        more, more_counts = other._arranged(classes)
        sums.merge(more)
        declared = self.declared
        if other.declared is not None:
            declared = joined_classes(declared, other.declared)
        temperature = max(self.temperature, other.temperature)
        merged = self._with(sums, counts + more_counts, classes)
        return replace(merged, declared=declared, temperature=temperature)

    def restrict(self, classes: Array) -> "ClassSums":
        """Return a memory that has learnt only the examples of some classes."""
        declared = restricted_classes(self.declared, classes)
        return replace(self._with(*self._arranged(classes), classes), declared=declared)

    def forget(
        self,
        vectors: Array,
        labels: Array,
        texts: Sequence[str] | None = None,
        threads: int = 1,
    ) -> "ClassSums":
        """Return a memory without some examples, if the sums can contain them."""
        vectors = check_comparable(vectors, self.n_features)
        groups = numbered(labels, self.classes)
        unknown = np.flatnonzero(groups < 0)
        if len(unknown):
            _refuse(labels.tolist()[unknown[0]], len(unknown), 0)
        wanted = np.bincount(groups, minlength=len(self.classes))
        for group in np.flatnonzero(wanted > self.counts).tolist():
            _refuse(self.classes.tolist()[group], int(wanted[group]), int(self.counts[group]))
        left = self.counts - wanted
        sums = self.sums.copy()
        sums.subtract(vectors, groups, threads)
        for group in np.flatnonzero((left == 0) & (wanted > 0)).tolist():
            if not sums.is_zero(group):
                raise ExampleError(
                    f"The examples to forget of the label {self.classes.tolist()[group]!r} are"
                    " not those that were learnt; nothing was forgotten."
                )
        known = left > 0
        if self.declared is not None:
            known |= numbered(self.classes, self.declared) >= 0
        kept = np.flatnonzero(known)
        if len(kept) == len(known):
            return self._with(sums, left, self.classes, np.flatnonzero(wanted))
        return self._with(sums.arranged(kept), left[kept], self.classes[kept])

    def compare(self, vectors: Array, question: Question) -> Comparison:
        """Return the two classes with the highest cosines."""
        queries = EncodedRows.encode(vectors, self.n_features, question.threads, "texts")
        found, scores = self._nearest(queries, 2, question.threads)
        if found.shape[1] == 1:
            found = np.column_stack([found, np.full(len(found), -1)])
            scores = np.column_stack([scores, np.full(len(found), np.nan)])
        return _two_best(found, scores)

    def compare_without(self, vectors: Array, labels: Array, question: Question) -> Comparison:
        """Return the two classes with the highest cosines, each vector taken out of its own sum."""
        cosines = self._cosines_without(vectors, labels, question)
        order = np.argsort(-cosines, axis=1, kind="stable")[:, :2]
        found = np.full((len(cosines), 2), -1)
        scores = np.full((len(cosines), 2), np.nan)
        best = np.take_along_axis(cosines, order, axis=1)
        found[:, : order.shape[1]] = np.where(np.isfinite(best), order, -1)
        scores[:, : order.shape[1]] = np.where(np.isfinite(best), best, np.nan)
        return _two_best(found, scores)

    def _cosines_without(self, vectors: Array, labels: Array, question: Question) -> Floats:
        """Return all cosines, each vector taken out of its own sum; -inf if none is left."""
        codes = numbered(labels, self.classes)
        unknown = np.flatnonzero((codes < 0) | (self.counts[codes] == 0))
        if len(unknown):
            _refuse(labels.tolist()[unknown[0]], 1, 0)
        cosines = self.decisions(vectors, question)
        cosines[:, self.counts == 0] = -np.inf
        every = np.arange(len(codes))
        texts = vectors.astype(np.float64)
        rest = self.sums.to_float()[codes] - texts
        sizes = np.sqrt((rest**2).sum(axis=1) * (texts**2).sum(axis=1))
        products = (rest * texts).sum(axis=1)
        own = np.divide(products, sizes, out=np.zeros(len(codes)), where=sizes > 0)
        cosines[every, codes] = np.where(self.counts[codes] > 1, own, -np.inf)
        return cosines

    @cached_property
    def _is_empty(self) -> Integers | None:
        """1 for each class without examples, which never matches; None if there is none."""
        empty = (self.counts == 0).astype(np.int64)
        return empty if empty.any() else None

    def _nearest(self, queries: EncodedRows, k: int, threads: int) -> tuple[Integers, Floats]:
        empty = self._is_empty
        excluded = None if empty is None else np.ones(len(queries), np.int64)
        return self.rows.nearest(queries, k, threads, None, empty, excluded)

    def decisions(self, vectors: Array, question: Question) -> Floats:
        """Return the cosines with all classes; a class without examples has -1."""
        queries = EncodedRows.encode(vectors, self.n_features, question.threads, "samples")
        count = len(self.classes)
        positions, found = self.rows.nearest(queries, count, question.threads)
        scores = np.empty((len(queries), count))
        np.put_along_axis(scores, positions, found, axis=1)
        scores[:, self.counts == 0] = -1
        return scores

    def probabilities(self, vectors: Array, question: Question) -> Floats:
        """Return the softmax of the cosines times the square root of the width."""
        cosines = self.decisions(vectors, question)
        cosines[:, self.counts == 0] = -np.inf
        return softmax(self._evidence(cosines) / self.temperature)

    def _evidence(self, cosines: Floats) -> Floats:
        scaled: Floats = cosines * np.sqrt(self.n_features)
        return scaled

    def token_shares(
        self, hashing: AdditiveHashing, tokens: Sequence[str], weights: Floats, row: int
    ) -> Floats:
        """Return each token's share of the cosine of a text with a class."""
        other = self.rows.take(np.array([row])).decode()[0]
        return cosine_shares(hashing, tokens, weights, other)

    def prior(self, row: int, question: Question) -> float:
        """Return 0: a cosine comes from tokens alone."""
        return 0.0

    def tuned(
        self, vectors: Array, labels: Array, question: Question, is_auto: bool
    ) -> "ClassSums":
        """Return a memory with calibrated probabilities, if there are examples to judge by."""
        if len(labels) < LEAST_EXAMPLES or (self.counts > 0).sum() < 2:
            return self
        evidence = self._evidence(self._cosines_without(vectors, labels, question))
        codes = numbered(labels, self.classes)
        return replace(self, temperature=best_temperature(evidence, codes))

    def example(self, position: int) -> tuple[int, str | None]:
        """Refuse: no example is kept."""
        raise IndexError("Sums keep no examples.")

    def parts(self) -> dict[str, Array]:
        """Return all of the memory as arrays."""
        return self.sums.parts() | {
            "counts": self.counts,
            "classes": classes_part(self.classes),
            "declared": classes_part(self.declared),
            "scale": np.array([self.temperature]),
        }

    @classmethod
    def from_parts(cls, parts: Parts, n_features: int, keeping: Keeping) -> "ClassSums":
        """Return the memory that `parts` came from."""
        classes = classes_from_parts(parts, "classes")
        classes = np.empty(0, np.int64) if classes is None else classes
        counts = parts.take("counts", "<i8", len(classes))
        require(bool((counts >= 0).all()), "number of examples of a class")
        declared = classes_from_parts(parts, "declared")
        sums = ExactSums.from_parts(parts, n_features, len(classes))
        (temperature,) = parts.take("scale", "<f8", 1).tolist()
        require(1e-6 <= temperature <= 1e9, "scale")
        memory = cls.empty(n_features, keeping)._with(sums, counts, classes)
        return replace(memory, declared=declared, temperature=temperature)


def _two_best(found: Integers, scores: Floats) -> Comparison:
    """Return the comparison with two classes each, which are their own rows."""
    (first, second), (score, other) = found.T, scores.T
    none = np.empty((len(found), 0))
    return Comparison(first, first, score, second, second, other, none.astype(np.int64), none)


def _refuse(label: Any, wanted: int, known: int) -> None:
    examples = "1 example" if wanted == 1 else f"{wanted} examples"
    raise ExampleError(
        f"Cannot forget {examples} of {label!r}: the model has {known}; nothing was forgotten."
    )

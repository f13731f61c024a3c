"""A memory of one exact sum per class: a vector matches the one with the highest cosine."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from addhash.arrays import Array, Floats, Integers
from addhash.errors import ExampleError
from addhash.files.parts import Parts, require
from addhash.hashing.additive import AdditiveHashing
from addhash.learning.calibration import LEAST_EXAMPLES, best_temperature, softmax
from addhash.learning.classes import Classes
from addhash.learning.cosines import cosine_shares
from addhash.learning.exact_sums import ExactSums
from addhash.learning.memory import Keeping, Question, Ranking
from addhash.search.encoded_vectors import EncodedVectors
from addhash.search.vectors import check_comparable


@dataclass(frozen=True, eq=False)
class ClassSums:
    """The exact sum of each class's examples, and how many there are."""

    sums: ExactSums
    rows: EncodedVectors  # the sums, encoded for comparison
    classes: Classes
    temperature: float = 1.0  # how confident probabilities may be

    @classmethod
    def empty(cls, n_features: int, keeping: Keeping) -> "ClassSums":
        """Return a memory without examples."""
        return cls(ExactSums(n_features), EncodedVectors.empty(n_features), Classes())

    @property
    def n_features(self) -> int:
        """The width of the vectors."""
        return self.sums.n_features

    def _with(
        self, sums: ExactSums, classes: Classes, changed: Integers | None = None
    ) -> "ClassSums":
        """Return a memory of other sums; if given, only the classes in `changed` differ."""
        # Encoding refuses sums that cannot be compared.
        if changed is None or classes.labels is not self.classes.labels:
            rows = EncodedVectors.encode(sums.to_float(), self.n_features, 1, "centroids")
        else:
            some = EncodedVectors.encode(sums.to_float(changed), self.n_features, 1, "centroids")
            rows = self.rows.replaced(changed, some)
        return replace(self, sums=sums, rows=rows, classes=classes)

    def _arranged(self, classes: Classes) -> ExactSums:
        """Return a copy of the sums for other classes."""
        if classes.labels is self.classes.labels:
            return self.sums.copy()
        return self.sums.arranged(self.classes.codes(classes.labels))

    def learn(
        self,
        vectors: Array,
        labels: Array,
        texts: Sequence[str] | None = None,
        threads: int = 1,
    ) -> "ClassSums":
        """Return a memory that has learnt more examples."""
        vectors = check_comparable(vectors, self.n_features)
        classes = self.classes.including(labels)
        codes = classes.codes(labels)
        sums = self._arranged(classes)
        sums.add(vectors, codes, threads)
        return self._with(sums, classes.learnt(codes), np.unique(codes))

    def declare(self, classes: Array) -> "ClassSums":
        """Return a memory that also knows some classes without examples."""
        declared = self.classes.declare(classes)
        return self._with(self._arranged(declared), declared)

    def with_classes_of(self, labels: Array) -> "ClassSums":
        """Return a memory that already knows the classes of these labels."""
        classes = self.classes.including(labels)
        return self if classes is self.classes else self._with(self._arranged(classes), classes)

    def merge(self, other: "ClassSums") -> "ClassSums":
        """Return a memory of the examples of both."""
        classes = self.classes.merged(other.classes)
        sums = self._arranged(classes)
        sums.merge(other._arranged(classes))
        temperature = max(self.temperature, other.temperature)
        return replace(self._with(sums, classes), temperature=temperature)

    def restrict(self, classes: Array) -> "ClassSums":
        """Return a memory that has learnt only the examples of some classes."""
        restricted = self.classes.restricted(classes)
        return self._with(self._arranged(restricted), restricted)

    def forget(
        self,
        vectors: Array,
        labels: Array,
        texts: Sequence[str] | None = None,
        threads: int = 1,
    ) -> "ClassSums":
        """Return a memory without some examples, if the sums can contain them."""
        vectors = check_comparable(vectors, self.n_features)
        codes = self.classes.codes_to_forget(labels)
        left = self.classes.forgotten(codes)
        changed = np.unique(codes)
        sums = self.sums.copy()
        sums.subtract(vectors, codes, threads)
        for code in changed[left.counts[changed] == 0].tolist():
            if not sums.is_zero(code):
                raise ExampleError(
                    f"The examples to forget of the label {left.label(code)!r} are not those that"
                    " were learnt; nothing was forgotten."
                )
        known = left.known()
        if known is left:
            return self._with(sums, left, changed)
        return self._with(sums.arranged(left.codes(known.labels)), known)

    def compare(self, vectors: Array, question: Question) -> Ranking:
        """Return the two classes with the highest cosines."""
        queries = EncodedVectors.encode(vectors, self.n_features, question.threads, "texts")
        found, scores = self._nearest(queries, 2, question.threads)
        if found.shape[1] == 1:
            found = np.column_stack([found, np.full(len(found), -1)])
            scores = np.column_stack([scores, np.full(len(found), np.nan)])
        return _two_best(found, scores)

    def compare_without(self, vectors: Array, labels: Array, question: Question) -> Ranking:
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
        codes = self.classes.codes_to_leave_out(labels)
        cosines = self.decisions(vectors, question)
        cosines[:, self.classes.counts == 0] = -np.inf
        every = np.arange(len(codes))
        texts = vectors.astype(np.float64)
        rest = self.sums.to_float()[codes] - texts
        sizes = np.sqrt((rest**2).sum(axis=1) * (texts**2).sum(axis=1))
        products = (rest * texts).sum(axis=1)
        own = np.divide(products, sizes, out=np.zeros(len(codes)), where=sizes > 0)
        cosines[every, codes] = np.where(self.classes.counts[codes] > 1, own, -np.inf)
        return cosines

    @cached_property
    def _is_empty(self) -> Integers | None:
        """1 for each class without examples, which never matches; None if there is none."""
        empty = (self.classes.counts == 0).astype(np.int64)
        return empty if empty.any() else None

    def _nearest(self, queries: EncodedVectors, k: int, threads: int) -> tuple[Integers, Floats]:
        empty = self._is_empty
        excluded = None if empty is None else np.ones(len(queries), np.int64)
        return self.rows.nearest(queries, k, threads, None, empty, excluded)

    def decisions(self, vectors: Array, question: Question) -> Floats:
        """Return the cosines with all classes; a class without examples has -1."""
        queries = EncodedVectors.encode(vectors, self.n_features, question.threads, "samples")
        count = len(self.classes)
        positions, found = self.rows.nearest(queries, count, question.threads)
        scores = np.empty((len(queries), count))
        np.put_along_axis(scores, positions, found, axis=1)
        scores[:, self.classes.counts == 0] = -1
        return scores

    def probabilities(self, vectors: Array, question: Question) -> Floats:
        """Return the softmax of the cosines times the square root of the width."""
        cosines = self.decisions(vectors, question)
        cosines[:, self.classes.counts == 0] = -np.inf
        return softmax(self._evidence(cosines) / self.temperature)

    def _evidence(self, cosines: Floats) -> Floats:
        scaled: Floats = cosines * np.sqrt(self.n_features)
        return scaled

    def token_shares(
        self, hashing: AdditiveHashing, tokens: Sequence[str], weights: Floats, rows: Sequence[int]
    ) -> Floats:
        """Return each token's share of the cosines of a text with some classes."""
        return cosine_shares(hashing, tokens, weights, self.rows.take(np.array(rows)).decode())

    def prior(self, row: int, question: Question) -> float:
        """Return 0: a cosine comes from tokens alone."""
        return 0.0

    def tuned(
        self, vectors: Array, labels: Array, question: Question, is_auto: bool
    ) -> "ClassSums":
        """Return a memory with calibrated probabilities, if there are examples to judge by."""
        if len(labels) < LEAST_EXAMPLES or (self.classes.counts > 0).sum() < 2:
            return self
        evidence = self._evidence(self._cosines_without(vectors, labels, question))
        codes = self.classes.codes(labels)
        return replace(self, temperature=best_temperature(evidence, codes))

    def chosen(self) -> dict[str, float]:
        """Return the temperature, if there is one."""
        return {"temperature": self.temperature}

    def example(self, position: int) -> tuple[int, str | None]:
        """Refuse: no example is kept."""
        raise IndexError("Sums keep no examples.")

    def parts(self) -> dict[str, Array]:
        """Return all of the memory as arrays."""
        return (
            self.sums.parts()
            | self.classes.parts()
            | {
                "counts": self.classes.counts,
                "scale": np.array([self.temperature]),
            }
        )

    @classmethod
    def from_parts(cls, parts: Parts, n_features: int, keeping: Keeping) -> "ClassSums":
        """Return the memory that `parts` came from."""
        classes = Classes.from_parts(parts)
        sums = ExactSums.from_parts(parts, n_features, len(classes))
        (temperature,) = parts.take("scale", "<f8", 1).tolist()
        require(1e-6 <= temperature <= 1e9, "scale")
        memory = cls.empty(n_features, keeping)._with(sums, classes)
        return replace(memory, temperature=temperature)


def _two_best(found: Integers, scores: Floats) -> Ranking:
    """Return the ranking with two classes each, which are their own rows."""
    (first, second), (score, other) = found.T, scores.T
    none = np.empty((len(found), 0))
    return Ranking(first, first, score, second, second, other, none.astype(np.int64), none)

"""A memory of every example: a vector is most similar to those with the highest cosine."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from addhash.arrays import Array, Floats, Integers
from addhash.errors import ExampleError
from addhash.files.parts import Parts, require, texts_parts
from addhash.hashing.additive import AdditiveHashing
from addhash.learning.calibration import LEAST_EXAMPLES, best_temperature, softmax
from addhash.learning.classes import Classes, not_left_out
from addhash.learning.cosines import cosine_shares
from addhash.learning.memory import Keeping, Question, Ranking
from addhash.runtime import native
from addhash.search.encoded_vectors import EncodedVectors

Digests = npt.NDArray[np.uint64]  # two numbers per example

# What the nearest neighbour of a class adds to its votes, at most.
TIE_BREAK = 1e-6
# How many of the nearest examples determine the class probabilities, and what no votes count as.
PROBABILITY_NEIGHBORS = 50
VOTES_FLOOR = 0.1
DIGEST_BITS = 40  # of an example's rank; the class takes those above


@dataclass(frozen=True, eq=False)
class Examples:
    """Vectors, their classes, and their texts if they are kept.

    On ties, the example learnt first comes first if the order is kept; otherwise, whatever the
    history, the one with the first class. The same goes for the order in a file.
    """

    rows: EncodedVectors
    codes: Integers
    classes: Classes
    texts: tuple[str, ...] | None
    keeping: Keeping
    known_digests: Digests | None = None
    is_sorted: bool = False  # as `parts` sorts them
    # How confident probabilities may be; None makes them shares of the votes.
    temperature: float | None = None

    @classmethod
    def empty(cls, n_features: int, keeping: Keeping) -> "Examples":
        """Return a memory without examples."""
        return cls(
            EncodedVectors.empty(n_features),
            np.empty(0, np.int64),
            Classes(),
            () if keeping.texts else None,
            keeping,
        )

    @cached_property
    def _digests(self) -> Digests:
        """What identifies each example's vector, and its text if kept."""
        if self.known_digests is not None:
            return self.known_digests
        return _digests_of(self.rows, self.texts)

    @cached_property
    def _ranks(self) -> Integers | None:
        """The order of examples with the same cosine; None means the order of the rows."""
        if self.keeping.order or self.is_sorted:
            return None
        tops = (self._digests[:, 0] >> np.uint64(64 - DIGEST_BITS)).astype(np.int64)
        return (self.codes << DIGEST_BITS) + tops

    def learn(
        self, vectors: Array, labels: Array, texts: Sequence[str] | None, threads: int
    ) -> "Examples":
        """Return a memory that has learnt more examples."""
        rows = EncodedVectors.encode(vectors, self.rows.n_features, threads)
        classes = self.classes.including(labels)
        codes = classes.codes(labels)
        kept = None if self.texts is None or texts is None else tuple(texts)
        return self._with(rows, codes, kept, classes.learnt(codes), None)

    def _with(
        self,
        rows: EncodedVectors,
        codes: Integers,
        texts: tuple[str, ...] | None,
        classes: Classes,
        digests: Digests | None,
    ) -> "Examples":
        """Return a memory with more examples, whose codes refer to other classes."""
        known = None
        if not self.keeping.order and len(self.codes):
            digests = _digests_of(rows, texts) if digests is None else digests
            known = np.concatenate([self._digests, digests])
        return replace(
            self,
            rows=self.rows.appended(rows),
            codes=np.concatenate([self._codes_in(classes), codes]),
            classes=classes,
            texts=None if self.texts is None else self.texts + (texts or ()),
            known_digests=known,
            is_sorted=False,
        )

    def _codes_in(self, classes: Classes) -> Integers:
        """Return the codes of the examples among other classes, which have all of these."""
        if classes.labels is self.classes.labels or not len(self.codes):
            return self.codes
        return classes.codes(self.classes.labels)[self.codes]

    def declare(self, classes: Array) -> "Examples":
        """Return a memory that also knows some classes without examples."""
        declared = self.classes.declare(classes)
        return replace(self, classes=declared, codes=self._codes_in(declared))

    def with_classes_of(self, labels: Array) -> "Examples":
        """Return a memory that already knows the classes of these labels."""
        classes = self.classes.including(labels)
        return replace(self, classes=classes, codes=self._codes_in(classes))

    def merge(self, other: "Examples") -> "Examples":
        """Return a memory of these examples followed by those of another one."""
        classes = self.classes.merged(other.classes)
        digests = None if self.keeping.order else other._digests
        codes = other._codes_in(classes)
        merged = self._with(other.rows, codes, other.texts, classes, digests)
        temperatures = [t for t in (self.temperature, other.temperature) if t is not None]
        return replace(merged, temperature=max(temperatures, default=None))

    def restrict(self, classes: Array) -> "Examples":
        """Return a memory that has learnt only the examples of some classes."""
        restricted = self.classes.restricted(classes)
        kept = restricted.codes(self.classes.labels) >= 0
        return self._only(np.flatnonzero(kept[self.codes]), restricted)

    def forget(
        self, vectors: Array, labels: Array, texts: Sequence[str] | None, threads: int
    ) -> "Examples":
        """Return a memory without some examples; of equal ones, the last is forgotten first."""
        rows = EncodedVectors.encode(vectors, self.rows.n_features, threads)
        kept_texts = None if self.texts is None or texts is None else tuple(texts)
        digests = _digests_of(rows, kept_texts)
        codes = self.classes.codes(labels)
        places: dict[tuple[int, int, int], list[int]] = defaultdict(list)
        # Only these examples can be meant; the others need no closer look. By sorting: NumPy 2.0
        # overflows when it computes the range of unsigned numbers.
        known = np.isin(self._digests[:, 0], digests[:, 0], kind="sort")
        for i in np.flatnonzero(known).tolist():
            first, second = self._digests[i].tolist()
            places[int(self.codes[i]), first, second].append(i)
        kept = np.ones(len(self.codes), bool)
        for i, (code, (first, second)) in enumerate(
            zip(codes.tolist(), digests.tolist(), strict=True)
        ):
            if not places.get((code, first, second)):
                raise ExampleError(
                    f"Example {i} was not learnt with the label {labels.tolist()[i]!r}, or was"
                    " already forgotten; nothing was forgotten."
                )
            kept[places[code, first, second].pop()] = False
        return self._only(np.flatnonzero(kept), self.classes.forgotten(codes).known())

    def _only(self, positions: Integers, classes: Classes) -> "Examples":
        """Return a memory of the examples at some positions, all of some classes."""
        return replace(
            self,
            rows=self.rows.take(positions),
            codes=classes.codes(self.classes.labels)[self.codes[positions]],
            classes=classes,
            texts=None if self.texts is None else tuple(self.texts[i] for i in positions.tolist()),
            known_digests=self._digests[positions],
        )

    def neighbors(
        self, vectors: Array, k: int, threads: int, what: str = "samples"
    ) -> tuple[Integers, Floats]:
        """Return positions and cosines of the examples nearest to each vector."""
        queries = EncodedVectors.encode(vectors, self.rows.n_features, threads, what)
        return self.rows.nearest(queries, k, threads, self._ranks)

    def compare(self, vectors: Array, question: Question) -> Ranking:
        """Return the class that the nearest examples vote for, and the nearest of another."""
        queries = EncodedVectors.encode(vectors, self.rows.n_features, question.threads, "texts")
        k = max(question.n_neighbors, question.n_nearest)
        found, cosines = self.rows.nearest(queries, k, question.threads, self._ranks)
        return self._voted(queries, found, cosines, question)

    def compare_without(self, vectors: Array, labels: Array, question: Question) -> Ranking:
        """Return what the nearest other examples vote for, and the nearest of another class."""
        k = min(max(question.n_neighbors, question.n_nearest), max(len(self.codes) - 1, 1))
        queries, places = self._located(vectors, labels, question.threads)
        found, cosines = self._nearest_without(queries, places, k, question.threads)
        if len(self.codes) < 2:
            none = np.full(len(labels), -1)
            nan = np.full(len(labels), np.nan)
            empty = np.empty((len(labels), 0))
            return Ranking(none, none, nan, none, none, nan, empty.astype(np.int64), empty)
        return self._voted(queries, found, cosines, question, places)

    def _nearest_without(
        self, queries: EncodedVectors, places: Integers, k: int, threads: int
    ) -> tuple[Integers, Floats]:
        """Return positions and cosines of the examples nearest to each one, except itself."""
        every = np.arange(len(self.codes))
        return self.rows.nearest(queries, k, threads, self._ranks, every, places)

    def _located(
        self, vectors: Array, labels: Array, threads: int
    ) -> tuple[EncodedVectors, Integers]:
        """Return vectors that were learnt, encoded, and where each of them is."""
        queries = EncodedVectors.encode(vectors, self.rows.n_features, threads, "texts")
        codes = self.classes.codes(labels)
        return queries, self._places(_digests_of(queries, None), codes, labels)

    def _places(self, digests: Digests, codes: Integers, labels: Array) -> Integers:
        """Return where each example is, by its vector and class."""
        known = _digests_of(self.rows, None) if self.texts is not None else self._digests
        places = {
            (code, first, second): i
            for i, (code, (first, second)) in enumerate(
                zip(self.codes.tolist(), known.tolist(), strict=True)
            )
        }
        found = []
        for i, (code, (first, second)) in enumerate(
            zip(codes.tolist(), digests.tolist(), strict=True)
        ):
            if (code, first, second) not in places:
                raise not_left_out(i, labels)
            found.append(places[code, first, second])
        return np.array(found, np.int64)

    def _voted(
        self,
        queries: EncodedVectors,
        found: Integers,
        cosines: Floats,
        question: Question,
        places: Integers | None = None,
    ) -> Ranking:
        """Return the ranking from the examples found; those at `places` are left out."""
        winner_rows, scores = found[:, 0], cosines[:, 0]
        if question.n_neighbors > 1:
            voters = slice(question.n_neighbors)
            votes = self._votes(found[:, voters], cosines[:, voters], question)
            # The first example of the class with the most votes.
            firsts = (self.codes[found] == votes.argmax(axis=1)[:, None]).argmax(axis=1)
            every = np.arange(len(found))
            winner_rows, scores = found[every, firsts], cosines[every, firsts]
        winners = self.codes[winner_rows]
        others = runners_up = np.full(len(found), -1)
        other_scores = np.full(len(found), np.nan)
        if question.with_runner_up and len(found):
            second, second_scores = self.rows.nearest(
                queries, 1 if places is None else 2, question.threads, self._ranks, self.codes,
                winners,
            )  # fmt: skip
            others, other_scores = second[:, 0], second_scores[:, 0]
            if places is not None:
                is_itself = others == places
                others = np.where(is_itself, second[:, 1], others)
                other_scores = np.where(is_itself, second_scores[:, 1], other_scores)
            runners_up = np.where(others < 0, -1, self.codes[others])
        return Ranking(
            winners,
            winner_rows,
            scores,
            runners_up,
            others,
            other_scores,
            found[:, : question.n_nearest],
            cosines[:, : question.n_nearest],
        )

    def _votes(self, found: Integers, cosines: Floats, question: Question) -> Floats:
        """Return the votes for each class; equal votes go to the nearest example's class."""
        similarities = (1 + np.clip(cosines, -1, 1)) / 2
        counts = np.ones_like(cosines) if question.weights == "uniform" else similarities
        votes = np.zeros((len(found), len(self.classes)))
        nearest = np.zeros_like(votes)
        every = np.arange(len(found))
        codes = self.codes[found]
        for i in range(codes.shape[1]):
            votes[every, codes[:, i]] += counts[:, i]
            known = nearest[every, codes[:, i]]
            nearest[every, codes[:, i]] = np.maximum(known, similarities[:, i])
        votes += TIE_BREAK * nearest
        # All votes are 0 only if every neighbour is exactly opposite.
        opposite = votes.sum(axis=1) == 0
        votes[opposite, codes[opposite, 0]] = 1
        return votes

    def decisions(self, vectors: Array, question: Question) -> Floats:
        """Return each class's share of the votes."""
        found, cosines = self.neighbors(vectors, question.n_neighbors, question.threads)
        votes = self._votes(found, cosines, question)
        shares: Floats = votes / votes.sum(axis=1, keepdims=True)
        return shares

    def probabilities(self, vectors: Array, question: Question) -> Floats:
        """Return the probabilities of the classes, by the nearest examples of each."""
        if self.temperature is None:
            return self.decisions(vectors, question)
        k = max(question.n_neighbors, PROBABILITY_NEIGHBORS)
        found, cosines = self.neighbors(vectors, k, question.threads)
        return softmax(self._evidence(found, cosines, question) / self.temperature)

    def _evidence(self, found: Integers, cosines: Floats, question: Question) -> Floats:
        """Return numbers whose differences are log-odds of classes, up to a factor.

        They have the order of the votes. A class that none of the nearest examples has counts like
        the last of these, or as having no votes.
        """
        k = question.n_neighbors
        if k > 1:
            votes = self._votes(found[:, :k], cosines[:, :k], question)
            votes += VOTES_FLOOR
            native.logarithms(votes)
            return votes
        every = np.arange(len(found))
        best = np.repeat(cosines[:, -1:], len(self.classes), axis=1)
        for i in range(found.shape[1] - 1, -1, -1):  # the nearest come last, and stay
            best[every, self.codes[found[:, i]]] = cosines[:, i]
        best[:, self.classes.counts == 0] = -np.inf
        scaled: Floats = best * np.sqrt(self.rows.n_features)
        return scaled

    def token_shares(
        self, hashing: AdditiveHashing, tokens: Sequence[str], weights: Floats, rows: Sequence[int]
    ) -> Floats:
        """Return each token's share of the cosines of a text with some examples."""
        return cosine_shares(hashing, tokens, weights, self.rows.take(np.array(rows)).decode())

    def prior(self, row: int, question: Question) -> float:
        """Return 0: a cosine comes from tokens alone."""
        return 0.0

    def tuned(self, vectors: Array, labels: Array, question: Question, is_auto: bool) -> "Examples":
        """Return a memory with calibrated probabilities, if there are examples to judge by."""
        if len(labels) < LEAST_EXAMPLES or (self.classes.counts > 0).sum() < 2:
            return self
        k = min(max(question.n_neighbors, PROBABILITY_NEIGHBORS), len(self.codes) - 1)
        queries, places = self._located(vectors, labels, question.threads)
        found, cosines = self._nearest_without(queries, places, k, question.threads)
        evidence = self._evidence(found, cosines, question)
        codes = self.classes.codes(labels)
        return replace(self, temperature=best_temperature(evidence, codes))

    def chosen(self) -> dict[str, float]:
        """Return the temperature, if there is one."""
        return {} if self.temperature is None else {"temperature": self.temperature}

    def example(self, position: int) -> tuple[int, str | None]:
        """Return the class of an example, and its text if kept."""
        return int(self.codes[position]), None if self.texts is None else self.texts[position]

    def parts(self) -> dict[str, Array]:
        """Return all of the memory as arrays: by class and digest unless the order is kept."""
        ordered = self
        if not self.keeping.order and not self.is_sorted:
            digests = self._digests
            order = np.lexsort((digests[:, 1], digests[:, 0], self.codes))
            texts = None if self.texts is None else tuple(self.texts[i] for i in order.tolist())
            ordered = replace(
                self, rows=self.rows.take(order), codes=self.codes[order], texts=texts
            )
        return (
            ordered.rows.parts()
            | self.classes.parts()
            | {"labels": ordered.codes, "scale": np.array([self.temperature or 0.0])}
            | ({} if ordered.texts is None else texts_parts(ordered.texts))
        )

    @classmethod
    def from_parts(cls, parts: Parts, n_features: int, keeping: Keeping) -> "Examples":
        """Return the memory that `parts` came from."""
        rows = EncodedVectors.from_parts(parts, n_features)
        codes = parts.take("labels", "<i8", len(rows))
        classes = Classes.from_parts(parts, codes)
        texts = parts.texts(len(rows)) if keeping.texts else None
        (temperature,) = parts.take("scale", "<f8", 1).tolist()
        require(temperature == 0 or 1e-6 <= temperature <= 1e9, "scale")
        return replace(
            cls(rows, codes, classes, texts, keeping, is_sorted=not keeping.order),
            temperature=temperature or None,
        )


def _digests_of(rows: EncodedVectors, texts: Sequence[str] | None) -> Digests:
    digests = rows.digests()
    if texts is not None:
        digests = [
            blake2b(digest + text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            for digest, text in zip(digests, texts, strict=True)
        ]
    # Big-endian: numbers in the order of the bytes.
    return np.frombuffer(b"".join(digests), ">u8").reshape(-1, 2).astype(np.uint64)

"""A memory of how often each token occurs in each class: naive Bayes on exact counts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.errors import ExampleError
from addhash.files.parts import Parts, require
from addhash.hashing.token_buckets import TokenBuckets
from addhash.learning.calibration import LEAST_EXAMPLES, softmax
from addhash.learning.classes import Classes, not_left_out
from addhash.learning.lessons import MOST_LATER, bias_of_leads, lessons_of
from addhash.learning.memory import Keeping, Question, Ranking
from addhash.learning.view_weights import (
    GRID,
    MOST_CROSSED,
    PRIOR_WEIGHT,
    Fitted,
    Task,
    fitted_crosses,
    fitted_weights,
    usual_weights,
)
from addhash.runtime import native

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Rows = native.TokenRows
Asked = native.PendingTexts | native.TokenRows

MOST_CLASSES = native.MOST_COUNTED_CLASSES
USUAL_SMOOTHING = 0.5
# What "auto" chooses from, judged by this many examples.
SMOOTHINGS = (0.0625, 0.125, 0.25, 0.5, 1.0)
MOST_JUDGES = 500
MOST_NATS = 1e6  # of weights and biases
TOO_MANY = "The counts of tokens add up to 2**63 or more."


@dataclass(frozen=True, eq=False)
class TokenCounts:
    """Exact counts of the tokens of each class, in buckets.

    A token is evidence for a class by how much more often the class has it than was to be expected.
    The evidence of all tokens of an order makes two views of a text, of rare and of common ones;
    scores are sums of views, with `weights` and what a class adds to them, and of the `biases` of
    classes. A class that came after these were chosen adds nothing, and has no bias of its own,
    nan, but, while it has few examples, the one of all that come `later`. Views of the others may
    add to each other's scores: the `crosses`.
    """

    buckets: native.ClassCounts
    tokens: Integers  # of each class (row) and order (column)
    classes: Classes
    n_features: int
    orders: tuple[str, ...]
    weights: Floats
    own_weights: Floats  # of each class (row) and view (column)
    biases: Floats
    crosses: Floats  # of views and two classes with a bias, from one to the other; or empty
    later: float

    @classmethod
    def empty(cls, n_features: int, keeping: Keeping) -> "TokenCounts":
        """Return a memory without examples."""
        smoothing = USUAL_SMOOTHING if keeping.smoothing is None else keeping.smoothing
        tokens = np.empty((0, len(keeping.orders)), np.int64)
        buckets = native.ClassCounts(smoothing)
        weights = usual_weights(keeping.orders)
        own = np.empty((0, len(weights)))
        orders = keeping.orders
        chosen = (weights, own, np.empty(0), np.empty((len(weights), 0, 0)), 0.0)
        return cls(buckets, tokens, Classes(), n_features, orders, *chosen)

    @property
    def smoothing(self) -> float:
        """How many tokens are needed to trust the counts of a class."""
        return self.buckets.smoothing

    def _arranged(self, classes: Classes) -> "TokenCounts":
        """Return the counts for other classes; counts of classes not among them are lost."""
        if classes.labels is self.classes.labels:
            return self if classes is self.classes else replace(self, classes=classes)
        if len(classes) > MOST_CLASSES:
            raise ExampleError(f"Expected at most {MOST_CLASSES} classes, got {len(classes)}.")
        places = classes.codes(self.classes.labels)
        kept = places >= 0
        tokens = np.zeros((len(classes), len(self.orders)), np.int64)
        tokens[places[kept]] = self.tokens[kept]
        own_weights = np.zeros((len(classes), len(self.weights)))
        own_weights[places[kept]] = self.own_weights[kept]
        biases = np.full(len(classes), np.nan)
        biases[places[kept]] = self.biases[kept]
        crosses = self.crosses
        if crosses.size:
            left = kept[~np.isnan(self.biases)]
            crosses = crosses[:, left][:, :, left]
        buckets = self.buckets
        if not np.array_equal(places, np.arange(len(places))):
            numbers = np.where(kept, places, native.DROPPED).astype(np.uint32)
            buckets = buckets.renumbered(numbers)
        return replace(
            self,
            buckets=buckets,
            tokens=tokens,
            classes=classes,
            own_weights=own_weights,
            biases=biases,
            crosses=crosses,
        )

    def learn(
        self, vectors: Rows, labels: Array, texts: Sequence[str] | None = None, threads: int = 1
    ) -> "TokenCounts":
        """Return a memory that has learnt more examples."""
        memory = self.with_classes_of(labels)
        codes = memory.classes.codes(labels)
        tokens = _sum(memory.tokens, memory._by_class(vectors, codes))
        try:
            buckets = memory.buckets.change(vectors, codes.astype(np.uint32), False)
        except native.Failure:
            raise ExampleError(TOO_MANY) from None
        return replace(memory, buckets=buckets, tokens=tokens, classes=memory.classes.learnt(codes))

    def forget(
        self, vectors: Rows, labels: Array, texts: Sequence[str] | None = None, threads: int = 1
    ) -> "TokenCounts":
        """Return a memory without some examples, if the counts can contain them."""
        codes = self.classes.codes_to_forget(labels)
        left = self.classes.forgotten(codes)
        try:
            buckets = self.buckets.change(vectors, codes.astype(np.uint32), True)
        except native.Failure as failure:
            raise _not_learnt(left.label(failure.position)) from None
        tokens = self.tokens - self._by_class(vectors, codes)
        wrong = (tokens < 0).any(axis=1) | ((left.counts == 0) & (tokens != 0).any(axis=1))
        for code in np.flatnonzero(wrong).tolist():
            raise _not_learnt(left.label(code))
        memory = replace(self, buckets=buckets, tokens=tokens, classes=left)
        return memory._arranged(left.known())

    def _by_class(self, vectors: Rows, codes: Integers) -> Integers:
        """Return the exact numbers of tokens of each class and order."""
        lengths = vectors.lengths(len(self.orders))
        if _total(lengths) >= 2**63:
            raise ExampleError(TOO_MANY)
        sums = np.zeros((len(self.classes), len(self.orders)), np.int64)
        np.add.at(sums, codes, lengths)
        return sums

    def declare(self, classes: Array) -> "TokenCounts":
        """Return a memory that also knows some classes without examples."""
        return self._arranged(self.classes.declare(classes))

    def with_classes_of(self, labels: Array) -> "TokenCounts":
        """Return a memory that already knows the classes of these labels."""
        return self._arranged(self.classes.including(labels))

    def restrict(self, classes: Array) -> "TokenCounts":
        """Return a memory that has learnt only the examples of some classes."""
        return self._arranged(self.classes.restricted(classes))

    def merge(self, other: "TokenCounts") -> "TokenCounts":
        """Return a memory of the examples of both, with the chosen numbers of the larger one.

        A class that these were not chosen for has those of the other.
        """
        classes = self.classes.merged(other.classes)
        mine, theirs = self._arranged(classes), other._arranged(classes)
        tokens = _sum(mine.tokens, theirs.tokens)  # first: it refuses too many
        first, second = (mine, theirs) if _rank(self) >= _rank(other) else (theirs, mine)
        is_later = np.isnan(first.biases)
        merged = replace(
            mine,
            buckets=mine.buckets.merged(theirs.buckets),
            tokens=tokens,
            weights=first.weights,
            own_weights=np.where(is_later[:, None], second.own_weights, first.own_weights),
            biases=np.where(is_later, second.biases, first.biases),
            crosses=_merged_crosses(first, second),
            later=first.later,
        )
        return merged._smoothed(first.smoothing)

    def _smoothed(self, smoothing: float) -> "TokenCounts":
        if smoothing == self.smoothing:
            return self
        return replace(self, buckets=self.buckets.with_smoothing(smoothing))

    # Answers.

    def _totals(self, question: Question) -> native.ClassTotals:
        return self._totals_with_priors if question.with_priors else self._totals_without

    @cached_property
    def _totals_with_priors(self) -> native.ClassTotals:
        # Classes that came after biases were chosen stand between the others.
        is_chosen = not np.isnan(self.biases).all()
        return self._make_totals(self.biases, 0.0 if is_chosen else PRIOR_WEIGHT)

    @cached_property
    def _totals_without(self) -> native.ClassTotals:
        return self._make_totals(np.where(np.isnan(self.biases), np.nan, 0.0), 0.0)

    def _make_totals(self, biases: Floats, prior_weight: float) -> native.ClassTotals:
        return native.ClassTotals(
            self.classes.counts,
            np.ascontiguousarray(self.tokens).ravel(),
            len(self.orders),
            (self.weights + self.own_weights).T.ravel(),
            biases,
            prior_weight,
            self.smoothing,
            np.ascontiguousarray(self.crosses).ravel(),
            self.later,
        )

    def compare(self, vectors: Asked, question: Question) -> Ranking:
        """Return the two likeliest classes and their probabilities."""
        return self._compare(vectors, question, None)

    def compare_without(self, vectors: Asked, labels: Array, question: Question) -> Ranking:
        """Return the two likeliest classes in the memory that never learnt a text."""
        codes = self.classes.codes_to_leave_out(labels)
        try:
            return self._compare(vectors, question, codes)
        except native.Failure as failure:
            if failure.status != native.Status.out_of_range:
                raise
            raise not_left_out(failure.position, labels) from None

    def _compare(self, vectors: Asked, question: Question, left_out: Integers | None) -> Ranking:
        winners, scores, shares, others, other_scores, other_shares = self.buckets.best(
            self._totals(question),
            vectors,
            None if left_out is None else left_out.astype(np.uint32),
            question.threads,
        )
        none = np.empty((len(winners), 0))
        return Ranking(
            winners,
            winners,
            shares,
            others,
            others,
            other_shares,
            none.astype(np.int64),
            none,
            evidence=scores,
            runner_up_evidence=other_scores,
        )

    def decisions(self, vectors: Asked, question: Question) -> Floats:
        """Return the logarithm of the odds of each class, up to a number of the text.

        It is -inf for a class without examples.
        """
        scores: Floats = self.buckets.scores(
            self._totals(question), vectors, None, question.threads
        )
        return scores

    def probabilities(self, vectors: Asked, question: Question) -> Floats:
        """Return the probabilities of the classes."""
        return softmax(self.decisions(vectors, question))

    def token_shares(
        self, hashing: TokenBuckets, tokens: Sequence[str], weights: Floats, rows: Sequence[int]
    ) -> Floats:
        """Return the share of each token of a text in the scores of some classes."""
        buckets, orders = hashing.places(tokens)
        times, which, sharing = weights.astype(np.int64), slice(None), np.ones(1)
        if hashing.binary:  # tokens that share a bucket count once, together
            keys = orders.astype(np.uint64) << np.uint64(32) | buckets
            _, first, which, sharing = np.unique(
                keys, return_index=True, return_inverse=True, return_counts=True
            )
            buckets, orders, times, sharing = (
                buckets[first], orders[first], times[first], sharing[which],
            )  # fmt: skip
        shares = np.empty((len(rows), len(tokens)))
        for i, row in enumerate(rows):
            own = self.buckets.explain(self._totals_with_priors, buckets, orders, times, row)
            shares[i] = own[which] / sharing
        return shares

    def prior(self, row: int, question: Question) -> float:
        """Return the part of the score of a class that belongs to no token."""
        return float(self._totals(question).start(row))

    def chosen(self) -> dict[str, float]:
        """Return the smoothing, the weights of views, and what is added to them for classes."""
        views = [f"{order}, {kind}" for order in self.orders for kind in ("rare", "common")]
        numbers = {"smoothing": self.smoothing, "bias of later classes": self.later}
        numbers |= {
            f"weight of {view}": weight
            for view, weight in zip(views, self.weights.tolist(), strict=True)
        }
        chosen = ~np.isnan(self.biases)  # a class that came later has none
        labels = self.classes.labels[chosen].tolist()
        for label, bias in zip(labels, self.biases[chosen].tolist(), strict=True):
            numbers[f"bias of {label}"] = bias
        for label, row in zip(labels, self.own_weights[chosen].tolist(), strict=True):
            for view, weight in zip(views, row, strict=True):
                numbers[f"weight of {view} for {label}"] = weight
        for view, crosses in zip(views, self.crosses.tolist(), strict=True):
            for source, row in zip(labels, crosses, strict=False):
                for label, weight in zip(labels, row, strict=True):
                    numbers[f"weight of {view} of {source} for {label}"] = weight
        return numbers

    def example(self, position: int) -> tuple[int, str | None]:
        """Refuse: no example is kept."""
        raise IndexError("Counts keep no examples.")

    # The numbers chosen by leave-one-out.

    def tuned(
        self, vectors: Rows, labels: Array, question: Question, is_auto: bool
    ) -> "TokenCounts":
        """Return a memory with the best-fitting smoothing, weights and biases.

        `vectors` are examples that were learnt. Too few of them change nothing.
        """
        known = self.classes.counts > 0
        if len(labels) < LEAST_EXAMPLES or known.sum() < 2:
            return self
        # One that is alone in its class cannot be judged.
        judged = self.classes.counts[self.classes.codes_to_leave_out(labels)] > 1
        if judged.sum() < LEAST_EXAMPLES:
            return self
        memory = self
        if is_auto:
            some = np.arange(min(len(labels), MOST_JUDGES))
            memory = self._best_smoothed(vectors.part(some), labels[some], question)
        task = memory._task(vectors, labels, question)
        fitted = memory._fitted(task, question)
        # A class that comes later keeps the usual weights.
        own_weights = np.zeros((len(known), len(memory.weights)))
        own_weights[known] = fitted.weights - memory.weights + fitted.own_weights
        biases = np.full(len(known), np.nan)
        biases[known] = fitted.biases
        memory = replace(
            memory,
            own_weights=own_weights,
            biases=biases,
            crosses=fitted_crosses(task, fitted),
        )
        return replace(memory, later=memory._bias_of_later(vectors, labels, question))

    def _bias_of_later(self, vectors: Rows, labels: Array, question: Question) -> float:
        """Return what lessons show: classes are left out in turn, and taught by few examples."""
        leads = []
        for lesson in lessons_of(self.classes.codes(labels)):
            others = np.delete(self.classes.labels, lesson.code)
            taught, asked = lesson.taught, labels[lesson.asked]
            pupil = replace(self.restrict(others), later=0.0)
            pupil = pupil.learn(vectors.part(taught), labels[taught])
            codes = pupil.classes.codes(asked)
            scores = pupil.buckets.scores(
                pupil._totals(question),
                vectors.part(lesson.asked),
                codes.astype(np.uint32),
                question.threads,
            )
            new = pupil.classes.codes(labels[taught[:1]])[0]
            own = scores[:, new].copy()
            scores[:, new] = -np.inf
            is_right = scores.argmax(axis=1) == codes
            leads.append(np.where(is_right, own - scores.max(axis=1), -np.inf))
        bias = bias_of_leads(np.concatenate([np.empty(0), *leads]))
        return round(bias / GRID) * GRID

    def _best_smoothed(self, vectors: Rows, labels: Array, question: Question) -> "TokenCounts":
        """Return a memory with the smoothing that fits best, seen from the usual one."""

        def tried(position: int) -> tuple[float, TokenCounts]:
            memory = self._smoothed(SMOOTHINGS[position])
            task = memory._task(vectors, labels, question)
            return memory._fitted(task, question).loss, memory

        usual = SMOOTHINGS.index(USUAL_SMOOTHING)
        loss, best = tried(usual)
        for way in (range(usual - 1, -1, -1), range(usual + 1, len(SMOOTHINGS))):
            for position in way:
                next_loss, memory = tried(position)
                if next_loss >= loss:
                    break
                loss, best = next_loss, memory
            if best.smoothing != USUAL_SMOOTHING:
                break
        return best

    def _task(self, vectors: Rows, labels: Array, question: Question) -> Task:
        """Return what there is to fit, for the classes that have examples."""
        counts = self.classes.counts
        known = counts > 0
        views, codes = self.left_out_views(vectors, labels, question)
        judged = counts[codes] > 1
        return Task(
            views[judged][:, :, known], (np.cumsum(known) - 1)[codes[judged]], counts[known]
        )

    def _fitted(self, task: Task, question: Question) -> Fitted:
        return fitted_weights(task, usual_weights(self.orders), question.with_priors)

    def left_out_views(
        self, vectors: Rows, labels: Array, question: Question
    ) -> tuple[Floats, Integers]:
        """Return the views of learnt examples, each as if it had never been, and their classes.

        The views have a row for each order, rare and common, and a column for each class.
        """
        codes = self.classes.codes_to_leave_out(labels)
        try:
            views: Floats = self.buckets.views(
                self._totals(question), vectors, codes.astype(np.uint32), question.threads
            )
        except native.Failure as failure:
            if failure.status != native.Status.out_of_range:
                raise
            raise not_left_out(failure.position, labels) from None
        return views.reshape(len(codes), 2 * len(self.orders), len(self.classes)), codes

    # Copies and files.

    def __reduce__(self) -> tuple[Any, ...]:
        chosen = (self.weights, self.own_weights, self.biases, self.crosses, self.later)
        own = (self.tokens, self.classes, self.n_features, self.orders, *chosen)
        return _restored, (self.buckets.to_bytes(), self.smoothing, *own)

    def parts(self) -> dict[str, Array]:
        """Return all of the memory as arrays."""
        return self.classes.parts() | {
            "buckets": self.buckets.to_bytes(),
            "tokens": self.tokens,
            "counts": self.classes.counts,
            "scale": np.concatenate(
                [
                    [self.smoothing, self.later],
                    self.weights,
                    self.own_weights.ravel(),
                    self.biases,
                    self.crosses.ravel(),
                ]
            ),
        }

    @classmethod
    def from_parts(cls, parts: Parts, n_features: int, keeping: Keeping) -> "TokenCounts":
        """Return the memory that `parts` came from."""
        classes, orders = Classes.from_parts(parts), keeping.orders
        require(len(classes) <= MOST_CLASSES, "number of classes")
        tokens = parts.take("tokens", "<i8", len(classes), len(orders))
        require(bool((tokens >= 0).all()) and _total(tokens) < 2**63, "numbers of tokens")
        n_views = 2 * len(orders)
        sizes = (2, n_views, n_views * len(classes), len(classes))
        scale = parts.take("scale", "<f8", None)
        require(len(scale) >= sum(sizes), "number of weights")
        single, weights, own_weights, biases, crosses = np.split(scale, np.cumsum(sizes))
        smoothing, later = single.tolist()
        n_crossed = 0 if len(crosses) == 0 else int((~np.isnan(biases)).sum())
        require(len(crosses) == n_views * n_crossed**2, "number of weights")
        require(bool((np.abs(crosses) <= MOST_NATS).all()), "weights between classes")
        require(1e-6 <= smoothing <= 1e6, "smoothing")
        require(abs(later) <= MOST_LATER, "bias of later classes")
        require(bool((np.abs(weights) <= MOST_NATS).all()), "weights")
        require(bool((np.abs(own_weights) <= MOST_NATS).all()), "weights of classes")
        require(bool((np.isnan(biases) | (np.abs(biases) <= MOST_NATS)).all()), "biases")
        coded = parts.take("buckets", "|u1", None)
        try:
            buckets, sums = native.ClassCounts.from_bytes(
                coded, n_features, len(classes), smoothing
            )
        except native.Failure:
            raise ValueError("its counts of buckets are damaged") from None
        require(
            np.array_equal(sums, tokens.sum(axis=1)),
            "counts: those of buckets do not add up to those of tokens",
        )
        require(not tokens[classes.counts == 0].any(), "tokens of a class without examples")
        own = own_weights.reshape(len(classes), n_views)
        crosses = crosses.reshape(n_views, n_crossed, n_crossed)
        chosen = (weights, own, biases, crosses, later)
        return cls(buckets, tokens, classes, n_features, orders, *chosen)


def _restored(coded: Array, smoothing: float, tokens: Array, *rest: Any) -> TokenCounts:
    n_features = rest[1]
    buckets, _ = native.ClassCounts.from_bytes(coded, n_features, len(tokens), smoothing)
    return TokenCounts(buckets, tokens, *rest)


def _merged_crosses(first: TokenCounts, second: TokenCounts) -> Floats:
    """Return the crosses of classes of the first, and of those that are chosen in the second only.

    There are none between the two, and none at all if they were too many.
    """
    chosen = [~np.isnan(memory.biases) for memory in (first, second)]
    places = np.cumsum(chosen[0] | chosen[1]) - 1
    n_views, n_crossed = len(first.weights), int((chosen[0] | chosen[1]).sum())
    if n_crossed > MOST_CROSSED or not (first.crosses.size or second.crosses.size):
        return np.empty((n_views, 0, 0))
    crosses = np.zeros((n_views, n_crossed, n_crossed))
    for memory, own, kept in (
        (second, chosen[1], chosen[1] & ~chosen[0]),
        (first, chosen[0], chosen[0]),
    ):
        if memory.crosses.size:
            left = kept[own]
            at = places[kept]
            crosses[:, at[:, None], at] = memory.crosses[:, left][:, :, left]
    return crosses


def _rank(memory: TokenCounts) -> tuple[int, int, float, bytes]:
    """Return what decides whose numbers a merged memory has."""
    chosen = int(memory.classes.counts[~np.isnan(memory.biases)].sum())
    examples = int(memory.classes.counts.sum())
    return chosen, examples, memory.smoothing, memory.own_weights.tobytes()


def _total(values: Integers) -> int:
    """Return the exact sum of numbers that are not negative."""
    return (int((values >> 32).sum()) << 32) + int((values & 0xFFFFFFFF).sum())


def _sum(a: Integers, b: Integers) -> Integers:
    if _total(a) + _total(b) >= 2**63:
        raise ExampleError(TOO_MANY)
    return a + b


def _not_learnt(label: Any) -> ExampleError:
    return ExampleError(
        f"The examples to forget of the label {label!r} are not those that were learnt; nothing"
        " was forgotten."
    )

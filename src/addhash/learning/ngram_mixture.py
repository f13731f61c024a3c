"""A memory for very many unequal classes: each is mixed with what all of them share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from addhash.errors import ExampleError
from addhash.files.parts import Parts, json_part, require
from addhash.hashing.letter_sequences import LetterSequences
from addhash.learning.classes import Classes, not_left_out
from addhash.learning.memory import Keeping, Question, Ranking
from addhash.runtime import native

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

N_SCRIPTS = len(native.script_names())
TOO_MANY = "The counts of n-grams add up to 2**63 or more."


class Trait(NamedTuple):
    """What a class is known for before any text: numbers that are chosen, not learnt."""

    prior: float = -4.0  # bits, at most 0
    is_rare: bool = False  # never an answer unless asked for
    group: str | None = None  # classes that are hard to tell apart; None stands for the class alone


class Rule(NamedTuple):
    """How evidence becomes a probability."""

    prior_weight: float = 6.0  # of a text without n-grams
    prior_ngrams: float = 70.0  # at so many n-grams, the prior counts half
    rate: float = 0.08  # nats per bit of evidence, in a short text
    rate_ngrams: float = 35.0  # at so many n-grams, evidence counts half
    least_evidence: float = 1.1  # bits per n-gram; a short text with less is in no class


@dataclass(frozen=True, eq=False)
class NgramMixture:
    """Exact counts of the words of each class and of the letter sequences in them.

    A class has an n-gram with the probability 0.95 p(n-gram | class) + 0.05 p(n-gram), where the
    latter is the mean over the classes. So an n-gram is evidence for the classes that have it, and
    says nothing about the others, whether they learnt much or little. p(n-gram | class) counts
    3,000 n-grams more than were learnt: a class is believed when it has a page of text.
    """

    counts: native.NgramCounts
    totals: Integers  # of n-grams, a row per class and a column per script
    classes: Classes
    traits: Mapping[str, Trait] = field(default_factory=dict)
    rule: Rule = field(default_factory=Rule)

    @classmethod
    def empty(cls, n_features: int, keeping: Keeping) -> "NgramMixture":
        """Return a memory without examples."""
        return cls(native.NgramCounts(), np.empty((0, N_SCRIPTS), np.int64), Classes())

    # Changes.

    def _arranged(self, classes: Classes) -> "NgramMixture":
        """Return the counts for other classes; counts of classes not among them are lost."""
        if classes.labels is self.classes.labels:
            return self if classes is self.classes else replace(self, classes=classes)
        if len(classes) > native.MOST_CLASSES:
            raise ExampleError(
                f"Expected at most {native.MOST_CLASSES} classes, got {len(classes)}."
            )
        places = classes.codes(self.classes.labels)
        kept = places >= 0
        totals = np.zeros((len(classes), N_SCRIPTS), np.int64)
        totals[places[kept]] = self.totals[kept]
        counts = self.counts
        if not np.array_equal(places, np.arange(len(places))):
            numbers = np.where(kept, places, native.MOST_CLASSES).astype(np.uint16)
            counts = counts.relabeled(numbers)
        return replace(self, counts=counts, totals=totals, classes=classes)

    def learn(
        self, vectors: list[str], labels: Array, texts: Any = None, threads: int = 1
    ) -> "NgramMixture":
        """Return a memory that has learnt more examples."""
        memory = self.with_classes_of(labels)
        codes = memory.classes.codes(labels)
        learnt = memory.classes.learnt(codes)
        try:
            return replace(memory._changed(vectors, codes, 1), classes=learnt).offering(labels)
        except native.Failure:
            raise ExampleError(TOO_MANY) from None

    def offering(self, labels: Array) -> "NgramMixture":
        """Return a memory in which no class of these labels is rare: it was taught."""
        taught = {label for label in set(labels.tolist()) if self.trait(label).is_rare}
        if not taught:
            return self
        usual = {label: Trait(group=self.trait(label).group) for label in taught}
        return replace(self, traits={**self.traits, **usual})

    def forget(
        self, vectors: list[str], labels: Array, texts: Any = None, threads: int = 1
    ) -> "NgramMixture":
        """Return a memory without some examples, if the counts can contain them."""
        codes = self.classes.codes_to_forget(labels)
        left = self.classes.forgotten(codes)
        try:
            memory = replace(self._changed(vectors, codes, -1), classes=left)
        except native.Failure as failure:
            raise _not_learnt(left.label(failure.position)) from None
        wrong = (memory.totals < 0).any(axis=1) | ((left.counts == 0) & memory.totals.any(axis=1))
        for code in np.flatnonzero(wrong).tolist():
            raise _not_learnt(left.label(code))
        return memory._arranged(left.known())

    def _changed(self, texts: list[str], codes: Integers, sign: int) -> "NgramMixture":
        """Return counts with the n-grams of texts added or taken away; Failure if impossible."""
        totals = self.totals.copy()
        keys, labels, changes = [], [], []
        for code in np.unique(codes).tolist():
            own = [texts[i] for i in np.flatnonzero(codes == code).tolist()]
            found, sums = native.tally_ngrams(own, np.full(len(own), 1, np.int64))
            np.add.at(totals[code], (found >> np.uint64(32)).astype(np.intp), sign * sums)
            keys.append(found)
            labels.append(np.full(len(found), code, np.uint16))
            changes.append(sign * sums)
        if not keys:
            return self
        counts = self.counts.changed(
            np.concatenate(keys), np.concatenate(labels), np.concatenate(changes)
        )
        return replace(self, counts=counts, totals=totals)

    def with_classes_of(self, labels: Array) -> "NgramMixture":
        """Return a memory that already knows the classes of these labels."""
        return self._arranged(self.classes.including(labels))

    def declare(self, classes: Array) -> "NgramMixture":
        """Return a memory that also knows some classes without examples."""
        return self._arranged(self.classes.declare(classes))

    def restrict(self, classes: Array) -> "NgramMixture":
        """Return a memory that has learnt only the examples of some classes."""
        return self._arranged(self.classes.restricted(classes))

    def merge(self, other: "NgramMixture") -> "NgramMixture":
        """Return a memory of the examples of both; of different traits, its own are kept."""
        classes = self.classes.merged(other.classes)
        mine, theirs = self._arranged(classes), other._arranged(classes)
        try:
            counts = mine.counts.changed(*theirs.counts.unpacked())
        except native.Failure:
            raise ExampleError(TOO_MANY) from None
        traits = {**other.traits, **self.traits}
        totals = mine.totals + theirs.totals
        return replace(mine, counts=counts, totals=totals, classes=classes, traits=traits)

    def tuned(
        self, vectors: Any, labels: Array, question: Question, is_auto: bool
    ) -> "NgramMixture":
        """Return itself, if it contains the examples: its numbers are chosen for all languages."""
        self.classes.codes_to_leave_out(labels)
        try:
            self.forget(vectors, labels)
        except ExampleError:
            raise ExampleError(
                "Expected texts that were learnt, with the labels they were learnt with."
            ) from None
        return self

    # Answers.

    @cached_property
    def detector(self) -> native.Detector:
        """What answers, without the rare classes."""
        return self._compiled(with_rare=False)

    @cached_property
    def full_detector(self) -> native.Detector:
        """What answers if rare classes were asked for."""
        return self._compiled(with_rare=True) if self._is_rare.any() else self.detector

    def _compiled(self, with_rare: bool) -> native.Detector:
        labels = self.classes.labels.tolist()
        traits = [self.trait(label) for label in labels]
        names = [
            label if t.group is None else t.group for label, t in zip(labels, traits, strict=True)
        ]
        first: dict[Any, int] = {}
        groups = [first.setdefault(name, i) for i, name in enumerate(names)]
        return native.Detector.of_counts(
            self.counts,
            self.totals.reshape(-1),
            self._is_rare,
            self._priors.reshape(-1),
            np.array(groups, np.uint16),
            with_rare,
        )

    @property
    def _priors(self) -> Floats:
        """The prior of each class in each script, in bits: less where it seldom writes so."""
        codes, scripts = np.nonzero(self.totals)
        shares = self.totals[codes, scripts] / self.totals.sum(axis=1, dtype=np.float64)[codes]
        logarithms = np.append(shares, 2.0)
        native.logarithms(logarithms)
        bits = np.zeros(self.totals.shape)
        bits[codes, scripts] = (logarithms[:-1] / logarithms[-1]).round(2)
        own = np.array([[self.trait(label).prior] for label in self.classes.labels.tolist()])
        bits += own.reshape(-1, 1)
        return bits

    @cached_property
    def _is_rare(self) -> npt.NDArray[np.uint8]:
        return np.array([self.trait(x).is_rare for x in self.classes.labels.tolist()], np.uint8)

    @cached_property
    def numbers(self) -> Floats:
        """The rule as an array."""
        return np.array(self.rule, np.float64)

    def trait(self, label: Any) -> Trait:
        """Return what a class is known for."""
        return self.traits.get(label, Trait()) if isinstance(label, str) else Trait()

    def compare(self, vectors: list[str], question: Question) -> Ranking:
        """Return the two likeliest classes and their probabilities."""
        found, shares, _, _, _ = self.detector.detect(
            vectors, self.numbers, None, 2, question.threads
        )
        winners, others = found.astype(np.int64).T
        scores, other_scores = shares.T.copy()
        # A text without letters says nothing: the likeliest class beforehand.
        usual = max(range(len(self.classes)), key=lambda i: self.trait(self.classes.label(i)).prior)
        scores[winners < 0] = 1 / len(self.classes)
        winners = np.where(winners < 0, usual, winners)
        other_scores[others < 0] = np.nan
        none = np.empty((len(winners), 0))
        return Ranking(
            winners, winners, scores, others, others, other_scores, none.astype(np.int64), none
        )

    def compare_without(self, vectors: list[str], labels: Array, question: Question) -> Ranking:
        """Return the two likeliest classes in the memory that never learnt a text."""
        self.classes.codes_to_leave_out(labels)
        rows = []
        for i, text in enumerate(vectors):
            try:
                without = self.forget([text], labels[i : i + 1])._arranged(self.classes)
            except ExampleError:
                raise not_left_out(i, labels) from None
            rows.append(without.compare([text], question))
        columns = ([getattr(row, name) for row in rows] for name in Ranking.__dataclass_fields__)
        joined: list[Any] = [
            None if column[0] is None else np.concatenate(column) for column in columns
        ]
        return Ranking(*joined)

    def decisions(self, vectors: list[str], question: Question) -> Floats:
        """Return the evidence for each class in bits, with its prior."""
        evidence, ngrams, scripts = self.detector.evidence(vectors, question.threads)
        bits = evidence.astype(np.float64) * native.EVIDENCE_UNIT
        for row, count, script in zip(bits, ngrams.tolist(), scripts.tolist(), strict=True):
            row += [self._prior(code, script, count) for code in range(len(row))]
        return bits

    def probabilities(self, vectors: list[str], question: Question) -> Floats:
        """Return the probabilities of the classes; equal ones for a text without letters."""
        size = len(self.classes)
        found, shares, _, _, _ = self.detector.detect(
            vectors, self.numbers, None, size, question.threads
        )
        result = np.zeros((len(vectors), size))
        for row, codes, own in zip(result, found, shares, strict=True):
            known = codes >= 0
            row[codes[known]] = own[known]
            if not known.any():
                row[:] = 1 / size
        return result

    def token_shares(
        self, hashing: LetterSequences, tokens: Sequence[str], weights: Floats, rows: Sequence[int]
    ) -> Floats:
        """Return each token's share of the evidence for classes, in bits; a row per class."""
        keys = hashing.keys(tokens)
        units = np.array([self.detector.weights(keys, row) for row in rows])
        shares: Floats = units * weights * native.EVIDENCE_UNIT
        return shares

    def prior(self, row: int, question: Question) -> float:
        """Return the part of the evidence for a class that belongs to no token, in bits."""
        _, ngrams, scripts = self.detector.evidence([question.text], 1)
        return self._prior(row, int(scripts[0]), int(ngrams[0]))

    def _prior(self, code: int, script: int, ngrams: int) -> float:
        return float(self.detector.prior(code, script, self.numbers, ngrams))

    def chosen(self) -> dict[str, float]:
        """Return the numbers of the rule."""
        return {name.replace("_", " "): value for name, value in self.rule._asdict().items()}

    def example(self, position: int) -> tuple[int, str | None]:
        """Refuse: no example is kept."""
        raise IndexError("Counts keep no examples.")

    # Copies and files.

    def __reduce__(self) -> tuple[Any, ...]:
        own = (self.totals, self.classes, dict(self.traits), self.rule)
        return _restored, (self.counts.bytes(), *own)

    def parts(self) -> dict[str, Array]:
        """Return all of the memory as arrays."""
        codes, scripts = np.nonzero(self.totals)
        names = native.script_names()
        written = [
            [int(c), names[s], int(self.totals[c, s])] for c, s in zip(codes, scripts, strict=True)
        ]
        return {
            "ngrams": self.counts.bytes(),
            "totals": json_part(written),
            "counts": self.classes.counts,
            **self.classes.parts(),
            "scale": json_part({"rule": list(self.rule), "traits": self.traits}),
        }

    @classmethod
    def from_parts(cls, parts: Parts, n_features: int, keeping: Keeping) -> "NgramMixture":
        """Return the memory that `parts` came from."""
        classes = Classes.from_parts(parts)
        require(len(classes) <= native.MOST_CLASSES, "number of classes")
        packed = parts.take("ngrams", "|u1", None)
        try:
            counts = native.NgramCounts.from_bytes(packed, len(classes))
        except native.Failure:
            raise ValueError("its counts of n-grams are damaged") from None
        totals = np.zeros((len(classes), N_SCRIPTS), np.int64)
        places = {name: i for i, name in enumerate(native.script_names())}
        for code, script, total in parts.json("totals"):
            require(type(code) is int and 0 <= code < len(classes), "totals")
            require(type(total) is int and 0 < total < 2**53, "totals")
            totals[code, places[script]] = total
        scale = parts.json("scale")
        rule = Rule(*(float(number) for number in scale["rule"]))
        require(all(0 <= number < 1e9 for number in rule), "scale")
        require(min(rule.prior_ngrams, rule.rate, rule.rate_ngrams) > 0, "scale")
        traits = {code: Trait(*values) for code, values in scale["traits"].items()}
        for trait in traits.values():
            require(type(trait.is_rare) is bool and -1e3 <= trait.prior <= 0, "scale")
            require(trait.group is None or type(trait.group) is str, "scale")
        return cls(counts, totals, classes, traits, rule)


def _restored(packed: Any, totals: Integers, classes: Classes, *rest: Any) -> NgramMixture:
    counts = native.NgramCounts.from_bytes(packed, len(classes))
    return NgramMixture(counts, totals, classes, *rest)


def _not_learnt(label: Any) -> ExampleError:
    return ExampleError(
        f"The examples to forget of the label {label!r} are not those that were learnt; nothing"
        " was forgotten."
    )

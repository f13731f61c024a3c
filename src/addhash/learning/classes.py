"""The classes of a memory, and how many examples each has."""

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from addhash.arrays import Array, Integers
from addhash.errors import ExampleError, ModelFileError
from addhash.files.parts import Parts, json_part, require
from addhash.learning.labels import as_labels, joined_classes, numbered


def _none() -> Integers:
    return np.empty(0, np.int64)


@dataclass(frozen=True, eq=False)
class Classes:
    """Labels, sorted and each once, with the number of examples of each.

    A class without examples is there if it was `declared`, or if its examples are about to come.
    Classes are immutable; a change returns new ones. If it adds no label and takes none away, the
    `labels` are the same array, so ``after.labels is before.labels`` says that codes still hold.

    Examples
    --------
    >>> import numpy as np
    >>> from addhash.learning.classes import Classes
    >>> classes = Classes().including(np.array(["b", "a"]))
    >>> classes.learnt(classes.codes(np.array(["b", "b"]))).counts.tolist()
    [0, 2]
    """

    labels: Array = field(default_factory=_none)
    counts: Integers = field(default_factory=_none)
    declared: Array | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def codes(self, labels: Array) -> Integers:
        """Return the position of each label among the classes, -1 if absent."""
        return numbered(labels, self.labels)

    def label(self, code: int) -> Any:
        """Return a label as a Python object."""
        return self.labels[code : code + 1].tolist()[0]

    # Changes.

    def including(self, labels: Array) -> "Classes":
        """Return classes that already know these labels."""
        joined = joined_classes(self.labels, labels)
        return self if joined is self.labels else self._arranged(joined)

    def declare(self, labels: Array) -> "Classes":
        """Return classes of which these stay, with or without examples."""
        declared = joined_classes(self.declared, labels)
        return replace(self.including(declared), declared=declared)

    def learnt(self, codes: Integers) -> "Classes":
        """Return classes with one more example for each code."""
        return replace(self, counts=self.counts + np.bincount(codes, minlength=len(self)))

    def codes_to_forget(self, labels: Array) -> Integers:
        """Return the codes of examples to forget, or raise an ExampleError if there are fewer."""
        codes = self.codes(labels)
        unknown = np.flatnonzero(codes < 0)
        if len(unknown):
            raise _too_few(labels[unknown[:1]].tolist()[0], len(unknown), 0)
        wanted = np.bincount(codes, minlength=len(self))
        for code in np.flatnonzero(wanted > self.counts).tolist():
            raise _too_few(self.label(code), int(wanted[code]), int(self.counts[code]))
        return codes

    def forgotten(self, codes: Integers) -> "Classes":
        """Return classes with one example less for each code; none is taken away."""
        return replace(self, counts=self.counts - np.bincount(codes, minlength=len(self)))

    def known(self) -> "Classes":
        """Return the classes that have examples or were declared."""
        kept = self.counts > 0
        if self.declared is not None:
            kept |= numbered(self.labels, self.declared) >= 0
        return self if kept.all() else self._arranged(self.labels[kept])

    def merged(self, other: "Classes") -> "Classes":
        """Return the classes of both, with the examples of both."""
        joined = joined_classes(self.labels, other.labels)
        mine, theirs = self._arranged(joined), other._arranged(joined)
        # Sums of Python integers do not overflow.
        if sum(mine.counts.tolist()) + sum(theirs.counts.tolist()) >= 2**63:
            raise ExampleError("The numbers of examples add up to 2**63 or more.")
        declared = self.declared
        if other.declared is not None:
            declared = joined_classes(declared, other.declared)
        return Classes(joined, mine.counts + theirs.counts, declared)

    def restricted(self, labels: Array) -> "Classes":
        """Return only some of the classes, which must be sorted."""
        declared = self.declared
        if declared is not None:
            # None again if none is left: the history must leave no trace.
            kept = numbered(declared, labels) >= 0
            declared = declared[kept] if kept.any() else None
        return replace(self._arranged(labels), declared=declared)

    def _arranged(self, labels: Array) -> "Classes":
        """Return the counts for other sorted labels; those of the rest are lost."""
        if labels is self.labels:
            return self
        counts = np.zeros(len(labels), np.int64)
        codes = numbered(self.labels, labels)
        counts[codes[codes >= 0]] = self.counts[codes >= 0]
        return replace(self, labels=labels, counts=counts)

    # Questions.

    def codes_to_leave_out(self, labels: Array) -> Integers:
        """Return the codes of learnt examples, or raise an ExampleError."""
        codes = self.codes(labels)
        unknown = np.flatnonzero(codes < 0)
        if not len(unknown):
            unknown = np.flatnonzero(self.counts[codes] == 0)
        if len(unknown):
            raise not_left_out(int(unknown[0]), labels)
        return codes

    # Files.

    def parts(self) -> dict[str, Array]:
        """Return the labels as arrays; the counts are left to the memory, which may imply them."""
        return {"classes": _part(self.labels), "declared": _part(self.declared)}

    @classmethod
    def from_parts(cls, parts: Parts, codes: Integers | None = None) -> "Classes":
        """Return what `parts` came from, with counts of codes, or from the part "counts"."""
        labels = _labels(parts, "classes")
        labels = _none() if labels is None else labels
        declared = _labels(parts, "declared")
        if codes is None:
            # A view would keep the whole file in memory.
            counts = parts.take("counts", "<i8", len(labels)).copy()
            require(bool((counts >= 0).all()), "number of examples of a class")
            require(sum(counts.tolist()) < 2**63, "number of examples")
        else:
            require(bool(((codes >= 0) & (codes < len(labels))).all()), "labels")
            counts = np.bincount(codes, minlength=len(labels)).astype(np.int64)
        return cls(labels, counts, declared)


def not_left_out(position: int, labels: Array) -> ExampleError:
    """Return what to raise for an example that was not learnt with its label."""
    return ExampleError(
        f"Example {position} was not learnt with the label {labels.tolist()[position]!r}, so it"
        " cannot be left out."
    )


def _too_few(label: Any, wanted: int, known: int) -> ExampleError:
    examples = "1 example" if wanted == 1 else f"{wanted} examples"
    return ExampleError(
        f"Cannot forget {examples} of {label!r}: the model has {known}; nothing was forgotten."
    )


def _part(labels: Array | None) -> Array:
    """Return labels for a file; None means none at all."""
    values = None if labels is None else labels.tolist()
    for value in values or []:
        if not isinstance(value, str | int | float):
            raise ModelFileError(
                f"Cannot save the label {value!r:.80} of type {type(value).__name__};"
                " labels must be texts or numbers."
            )
    return json_part(values)


def _labels(parts: Parts, name: str) -> Array | None:
    """Return labels from a file, which must be sorted and each once."""
    values = parts.json(name)
    if values is None:
        return None
    require(isinstance(values, list), name)
    kinds = {type(value) for value in values}
    require(len(kinds) <= 1 and kinds <= {str, int, float, bool}, name)
    require(all(a < b for a, b in pairwise(values)), f"order of {name}")
    return as_labels(values) if values else _none()

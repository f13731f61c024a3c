"""A text classifier at one moment: how texts become vectors, and what was learnt from them."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from addhash.errors import DocumentError, ExampleError, ModelFileError, ParameterError
from addhash.files.parts import Parts, member
from addhash.hashing.additive import AdditiveHashing
from addhash.hashing.differences import raise_difference
from addhash.hashing.vectorizer import TextVectorizer
from addhash.learning.calibration import LEAST_EXAMPLES
from addhash.learning.class_sums import ClassSums
from addhash.learning.examples import Examples
from addhash.learning.labels import as_labels, joined_classes, numbered
from addhash.learning.leave_one_out import LeaveOneOut
from addhash.learning.memory import Comparison, Keeping, Memory, Question
from addhash.learning.token_counting import TokenCounting
from addhash.learning.token_counts import TokenCounts
from addhash.parameters import Method
from addhash.text.analysis import FUNCTIONS, Analysis
from addhash.text.reading import as_sequence, batches, check_iterable

__all__ = ["MOST_EXAMPLES", "TextModel", "sample"]

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

MEMORIES: dict[Method, type[Memory]] = {
    "bayes": TokenCounts,
    "nearest": Examples,
    "centroid": ClassSums,
}
BUCKETS = 2**20
# Limits for tuning a memory: examples, class scores and cosines.
MOST_EXAMPLES = 1000
MOST_SCORES = 1 << 22
MOST_COSINES = 1 << 28


@dataclass(frozen=True, eq=False)
class TextModel:
    """Everything a prediction reads. Immutable: learning and forgetting return a new one."""

    method: Method
    keep_texts: bool
    vectorizer: TextVectorizer
    analysis: Analysis
    hashing: AdditiveHashing | TokenCounting
    memory: Memory

    @classmethod
    def empty(
        cls,
        method: Method,
        keep_texts: bool,
        vectorizer: TextVectorizer,
        n_buckets: int = BUCKETS,
        smoothing: float | None = None,
    ) -> "TextModel":
        """Return a model without examples; later changes to the vectorizer do not affect it."""
        analysis = vectorizer.analysis()
        hashing: AdditiveHashing | TokenCounting = vectorizer.hashing()
        if method == "bayes":
            if vectorizer.weights is not None or vectorizer.sublinear_tf:
                raise ParameterError(
                    "The vectorizer of a TextClassifier with method='bayes' must have neither"
                    " 'weights' nor 'sublinear_tf': its counts already weigh the tokens. Use"
                    " method='nearest' or 'centroid' with them."
                )
            hashing = TokenCounting(n_buckets, bool(vectorizer.binary), analysis)
        memory = MEMORIES[method].empty(_width(hashing), Keeping(keep_texts, smoothing=smoothing))
        return cls(method, keep_texts, copy(vectorizer), analysis, hashing, memory)

    @cached_property
    def settings(self) -> dict[str, Any]:
        """What two models must share to be merged, as JSON."""
        return {
            "method": self.method,
            "keep_texts": self.keep_texts,
            "vectorizer": self.vectorizer.settings(),
        } | ({"n_buckets": _width(self.hashing)} if self.method == "bayes" else {})

    def changed(
        self, how: Literal["learn", "forget"], texts: Any, labels: Any, threads: int
    ) -> "TextModel":
        """Return a model that has learnt or forgotten examples."""
        texts, labels = _pairs(texts, labels)
        analysis = self.analysis
        if self.keep_texts:
            texts, analysis = _read(texts, analysis)
        memory, start = self.memory.expecting(labels) if how == "learn" else self.memory, 0
        change = {"learn": type(memory).learn, "forget": type(memory).forget}[how]
        for batch in batches(texts):
            vectors = self.hashing.of_texts(analysis, batch, threads)
            end = start + len(batch)
            kept = batch if self.keep_texts else None
            try:
                memory = change(memory, vectors, labels[start:end], kept, threads)
            except ExampleError as error:
                if start:
                    error.add_note(f"in the batch of examples from number {start} on")
                raise
            start = end
        return replace(self, memory=memory)

    def fitted(self, texts: Any, labels: Any, question: Question, is_auto: bool) -> "TextModel":
        """Return a model that has learnt examples, with its own numbers tuned to them."""
        texts, labels = _pairs(texts, labels)
        texts, analysis = _readable(texts, self.analysis)
        model = replace(self, analysis=analysis)
        learnt = model.changed("learn", texts, labels, question.threads)
        return replace(learnt.tuned(texts, labels, question, is_auto), analysis=self.analysis)

    def tuned(self, texts: Any, labels: Any, question: Question, is_auto: bool) -> "TextModel":
        """Return a model with its own numbers tuned to these examples, which it has learnt."""
        texts, labels = _pairs(texts, labels)
        texts, analysis = _readable(texts, self.analysis)
        size = min(MOST_EXAMPLES, MOST_SCORES // max(len(self.memory.classes), 1))
        if self.method == "nearest":
            size = min(size, MOST_COSINES // max(int(self.memory.counts.sum()), 1))
        if size < LEAST_EXAMPLES:
            return self
        chosen = sample(texts, labels.tolist(), size)
        some = [texts[i] for i in chosen]
        vectors = self.hashing.of_texts(analysis, some, question.threads)
        memory = self.memory.tuned(vectors, labels[chosen], question, is_auto)
        return replace(self, memory=memory)

    def restricted(self, labels: Any) -> "TextModel":
        """Return a model that has learnt only the examples of some classes."""
        classes = joined_classes(None, as_labels(labels))
        unknown = np.flatnonzero(numbered(classes, self.memory.classes) < 0)
        if len(unknown) or not len(classes):
            what = f"{classes.tolist()[unknown[0]]!r}" if len(unknown) else "none"
            raise ExampleError(f"Expected some of the classes of the classifier, got {what}.")
        return replace(self, memory=self.memory.restrict(classes))

    def declared(self, classes: Any) -> "TextModel":
        """Return a model that also knows some classes without examples."""
        return replace(self, memory=self.memory.declare(as_labels(classes)))

    def merged(self, other: "TextModel") -> "TextModel":
        """Return a model of the examples of both."""
        raise_difference(_flat(self.settings), _flat(other.settings))
        return replace(self, memory=self.memory.merge(other.memory))

    def check_asked(self, texts: Any) -> None:
        """Refuse anything but texts, and any question to a model without examples."""
        check_iterable(texts)
        if not self.memory.counts.any():
            raise ExampleError(
                "This TextClassifier has no examples left: all were forgotten. Call learn first."
            )

    def compared(self, texts: Iterable[Any], question: Question) -> Iterator[Comparison]:
        """Yield what texts are most similar to, batch by batch."""
        for batch in batches(texts):
            yield self.memory.compare(self._questions(batch, question), question)

    def _questions(self, batch: Sequence[Any], question: Question) -> Any:
        """Return texts in the form that the memory compares."""
        if isinstance(self.hashing, TokenCounting):
            return self.hashing.of_questions(self.analysis, batch, question.threads)
        return self.hashing.of_texts(self.analysis, batch, question.threads)

    def left_out(self, texts: Any, labels: Any, question: Question) -> LeaveOneOut:
        """Return how each learnt text is labelled by the model that never saw it."""
        texts, labels = _pairs(texts, labels)
        if not len(texts):
            raise DocumentError("Expected texts and a label for each, got 0 texts.")
        classes, found, scores, start = self.memory.classes.astype(object), [], [], 0
        for batch in batches(texts):
            part = labels[start : start + len(batch)]
            comparison = self.memory.compare_without(
                self._questions(batch, question), part, question
            )
            called = classes[comparison.winners]
            called[comparison.winners < 0] = None
            found.append(called)
            scores.append(comparison.scores)
            start += len(batch)
        return LeaveOneOut(
            labels, np.concatenate(found), np.concatenate(scores), self.memory.classes
        )

    def for_all_classes(
        self, what: Literal["decisions", "probabilities"], texts: Iterable[Any], question: Question
    ) -> Floats:
        """Return one number per text and class."""
        memory = self.memory
        ask = {"decisions": memory.decisions, "probabilities": memory.probabilities}[what]
        found = [ask(self._questions(batch, question), question) for batch in batches(texts)]
        return np.concatenate(found) if found else np.empty((0, len(memory.classes)))

    def digest(self) -> str:
        """Return a SHA-256 of everything that was learnt and of how texts become vectors."""
        digest = hashlib.sha256(repr(sorted(_flat(self.settings).items())).encode())
        for name, array in sorted(self.memory.parts().items()):
            if name == "scale":
                continue  # chosen, not learnt
            digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def parts(self) -> dict[str, Array]:
        """Return the memory as arrays, if the model can be saved."""
        if self.analysis.whole is not None:
            raise ModelFileError(
                f"Cannot save a vectorizer of the class {type(self.vectorizer).__name__}, which"
                " tokenizes in its own way; use an AdditiveHashingVectorizer, with a custom"
                " analyzer if need be."
            )
        for name in FUNCTIONS:
            function = getattr(self.analysis, name)
            if callable(function) and "<" in getattr(function, "__qualname__", "<"):
                raise ModelFileError(
                    f"Cannot save the function that the vectorizer has as its {name}: a lambda or"
                    " a nested function has no name by which to recognise it when it is passed"
                    " again. Define it with def at the top level of a module."
                )
        return self.memory.parts() | self.vectorizer.parts()

    @classmethod
    def from_parts(
        cls, parts: Parts, settings: Mapping[str, Any], key: Any, functions: Mapping[str, Any]
    ) -> "TextModel":
        """Return the model that settings and parts came from."""
        vectorizer = TextVectorizer.from_settings(
            member(settings, "vectorizer", dict), key, functions, parts
        )
        keep_texts = member(settings, "keep_texts", bool)
        method = member(settings, "method", str)
        if method not in MEMORIES:
            raise ValueError(f"its method is {method!r:.80}")
        try:
            buckets = member(settings, "n_buckets", int) if method == "bayes" else BUCKETS
            model = cls.empty(method, keep_texts, vectorizer, buckets)
        except ParameterError as error:
            raise ValueError(str(error)) from error
        memory = MEMORIES[model.method].from_parts(
            parts, _width(model.hashing), Keeping(keep_texts)
        )
        parts.finish()
        return replace(model, memory=memory)


def _pairs(texts: Any, labels: Any) -> tuple[Sequence[Any], Array]:
    """Return texts, and a label for each."""
    texts, labels = as_sequence(texts), as_labels(labels)
    if len(texts) != len(labels):
        raise DocumentError(
            f"Expected a label for each of {len(texts)} texts, got {len(labels)} labels."
        )
    return texts, labels


def _read(texts: Sequence[Any], analysis: Analysis) -> tuple[Sequence[Any], Analysis]:
    """Return texts as str, and a vectorizer for them."""
    return [analysis.decode(text, i) for i, text in enumerate(texts)], analysis.for_content()


def _readable(texts: Sequence[Any], analysis: Analysis) -> tuple[Sequence[Any], Analysis]:
    """Return texts that can be read again: an open file has nothing to read a second time."""
    return (texts, analysis) if analysis.input == "content" else _read(texts, analysis)


def _flat(settings: Mapping[str, Any]) -> dict[str, Any]:
    flat = {name: value for name, value in settings.items() if name != "vectorizer"}
    return flat | {f"vectorizer.{name}": v for name, v in settings["vectorizer"].items()}


def _width(hashing: AdditiveHashing | TokenCounting) -> int:
    if isinstance(hashing, TokenCounting):
        return hashing.n_buckets
    return hashing.configuration.n_features


def sample(texts: Sequence[Any], labels: Sequence[Any], size: int) -> list[int]:
    """Return the positions of up to `size` examples: the same ones in whatever order they come."""

    def key(i: int) -> bytes:
        text = texts[i]
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(text)
        return hashlib.blake2b(data + b"\0" + repr(labels[i]).encode(), digest_size=8).digest()

    return sorted(range(len(texts)), key=key)[:size]

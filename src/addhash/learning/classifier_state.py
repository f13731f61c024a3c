"""A text classifier at one moment: how texts become vectors, and what was learnt from them."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any, Literal

import numpy as np

from addhash.arrays import Array, Floats
from addhash.errors import DocumentError, ExampleError, ModelFileError, ParameterError
from addhash.files.parts import Parts, member
from addhash.files.saved_model import values_of_file
from addhash.hashing.letter_sequences import LetterSequences
from addhash.hashing.protocol import TextHashing
from addhash.hashing.token_buckets import TokenBuckets
from addhash.hashing.vectorizer import TextVectorizer
from addhash.learning.calibration import LEAST_EXAMPLES
from addhash.learning.class_sums import ClassSums
from addhash.learning.evaluation import Evaluation
from addhash.learning.examples import Examples
from addhash.learning.labels import as_labels, joined_classes, numbered
from addhash.learning.memory import Keeping, Memory, Question, Ranking
from addhash.learning.ngram_mixture import NgramMixture
from addhash.learning.rejection import Rejection
from addhash.learning.sample_weight import repetitions
from addhash.learning.token_counts import TokenCounts
from addhash.learning.tuning_sample import MOST_EXAMPLES, TuningSample, tuning_sample
from addhash.merging import raise_difference
from addhash.parameters import Method
from addhash.progress import Progress, no_progress
from addhash.text.analysis import FUNCTIONS, Analysis
from addhash.text.reading import as_sequence, batches, check_iterable

MEMORIES: dict[Method, type[Memory]] = {
    "bayes": TokenCounts,
    "nearest": Examples,
    "centroid": ClassSums,
    "mixture": NgramMixture,
}
BUCKETS = 2**20
# Examples that are taken from iterators at a time.
LOT = 16_384
# Limits for tuning a memory: class scores and cosines.
MOST_SCORES = 1 << 20
MOST_COSINES = 1 << 28


@dataclass(frozen=True, eq=False)
class ClassifierState:
    """Everything a prediction reads. Immutable: learning and forgetting return a new one."""

    method: Method
    keep_texts: bool
    vectorizer: TextVectorizer
    analysis: Analysis
    hashing: TextHashing
    memory: Memory

    @classmethod
    def empty(
        cls,
        method: Method,
        keep_texts: bool,
        vectorizer: TextVectorizer,
        n_buckets: int = BUCKETS,
        smoothing: float | None = None,
    ) -> "ClassifierState":
        """Return a model without examples; later changes to the vectorizer do not affect it."""
        analysis = vectorizer.analysis()
        hashing: TextHashing = LetterSequences() if method == "mixture" else vectorizer.hashing()
        if method == "bayes":
            if vectorizer.weights is not None or vectorizer.sublinear_tf:
                raise ParameterError(
                    "The vectorizer of a TextClassifier with method='bayes' must have neither"
                    " 'weights' nor 'sublinear_tf': its counts already weigh the tokens. Use"
                    " method='nearest' or 'centroid' with them."
                )
            hashing = TokenBuckets(n_buckets, bool(vectorizer.binary), analysis)
        keeping = Keeping(keep_texts, smoothing=smoothing, orders=analysis.orders)
        memory = MEMORIES[method].empty(hashing.width, keeping)
        return cls(method, keep_texts, copy(vectorizer), analysis, hashing, memory)

    @cached_property
    def settings(self) -> dict[str, Any]:
        """What two models must share to be merged, as JSON."""
        return {
            "method": self.method,
            "keep_texts": self.keep_texts,
            "vectorizer": self.vectorizer.settings(),
        } | ({"n_buckets": self.hashing.width} if self.method == "bayes" else {})

    def changed(
        self,
        how: Literal["learn", "forget"],
        texts: Any,
        labels: Any,
        threads: int,
        progress: Progress = no_progress,
    ) -> "ClassifierState":
        """Return a model that has learnt or forgotten examples."""
        texts, labels = _pairs(texts, labels)
        analysis = self.analysis
        if self.keep_texts:
            texts, analysis = _read(texts, analysis)
        memory, start = self.memory.with_classes_of(labels) if how == "learn" else self.memory, 0
        change = {"learn": type(memory).learn, "forget": type(memory).forget}[how]
        for batch in batches(texts):
            vectors = self.hashing.of_batch(analysis, batch, threads)
            end = start + len(batch)
            kept = batch if self.keep_texts else None
            try:
                memory = change(memory, vectors, labels[start:end], kept, threads)
            except ExampleError as error:
                if start:
                    error.add_note(f"in the batch of examples from number {start} on")
                raise
            start = end
            progress(how, start, len(labels))
        return replace(self, memory=memory)

    def fitted(
        self, texts: Any, labels: Any, question: Question, is_auto: bool, progress: Progress
    ) -> "ClassifierState":
        """Return a model that has learnt examples, with its own numbers tuned to them.

        Of texts and labels that both come from iterators, only a sample is kept.
        """
        if isinstance(texts, Iterator) and isinstance(labels, Iterator):
            return self._fitted_in_lots(texts, labels, question, is_auto, progress)
        texts, labels = _pairs(texts, labels)
        texts, analysis = _readable(texts, self.analysis)
        model = replace(self, analysis=analysis)
        learnt = model.changed("learn", texts, labels, question.threads, progress)
        progress("tune", 0, None)
        return replace(learnt.tuned(texts, labels, question, is_auto), analysis=self.analysis)

    def _fitted_in_lots(
        self,
        texts: Iterator[Any],
        labels: Iterator[Any],
        question: Question,
        is_auto: bool,
        progress: Progress,
    ) -> "ClassifierState":
        sample, model, done = TuningSample(), self, 0
        while lot := list(islice(texts, LOT)):
            theirs = list(islice(labels, len(lot)))
            read, analysis = _readable(lot, self.analysis)
            model = replace(model, analysis=analysis)
            model = model.changed("learn", read, theirs, question.threads, no_progress)
            sample.add(read, theirs)
            done += len(lot)
            progress("learn", done, None)
        if more := list(islice(labels, 1)):
            raise DocumentError(f"Expected a label for each of {done} texts, got {more[0]!r} too.")
        if sample.texts:
            progress("tune", 0, None)
            model = model.tuned(sample.texts, sample.labels, question, is_auto)
        return replace(model, analysis=self.analysis)

    def tuned(
        self, texts: Any, labels: Any, question: Question, is_auto: bool
    ) -> "ClassifierState":
        """Return a model with its own numbers tuned to these examples, which it has learnt."""
        texts, labels = _pairs(texts, labels)
        texts, analysis = _readable(texts, self.analysis)
        size = min(MOST_EXAMPLES, MOST_SCORES // max(len(self.memory.classes.labels), 1))
        if self.method == "nearest":
            size = min(size, MOST_COSINES // max(int(self.memory.classes.counts.sum()), 1))
        if size < LEAST_EXAMPLES:
            return self
        chosen = tuning_sample(texts, labels.tolist(), size)
        some = [texts[i] for i in chosen]
        vectors = self.hashing.of_texts(analysis, some, question.threads)
        memory = self.memory.tuned(vectors, labels[chosen], question, is_auto)
        return replace(self, memory=memory)

    def restricted(self, labels: Any) -> "ClassifierState":
        """Return a model that has learnt only the examples of some classes."""
        classes = joined_classes(None, as_labels(labels))
        unknown = np.flatnonzero(numbered(classes, self.memory.classes.labels) < 0)
        if len(unknown) or not len(classes):
            what = f"{classes.tolist()[unknown[0]]!r}" if len(unknown) else "none"
            raise ExampleError(f"Expected some of the classes of the classifier, got {what}.")
        return replace(self, memory=self.memory.restrict(classes))

    def declared(self, classes: Any) -> "ClassifierState":
        """Return a model that also knows some classes without examples."""
        return replace(self, memory=self.memory.declare(as_labels(classes)))

    def merged(self, other: "ClassifierState") -> "ClassifierState":
        """Return a model of the examples of both."""
        raise_difference(_flat(self.settings), _flat(other.settings))
        return replace(self, memory=self.memory.merge(other.memory))

    @cached_property
    def is_empty(self) -> bool:
        """Whether no example is left."""
        return not self.memory.classes.counts.any()

    def check_asked(self, texts: Any) -> None:
        """Refuse anything but texts, and any question to a model without examples."""
        if type(texts) is not list:
            check_iterable(texts)
        if self.is_empty:
            raise ExampleError(
                "This TextClassifier has no examples left: all were forgotten. Call learn first."
            )

    def compared(self, texts: Iterable[Any], question: Question) -> Iterator[Ranking]:
        """Yield what texts are most similar to, batch by batch."""
        for batch in batches(texts):
            yield self.memory.compare(
                self.hashing.of_questions(self.analysis, batch, question.threads), question
            )

    def left_out(
        self, texts: Any, labels: Any, question: Question, rejection: Rejection
    ) -> Evaluation:
        """Return how each learnt text is labelled by the model that never saw it."""
        texts, labels = _pairs(texts, labels)
        if not len(texts):
            raise DocumentError("Expected texts and a label for each, got 0 texts.")
        classes, start = self.memory.classes.labels.astype(object), 0
        found, scores, margins = [], [], []
        for batch in batches(texts):
            part = labels[start : start + len(batch)]
            ranking = self.memory.compare_without(
                self.hashing.of_questions(self.analysis, batch, question.threads), part, question
            )
            called = classes[ranking.winners]
            called[(ranking.winners < 0) | ranking.rejected_by(rejection)] = None
            found.append(called)
            scores.append(ranking.scores)
            margins.append(ranking.scores - ranking.runner_up_scores)
            start += len(batch)
        return Evaluation(
            labels,
            np.concatenate(found),
            np.concatenate(scores),
            margins=np.concatenate(margins),
            classes=self.memory.classes.labels,
        )

    def for_all_classes(
        self, what: Literal["decisions", "probabilities"], texts: Iterable[Any], question: Question
    ) -> Floats:
        """Return one number per text and class."""
        memory = self.memory
        ask = {"decisions": memory.decisions, "probabilities": memory.probabilities}[what]
        found = [
            ask(self.hashing.of_questions(self.analysis, batch, question.threads), question)
            for batch in batches(texts)
        ]
        return np.concatenate(found) if found else np.empty((0, len(memory.classes.labels)))

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
    ) -> "ClassifierState":
        """Return the model that settings and parts came from."""
        vectorizer = TextVectorizer.from_settings(
            member(settings, "vectorizer", dict), key, functions, parts
        )
        keep_texts = member(settings, "keep_texts", bool)
        method = member(settings, "method", str)
        if method not in MEMORIES:
            raise ValueError(f"its method is {method!r:.80}")
        buckets = member(settings, "n_buckets", int) if method == "bayes" else BUCKETS
        with values_of_file():
            model = cls.empty(method, keep_texts, vectorizer, buckets)
        keeping = Keeping(keep_texts, orders=model.analysis.orders)
        memory = MEMORIES[model.method].from_parts(parts, model.hashing.width, keeping)
        return replace(model, memory=memory)


def weighted(texts: Any, labels: Any, sample_weight: Any) -> tuple[Any, Any]:
    """Return texts and labels, each as often as its weight says."""
    if sample_weight is None:
        return texts, labels
    texts, labels = _pairs(texts, labels)
    chosen = repetitions(sample_weight, len(texts))
    return [texts[i] for i in chosen.tolist()], labels[chosen]


def kept_examples(memory: Memory) -> tuple[list[str], Array]:
    """Return the texts and labels of the examples that a memory keeps; none if it keeps no texts.

    Examples
    --------
    >>> from addhash.learning.classifier_state import kept_examples
    >>> from addhash.learning.class_sums import ClassSums
    >>> from addhash.learning.memory import Keeping
    >>> kept_examples(ClassSums.empty(8, Keeping()))[0]
    []
    """
    try:
        known = [memory.example(i) for i in range(int(memory.classes.counts.sum()))]
    except IndexError:
        known = []
    texts = [text for _, text in known if text is not None]
    codes = [code for code, text in known if text is not None]
    return texts, memory.classes.labels[np.array(codes, np.int64)]


def _pairs(texts: Any, labels: Any) -> tuple[Sequence[Any], Array]:
    """Return texts, and a label for each."""
    texts, labels = as_sequence(texts), as_labels(labels)
    if len(texts) != len(labels):
        raise DocumentError(
            f"Expected a label for each of {len(texts)} texts, got {len(labels)} labels."
        )
    return texts, labels


def _read(texts: Sequence[Any], analysis: Analysis) -> tuple[Sequence[Any], Analysis]:
    """Decode texts; return them with an analysis that expects str."""
    return [analysis.decode(text, i) for i, text in enumerate(texts)], analysis.for_content()


def _readable(texts: Sequence[Any], analysis: Analysis) -> tuple[Sequence[Any], Analysis]:
    """Return texts that can be read again: an open file has nothing to read a second time."""
    return (texts, analysis) if analysis.input == "content" else _read(texts, analysis)


def _flat(settings: Mapping[str, Any]) -> dict[str, Any]:
    flat = {name: value for name, value in settings.items() if name != "vectorizer"}
    return flat | {f"vectorizer.{name}": v for name, v in settings["vectorizer"].items()}

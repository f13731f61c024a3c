"""Which language a text is in, and with what probability."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from addhash.errors import DocumentError, ParameterError
from addhash.languages.calibration import Calibration
from addhash.languages.model import shared
from addhash.languages.table import UNKNOWN, codes_of, language
from addhash.learning.calibration import LN2
from addhash.learning.text_classifier import TextClassifier
from addhash.parameters import is_integer
from addhash.runtime import native
from addhash.text.reading import batches

__all__ = ["Detection", "Detector", "detect"]

Floats = npt.NDArray[np.float64]

# When choosing among all languages, a language is preferred by its number of writers to this power:
# half of all text is in a few languages, but their share of the texts whose language someone asks
# for is not nearly as large as their share of writers.
PREFERENCE = 0.2
FEWEST_WRITERS = 10_000
THRESHOLD = 0.1
BATCH = 512
LOW = 0.5
SURROGATE = re.compile("[\ud800-\udfff]")


class Detection(NamedTuple):
    """A language by its ISO 639-3 and 639-1 codes and its names, and its probability."""

    code: str
    short: str | None
    name: str
    own_name: str | None
    probability: float


@dataclass(frozen=True)
class Detector:
    """A model, the languages to choose from, and their prior."""

    classifier: TextClassifier
    columns: npt.NDArray[np.intp]
    codes: tuple[str, ...]
    preferences: Floats  # logarithms
    calibration: Calibration

    @classmethod
    def of(cls, model: TextClassifier | None, languages: Iterable[str] | None) -> "Detector":
        """Return a chooser for some languages, or for all."""
        classifier = shared() if model is None else model
        if not isinstance(classifier, TextClassifier) or classifier.method != "bayes":
            raise ParameterError(
                "Expected a TextClassifier with the method 'bayes' as the model, such as"
                f" languages.load() returns. Got {classifier!r:.80} instead."
            )
        taught = [str(code) for code in classifier.classes_.tolist()]
        calibration = Calibration.of(classifier.metadata)
        if languages is None:
            writers = np.array([language(code).writers for code in taught], float)
            preferences = np.maximum(writers, FEWEST_WRITERS)
            native.logarithms(preferences)
            preferences *= PREFERENCE
            return cls(classifier, np.arange(len(taught)), tuple(taught), preferences, calibration)
        codes = codes_of(languages, taught)
        columns = np.array([i for i, code in enumerate(taught) if code in set(codes)])
        return cls(classifier, columns, codes, np.zeros(len(codes)), calibration)

    def evidence(self, texts: Sequence[str]) -> Floats:
        """Return the evidence for each language in bits, one row per text."""
        decisions = self.classifier.decision_function(texts)
        if decisions.ndim == 1:  # of one or two classes
            zeros = np.zeros(len(decisions))
            both = [zeros, decisions] if len(self.classifier.classes_) == 2 else [zeros]
            decisions = np.stack(both, axis=1)
        if len(self.columns) < decisions.shape[1]:
            decisions = decisions[:, self.columns]
        # Contiguous rows: the order of the sums does not depend on their number.
        result: Floats = np.ascontiguousarray(decisions)
        return result

    def likeliest(
        self, evidence: Floats, lengths: Sequence[int], count: int
    ) -> tuple[npt.NDArray[np.intp], Floats]:
        """Return the positions and probabilities of the likeliest languages, one row per text."""
        rates = LN2 / self.calibration.temperatures(lengths)
        logs = evidence * rates[:, None]
        logs += self.preferences
        best = _largest(logs, count)
        logs -= np.take_along_axis(logs, best[:, :1], axis=1)
        native.exponentials(logs)
        masses = logs.sum(axis=1, keepdims=True)
        return best, np.take_along_axis(logs, best, axis=1) / masses

    def answers(
        self, texts: Sequence[str], top: int, threshold: float
    ) -> Iterator[list[Detection] | None]:
        """Yield the likeliest languages of each text, or None if it has no letters."""
        is_asked = [has_letters(text) for text in texts]
        asked = list(compress(texts, is_asked))
        if not asked:
            yield from (None for _ in texts)
            return
        evidence = self.evidence(asked)
        count = min(top, len(self.codes))
        best, shares = self.likeliest(evidence, [len(text) for text in asked], count)
        # A text without a known n-gram says nothing, whatever the prior.
        for i in np.flatnonzero(shares[:, 0] < LOW):
            if evidence[i].min() == evidence[i].max():
                shares[i] = 1 / len(self.codes)
        rows = zip(best.tolist(), shares.tolist(), strict=True)
        for has_answer in is_asked:
            yield self._named(*next(rows), threshold) if has_answer else None

    def _named(self, places: list[int], shares: list[float], threshold: float) -> list[Detection]:
        if shares[0] < threshold:
            return [Detection(*UNKNOWN[:4], shares[0])]
        names = self._names
        return [
            Detection(*names[place], share) for place, share in zip(places, shares, strict=True)
        ]

    @cached_property
    def _names(self) -> list[tuple[str, str | None, str, str | None]]:
        """Codes and names of the languages to choose from."""
        return [language(code)[:4] for code in self.codes]


def has_letters(text: str) -> bool:
    """Return whether a text has a letter of any script."""
    return any(map(str.isalpha, text))


def _largest(values: Floats, count: int) -> npt.NDArray[np.intp]:
    """Return the columns of the largest numbers of each row, largest first."""
    best: npt.NDArray[np.intp]
    if count == 1:
        best = values.argmax(axis=1)[:, None]
    else:
        best = np.argsort(-values, axis=1, kind="stable")[:, :count]
    return best


def as_text(text: Any, position: int | None = None) -> str:
    """Return a text with spaces for lone surrogates; bytes are UTF-8."""
    if isinstance(text, bytes):
        return text.decode("utf-8", "replace")
    if not isinstance(text, str):
        where = "the text" if position is None else f"text {position}"
        raise DocumentError(
            f"Expected a str or bytes as {where}, got {text!r:.80} ({type(text).__name__})."
        )
    if text.isascii():
        return text
    return text if SURROGATE.search(text) is None else SURROGATE.sub(" ", text)


def check_threshold(threshold: Any) -> float:
    """Return a threshold, or refuse anything but a probability."""
    if isinstance(threshold, bool) or not isinstance(threshold, int | float | np.floating):
        raise ParameterError(f"The threshold must be from 0 to 1. Got {threshold!r:.80} instead.")
    if not 0 <= threshold <= 1:
        raise ParameterError(f"The threshold must be from 0 to 1. Got {threshold!r} instead.")
    return float(threshold)


def detect(
    texts: Any,
    languages: Iterable[str] | None = None,
    top: int = 1,
    *,
    threshold: float = THRESHOLD,
    model: TextClassifier | None = None,
) -> Any:
    """Return the language of a text, or of each of several texts.

    Parameters
    ----------
    texts : str, bytes, or iterable of these
    languages : list of str, optional
        The languages to choose from, without preference: ISO 639-1 or 639-3 codes, or names. By
        default, all languages, with a slight preference for widely written ones.
    top : int, default=1
        How many of the likeliest languages to return.
    threshold : float, default=0.1
        If the likeliest language has a lower probability, the answer is the code "und".
    model : TextClassifier, optional
        A model to use instead of the built-in one: the result of `load`, taught more.

    Returns
    -------
    detections : Detection, or list of Detection if `top` is not 1
        For each text; None for a text without letters. A list of these for several texts.

    Examples
    --------
    >>> from addhash import languages
    >>> found = languages.detect("Wer reitet so spät durch Nacht und Wind?")
    >>> found.code, found.short, found.name, found.own_name
    ('deu', 'de', 'German', 'Deutsch')
    >>> languages.detect(["To be or not to be", "12:30"])[1] is None
    True
    >>> found = languages.detect("le chat est sur la table", ["en", "fr", "Spanish"], top=3)
    >>> found[0].code, len(found)
    ('fra', 3)
    """
    if not is_integer(top) or top < 1:
        raise ParameterError(f"The parameter top must be at least 1. Got {top!r:.80} instead.")
    threshold = check_threshold(threshold)
    detector = Detector.of(model, languages)
    is_one = isinstance(texts, str | bytes)
    if not is_one and not isinstance(texts, Iterable):
        raise DocumentError(f"Expected a text or an iterable of texts, got {texts!r:.80}.")
    asked = [texts] if is_one else texts
    clean = (as_text(text, None if is_one else i) for i, text in enumerate(asked))
    found = [
        answer
        for batch in batches(clean, BATCH)
        for answer in detector.answers(batch, int(top), threshold)
    ]
    results = [a[0] if a and top == 1 else a for a in found]
    return results[0] if is_one else results

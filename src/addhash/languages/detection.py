"""Which language a text is in, and with what probability."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple, get_args, overload

import numpy as np
import numpy.typing as npt

from addhash.errors import DocumentError, ParameterError
from addhash.languages.model import shared
from addhash.languages.scripts import HAN, script_of
from addhash.languages.table import UNKNOWN, codes_of, group_of, language
from addhash.learning.ngram_mixture import NgramMixture
from addhash.learning.text_classifier import TextClassifier
from addhash.parameters import is_integer
from addhash.runtime import native, resolve_threads
from addhash.text.reading import batches

Floats = npt.NDArray[np.float64]
Level = Literal["language", "group"]
Prior = Literal["usual", "uniform"]
LEVELS, PRIORS = get_args(Level), get_args(Prior)
Names = tuple[str, str | None, str, str | None]

THRESHOLD = 0.1
# Kinds of texts.
NO_LETTERS, NOISE, LANGUAGE = 0, 1, 2
# Fewer texts are not worth a second thread.
FEW = 256


class Detection(NamedTuple):
    """The language of a text, and how sure that is.

    Attributes
    ----------
    code : str
        ISO 639-3.
    short : str or None
        ISO 639-1, if the language has one.
    name : str
        In English.
    own_name : str or None
        In the language itself, if known.
    probability : float
        Of the language, or of the group if groups were asked for.
    script : str or None
        ISO 15924 code of the script of most letters.
    group : str
        The macrolanguage or group of close languages, or the code itself.
    group_probability : float
        The sum over the languages of the group.
    """

    code: str
    short: str | None
    name: str
    own_name: str | None
    probability: float
    script: str | None
    group: str
    group_probability: float


@dataclass(frozen=True)
class Detector:
    """A memory, the languages to choose from, and their prior."""

    memory: NgramMixture
    languages: tuple[str, ...] | None  # codes; None for all that are not rare
    prior: Prior

    @cached_property
    def codes(self) -> list[str]:
        """The classes of the memory."""
        return [str(label) for label in self.memory.classes.labels.tolist()]

    @cached_property
    def candidates(self) -> npt.NDArray[np.uint8] | None:
        """Which classes may be an answer; None if all may."""
        if self.languages is None:
            return None
        asked = set(self.languages)
        return np.array([code in asked for code in self.codes], np.uint8)

    @cached_property
    def compiled(self) -> native.Detector:
        """What scores texts."""
        rare = any(self.memory.trait(code).is_rare for code in self.languages or ())
        return self.memory.full_detector if rare else self.memory.detector

    @cached_property
    def rule(self) -> Floats:
        """How evidence becomes a probability."""
        rule = self.memory.rule
        if self.prior == "uniform" or self.languages is not None:
            rule = rule._replace(prior_weight=0.0)
        return np.array(rule, np.float64)

    @cached_property
    def columns(self) -> npt.NDArray[np.intp]:
        """The classes that may be an answer."""
        if self.candidates is not None:
            return np.flatnonzero(self.candidates)
        rare = [self.memory.trait(code).is_rare for code in self.codes]
        return np.flatnonzero(~np.array(rare, bool))

    @cached_property
    def writes(self) -> npt.NDArray[np.bool_]:
        """Whether each of the `columns` writes a script; a row per script, the first for none."""
        written = self.memory.totals[self.columns].T > 0
        written[0] = True
        return written

    @cached_property
    def priors(self) -> Floats:
        """The prior of each of the `columns`, in bits."""
        if not self.rule[0]:
            return np.zeros(len(self.columns))
        return np.array([self.memory.trait(self.codes[i]).prior for i in self.columns.tolist()])

    @cached_property
    def _described(self) -> "_Descriptions":
        return _Descriptions(self)

    def answers(
        self, texts: Sequence[str], top: int, threshold: float, level: Level
    ) -> Iterator[list[Detection] | None]:
        """Yield the likeliest languages of each text, or None if it has no letters."""
        threads = 1 if len(texts) < FEW else resolve_threads(None)
        # Several groups need all languages.
        count = top if level == "language" or top == 1 else len(self.codes)
        count = min(count, len(self.codes))
        places, shares, sums, scripts, kinds = self.compiled.detect(
            texts, self.rule, self.candidates, count, threads
        )
        rows = zip(
            texts,
            places.tolist(),
            shares.tolist(),
            sums.tolist(),
            scripts.tolist(),
            kinds.tolist(),
            strict=True,
        )
        for text, codes, own, totals, script, kind in rows:
            if kind == LANGUAGE and count == 1 and totals[0] >= threshold:  # the usual case
                yield [self._named(codes[0], own[0], totals[0], script, text, level)]
                continue
            if kind == NO_LETTERS:
                yield None
                continue
            if codes[0] < 0:  # no words, or none of the languages is written so
                yield [unknown(0.0, None)]
                continue
            named = [
                self._named(place, share, total, script, text, level)
                for place, share, total in zip(codes, own, totals, strict=True)
                if place >= 0
            ]
            if level == "group" and top > 1:
                named = _distinct(named)
            first = named[0]
            if threshold and (kind == NOISE or first.group_probability < threshold):
                named.insert(0, unknown(first.probability, first.script))
            yield named[:top]

    def _named(
        self, place: int, share: float, total: float, script: int, text: str, level: Level
    ) -> Detection:
        names, group, written = self._described[script, place]
        if script == HAN:
            written = script_of(names[0], script, text)
        if level == "group":
            names, share = group_of(group)[:4], total
        return _detection(Detection, (*names, share, written, group, total))


class _Descriptions(dict[tuple[int, int], tuple[Names, str, str | None]]):
    """The names, the group and the script's name of a class in a script, once they were needed."""

    def __init__(self, detector: Detector) -> None:
        super().__init__()
        self.detector = detector

    def __missing__(self, key: tuple[int, int]) -> tuple[Names, str, str | None]:
        script, place = key
        code = self.detector.codes[place]
        group = self.detector.memory.trait(code).group or code
        found = language(code)[:4], group, script_of(code, script, "")
        self[key] = found
        return found


# As Detection(*values), in half the time.
_detection = tuple.__new__


def unknown(probability: float, script: str | None) -> Detection:
    """Return the answer for a text in no language that is known."""
    return Detection(*UNKNOWN[:4], probability, script, UNKNOWN.code, probability)


def _distinct(named: list[Detection]) -> list[Detection]:
    """Return one answer per group, likeliest first."""
    groups = {detection.group: detection for detection in reversed(named)}
    return sorted(groups.values(), key=lambda detection: -detection.probability)


def _made(memory: NgramMixture, languages: tuple[str, ...] | None, prior: Prior) -> Detector:
    codes = None if languages is None else codes_of(languages, memory.classes.labels.tolist())
    return Detector(memory, codes, prior)


@lru_cache(maxsize=64)
def _shared_detector(languages: tuple[str, ...] | None, prior: Prior) -> Detector:
    memory = shared().memory
    assert isinstance(memory, NgramMixture)
    return _made(memory, languages, prior)


# Few: what is kept here keeps its memory alive.
_own_detector = lru_cache(maxsize=2)(_made)


def detector_of(
    model: TextClassifier | None, languages: Iterable[str] | None, prior: Prior = "usual"
) -> Detector:
    """Return what answers for a model and some languages; the same one for the same question."""
    if prior not in PRIORS:
        raise ParameterError(
            f"The parameter prior must be 'usual' or 'uniform'. Got {prior!r:.80} instead."
        )
    if languages is not None:
        if isinstance(languages, str | bytes):
            raise ParameterError(
                f"Expected a list of languages, such as ['en', 'de']. Got {languages!r:.80}"
                " instead."
            )
        languages = tuple(languages)
        for name in languages:
            if not isinstance(name, str):
                codes_of([name], ())
    if model is None:
        return _shared_detector(languages, prior)
    memory = model.memory if isinstance(model, TextClassifier) else None
    if not isinstance(memory, NgramMixture):
        raise ParameterError(
            "Expected a model of languages, such as languages.load() returns."
            f" Got {model!r:.80} instead."
        )
    return _own_detector(memory, languages, prior)


def as_text(text: Any, position: int | None = None) -> str:
    """Return a text; bytes are UTF-8."""
    if isinstance(text, str):
        return text
    if isinstance(text, bytes):
        return text.decode("utf-8", "replace")
    where = "the text" if position is None else f"text {position}"
    raise DocumentError(
        f"Expected a str or bytes as {where}, got {text!r:.80} ({type(text).__name__})."
    )


def check_threshold(threshold: Any) -> float:
    """Return a threshold, or refuse anything but a probability."""
    if isinstance(threshold, bool) or not isinstance(threshold, int | float | np.floating):
        raise ParameterError(f"The threshold must be from 0 to 1. Got {threshold!r:.80} instead.")
    if not 0 <= threshold <= 1:
        raise ParameterError(f"The threshold must be from 0 to 1. Got {threshold!r} instead.")
    return float(threshold)


# One text and one answer; several answers; several texts. A str is an iterable of str as well,
# hence the exceptions.
@overload
def detect(  # type: ignore[overload-overlap]
    texts: str | bytes,
    languages: Iterable[str] | None = None,
    top: Literal[1] = 1,
    *,
    threshold: float = THRESHOLD,
    prior: Prior = "usual",
    level: Level = "language",
    model: TextClassifier | None = None,
) -> Detection | None: ...


@overload
def detect(  # type: ignore[overload-overlap]
    texts: str | bytes,
    languages: Iterable[str] | None = None,
    top: int = 1,
    *,
    threshold: float = THRESHOLD,
    prior: Prior = "usual",
    level: Level = "language",
    model: TextClassifier | None = None,
) -> list[Detection] | None: ...


@overload
def detect(
    texts: Iterable[str | bytes],
    languages: Iterable[str] | None = None,
    top: Literal[1] = 1,
    *,
    threshold: float = THRESHOLD,
    prior: Prior = "usual",
    level: Level = "language",
    model: TextClassifier | None = None,
) -> list[Detection | None]: ...


@overload
def detect(
    texts: Iterable[str | bytes],
    languages: Iterable[str] | None = None,
    top: int = 1,
    *,
    threshold: float = THRESHOLD,
    prior: Prior = "usual",
    level: Level = "language",
    model: TextClassifier | None = None,
) -> list[list[Detection] | None]: ...


def detect(
    texts: Any,
    languages: Iterable[str] | None = None,
    top: int = 1,
    *,
    threshold: float = THRESHOLD,
    prior: Prior = "usual",
    level: Level = "language",
    model: TextClassifier | None = None,
) -> Any:
    """Return the language of a text, or of each of several texts.

    Parameters
    ----------
    texts : str, bytes, or iterable of these
    languages : list of str, optional
        The languages to choose from, without preference: ISO 639-1 or 639-3 codes, or names. By
        default, all but the rare ones (see `known`).
    top : int, default=1
        How many of the likeliest languages to return.
    threshold : float, default=0.1
        If the likeliest language and its group have a lower probability, or the text looks like
        code or noise, the answer is the code "und", before the languages. 0 turns this off.
    prior : {"usual", "uniform"}, default="usual"
        Whether languages that are met more often are likelier beforehand: those of more web pages
        and speakers, and with two-letter codes. It matters in short texts.
    level : {"language", "group"}, default="language"
        Whether to tell languages apart, or only groups such as Serbo-Croatian.
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
    >>> found.code, found.short, found.name, found.own_name, found.script
    ('deu', 'de', 'German', 'Deutsch', 'Latn')
    >>> languages.detect(["To be or not to be", "12:30"])[1] is None
    True
    >>> found = languages.detect("le chat est sur la table", ["en", "fr", "Spanish"], top=3)
    >>> found[0].code, len(found)
    ('fra', 3)
    >>> languages.detect("Kako si danas, prijatelju?", level="group").name
    'Serbo-Croatian'
    """
    # What is usual first: asking an abstract class takes a twentieth of a call.
    if (type(top) is not int and not is_integer(top)) or top < 1:
        raise ParameterError(f"The parameter top must be at least 1. Got {top!r:.80} instead.")
    if level not in LEVELS:
        raise ParameterError(
            f"The parameter level must be 'language' or 'group'. Got {level!r:.80} instead."
        )
    threshold = check_threshold(threshold)
    detector = detector_of(model, languages, prior)
    if isinstance(texts, str | bytes):
        (one,) = detector.answers([as_text(texts)], top, threshold, level)
        return one if one is None or top > 1 else one[0]
    if not isinstance(texts, Iterable):
        raise DocumentError(f"Expected a text or an iterable of texts, got {texts!r:.80}.")
    result: list[Any] = []
    for batch in batches(texts):
        clean = [as_text(text, i) for i, text in enumerate(batch, len(result))]
        answers = detector.answers(clean, top, threshold, level)
        if top > 1:
            result += answers
        else:
            result += [None if found is None else found[0] for found in answers]
    return result

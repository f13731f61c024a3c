"""Texts in, labels out: a classifier that learns, forgets and merges exactly."""

import sys
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import replace
from html import escape
from numbers import Real
from operator import attrgetter
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from addhash.arrays import Array, Floats
from addhash.conventions import Parametrized, hinting, same_objects
from addhash.errors import (
    DocumentError,
    ExampleError,
    MergeError,
    NotFittedError,
    ParameterError,
)
from addhash.files.parts import Parts, require
from addhash.files.saved_model import Arrays, SavedModel, values_of_file
from addhash.frames import html_table
from addhash.hashing.vectorizer import TextVectorizer
from addhash.learning.classifier_state import (
    BUCKETS,
    ClassifierState,
    kept_examples,
    weighted,
)
from addhash.learning.evaluation import Evaluation, RejectionPoint, Suspect
from addhash.learning.explanation import Explanation, check_length, explain_text
from addhash.learning.labels import as_labels
from addhash.learning.memory import Memory, Question
from addhash.learning.predictions import Predictions, decision_values, predictions_of
from addhash.learning.recipe import RULES, check_recipe, default_vectorizer
from addhash.learning.rejection import Rejection
from addhash.locks import exclusive
from addhash.logs import log_choices, timed
from addhash.parameters import (
    TEXT_CLASSIFIER,
    Method,
    PartsOfText,
    check_values,
)
from addhash.progress import Progress, no_progress
from addhash.runtime import resolve_threads
from addhash.text.analysis import check_functions

SHOWN_CLASSES = 10  # in a notebook

PARAMETERS = attrgetter("vectorizer", *RULES)


class TextClassifier(SavedModel, Parametrized):
    """Classify texts by their similarity to examples.

    The method "bayes" counts the tokens of each class exactly, in hashed buckets, and picks the
    class that has more of a text's tokens than was to be expected: the most accurate method. The
    others turn texts into exact integer vectors by additive hashing:
    "nearest" is the paper's, the label of the most similar example; "centroid" keeps one sum per
    class, which makes the smallest model. There is no training loop, so examples and classes can be
    learnt at any time and forgotten without a trace: the model, and its file, depend only on the
    examples it knows, not on how and in what order it learnt them. Of equally likely classes, the
    first in sorted order wins.

    Besides the examples, a model has a few numbers that are chosen, not learnt: how confident
    `predict_proba` may be or, for the method "bayes", how much each kind of tokens counts and how
    frequent the classes are. `fit` and `tune` choose them by leave-one-out; `learn` and `forget`
    keep them, and `merge` keeps those of the larger model. A class that is taught later is believed
    at once, whatever was chosen before.

    Any number of threads can predict at a time, even while others learn: a prediction sees all of a
    change or none of it, and a change that fails or is interrupted leaves the classifier as it was.
    It follows scikit-learn's conventions (`clone`, `cross_val_score`, `GridSearchCV`, pipelines)
    without needing scikit-learn.

    Parameters
    ----------
    method : {"bayes", "nearest", "centroid"}, default="bayes"
        What a text is compared with: each class's token counts, each example, or the sum of each
        class's examples. Models of languages have the method "mixture", which is made for them:
        they can be taught more, but no other model can have it.
    vectorizer : AdditiveHashingVectorizer or None, default=None
        How texts are tokenized and become vectors. By default, 1- to 5-grams of lower-cased
        characters, words and pairs of words for "bayes", and for the others the paper's setting:
        character 3-grams, case kept, 2048 components.
        Its parameters can be set as ``vectorizer__...``; "bayes" uses only how texts are tokenized
        and whether repeated tokens count.
    n_buckets : int, default=2**20
        The number of buckets in which "bayes" counts tokens.
    smoothing : float or "auto", default="auto"
        How many tokens "bayes" needs to trust the counts of a class; "auto" is 0.5 until `fit` or
        `tune` chooses it.
    fit_prior : bool, default=True
        Whether "bayes" considers classes with more examples likelier.
    n_neighbors : int, default=1
        How many examples vote if the method is "nearest", each with weight (1 + cosine) / 2; ties
        go to the class of the nearest.
    reject_below : float or None, default=None
        `predict` returns None, in an object array, if the score is lower.
    reject_margin : float or None, default=None
        `predict` returns None if the lead over the runner-up is smaller.
    keep_texts : bool, default=False
        Whether to keep the texts of the examples, to show them as nearest examples.
    n_jobs : int or None, default=None
        Threads to use; None means every core available to the process.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    class_counts_ : ndarray
        The number of examples of each class.
    chosen_ : dict of str to float
        The numbers that `fit` and `tune` choose.
    vectorizer_ : AdditiveHashingVectorizer or its form without scikit-learn
        The vectorizer that the classifier was fitted with.

    Examples
    --------
    >>> from addhash import TextClassifier
    >>> classifier = TextClassifier().fit(
    ...     ["the cat sat on the mat", "le chat est sur la table"], ["en", "fr"]
    ... )
    >>> classifier.predict(["a cat on the mat"]).tolist()
    ['en']
    >>> _ = classifier.learn(["die Katze sitzt auf dem Tisch"], ["de"])
    >>> classifier.predict(["eine Katze auf dem Dach"]).tolist()
    ['de']
    """

    _kind = "TextClassifier"

    @hinting("vectorizer", TextVectorizer)
    def __init__(
        self,
        method: Method = "bayes",
        *,
        vectorizer: TextVectorizer | None = None,
        n_buckets: int = BUCKETS,
        smoothing: float | Literal["auto"] = "auto",
        fit_prior: bool = True,
        n_neighbors: int = 1,
        reject_below: float | None = None,
        reject_margin: float | None = None,
        keep_texts: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.vectorizer = vectorizer
        self.n_buckets = n_buckets
        self.smoothing = smoothing
        self.fit_prior = fit_prior
        self.n_neighbors = n_neighbors
        self.reject_below = reject_below
        self.reject_margin = reject_margin
        self.keep_texts = keep_texts
        self.n_jobs = n_jobs
        self._model: ClassifierState | None = None
        self._checked: tuple[Any, ...] = ()

    # What scikit-learn requires of an estimator.

    def parameter(self, name: str) -> Any:
        """Return a parameter; a vectorizer of None stands for the default one."""
        value = super().parameter(name)
        return default_vectorizer(self.method) if value is None and name == "vectorizer" else value

    def __repr__(self) -> str:
        model = self._model
        if model is None:
            return super().__repr__()
        examples, classes = int(model.memory.classes.counts.sum()), len(model.memory.classes)
        return f"<{super().__repr__()}: {examples:,} examples of {_counted(classes, 'class')}>"

    def _repr_html_(self) -> str:
        """Show the parameters and, if it is fitted, the classes with their examples."""
        shown = f"<div><p><b>{escape(repr(self).strip('<>'))}</b></p>"
        if self._model is not None:
            counts = self._model.memory.classes.counts
            largest = np.argsort(-counts, kind="stable")[:SHOWN_CLASSES]
            rows = ((self.classes_[i], f"{counts[i]:,}") for i in largest.tolist())
            more = len(counts) - len(largest)
            rest = f"<p>and {_counted(more, 'more class')}</p>" if more else ""
            shown += html_table(("class", "examples"), rows) + rest
        return shown + "</div>"

    def __sklearn_is_fitted__(self) -> bool:
        return self._model is not None

    def __sklearn_tags__(self) -> Any:
        # Only scikit-learn calls this, so it is installed.
        utils = sys.modules["sklearn.utils"]
        return utils.Tags(
            estimator_type="classifier",
            target_tags=utils.TargetTags(required=True),
            classifier_tags=utils.ClassifierTags(),
            input_tags=utils.InputTags(string=True, two_d_array=False),
        )

    def _check(self) -> None:
        """Check the parameters, unless they are those of the last time."""
        vectorizer = self.vectorizer
        values = (
            *PARAMETERS(self),
            getattr(vectorizer, "dtype", None),
            getattr(vectorizer, "key", None),
        )
        if not same_objects(values, self._checked):
            check_recipe(self)
            self._checked = values

    @property
    def classes_(self) -> Array:
        """The classes, sorted."""
        return self._learnt().memory.classes.labels

    @property
    def class_counts_(self) -> npt.NDArray[np.int64]:
        """The number of examples of each class."""
        return self._learnt().memory.classes.counts

    @property
    def chosen_(self) -> dict[str, float]:
        """The numbers that were chosen, not learnt, by name."""
        return self._learnt().memory.chosen()

    @property
    def memory(self) -> Memory:
        """What was learnt, as it is now; it never changes, `learn` makes another."""
        return self._learnt().memory

    @classmethod
    def of_memory(cls, method: Method, memory: Memory) -> Self:
        """Return a classifier that knows what a memory of its method does.

        Parameters
        ----------
        method : str
            As for a new classifier, with the default vectorizer.
        memory : Memory
            What was learnt, as the property `memory` of another classifier has it.

        Returns
        -------
        classifier : TextClassifier
        """
        result = cls(method)
        result._model = replace(result._made(), memory=memory)
        return result

    @property
    def vectorizer_(self) -> TextVectorizer:
        """The vectorizer that the classifier was fitted with."""
        return copy(self._learnt().vectorizer)

    # Learning.

    def _learnt(self) -> ClassifierState:
        model = self._model
        if model is None:
            raise NotFittedError("This TextClassifier is not fitted yet: call fit or learn first.")
        return model

    def _empty(self) -> ClassifierState:
        """Return a model without examples, as the parameters say."""
        self._check()
        if self.method == "mixture":
            raise ParameterError(
                "The method 'mixture' of TextClassifier is the language detector's: teach the model"
                " that addhash.languages.load() returns, or use method='bayes'."
            )
        return self._made()

    def _made(self) -> ClassifierState:
        return ClassifierState.empty(
            self.method,
            bool(self.keep_texts),
            self.parameter("vectorizer"),
            int(self.n_buckets),
            None if isinstance(self.smoothing, str) else float(self.smoothing),
        )

    def fit(
        self,
        texts: Iterable[Any],
        labels: Any,
        sample_weight: Any = None,
        *,
        progress: Progress | None = None,
    ) -> Self:
        """Learn examples, forgetting what was learnt before, and `tune` the classifier.

        Where texts and labels both come from iterators, they are read side by side and not kept.

        Parameters
        ----------
        texts : iterable of str or bytes
        labels : array-like
            One label per text: all texts, or all numbers.
        sample_weight : array-like of int, optional
            How often each example is learnt; a weight of 2 is exactly the example twice.
        progress : callable, optional
            Called with a stage, how many examples are done, and the total or None.

        Returns
        -------
        self
        """
        with timed("fit, method %s", self.method), exclusive(self):
            texts, labels = weighted(texts, labels, sample_weight)
            model = self._empty().fitted(
                texts, labels, self._question(), self._is_auto, progress or no_progress
            )
            if len(model.memory.classes.labels) == 0:
                raise ExampleError("Expected at least one example to fit, got none.")
            self._model = model
        log_choices(self.chosen_)
        return self

    @property
    def _is_auto(self) -> bool:
        return isinstance(self.smoothing, str)

    def tune(self, texts: Iterable[Any], labels: Any) -> Self:
        """Choose the numbers that are not learnt, by leave-one-out: see above.

        `fit` does this too; call it for classifiers made with `learn` or `merge`. Fewer than 100
        examples change nothing; very many are sampled.

        Parameters
        ----------
        texts : iterable of str or bytes
            Texts that were learnt, all or some of them. Others are refused, as far as what was
            learnt can tell: "centroid" keeps sums of vectors, which do not.
        labels : array-like
            The classes they were learnt with.

        Returns
        -------
        self
        """
        with timed("tune, method %s", self.method), exclusive(self):
            model = self._asked(texts)
            self._model = model.tuned(texts, labels, self._question(), self._is_auto)
        log_choices(self.chosen_)
        return self

    def restricted(self, labels: Any) -> Self:
        """Return a classifier that has learnt only the examples of some classes.

        Parameters
        ----------
        labels : array-like
            Some of the classes.

        Returns
        -------
        classifier : TextClassifier
            A new one; this one is not changed.

        Examples
        --------
        >>> from addhash import TextClassifier
        >>> texts, labels = ["good morning", "bonjour", "buon giorno"], ["en", "fr", "it"]
        >>> classifier = TextClassifier().fit(texts, labels)
        >>> classifier.restricted(["en", "it"]).predict(["bonjour"]).tolist()
        ['it']
        """
        model = self._learnt().restricted(labels)
        result = copy(self)
        result._model = model
        return result

    def learn(self, texts: Iterable[Any], labels: Any) -> Self:
        """Learn more examples, possibly of new classes.

        This changes the classifier itself.

        Parameters
        ----------
        texts : iterable of str or bytes
        labels : array-like
            One label per text.

        Returns
        -------
        self
        """
        return self._change("learn", texts, labels)

    def partial_fit(
        self, texts: Iterable[Any], labels: Any, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn more examples; scikit-learn's name for `learn`.

        Parameters
        ----------
        texts : iterable of str or bytes
        labels : array-like
        classes : array-like, optional
            Classes to know even if they have no examples.
        sample_weight : array-like of int, optional
            How often each example is learnt.

        Returns
        -------
        self
        """
        with exclusive(self):
            self._check()
            texts, labels = weighted(texts, labels, sample_weight)
            model = self._empty() if self._model is None else self._model
            if classes is not None:
                model = model.declared(classes)
            self._model = model.changed("learn", texts, labels, resolve_threads(self.n_jobs))
        return self

    def forget(self, texts: Iterable[Any], labels: Any) -> Self:
        """Forget examples exactly, as if the model had never learnt them.

        This changes the classifier itself.

        Parameters
        ----------
        texts : iterable of str or bytes
            Texts that were learnt. With the method "nearest", each must be known; the others refuse
            what their counts or sums cannot contain.
        labels : array-like
            The classes they were learnt with.

        Returns
        -------
        self
        """
        return self._change("forget", texts, labels)

    def _change(self, how: Literal["learn", "forget"], texts: Iterable[Any], labels: Any) -> Self:
        with exclusive(self):
            self._check()
            is_new = how == "learn" and self._model is None
            model = self._empty() if is_new else self._learnt()
            changed = model.changed(how, texts, labels, resolve_threads(self.n_jobs))
            if is_new and not len(changed.memory.classes.labels):
                raise ExampleError("Expected at least one example to learn, got none.")
            self._model = changed
        return self

    def merge(self, other: "TextClassifier") -> Self:
        """Learn what another classifier has learnt.

        Parameters
        ----------
        other : TextClassifier
            One with the same method, vectorizer and `keep_texts`. It is not changed.

        Returns
        -------
        self
        """
        if not isinstance(other, TextClassifier):
            raise MergeError(
                f"Expected a TextClassifier to merge with, got a {type(other).__name__}."
            )
        theirs = other._learnt()
        with exclusive(self):
            self._model = self._learnt().merged(theirs)
        return self

    # Answers.

    def _question(self, n_nearest: int = 1, with_runner_up: bool = True) -> Question:
        return Question(
            threads=resolve_threads(self.n_jobs),
            n_neighbors=int(self.n_neighbors),
            n_nearest=n_nearest,
            with_runner_up=with_runner_up,
            with_priors=bool(self.fit_prior),
        )

    def _asked(self, texts: Any) -> ClassifierState:
        """Return the model to answer from, after checking the question."""
        model = self._learnt()
        self._check()
        model.check_asked(texts)
        return model

    @property
    def _rejection(self) -> Rejection:
        return Rejection(self.reject_below, self.reject_margin)

    def predict(self, texts: Iterable[Any]) -> Array:
        """Return a label for each text.

        Parameters
        ----------
        texts : iterable of str or bytes

        Returns
        -------
        labels : ndarray
            If `reject_below` or `reject_margin` is set, an object array with None for rejected
            answers.
        """
        model = self._asked(texts)
        rejection = self._rejection
        question = self._question(with_runner_up=self.reject_margin is not None)
        found = []
        for ranking in model.compared(texts, question):
            labels = model.memory.classes.labels[ranking.winners]
            if rejection.is_possible:
                labels = labels.astype(object)
                labels[ranking.rejected_by(rejection)] = None
            found.append(labels)
        if not found:
            return model.memory.classes.labels[:0]
        return found[0] if len(found) == 1 else np.concatenate(found)

    def predict_scores(self, texts: Iterable[Any], n_nearest: int = 3) -> Predictions:
        """Return labels with scores, margins and the nearest examples.

        Parameters
        ----------
        texts : iterable of str or bytes
        n_nearest : int, default=3
            How many of the nearest examples to give; only where the method is "nearest".

        Returns
        -------
        predictions : list of Prediction
            With `to_frame()`.

        Examples
        --------
        >>> from addhash import TextClassifier
        >>> classifier = TextClassifier("nearest", keep_texts=True).fit(
        ...     ["win a prize now", "see you at lunch"], ["spam", "ham"]
        ... )
        >>> answer = classifier.predict_scores(["win a big prize"], n_nearest=1)[0]
        >>> answer.label, answer.runner_up, answer.nearest[0].text
        ('spam', 'ham', 'win a prize now')
        """
        check_values("TextClassifier.predict_scores", TEXT_CLASSIFIER, {"n_nearest": n_nearest})
        model = self._asked(texts)
        result = Predictions()
        for ranking in model.compared(texts, self._question(int(n_nearest))):
            found = predictions_of(model.memory, ranking)
            for i in ranking.rejected_by(self._rejection).nonzero()[0].tolist():
                found[i] = found[i]._replace(label=None)
            result += found
        return result

    def decision_function(self, texts: Iterable[Any]) -> Array:
        """Return a number for each class; for two classes, the second's minus the first's.

        With the method "bayes", it is the logarithm of the odds of the class, up to a number of the
        text; with "nearest", the class's share of the votes; with "centroid", the cosine.

        Parameters
        ----------
        texts : iterable of str or bytes

        Returns
        -------
        decisions : ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
        """
        model = self._asked(texts)
        return decision_values(model.for_all_classes("decisions", texts, self._question()))

    def predict_proba(self, texts: Iterable[Any]) -> Floats:
        """Return the probabilities of the classes.

        They are calibrated by leave-one-out if `fit` or `tune` got 100 examples or more. Otherwise,
        those of "bayes" are as sure as usual, and those of "nearest" are shares of the votes.

        Parameters
        ----------
        texts : iterable of str or bytes

        Returns
        -------
        shares : ndarray of shape (n_samples, n_classes)
        """
        return self._asked(texts).for_all_classes("probabilities", texts, self._question())

    def score(self, texts: Iterable[Any], labels: Any, sample_weight: Any = None) -> float:
        """Return the accuracy; a rejected text counts as wrong.

        Parameters
        ----------
        texts : iterable of str or bytes
        labels : array-like
        sample_weight : array-like of float, optional
            How much each text counts.

        Returns
        -------
        accuracy : float
        """
        labels = as_labels(labels)
        found = self.predict(texts)
        if len(found) != len(labels):
            raise DocumentError(
                f"Expected a label for each of {len(found)} texts, got {len(labels)} labels."
            )
        return float(
            np.average(found.astype(object) == labels.astype(object), weights=sample_weight)
        )

    def leave_one_out(self, texts: Iterable[Any], labels: Any) -> Evaluation:
        """Return how examples would be labelled had each of them never been learnt.

        This shows how accurate the classifier is without a test set, at little more than the cost
        of predicting the texts. The smoothing of "bayes" stays as it is. What `predict` would
        reject has no answer.

        Parameters
        ----------
        texts : iterable of str or bytes
            Texts that were learnt.
        labels : array-like
            The classes they were learnt with.

        Returns
        -------
        evaluation : Evaluation
            With `accuracy`, `per_class()`, `confusion()`, `calibration_error()`, `suspects()` and
            `rejection()`, the trade-off of `reject_below`.

        Examples
        --------
        >>> from addhash import TextClassifier
        >>> texts = ["win a prize", "win a big prize", "see you at lunch", "lunch at noon?"]
        >>> labels = ["spam", "spam", "ham", "ham"]
        >>> result = TextClassifier().fit(texts, labels).leave_one_out(texts, labels)
        >>> result.accuracy
        1.0
        """
        model = self._asked([])
        return model.left_out(texts, labels, self._question(), self._rejection)

    def suspects(self, texts: Any = None, labels: Any = None) -> list[Suspect]:
        """Return the examples whose labels the rest of the data contradicts.

        Each example is answered as if it had never been learnt. Those whose own label is not the
        answer may be labelled wrongly; the surest answers come first.

        Parameters
        ----------
        texts : iterable of str or bytes, optional
            Texts that were learnt; not needed if the classifier keeps its texts.
        labels : array-like, optional
            The classes they were learnt with.

        Returns
        -------
        suspects : list of Suspect
            With the position, the label that was learnt (`truth`), the answer, its score and
            margin, and the text.

        Examples
        --------
        >>> from addhash import TextClassifier
        >>> texts = ["win a prize", "win a big prize", "you win!", "lunch at noon", "lunch?"]
        >>> labels = ["spam", "spam", "ham", "ham", "ham"]
        >>> suspect = TextClassifier().fit(texts, labels).suspects(texts, labels)[0]
        >>> suspect.text, suspect.truth, suspect.answer
        ('you win!', 'ham', 'spam')
        """
        model = self._asked([])
        if texts is None:
            texts, labels = kept_examples(model.memory)
            if not texts:
                raise DocumentError(
                    "Expected the texts and labels that were learnt: this classifier keeps no"
                    " texts. TextClassifier('nearest', keep_texts=True) does."
                )
        texts = list(texts)
        found = model.left_out(texts, labels, self._question(), Rejection())
        decode = model.analysis.decode
        return [
            suspect._replace(text=decode(texts[suspect.position], suspect.position))
            for suspect in found.suspects()
        ]

    def choose_rejection(
        self, texts: Iterable[Any], labels: Any, error: float = 0.05
    ) -> RejectionPoint:
        """Set `reject_below` so that at most a wished share of the answers given is wrong.

        The threshold is the lowest one that keeps the error on the examples, each answered as if
        it had never been learnt. Texts unlike the examples can be wrong more often.

        Parameters
        ----------
        texts : iterable of str or bytes
            Texts that were learnt.
        labels : array-like
            The classes they were learnt with.
        error : float, default=0.05
            The share of wrong answers, of those that are given.

        Returns
        -------
        point : RejectionPoint
            The threshold, the share of texts that still get an answer, and how many of these
            answers are right.

        Examples
        --------
        >>> from addhash import TextClassifier
        >>> from addhash.sample import load_messages
        >>> texts, labels = load_messages()
        >>> classifier = TextClassifier().fit(texts, labels)
        >>> point = classifier.choose_rejection(texts, labels, error=0.01)
        >>> point.accuracy >= 0.99, classifier.reject_below == point.threshold
        (True, True)
        """
        if not isinstance(error, Real) or not 0 <= error < 1:
            raise ParameterError(f"Expected an error from 0 to below 1, got {error!r}.")
        model = self._asked([])
        found = model.left_out(texts, labels, self._question(), Rejection())
        point = found.threshold_for(float(error))
        if point is None:
            best = max(found.rejection(), key=lambda p: p.accuracy, default=None)
            reached = "there are no answers" if best is None else f"{1 - best.accuracy:.2%} is"
            raise ParameterError(
                f"No threshold leaves at most {error:.2%} of the answers wrong:"
                f" {reached} the least that one reaches. Allow more, or give more examples."
            )
        self.reject_below = point.threshold
        return point

    def explain(
        self, text: Any, n_nearest: int = 3, *, parts: PartsOfText = "words"
    ) -> Explanation:
        """Return what makes up the evidence for a text's label, and its lead over the runner-up.

        Parameters
        ----------
        text : str or bytes
            At most 100,000 characters: the cost is about 2 KB of memory for each.
        n_nearest : int, default=3
            How many of the nearest examples to give; only where the method is "nearest".
        parts : {"words", "tokens"}, default="words"
            What to show: words are easier to read, tokens are what is compared.

        Returns
        -------
        explanation : Explanation
            The shares of every token and character; a notebook shows the text in colours.

        Examples
        --------
        >>> from addhash import TextClassifier
        >>> classifier = TextClassifier().fit(
        ...     ["win a prize now", "see you at lunch"], ["spam", "ham"]
        ... )
        >>> why = classifier.explain("a big prize")
        >>> why.label, why.strongest(1)[0].text
        ('spam', 'prize')
        >>> abs(sum(row.evidence_margin for row in why.rows()) - why.evidence_margin) < 1e-9
        True
        """
        asked = {"n_nearest": n_nearest, "parts": parts}
        check_values("TextClassifier.explain", TEXT_CLASSIFIER, asked)
        model = self._asked([])
        text = model.analysis.decode(text)
        check_length(text)
        question = self._question(int(n_nearest))
        content = replace(model, analysis=model.analysis.for_content())
        (ranking,) = content.compared([text], question)
        is_rejected = bool(ranking.rejected_by(self._rejection)[0])
        return explain_text(
            content.analysis, model.hashing, model.memory, ranking, question, text, is_rejected,
            parts,
        )  # fmt: skip

    # Files.

    def _content(self) -> tuple[dict[str, Any], Arrays]:
        model = self._learnt()
        self._check()
        below, margin = self.reject_below, self.reject_margin
        settings = model.settings | {
            "n_neighbors": int(self.n_neighbors),
            "smoothing": self.smoothing
            if isinstance(self.smoothing, str)
            else float(self.smoothing),
            "fit_prior": bool(self.fit_prior),
            "reject_below": None if below is None else float(below),
            "reject_margin": None if margin is None else float(margin),
        }
        if self.method != "bayes":
            del settings["smoothing"], settings["fit_prior"]
        return settings, model.parts()

    @classmethod
    def _of_content(cls, settings: Mapping[str, Any], parts: Parts, **options: Any) -> Self:
        names = {"n_neighbors", "reject_below", "reject_margin"}
        is_bayes = settings.get("method") == "bayes"
        names |= {"n_buckets", "smoothing", "fit_prior"} if is_bayes else set()
        require(settings.keys() == {"method", "keep_texts", "vectorizer", *names}, "settings")
        model = ClassifierState.from_parts(parts, settings, options["key"], options["functions"])
        result = cls(
            model.method,
            vectorizer=model.vectorizer,
            keep_texts=model.keep_texts,
            n_jobs=options["n_jobs"],
            **{name: settings[name] for name in names},
        )
        with values_of_file():
            result._check()
        result._model = model
        return result

    def digest(self) -> str:
        """Return a SHA-256 of everything that was learnt and of how texts become vectors.

        Classifiers that know the same examples have the same digest, however they learnt them.

        Examples
        --------
        >>> from addhash import TextClassifier
        >>> one = TextClassifier().fit(["good morning", "bonjour"], ["en", "fr"])
        >>> two = TextClassifier().fit(["bonjour"], ["fr"]).learn(["good morning"], ["en"])
        >>> one.digest() == two.digest()
        True
        """
        return self._learnt().digest()

    @classmethod
    def load(
        cls, path: Any, *, key: bytes | None = None, n_jobs: int | None = None, **functions: Any
    ) -> Self:
        """Load a classifier that `save` wrote.

        Parameters
        ----------
        path : str or path-like
            Anything but a file of a TextClassifier raises ModelFileError.
        key : bytes, optional
            The vectorizer's key, if it had one.
        n_jobs : int or None, default=None
            As for a new classifier.
        **functions : callables
            The vectorizer's `analyzer`, `preprocessor`, `strip_accents` or `tokenizer`, if it was a
            function.

        Returns
        -------
        classifier : TextClassifier

        Examples
        --------
        >>> import tempfile
        >>> from addhash import TextClassifier
        >>> classifier = TextClassifier().fit(["good morning", "bonjour"], ["en", "fr"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     classifier.save(f"{folder}/languages.safetensors")
        ...     loaded = TextClassifier.load(f"{folder}/languages.safetensors")
        >>> loaded.predict(["good"]).tolist()
        ['en']
        """
        check_values("TextClassifier.load", TEXT_CLASSIFIER, {"n_jobs": n_jobs})
        check_functions("TextClassifier.load", functions)
        return cls._load(path, key=key, n_jobs=n_jobs, functions=functions)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "es")

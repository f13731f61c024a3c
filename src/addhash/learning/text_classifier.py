"""Texts in, labels out: a classifier that learns, forgets and merges exactly."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from addhash.errors import (
    DocumentError,
    ExampleError,
    MergeError,
    NotFittedError,
    ParameterError,
)
from addhash.files.in_memory import SavedAsBytes
from addhash.files.model_file import check_metadata, read_model, write_model
from addhash.files.parts import Parts, checking
from addhash.hashing.dense import is_bits
from addhash.hashing.parametrized import Parametrized
from addhash.hashing.vectorizer import TextVectorizer
from addhash.learning.explanation import Explanation, explain_text
from addhash.learning.labels import as_labels
from addhash.learning.leave_one_out import LeaveOneOut
from addhash.learning.memory import Comparison, Question
from addhash.learning.predictions import Prediction, predictions_of
from addhash.learning.text_model import BUCKETS, MOST_EXAMPLES, TextModel, sample
from addhash.learning.turns import turn
from addhash.parameters import TEXT_CLASSIFIER, Method, check_parameters, check_values
from addhash.runtime import resolve_threads
from addhash.text.analysis import check_functions

__all__ = ["TextClassifier"]

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

# What `predict_scores` and `explain` take is not a parameter of the classifier.
RULES = {name: rule for name, rule in TEXT_CLASSIFIER.items() if name != "n_nearest"}


class TextClassifier(SavedAsBytes, Parametrized):
    """Classify texts by their similarity to examples.

    The method "bayes" counts the tokens of each class exactly, in hashed buckets, and picks the
    class under which a text's tokens are likeliest: the most accurate method if classes have more
    than a few examples. The others turn texts into exact integer vectors by additive hashing:
    "nearest" is the paper's, the label of the most similar example; "centroid" keeps one sum per
    class, which makes the smallest model. There is no training loop, so examples and classes can be
    learnt at any time and forgotten without a trace: the model, and its file, depend only on the
    examples it knows, not on how and in what order it learnt them. Of equally likely classes, the
    first in sorted order wins.

    Besides the examples, a model has one or two numbers that are chosen, not learnt: how confident
    `predict_proba` may be and, for the method "bayes", the smoothing, unless one is given. `fit`
    and `tune` choose them by leave-one-out; `learn` and `forget` keep them, and `merge` keeps the
    larger ones.

    Any number of threads can predict at a time, even while others learn: a prediction sees all of a
    change or none of it, and a change that fails or is interrupted leaves the classifier as it was.
    It follows scikit-learn's conventions (`clone`, `cross_val_score`, `GridSearchCV`, pipelines)
    without needing scikit-learn.

    Parameters
    ----------
    method : {"bayes", "nearest", "centroid"}, default="bayes"
        What a text is compared with: each class's token counts, each example, or the sum of each
        class's examples.
    vectorizer : AdditiveHashingVectorizer or None, default=None
        How texts are tokenized and become vectors. By default, 1- to 5-grams of lower-cased
        characters for "bayes", and for the others the paper's setting: character 3-grams, case
        kept, 2048 components. Its parameters can be set as ``vectorizer__...``; "bayes" uses only
        how texts are tokenized and whether repeated tokens count.
    n_buckets : int, default=2**20
        The number of buckets in which "bayes" counts tokens.
    smoothing : float or "auto", default="auto"
        How many tokens "bayes" needs to trust the counts of a class; "auto" chooses it by
        leave-one-out when `fit` gets 100 examples or more.
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
    vectorizer_ : AdditiveHashingVectorizer or its form without scikit-learn The vectorizer that the
    classifier was fitted with.

    Examples
    --------
    >>> from addhash import TextClassifier
    >>> classifier = TextClassifier().fit(
    ...     ["the cat sat on the mat", "le chat est sur la table"], ["en", "fr"]
    ... )
    >>> classifier.predict(["a cat on a table"]).tolist()
    ['en']
    >>> classifier = classifier.learn(["die Katze sitzt auf dem Tisch"], ["de"])
    >>> classifier.predict(["eine Katze auf dem Dach"]).tolist()
    ['de']
    """

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
        self._model: TextModel | None = None
        self._metadata: dict[str, str] = {}

    # What scikit-learn requires of an estimator.

    def parameter(self, name: str) -> Any:
        """Return a parameter; a vectorizer of None stands for the default one."""
        return self._chosen_vectorizer() if name == "vectorizer" else super().parameter(name)

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

    def _chosen_vectorizer(self) -> Any:
        """Return the given vectorizer, or the method's default."""
        if self.vectorizer is not None:
            return self.vectorizer
        is_bayes = self.method == "bayes"
        return TextVectorizer(
            analyzer="char",
            ngram_range=(1, 5) if is_bayes else (3, 3),
            lowercase=is_bayes,
            norm=None,
            dtype=np.int32,
        )

    def _check(self) -> None:
        check_parameters(self, RULES)
        vectorizer = self.vectorizer
        if vectorizer is not None and (
            not isinstance(vectorizer, TextVectorizer) or is_bits(vectorizer.dtype)
        ):
            raise ParameterError(
                "The 'vectorizer' parameter of TextClassifier must be an AdditiveHashingVectorizer"
                f" of numbers, or None. Got {vectorizer!r:.200} instead."
            )
        if self.method != "nearest" and (self.keep_texts or self.n_neighbors != 1):
            name, usual = ("keep_texts", False) if self.keep_texts else ("n_neighbors", 1)
            raise ParameterError(
                f"The {name!r} parameter of TextClassifier must be {usual} with the method"
                f" {self.method!r}, which keeps no examples; use method='nearest'."
                f" Got {getattr(self, name)!r} instead."
            )
        if self.method == "bayes" and vectorizer is not None and vectorizer.key is not None:
            raise ParameterError(
                "The method 'bayes' of TextClassifier counts tokens in buckets, which a key does"
                " not hide; use a vectorizer without a key, or another method."
            )

    @property
    def classes_(self) -> Array:
        """The classes, sorted."""
        return self._learnt().memory.classes

    @property
    def class_counts_(self) -> npt.NDArray[np.int64]:
        """The number of examples of each class."""
        return self._learnt().memory.counts

    @property
    def vectorizer_(self) -> TextVectorizer:
        """The vectorizer that the classifier was fitted with."""
        return copy(self._learnt().vectorizer)

    @property
    def metadata(self) -> dict[str, str]:
        """The metadata recorded by `save` or read from the file."""
        return dict(self._metadata)

    # Learning.

    def _learnt(self) -> TextModel:
        model = self._model
        if model is None:
            raise NotFittedError("This TextClassifier is not fitted yet: call fit or learn first.")
        return model

    def _empty(self) -> TextModel:
        """Return a model without examples, as the parameters say."""
        self._check()
        return TextModel.empty(
            self.method,
            bool(self.keep_texts),
            self._chosen_vectorizer(),
            int(self.n_buckets),
            None if isinstance(self.smoothing, str) else float(self.smoothing),
        )

    def fit(self, texts: Iterable[Any], labels: Any) -> Self:
        """Learn examples, forgetting what was learnt before, and `tune` the classifier.

        Parameters
        ----------
        texts : iterable of str or bytes
        labels : array-like
            One label per text: all texts, or all numbers.

        Returns
        -------
        self
        """
        with turn(self):
            model = self._empty().fitted(texts, labels, self._question(), self._is_auto)
            if len(model.memory.classes) == 0:
                raise ExampleError("Expected at least one example to fit, got none.")
            self._model = model
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
            Texts that were learnt, all or some of them.
        labels : array-like
            The classes they were learnt with.

        Returns
        -------
        self
        """
        with turn(self):
            model = self._asked(texts)
            self._model = model.tuned(texts, labels, self._question(), self._is_auto)
        return self

    @staticmethod
    def sample_to_tune(texts: Sequence[Any], labels: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return the examples that `tune` would use, out of those seen so far.

        For examples that come in parts: at most 1000 have to be kept, and they are the same ones in
        whatever order the examples come.

        Parameters
        ----------
        texts : list of str or bytes
        labels : list

        Returns
        -------
        texts, labels : lists
        """
        chosen = sample(texts, labels, MOST_EXAMPLES)
        return [texts[i] for i in chosen], [labels[i] for i in chosen]

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
        result._model, result._metadata = model, dict(self._metadata)
        return result

    def learn(self, texts: Iterable[Any], labels: Any) -> Self:
        """Learn more examples, possibly of new classes.

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

    def partial_fit(self, texts: Iterable[Any], labels: Any, classes: Any = None) -> Self:
        """Learn more examples; scikit-learn's name for `learn`.

        Parameters
        ----------
        texts : iterable of str or bytes
        labels : array-like
        classes : array-like, optional
            Classes to know even if they have no examples.

        Returns
        -------
        self
        """
        with turn(self):
            self._check()
            model = self._empty() if self._model is None else self._model
            if classes is not None:
                model = model.declared(classes)
            self._model = model.changed("learn", texts, labels, resolve_threads(self.n_jobs))
        return self

    def forget(self, texts: Iterable[Any], labels: Any) -> Self:
        """Forget examples exactly, as if the model had never learnt them.

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
        with turn(self):
            self._check()
            is_new = how == "learn" and self._model is None
            model = self._empty() if is_new else self._learnt()
            changed = model.changed(how, texts, labels, resolve_threads(self.n_jobs))
            if is_new and not len(changed.memory.classes):
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
        with turn(self):
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

    def _asked(self, texts: Any) -> TextModel:
        """Return the model to answer from, after checking the question."""
        model = self._learnt()
        self._check()
        model.check_asked(texts)
        return model

    def _are_rejected(self, comparison: Comparison) -> npt.NDArray[np.bool_]:
        """Return for each text whether its answer is too uncertain."""
        rejected = np.zeros(len(comparison.scores), bool)
        if self.reject_below is not None:
            # A cosine that is 1 up to rounding is not below 1.
            rejected |= comparison.scores < float(self.reject_below) - 1e-12
        if self.reject_margin is not None:
            margins = comparison.scores - comparison.runner_up_scores
            rejected |= margins < float(self.reject_margin)
        return rejected

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
        may_reject = self.reject_below is not None or self.reject_margin is not None
        question = self._question(with_runner_up=self.reject_margin is not None)
        found = []
        for comparison in model.compared(texts, question):
            labels = model.memory.classes[comparison.winners]
            if may_reject:
                labels = labels.astype(object)
                labels[self._are_rejected(comparison)] = None
            found.append(labels)
        if not found:
            return model.memory.classes[:0]
        return found[0] if len(found) == 1 else np.concatenate(found)

    def predict_scores(self, texts: Iterable[Any], n_nearest: int = 3) -> list[Prediction]:
        """Return labels with scores, margins and the nearest examples.

        Parameters
        ----------
        texts : iterable of str or bytes
        n_nearest : int, default=3
            How many of the nearest examples to give; only where the method is "nearest".

        Returns
        -------
        predictions : list of Prediction

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
        result: list[Prediction] = []
        for comparison in model.compared(texts, self._question(int(n_nearest))):
            rejected = self._are_rejected(comparison).tolist()
            result += [
                prediction._replace(label=None) if is_rejected else prediction
                for prediction, is_rejected in zip(
                    predictions_of(model.memory, comparison), rejected, strict=True
                )
            ]
        return result

    def decision_function(self, texts: Iterable[Any]) -> Array:
        """Return a number for each class; for two classes, the second's minus the first's.

        With the method "bayes", it is the evidence for the class in bits; with "nearest", the
        class's share of the votes; with "centroid", the cosine.

        Parameters
        ----------
        texts : iterable of str or bytes

        Returns
        -------
        decisions : ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
        """
        decisions = self._asked(texts).for_all_classes("decisions", texts, self._question())
        if decisions.shape[1] == 2:
            difference: Array = decisions[:, 1] - decisions[:, 0]
            return difference
        return decisions if decisions.shape[1] > 1 else decisions[:, 0]

    def predict_proba(self, texts: Iterable[Any]) -> Floats:
        """Return the probabilities of the classes.

        They are calibrated by leave-one-out if `fit` or `tune` got 100 examples or more. Otherwise,
        those of "nearest" are shares of the votes.

        Parameters
        ----------
        texts : iterable of str or bytes

        Returns
        -------
        shares : ndarray of shape (n_samples, n_classes)
        """
        return self._asked(texts).for_all_classes("probabilities", texts, self._question())

    def score(self, texts: Iterable[Any], labels: Any) -> float:
        """Return the accuracy; a rejected text counts as wrong.

        Parameters
        ----------
        texts : iterable of str or bytes
        labels : array-like

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
        return float(np.mean(found.astype(object) == labels.astype(object)))

    def leave_one_out(self, texts: Iterable[Any], labels: Any) -> LeaveOneOut:
        """Return how examples would be labelled had each of them never been learnt.

        This shows how accurate the classifier is without a test set, at little more than the cost
        of predicting the texts. The smoothing of "bayes" stays as it is.

        Parameters
        ----------
        texts : iterable of str or bytes
            Texts that were learnt.
        labels : array-like
            The classes they were learnt with.

        Returns
        -------
        result : LeaveOneOut
            With `accuracy`, `balanced_accuracy`, `per_class()`, `confusion()`,
            `calibration_error()` and `rejection()`, the trade-off of `reject_below`.

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
        return model.left_out(texts, labels, self._question(with_runner_up=False))

    def explain(self, text: Any, n_nearest: int = 3) -> Explanation:
        """Return what makes up a text's score and its margin over the runner-up.

        Parameters
        ----------
        text : str or bytes
        n_nearest : int, default=3
            How many of the nearest examples to give; only where the method is "nearest".

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
        >>> why.label, why.strongest(1)[0].token in "a prize"
        ('spam', True)
        >>> abs(sum(share.score for share in why.tokens) - why.score) < 1e-9
        True
        """
        check_values("TextClassifier.explain", TEXT_CLASSIFIER, {"n_nearest": n_nearest})
        model = self._asked([])
        text = model.analysis.decode(text)
        question = self._question(int(n_nearest))
        content = replace(model, analysis=model.analysis.for_content())
        (comparison,) = content.compared([text], question)
        is_rejected = bool(self._are_rejected(comparison)[0])
        return explain_text(
            content.analysis, model.hashing, model.memory, comparison, question, text, is_rejected
        )

    # Files.

    def save(self, path: Any, *, metadata: Mapping[str, str] | None = None) -> None:
        """Write the classifier to a file; a crash leaves either the old file or the new one.

        The file depends on the examples that are known, not on how they were learnt. It contains
        neither functions nor a key: both must be passed again on loading.

        Parameters
        ----------
        path : str or path-like
        metadata : dict of str to str, optional
            Metadata to record, such as the model's source and license; None keeps what it has.
        """
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
        kept = self._metadata if metadata is None else check_metadata(metadata)
        write_model(path, "TextClassifier", settings, model.parts(), kept)
        self._metadata = kept

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
        file = read_model(path, "TextClassifier")
        with checking(path):
            names = {"n_neighbors", "reject_below", "reject_margin"}
            is_bayes = file.settings.get("method") == "bayes"
            names |= {"n_buckets", "smoothing", "fit_prior"} if is_bayes else set()
            if file.settings.keys() != {"method", "keep_texts", "vectorizer", *names}:
                raise ValueError("its settings are not those of a text classifier")
            model = TextModel.from_parts(Parts(file.arrays), file.settings, key, functions)
            result = cls(
                model.method,
                vectorizer=model.vectorizer,
                keep_texts=model.keep_texts,
                n_jobs=n_jobs,
                **{name: file.settings[name] for name in names},
            )
            try:
                result._check()
            except ParameterError as error:
                raise ValueError(str(error)) from error
            result._model, result._metadata = model, file.metadata
        return result

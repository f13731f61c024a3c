"""Texts in, labels out: a classifier that learns, forgets and merges exactly."""

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from addhash.additive_text import AdditiveHashingVectorizer
from addhash.centroids import CentroidClassifier
from addhash.core import resolve_threads
from addhash.documents import batches, check_iterable
from addhash.encoded_rows import EncodedRows, GrowingRows
from addhash.errors import DocumentError, ExampleError, MergeError, ParameterError
from addhash.explanation import Explanation, explain_text
from addhash.labels import as_labels
from addhash.neighbors import NearestNeighborClassifier
from addhash.parameters import CLASSIFIER, TEXT_CLASSIFIER, check_parameters, check_values
from addhash.predictions import (
    Prediction,
    compared_vector,
    compared_with_examples,
    compared_with_sums,
)
from addhash.saved_text_classifiers import load_text_classifier, save_text_classifier
from addhash.vector_classifier import raise_difference

__all__ = ["TextClassifier"]

Array = npt.NDArray[Any]
Integers = npt.NDArray[np.int64]
Model = NearestNeighborClassifier | CentroidClassifier


class TextClassifier(ClassifierMixin, BaseEstimator):
    """Classify texts by their likeness to examples.

    Texts become exact integer vectors by additive hashing. The method "nearest" is the paper's:
    the label of the most similar example. "centroid" keeps one sum for each class, which is
    smaller and faster. Neither has anything to train, so examples and classes are learnt at any
    time, and forgotten without a trace: the model, also as a file, depends only on the examples
    that it knows, not on the order or the way in which it came to know them. Of equally similar
    examples, the one with the first label in sorted order wins.

    Parameters
    ----------
    method : {"nearest", "centroid"}, default="nearest"
        What a text is compared with: each example, or the sum of each class's examples.
    vectorizer : AdditiveHashingVectorizer or None, default=None
        How texts become vectors; by default the paper's way: 3-grams of characters, in the case
        that they have, 2048 components.
    reject_below : float or None, default=None
        `predict` gives None, in an array of objects, where the score is lower.
    keep_texts : bool, default=False
        Whether the texts of the examples are kept, to be shown as nearest examples.
    n_jobs : int or None, default=None
        Threads to use; None means all cores that the process may use.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.

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

    _model: Model
    _texts: list[str] | None
    _ranks: Integers | None

    def __init__(
        self,
        method: str = "nearest",
        *,
        vectorizer: Any = None,
        reject_below: float | None = None,
        keep_texts: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.vectorizer = vectorizer
        self.reject_below = reject_below
        self.keep_texts = keep_texts
        self.n_jobs = n_jobs

    @property
    def classes_(self) -> Array:
        """The classes, sorted."""
        return self._model.classes_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def _check(self) -> None:
        check_parameters(self, TEXT_CLASSIFIER)
        vectorizer = self.vectorizer
        if vectorizer is not None and (
            not isinstance(vectorizer, AdditiveHashingVectorizer)
            or (isinstance(vectorizer.dtype, str) and vectorizer.dtype == "bits")
        ):
            raise ParameterError(
                "The 'vectorizer' parameter of TextClassifier must be an AdditiveHashingVectorizer"
                f" of numbers, or None. Got {vectorizer!r} instead."
            )
        if self.keep_texts and self.method == "centroid":
            raise ParameterError(
                "The 'keep_texts' parameter of TextClassifier must be False with the method"
                " 'centroid', which keeps no examples. Got True instead."
            )

    def _vectorizer(self) -> Any:
        """Return the vectorizer in use."""
        if self.vectorizer is not None:
            return clone(self.vectorizer).set_params(n_jobs=self.n_jobs)
        return AdditiveHashingVectorizer(
            analyzer="char",
            ngram_range=(3, 3),
            lowercase=False,
            norm=None,
            dtype=np.int32,
            n_jobs=self.n_jobs,
        )

    def _new_model(self) -> Model:
        if self.method == "centroid":
            return CentroidClassifier(n_jobs=self.n_jobs)
        return NearestNeighborClassifier(n_jobs=self.n_jobs)

    def fit(self, texts: Iterable[Any], labels: Any) -> Self:
        """Learn examples, and forget what was learnt before.

        Parameters
        ----------
        texts : iterable of str or bytes
        labels : array-like
            A class for each text: all texts, or all numbers.

        Returns
        -------
        self
        """
        model, kept = self._learnt(texts, labels, self.keep_texts)
        if model is None:
            raise ExampleError("Expected at least one example to fit, got none.")
        self._set(model, kept)
        return self

    def learn(self, texts: Iterable[Any], labels: Any) -> Self:
        """Learn more examples; new classes may come at any time.

        Parameters
        ----------
        texts : iterable of str or bytes
        labels : array-like
            A class for each text.

        Returns
        -------
        self
        """
        if not hasattr(self, "_model"):
            return self.fit(texts, labels)
        more, new = self._learnt(texts, labels, self._texts is not None)
        if more is not None:
            self._model.merge(more)
            self._set(self._model, None if self._texts is None else self._texts + (new or []))
        return self

    def forget(self, texts: Iterable[Any], labels: Any) -> Self:
        """Forget examples exactly: the model is then as if it had never learnt them.

        Parameters
        ----------
        texts : iterable of str or bytes
            Texts that were learnt. Where the method is "nearest", each must be known; "centroid"
            can only tell whether its class has enough examples.
        labels : array-like
            The classes they were learnt with.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        less, unwanted = self._learnt(texts, labels, self._texts is not None)
        if less is None:
            return self
        model = self._model
        if isinstance(model, CentroidClassifier):
            model._subtract(less)
            self._set(model, None)
            return self
        assert isinstance(less, NearestNeighborClassifier)
        known = self._texts
        positions = model._without(
            less._growing.rows,
            less.classes_[less._codes],
            None if known is None or unwanted is None else (known, unwanted),
        )
        model._keep(positions)
        self._set(model, None if known is None else [known[i] for i in positions.tolist()])
        return self

    def merge(self, other: "TextClassifier") -> Self:
        """Learn what another classifier has learnt.

        Parameters
        ----------
        other : TextClassifier
            One with the same parameters; it stays as it is.

        Returns
        -------
        self
        """
        if not isinstance(other, TextClassifier):
            raise MergeError(
                f"Expected a TextClassifier to merge with, got a {type(other).__name__}."
            )
        check_is_fitted(self)
        check_is_fitted(other)
        raise_difference(self._configuration(), other._configuration())
        self._model.merge(other._model)
        theirs = other._texts
        self._set(self._model, None if self._texts is None else self._texts + (theirs or []))
        return self

    def _configuration(self) -> dict[str, Any]:
        names = ("method", "reject_below", "keep_texts")
        vectorizer = self._vectorizer().get_params(deep=False)
        del vectorizer["n_jobs"]
        return {name: getattr(self, name) for name in names} | {
            f"vectorizer.{name}": value for name, value in vectorizer.items()
        }

    def _set(self, model: Model, texts: list[str] | None) -> None:
        self._model, self._texts, self._ranks = model, texts, None

    def _learnt(
        self, texts: Iterable[Any], labels: Any, keep: bool
    ) -> tuple[Model | None, list[str] | None]:
        """Return a model of these examples alone, None if there are none; and texts to keep."""
        self._check()
        check_iterable(texts)
        texts = list(texts)
        labels = as_labels(labels)
        if len(texts) != len(labels):
            raise DocumentError(
                f"Expected a label for each of {len(texts)} texts, got {len(labels)} labels."
            )
        vectorizer = self._vectorizer()
        if keep:
            # Once only: an open file has nothing to read a second time.
            texts = [vectorizer.decode(text) for text in texts]
            vectorizer.set_params(input="content")
        model = self._new_model() if texts else None
        start = 0
        for batch in batches(texts):
            end = start + len(batch)
            assert model is not None
            model.partial_fit(vectorizer.transform(batch), labels[start:end])
            start = end
        return model, texts if keep else None

    def _encoded(self, texts: Iterable[Any], vectorizer: Any = None) -> EncodedRows:
        """Return the vectors of texts to predict for."""
        check_is_fitted(self)
        self._check()
        check_iterable(texts)
        if self._model._is_empty():
            raise ExampleError(
                "This TextClassifier has no examples left: all were forgotten. Call learn first."
            )
        vectorizer = vectorizer or self._vectorizer()
        width = self._model.n_features_in_
        growing = GrowingRows(EncodedRows.empty(width))
        for batch in batches(texts):
            vectors = vectorizer.transform(batch)
            growing.append(EncodedRows.encode(vectors, width, self._threads, "texts"))
        return growing.rows

    @property
    def _threads(self) -> int:
        return resolve_threads(self.n_jobs)

    def _order(self) -> Integers:
        """Return the positions of the examples in an order that their history does not change."""
        assert isinstance(self._model, NearestNeighborClassifier)
        keys: list[Sequence[Any]] = [self._model._codes.tolist(), self._model._known_digests()]
        if self._texts is not None:
            keys.append(self._texts)
        tuples = list(zip(*keys, strict=True))
        return np.array(sorted(range(len(tuples)), key=tuples.__getitem__), np.int64)

    def _known_ranks(self) -> Integers:
        if self._ranks is None:
            order = self._order()
            self._ranks = np.empty(len(order), np.int64)
            self._ranks[order] = np.arange(len(order))
        return self._ranks

    def predict(self, texts: Iterable[Any]) -> Array:
        """Return a label for each text.

        Parameters
        ----------
        texts : iterable of str or bytes

        Returns
        -------
        labels : ndarray
            Of objects, None where the score is too low, if `reject_below` is set.
        """
        queries = self._encoded(texts)
        model = self._model
        if isinstance(model, CentroidClassifier):
            scores = model._scores_of(queries)
            codes, best = scores.argmax(axis=1), scores.max(axis=1, initial=-1)
        else:
            rows = model._growing.rows
            positions, scores = rows.nearest(queries, 1, self._threads, self._known_ranks())
            codes, best = model._codes[positions[:, 0]], scores[:, 0]
        labels: Array = model.classes_[codes]
        if self.reject_below is not None:
            labels = labels.astype(object)
            labels[best < self.reject_below] = None
        return labels

    def predict_scores(self, texts: Iterable[Any], n_nearest: int = 3) -> list[Prediction]:
        """Return labels with scores, margins and the nearest examples.

        Parameters
        ----------
        texts : iterable of str or bytes
        n_nearest : int, default=3
            How many of the nearest examples to tell; none where the method is "centroid".

        Returns
        -------
        predictions : list of Prediction

        Examples
        --------
        >>> from addhash import TextClassifier
        >>> classifier = TextClassifier(keep_texts=True).fit(
        ...     ["win a prize now", "see you at lunch"], ["spam", "ham"]
        ... )
        >>> answer = classifier.predict_scores(["win a big prize"], n_nearest=1)[0]
        >>> answer.label, answer.runner_up, answer.nearest[0].text
        ('spam', 'ham', 'win a prize now')
        """
        check_values("TextClassifier.predict_scores", CLASSIFIER, {"n_neighbors": n_nearest})
        queries = self._encoded(texts)
        return [
            prediction._replace(label=self._kept(prediction.label, prediction.score))
            for prediction, _ in self._compared(queries, int(n_nearest))
        ]

    def _compared(
        self, queries: EncodedRows, n_nearest: int
    ) -> list[tuple[Prediction, tuple[int, int]]]:
        """Return predictions, none rejected, and what their texts were compared with."""
        if isinstance(self._model, CentroidClassifier):
            return compared_with_sums(self._model, queries)
        return compared_with_examples(
            self._model, queries, n_nearest, self._known_ranks(), self._texts
        )

    def _kept(self, label: Any, score: float) -> Any:
        return None if self.reject_below is not None and score < self.reject_below else label

    def explain(self, text: Any, n_nearest: int = 3) -> Explanation:
        """Tell what in a text makes up its score and its margin over the runner-up.

        Parameters
        ----------
        text : str or bytes
        n_nearest : int, default=3
            How many of the nearest examples to tell; none where the method is "centroid".

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
        check_values("TextClassifier.explain", CLASSIFIER, {"n_neighbors": n_nearest})
        vectorizer = self._vectorizer()
        text = vectorizer.decode(text)
        vectorizer.set_params(input="content")
        queries = self._encoded([text], vectorizer)
        prediction, (winner, other) = self._compared(queries, int(n_nearest))[0]
        return explain_text(
            vectorizer,
            text,
            (prediction.label, compared_vector(self._model, winner)),
            None if other < 0 else (prediction.runner_up, compared_vector(self._model, other)),
            prediction.nearest,
        )

    def save(self, path: Any) -> None:
        """Write the classifier to a file; a crash leaves the old file or the new one.

        The file depends on the examples that are known, not on how they came to be. It holds
        neither functions nor a key: both are handed in again on loading.

        Parameters
        ----------
        path : str or path-like
        """
        check_is_fitted(self)
        self._check()
        save_text_classifier(self, path)

    @classmethod
    def load(
        cls, path: Any, *, key: bytes | None = None, n_jobs: int | None = None, **functions: Any
    ) -> Self:
        """Load a classifier that `save` wrote; its vectors are mapped into memory.

        Parameters
        ----------
        path : str or path-like
            Anything but a file of a TextClassifier is a ModelFileError.
        key : bytes, optional
            The vectorizer's key, if it had one.
        n_jobs : int or None, default=None
            As for a new classifier.
        **functions : callables
            The vectorizer's `analyzer`, `preprocessor`, `strip_accents` or `tokenizer`, where it
            was a function.

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
        loaded: Self = load_text_classifier(cls, path, key, n_jobs, functions)
        return loaded

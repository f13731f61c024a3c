"""What the vector classifiers share: scikit-learn's checks around a memory."""

from collections.abc import Callable, Mapping
from copy import copy
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from addhash.arrays import Array, Floats
from addhash.errors import ExampleError, MergeError
from addhash.files.parts import Parts, member, require
from addhash.files.saved_model import Arrays, SavedModel, values_of_file
from addhash.learning.labels import as_labels
from addhash.learning.memory import Keeping, Memory, Question
from addhash.learning.predictions import decision_values
from addhash.learning.rejection import Rejection
from addhash.learning.sample_weight import repetitions
from addhash.locks import exclusive
from addhash.merging import raise_difference
from addhash.parameters import CLASSIFIER, Rule, check_parameters, check_values
from addhash.runtime import resolve_threads

AnyMemory = TypeVar("AnyMemory", bound=Memory)


class VectorClassifier(SavedModel, ClassifierMixin, BaseEstimator, Generic[AnyMemory]):
    """A vector classifier that keeps what it learns in a memory.

    A change is prepared on the side and takes effect in one step; threads that change it take
    turns.
    """

    reject_below: float | None
    n_jobs: int | None
    n_features_in_: int
    feature_names_in_: Array
    memory_: AnyMemory

    _rules: ClassVar[dict[str, Rule]]
    _memory: ClassVar[Any]  # the class of memory_
    _accept_sparse: ClassVar[str | bool] = False

    def _keeping(self) -> Keeping:
        """Return what the memory keeps, as the parameters describe it."""
        return Keeping()

    def _question(self) -> Question:
        """Return the question for the memory that the parameters describe."""
        return Question(self._threads)

    def _rows(self, X: Any) -> Any:
        """Return checked vectors as the memory takes them."""
        return X

    def _learnt(self, memory: AnyMemory, X: Any, labels: Array) -> AnyMemory:
        return memory.learn(X, labels, None, self._threads)

    def _best(self, memory: AnyMemory, X: Any, decisions: Floats) -> Floats:
        """Return the scores that `reject_below` is compared with."""
        best: Floats = decisions.max(axis=1, initial=-1)
        return best

    @property
    def classes_(self) -> Array:
        """The classes, sorted."""
        return self.memory_.classes.labels

    @property
    def _threads(self) -> int:
        return resolve_threads(self.n_jobs)

    def _examples(
        self, scratch: Self, X: Any, y: Any, reset: bool, sample_weight: Any
    ) -> tuple[Any, Array]:
        """Return checked vectors and labels; attributes that a check sets go to `scratch`."""
        check_parameters(self, self._rules)
        if y is not None and not hasattr(y, "__array__"):
            as_labels(y if isinstance(y, list | tuple) else list(y))
        sparse = self._accept_sparse
        X, y = validate_data(scratch, X, y, reset=reset, dtype="numeric", accept_sparse=sparse)
        labels = column_or_1d(y, warn=True)
        if len(labels):
            check_classification_targets(labels)
        if sample_weight is not None:
            chosen = repetitions(sample_weight, len(labels))
            X, labels = X[chosen], labels[chosen]
        return self._rows(X), as_labels(labels)

    def _queries(self, X: Any) -> tuple[AnyMemory, Any]:
        """Return the memory, and checked vectors to compare with it."""
        check_is_fitted(self)
        check_parameters(self, self._rules)
        memory = self.memory_
        sparse = self._accept_sparse
        X = validate_data(copy(self), X, reset=False, dtype="numeric", accept_sparse=sparse)
        if not memory.classes.counts.any():
            raise ExampleError(
                f"This {type(self).__name__} has no examples left: all were forgotten."
                " Call partial_fit first."
            )
        return memory, self._rows(X)

    def _change(
        self,
        X: Any,
        y: Any,
        reset: bool,
        change: Callable[[AnyMemory, Array, Array], AnyMemory],
        sample_weight: Any = None,
    ) -> Self:
        """Replace the memory and the attributes set from X in one step."""
        with exclusive(self):
            scratch = copy(self)
            X, y = self._examples(scratch, X, y, reset, sample_weight)
            empty = self._memory.empty(scratch.n_features_in_, self._keeping())
            memory = empty if reset else self.memory_
            scratch.memory_ = change(memory, X, y)
            noted = {k: v for k, v in vars(scratch).items() if k.endswith("_")}
            if reset and "feature_names_in_" not in noted:
                self.__dict__.pop("feature_names_in_", None)
            self.__dict__.update(noted)
        return self

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn examples, forgetting what was learnt before.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Integers or floats; for BayesClassifier counts, also in a sparse matrix.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of int, optional
            How often each example is learnt; a weight of 2 is exactly the example twice.

        Returns
        -------
        self
        """
        return self._change(X, y, True, self._learnt, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn more examples, possibly of new classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like, optional
            Classes to know even if they have no examples.
        sample_weight : array-like of int, optional
            How often each example is learnt.

        Returns
        -------
        self
        """

        def learn(memory: AnyMemory, X: Array, y: Array) -> AnyMemory:
            known = memory if classes is None else memory.declare(as_labels(classes))
            return known.learn(X, y, None, self._threads)

        return self._change(X, y, not hasattr(self, "memory_"), learn, sample_weight)

    def forget(self, X: Any, y: Any) -> Self:
        """Forget examples exactly; of those with the same vector and class, the last one learnt.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Vectors that were learnt.
        y : array-like of shape (n_samples,)
            The classes they were learnt with.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        return self._change(X, y, False, lambda m, X, y: m.forget(X, y, None, self._threads))

    def merge(self, other: Self) -> Self:
        """Learn what another model has learnt, after what this one has.

        Parameters
        ----------
        other : model of the same class
            With the same parameters. It is not changed.

        Returns
        -------
        self
        """
        if type(other) is not type(self):
            raise MergeError(
                f"Expected a {type(self).__name__} to merge with, got a {type(other).__name__}."
            )
        check_is_fitted(self)
        check_is_fitted(other)
        with exclusive(self):
            raise_difference(self._configuration(), other._configuration())
            self.memory_ = self.memory_.merge(other.memory_)
        return self

    def _configuration(self) -> dict[str, Any]:
        own = {k: v for k, v in self.get_params(deep=False).items() if k != "n_jobs"}
        return own | {"n_features_in_": self.n_features_in_}

    def predict(self, X: Any) -> Array:
        """Return the class of each vector.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            If `reject_below` is set, an object array with None for rejected answers.
        """
        memory, X = self._queries(X)
        decisions = memory.decisions(X, self._question())
        labels: Array = memory.classes.labels[decisions.argmax(axis=1)]
        rejection = Rejection(self.reject_below)
        if rejection.is_possible:
            labels = labels.astype(object)
            labels[rejection.rejects(self._best(memory, X, decisions))] = None
        return labels

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy; rejected answers count as wrong.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        accuracy : float
        """
        hits = self.predict(X).astype(object) == np.asarray(y).astype(object)
        return float(np.average(hits, weights=sample_weight))

    def decision_function(self, X: Any) -> Array:
        """Return a number for each class; for two classes, the second's minus the first's.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        decisions : ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
        """
        memory, X = self._queries(X)
        return decision_values(memory.decisions(X, self._question()))

    def predict_proba(self, X: Any) -> Floats:
        """Return shares of the classes that add up to 1, not calibrated.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        shares : ndarray of shape (n_samples, n_classes)
        """
        memory, X = self._queries(X)
        return memory.probabilities(X, self._question())

    def _content(self) -> tuple[dict[str, Any], Arrays]:
        check_is_fitted(self)
        parameters = self.get_params(deep=False)
        del parameters["n_jobs"]
        settings = {
            "parameters": {name: _plain(value) for name, value in parameters.items()},
            "n_features": int(self.n_features_in_),
            "feature_names": _plain(getattr(self, "feature_names_in_", None)),
        }
        return settings, self.memory_.parts()

    @classmethod
    def _of_content(cls, settings: Mapping[str, Any], parts: Parts, **options: Any) -> Self:
        require(settings.keys() == {"parameters", "n_features", "feature_names"}, "settings")
        model = cls(**member(settings, "parameters", dict))
        with values_of_file():
            check_parameters(model, cls._rules)
        model.n_jobs = options["n_jobs"]
        model.n_features_in_ = member(settings, "n_features", int)
        names = member(settings, "feature_names", list, type(None))
        if names is not None:
            is_named = len(names) == model.n_features_in_ and all(type(x) is str for x in names)
            require(is_named, "feature names")
            model.feature_names_in_ = np.array(names, object)
        model.memory_ = cls._memory.from_parts(parts, model.n_features_in_, model._keeping())
        return model

    @classmethod
    def load(cls, path: Any, *, n_jobs: int | None = None) -> Self:
        """Load a model that `save` wrote.

        Parameters
        ----------
        path : str or path-like
            Anything but a file of this class raises ModelFileError.
        n_jobs : int or None, default=None
            As for a new model.

        Returns
        -------
        model : a fitted classifier
        """
        check_values(cls.__name__, CLASSIFIER, {"n_jobs": n_jobs})
        return cls._load(path, n_jobs=n_jobs)


def _plain(value: Any) -> Any:
    """Return the Python value of a NumPy scalar."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value

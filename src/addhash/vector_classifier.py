"""What the two classifiers of vectors share."""

from abc import ABCMeta, abstractmethod
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from addhash.core import resolve_threads
from addhash.encoded_rows import EncodedRows
from addhash.errors import ExampleError, MergeError, ParameterError
from addhash.labels import as_labels
from addhash.model_arrays import Parts, checking, member
from addhash.model_files import read_model, write_model
from addhash.parameters import CLASSIFIER, check_parameters, check_values

__all__ = ["VectorClassifier"]

Array = npt.NDArray[Any]


class VectorClassifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """Checks of input and state; the way from scores to labels."""

    reject_below: float | None
    n_jobs: int | None
    classes_: Array
    n_features_in_: int
    feature_names_in_: Array

    def _check(self) -> None:
        rules = {name: rule for name, rule in CLASSIFIER.items() if hasattr(self, name)}
        check_parameters(self, rules)

    @property
    def _threads(self) -> int:
        return resolve_threads(self.n_jobs)

    def _examples(self, X: Any, y: Any, reset: bool) -> tuple[Array, Array]:
        """Return checked vectors and labels."""
        self._check()
        X, y = validate_data(self, X, y, reset=reset, dtype="numeric")
        return X, as_labels(y)

    def _queries(self, X: Any) -> EncodedRows:
        """Return the vectors to predict for, checked and encoded."""
        check_is_fitted(self)
        self._check()
        X = validate_data(self, X, reset=False, dtype="numeric")
        if len(self.classes_) == 0 or self._is_empty():
            raise ExampleError(
                f"This {type(self).__name__} has no examples left: all were forgotten."
                " Call partial_fit first."
            )
        return EncodedRows.encode(X, self.n_features_in_, self._threads, "samples")

    @abstractmethod
    def _is_empty(self) -> bool:
        """Tell whether no example is left."""

    def _checked_for_merge(self, other: Any) -> None:
        """Refuse to merge with what is not the same but for its examples."""
        if type(other) is not type(self):
            raise MergeError(
                f"Expected a {type(self).__name__} to merge with, got a {type(other).__name__}."
            )
        check_is_fitted(self)
        check_is_fitted(other)
        mine, theirs = self._configuration(), other._configuration()
        raise_difference(mine, theirs)

    def _configuration(self) -> dict[str, Any]:
        own = {k: v for k, v in self.get_params(deep=False).items() if k != "n_jobs"}
        return own | {"n_features_in_": self.n_features_in_}

    def _labels(self, decisions: Array, best: Array) -> Array:
        """Return the class of the highest decision, or None where the best score is too low."""
        labels: Array = self.classes_[decisions.argmax(axis=1)]
        if self.reject_below is None:
            return labels
        kept: Array = labels.astype(object)
        kept[best < self.reject_below] = None
        return kept

    @staticmethod
    def _as_decision_function(decisions: Array) -> Array:
        if decisions.shape[1] == 2:
            difference: Array = decisions[:, 1] - decisions[:, 0]
            return difference
        return decisions if decisions.shape[1] > 1 else decisions[:, 0]

    def fit(self, X: Any, y: Any) -> Self:
        """Learn examples, and forget what was learnt before.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Integers or floats.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        self
        """
        return self._learn(X, y, None, reset=True)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn more examples; new classes may come at any time.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like, optional
            Classes to know even without an example of theirs.

        Returns
        -------
        self
        """
        return self._learn(X, y, classes, reset=not hasattr(self, "classes_"))

    @abstractmethod
    def _learn(self, X: Any, y: Any, classes: Any, reset: bool) -> Self:
        """Learn examples, after those that were learnt unless `reset`."""

    def forget(self, X: Any, y: Any) -> Self:
        """Forget examples exactly; of those with the same vector and class, the one last learnt.

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
        self._forget(*self._examples(X, y, reset=False))
        return self

    @abstractmethod
    def _forget(self, X: Any, y: Any) -> None:
        """Forget examples that have been checked, or change nothing and raise an ExampleError."""

    def merge(self, other: Self) -> Self:
        """Learn what another model has learnt, after what this one has.

        Parameters
        ----------
        other : model of the same class
            With the same parameters; it stays as it is.

        Returns
        -------
        self
        """
        self._checked_for_merge(other)
        self._merge(other)
        return self

    @abstractmethod
    def _merge(self, other: Self) -> None:
        """Learn what a model that fits has learnt."""

    def save(self, path: Any) -> None:
        """Write the model to a file; a crash leaves the old file or the new one.

        Parameters
        ----------
        path : str or path-like
        """
        check_is_fitted(self)
        parameters = self.get_params(deep=False)
        del parameters["n_jobs"]
        about = {
            "parameters": {name: _plain(value) for name, value in parameters.items()},
            "n_features": int(self.n_features_in_),
            "feature_names": _plain(getattr(self, "feature_names_in_", None)),
        }
        write_model(path, type(self).__name__, about, self._arrays())

    @classmethod
    def load(cls, path: Any, *, n_jobs: int | None = None) -> Self:
        """Load a model that `save` wrote; its vectors are mapped into memory.

        Parameters
        ----------
        path : str or path-like
            Anything but a file of this class is a ModelFileError.
        n_jobs : int or None, default=None
            As for a new model.

        Returns
        -------
        model : a fitted classifier
        """
        about, arrays = read_model(path, cls.__name__)
        check_values(cls.__name__, CLASSIFIER, {"n_jobs": n_jobs})
        with checking(path):
            if about.keys() != {"parameters", "n_features", "feature_names"}:
                raise ValueError("its description is not that of a classifier")
            model = cls(**member(about, "parameters", dict))
            _check_saved(model)
            model.n_jobs = n_jobs
            model.n_features_in_ = member(about, "n_features", int)
            names = member(about, "feature_names", list, type(None))
            if names is not None:
                if len(names) != model.n_features_in_ or any(type(x) is not str for x in names):
                    raise ValueError("it has wrong feature names")
                model.feature_names_in_ = np.array(names, object)
            parts = Parts(arrays)
            model._restore(parts, model.n_features_in_)
            parts.finish()
        return model

    @abstractmethod
    def _arrays(self) -> dict[str, Array]:
        """Return what a file holds of the model."""

    @abstractmethod
    def _restore(self, parts: Parts, n_features: int) -> None:
        """Take over what a file held of a model."""


def _plain(value: Any) -> Any:
    """Return a value of Python for one of NumPy."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _check_saved(model: VectorClassifier) -> None:
    try:
        model._check()
    except ParameterError as error:
        raise ValueError(str(error)) from error


def raise_difference(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
    """Raise a MergeError that names every difference of two configurations."""
    differences = [
        f"{name}: {_shown(mine.get(name))} here, {_shown(theirs.get(name))} there"
        for name in {**mine, **theirs}
        if not _same(mine.get(name), theirs.get(name))
    ]
    if differences:
        raise MergeError(f"The models differ in {'; '.join(differences)}; nothing was merged.")


def _shown(value: Any) -> str:
    return "a key" if isinstance(value, bytes) else repr(value)


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(np.all(a == b))

"""What the additive vectorizers for text and for records share."""

from abc import ABCMeta, abstractmethod
from typing import Any, Self

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from addhash.hashing.dense import row_width


class StatelessTransformer(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, metaclass=ABCMeta
):
    """A transformer that learns nothing: its `check` is all that `fit` does."""

    n_features: int
    dtype: Any

    @abstractmethod
    def check(self) -> None:
        """Raise a ParameterError for the first parameter with an invalid value."""

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Check the parameters; nothing is learnt.

        Parameters
        ----------
        X : ignored
        y : ignored

        Returns
        -------
        self
        """
        self.check()
        return self

    def partial_fit(self, X: Any = None, y: Any = None) -> Self:
        """Check the parameters; nothing is learnt. The same as `fit`."""
        return self.fit(X, y)

    @property
    def _n_features_out(self) -> int:
        return row_width(self.n_features, self.dtype)

    def __sklearn_is_fitted__(self) -> bool:
        return True

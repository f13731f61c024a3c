"""What the additive vectorizers for text and for records share."""

from collections.abc import Callable, Iterable, Sized
from copy import copy
from typing import Any, ClassVar, Self

import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from addhash.core import resolve_threads
from addhash.dense import (
    DenseRows,
    NativeRows,
    check_norm,
    is_bits,
    raise_sum_failure,
    row_width,
)
from addhash.documents import batches
from addhash.parameters import Rule, check_parameters
from addhash.randomizers import make_randomizer

__all__ = ["AdditiveEstimator"]

# Writes the vectors of a batch, whose first document has the given number, to an array.
Vectorize = Callable[[list[Any], int, npt.NDArray[Any]], tuple[str, int] | None]


class _Hidden:
    def __repr__(self) -> str:
        return "<secret>"


class AdditiveEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A transformer without state whose vectors are sums of hashes."""

    _rules: ClassVar[dict[str, Rule]]
    _noun: ClassVar[str]

    def _check(self) -> None:
        check_parameters(self, self._rules)
        check_norm(self)

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Check the parameters; nothing is learnt.

        Parameters
        ----------
        X, y : ignored

        Returns
        -------
        self
        """
        self._check()
        return self

    def partial_fit(self, X: Any = None, y: Any = None) -> Self:
        """Check the parameters; nothing is learnt. The same as `fit`."""
        return self.fit(X, y)

    def _options(self) -> dict[str, Any]:
        """Return what is asked of the native core, beside the tokens."""
        bits = is_bits(self.dtype)
        return {
            "randomizer": make_randomizer(self.randomizer, self.n_features, self.key),
            "is_signed": bool(self.alternate_sign),
            "is_binary": bool(getattr(self, "binary", False)),
            "norm": "none" if bits or self.norm is None else self.norm,
            "as_bits": bits,
            "threads": resolve_threads(self.n_jobs),
        }

    def _transform(self, documents: Iterable[Any], vectorize: Vectorize) -> npt.NDArray[Any]:
        expected = len(documents) if isinstance(documents, Sized) else None
        rows = DenseRows(self.n_features, self.dtype, expected)
        start = 0
        for batch in batches(documents, rows.batch_rows):
            target = NativeRows(rows.place(len(batch)))
            failure = vectorize(batch, start, target.out)
            if failure is not None:
                raise_sum_failure(failure, start, self._noun, self.dtype)
            target.finish()
            start += len(batch)
        return rows.finish()

    @property
    def _n_features_out(self) -> int:
        return row_width(self.n_features, self.dtype)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def _shown(self) -> Self:
        """Return what may be shown: a copy without the key."""
        if self.key is None or isinstance(self.key, _Hidden):
            return self
        shown = copy(self)
        shown.key = _Hidden()
        return shown

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        text: str = BaseEstimator.__repr__(self._shown(), N_CHAR_MAX)
        return text

    def _repr_html_inner(self) -> Any:
        return BaseEstimator._repr_html_inner(self._shown())

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return BaseEstimator._repr_mimebundle_(self._shown(), **kwargs)

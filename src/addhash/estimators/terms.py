"""The terms that a vectorizer learnt: in the core, and as scikit-learn's dict on request."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from addhash.hashing.vocabulary import Vocabulary
from addhash.runtime import native


@dataclass
class Terms:
    """Terms numbered by their columns, and the columns in the order in which texts had them."""

    vocabulary: Vocabulary
    columns: npt.NDArray[np.int32]
    # scikit-learn leaves NumPy's integers in a vocabulary that it has limited.
    has_numpy_numbers: bool = False

    @classmethod
    def sorted(cls, vocabulary: Vocabulary) -> Self:
        """Return terms whose columns are in the order of their characters."""
        return cls(vocabulary, vocabulary.sort())

    @classmethod
    def of_dict(cls, vocabulary: dict[Any, Any]) -> Self | None:
        """Return the terms of scikit-learn's dict, or None if the core cannot have them."""
        if not all(type(token) is str for token in vocabulary):
            return None
        columns = np.fromiter(vocabulary.values(), np.int64, len(vocabulary))
        order = np.argsort(columns, kind="stable")
        if not np.array_equal(columns[order], np.arange(len(vocabulary))):
            return None
        tokens = list(vocabulary)
        try:
            return cls(Vocabulary(tokens[i] for i in order), columns.astype(np.int32))
        except (native.Failure, UnicodeEncodeError):  # a lone surrogate
            return None

    def to_dict(self) -> dict[Any, Any]:
        """Return scikit-learn's dict."""
        known = self.vocabulary.to_dict(self.columns)
        if not self.has_numpy_numbers:
            return known
        return dict(zip(known, self.columns.astype(np.int64), strict=True))

    def keep(self, mask: npt.NDArray[np.bool_], *, has_numpy_numbers: bool) -> None:
        """Keep the terms of some columns, which close ranks."""
        kept = np.flatnonzero(mask).astype(np.int32)
        self.vocabulary = self.vocabulary.take(kept)
        self.columns = (np.cumsum(mask) - 1).astype(np.int32)[self.columns[mask[self.columns]]]
        self.has_numpy_numbers = has_numpy_numbers


class _Known(NamedTuple):
    terms: Terms | None
    made: dict[Any, Any] | None  # the dict that is these terms, if there is one


# Not attributes: transform changes no estimator.
_known: WeakKeyDictionary[Any, _Known] = WeakKeyDictionary()


class HasTerms:
    """A vectorizer with `vocabulary_`, a dict that is made when it is first looked at."""

    @property
    def vocabulary_(self) -> dict[Any, Any]:
        """A dict of terms to columns."""
        own = self.__dict__.get("vocabulary_")
        if own is not None:
            return own  # type: ignore[no-any-return]
        terms = _known.get(self, _Known(None, None)).terms
        if terms is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'vocabulary_'")
        made: dict[Any, Any] = self.__dict__.setdefault("vocabulary_", terms.to_dict())
        _known[self] = _Known(terms, made)
        return made

    @vocabulary_.setter
    def vocabulary_(self, vocabulary: Any) -> None:
        _known.pop(self, None)
        self.__dict__.pop("vocabulary_", None)
        if isinstance(vocabulary, Terms):
            _known[self] = _Known(vocabulary, None)
        else:
            self.__dict__["vocabulary_"] = vocabulary

    @vocabulary_.deleter
    def vocabulary_(self) -> None:
        if not hasattr(self, "vocabulary_"):
            raise AttributeError("vocabulary_")
        _known.pop(self, None)
        self.__dict__.pop("vocabulary_", None)

    def __getstate__(self) -> Any:
        hasattr(self, "vocabulary_")  # a copy has the dict alone
        return super().__getstate__()

    def _terms(self) -> Terms | None:
        """Return the terms, or None if the core cannot have them."""
        known, own = _known.get(self), self.__dict__.get("vocabulary_")
        if (
            known is not None
            and known.made is own
            and (own is None or known.terms is None or len(own) == len(known.terms.columns))
        ):
            return known.terms
        terms = Terms.of_dict(self.vocabulary_)
        _known[self] = _Known(terms, self.vocabulary_)
        return terms

    def _is_learnt(self) -> bool:
        """Return whether there are terms that no dict was made of."""
        known = _known.get(self)
        return known is not None and known.made is None and known.terms is not None

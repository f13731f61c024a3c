"""Additive hashing for records of categories and numbers."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.conventions import kept_for
from addhash.estimators.stateless import StatelessTransformer
from addhash.hashing.additive import AdditiveHashing
from addhash.hashing.configuration import configure
from addhash.hashing.dense import check_norm
from addhash.hashing.key import KeyParameter
from addhash.parameters import (
    ADDITIVE,
    HASHER,
    InputType,
    NormName,
    RandomizerName,
    check_parameters,
)
from addhash.runtime import resolve_threads


class AdditiveFeatureHasher(StatelessTransformer):
    """Turn records into dense vectors by adding the hashes of their features.

    Records are read as in scikit-learn's ``FeatureHasher``: a number is the weight of its feature's
    name, a string value becomes the feature ``name=value`` of weight 1, and a feature of weight 0
    is left out. Sums of weights do not depend on their order: weights are read as float64 and added
    as integers on a common scale, which is exact for whole numbers up to 2**53 and otherwise keeps
    at least 61 - log2(number of features) bits of a record's largest weight.

    `dtype`, `alternate_sign`, `norm`, `randomizer`, `key` and `n_jobs` are those of
    `AdditiveHashingVectorizer`.

    Parameters
    ----------
    n_features : int, default=2048
        The number of components, a multiple of 8 from 8 to 2**20.
    input_type : {"dict", "pair", "string"}, default="dict"
        What a record is: a dict of names and values, an iterable of (name, value) pairs, or an
        iterable of strings, each a feature of weight 1.
    dtype : dtype or "bits", default=float32
    alternate_sign : bool, default=True
    norm : {"l1", "l2"} or None, default="l2"
    randomizer : {"shake256", "aes128"}, default="shake256"
    key : bytes or None, default=None
    n_jobs : int or None, default=None

    Examples
    --------
    >>> from addhash import AdditiveFeatureHasher
    >>> hasher = AdditiveFeatureHasher(n_features=1024)
    >>> v = hasher.transform(
    ...     [
    ...         {"city": "Oslo", "rooms": 3},
    ...         {"city": "Oslo", "rooms": 4},
    ...         {"city": "Lima", "garden": 1},
    ...     ]
    ... )
    >>> bool(v[0] @ v[1] > 0.9), bool(abs(v[0] @ v[2]) < 0.2)
    (True, True)
    """

    key = KeyParameter()

    def __init__(
        self,
        n_features: int = 2048,
        *,
        input_type: InputType = "dict",
        dtype: Any = np.float32,
        alternate_sign: bool = True,
        norm: NormName | None = "l2",
        randomizer: RandomizerName = "shake256",
        key: bytes | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features = n_features
        self.input_type = input_type
        self.dtype = dtype
        self.alternate_sign = alternate_sign
        self.norm = norm
        self.randomizer = randomizer
        self.key = key
        self.n_jobs = n_jobs

    def check(self) -> None:
        """Raise a ParameterError for the first parameter with an invalid value."""
        check_parameters(self, ADDITIVE | HASHER)
        check_norm(type(self).__name__, self.norm, self.dtype)

    def transform(self, raw_X: Iterable[Any], *, out: Any = None) -> npt.NDArray[Any]:
        """Turn records into vectors.

        Parameters
        ----------
        raw_X : iterable of records
            Dicts, iterables of (name, value) pairs, or iterables of strings, by `input_type`. For
            dicts, also a pandas, Polars or pyarrow table, or anything else with the Arrow PyCapsule
            interface: its columns are the names, and a null is a missing feature.
        out : ndarray or None, default=None
            An array of the right shape and dtype to write the vectors to, so that a loop over
            batches allocates nothing. If the call fails, its contents are undefined.

        Returns
        -------
        vectors : ndarray of shape (n_samples, n_features), or (n_samples, n_features // 8) bytes
        """
        hashing = kept_for(self, self._hashing)
        return hashing.of_records(self.input_type, raw_X, resolve_threads(self.n_jobs), out)

    def _hashing(self) -> tuple[AdditiveHashing, bool]:
        """Return how features are hashed, which depends on the parameters only."""
        self.check()
        hashing = AdditiveHashing(
            configure(type(self).__name__, self.n_features, self.randomizer, self.key),
            alternate_sign=bool(self.alternate_sign),
            norm=self.norm,
            dtype=self.dtype if isinstance(self.dtype, str) else np.dtype(self.dtype),
        )
        return hashing, True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.dict = self.input_type == "dict"
        tags.input_tags.string = self.input_type == "string"
        tags.requires_fit = False
        return tags

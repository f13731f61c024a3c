"""Token weights: integers by the bucket of a token, frozen, identified by their digest."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.arrays import Array
from addhash.errors import ParameterError
from addhash.runtime import native

# A weight is the logarithm in units of this fraction, with three significant bits.
PARTS = 4
MOST = 112  # the largest three-bit weight that the native core accepts


class TokenWeights:
    """Token weights by bucket, and how the texts they come from were tokenized.

    Immutable. `DocumentFrequencies.weights` makes it, and a vectorizer turns the
    `DocumentFrequencies` it is given into one at once: what is learnt later does not affect it.

    Examples
    --------
    >>> from addhash import DocumentFrequencies
    >>> weights = DocumentFrequencies().learn(["to be or not to be", "to go or to stay"]).weights()
    >>> weights.of(["to", "be", "unseen"]).tolist()
    [1, 2, 4]
    """

    __slots__ = ("__dict__", "cut", "table")

    def __init__(self, table: Array, cut: Mapping[str, Any]) -> None:
        self.table = np.array(table, np.uint8)
        self.table.flags.writeable = False
        self.cut = dict(cut)

    @cached_property
    def native(self) -> native.TokenWeights:
        """The weights in the native core."""
        return native.TokenWeights(self.table)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the weights and of how texts are tokenized."""
        cut = json.dumps(self.cut, sort_keys=True).encode()
        return hashlib.sha256(
            b"addhash/weights/%d/" % len(cut) + cut + self.table.tobytes()
        ).hexdigest()

    def of(self, tokens: Sequence[str | bytes]) -> npt.NDArray[np.uint8]:
        """Return the weight of each token."""
        batch = native.TokenBatch()
        batch.append_strings(tokens)
        return self.native.of_tokens(batch)

    def check_cut(self, owner: str, cut: Mapping[str, Any]) -> None:
        """Refuse weights from texts that were tokenized differently."""
        differences = [
            f"{name} ({self.cut.get(name)!r:.80} and {value!r:.80})"
            for name, value in cut.items()
            if self.cut.get(name) != value
        ]
        if differences:
            raise ParameterError.of(
                owner,
                "weights",
                "must come from texts tokenized the same way."
                f" The weights and the vectorizer differ in {', '.join(differences)}.",
            )

    def settings(self) -> dict[str, Any]:
        """Return what identifies the weights, as JSON."""
        return {"digest": self.digest, "n_buckets": len(self.table)}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TokenWeights) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"<TokenWeights {self.digest[:16]}>"

    def __copy__(self) -> "TokenWeights":
        return self

    def __deepcopy__(self, memo: Any) -> "TokenWeights":
        return self

    def __reduce__(self) -> Any:
        return TokenWeights, (self.table, self.cut)


def idf_weights(n_documents: int, counts: Array) -> Array:
    """Return the weight of each bucket, given how many of `n_documents` documents it occurs in.

    It is 4 ln((1 + n_documents) / (1 + count)), rounded to three significant bits, at least 1.
    """
    # There are few distinct counts.
    different, places = np.unique(counts, return_inverse=True)
    ratios = [(1 + n_documents) / (1 + count) for count in different.tolist()]
    logarithms = np.array(ratios, np.float64)
    native.logarithms(logarithms)
    weights = [_weight(logarithm) for logarithm in logarithms.tolist()]
    return np.array(weights, np.uint8)[places.reshape(counts.shape)]


def _weight(logarithm: float) -> int:
    weight = round(PARTS * logarithm)
    dropped = max(weight.bit_length() - 3, 0)
    half = (1 << dropped) >> 1
    return min(max((weight + half) >> dropped << dropped, 1), MOST)


class WeightsParameter:
    """The `weights` of a vectorizer: frequencies that are set are frozen into weights."""

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        return self if owner is None else owner.__dict__["weights"]

    def __set__(self, owner: Any, value: Any) -> None:
        freeze = getattr(value, "weights", None)
        owner.__dict__["weights"] = freeze() if callable(freeze) else value

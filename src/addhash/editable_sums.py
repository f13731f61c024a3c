"""A document's exact sums, and everything that changes them."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Self

import numpy as np

from addhash.configuration import HashConfiguration, check_alike, configure
from addhash.document_blob import LARGEST
from addhash.errors import (
    AbsentTokenError,
    ConfigurationMismatchError,
    ParameterError,
    SumOverflowError,
)
from addhash.exact_vectors import Sums, largest_magnitude
from addhash.parameters import DOCUMENT, check_values, is_integer
from addhash.token_sums import Token, as_bytes, check_tokens, edit_sums, sum_tokens

__all__ = ["EditableSums"]


class EditableSums:
    """What `DocumentHash` keeps, its edits, and its group. Nothing here looks into the sums."""

    __slots__ = ("_bound", "_configuration", "_count", "_sums", "_tokens")

    _configuration: HashConfiguration
    _sums: Sums
    _count: int
    _bound: int  # no less than the magnitude of the count and of every sum
    _tokens: dict[bytes, int] | None  # of a strict document: how often each token is there

    def __init__(
        self,
        n_features: int = 2048,
        *,
        randomizer: str = "shake256",
        key: bytes | None = None,
        modulus: int | None = None,
        strict: bool = False,
    ) -> None:
        check_values(type(self).__name__, DOCUMENT, {"strict": strict})
        self._configuration = configure(type(self).__name__, n_features, randomizer, key, modulus)
        self._sums = np.zeros(self.n_features, np.int64)
        self._count = 0
        self._bound = 0
        self._tokens = {} if strict else None

    @classmethod
    def _make(
        cls,
        configuration: HashConfiguration,
        sums: Sums,
        count: int,
        tokens: dict[bytes, int] | None = None,
    ) -> Self:
        """Return a document of the given state, which it keeps."""
        document = cls.__new__(cls)
        document._configuration = configuration
        document._sums = sums
        document._count = count
        document._bound = max(largest_magnitude(sums), abs(count))
        document._tokens = tokens
        return document

    # What the document is.

    @property
    def configuration(self) -> HashConfiguration:
        """How the document is hashed."""
        return self._configuration

    @property
    def n_features(self) -> int:
        """The number of components."""
        return self._configuration.n_features

    @property
    def randomizer(self) -> str:
        """What hashes the tokens."""
        return self._configuration.randomizer

    @property
    def modulus(self) -> int:
        """The N of `value`."""
        return self._configuration.modulus

    @property
    def key_fingerprint(self) -> bytes | None:
        """16 bytes that tell the key from others, or None without a key."""
        return self._configuration.fingerprint or None

    @property
    def strict(self) -> bool:
        """Whether removing a token that is not there is refused."""
        return self._tokens is not None

    @property
    def count(self) -> int:
        """The number of tokens, negative if more were removed than added."""
        return self._count

    def __len__(self) -> int:
        if self._count < 0:
            raise AbsentTokenError(
                f"The document has no length: it holds {self._count} tokens, as more were removed"
                " than added. `count` gives the signed number."
            )
        return self._count

    def __bool__(self) -> bool:
        """Tell whether the document differs from the empty one."""
        return self._count != 0 or bool(self._sums.any())

    def __repr__(self) -> str:
        key = self._configuration.fingerprint
        parts = [
            f"n_features={self.n_features}",
            f"randomizer={self.randomizer!r}",
            *([f"key_fingerprint={key.hex()[:16]}..."] if key else []),
            *([] if self._configuration.has_default_modulus else ["modulus=..."]),
            *(["strict=True"] if self.strict else []),
            f"count={self._count}",
        ]
        return f"{type(self).__name__}({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        """Tell whether two documents are hashed alike and have the same count and sums."""
        if not isinstance(other, EditableSums):
            return NotImplemented
        return (
            self._configuration == other._configuration
            and self._count == other._count
            and np.array_equal(self._sums, other._sums)
        )

    __hash__ = None  # type: ignore[assignment]  # documents change

    def copy(self) -> Self:
        """Return a document of its own with the same content."""
        tokens = None if self._tokens is None else self._tokens.copy()
        return self._make(self._configuration, self._sums.copy(), self._count, tokens)

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Self:
        return self.copy()

    # Edits.

    def add(self, token: Token, count: int = 1) -> Self:
        """Add a token.

        Parameters
        ----------
        token : str or bytes
            A str stands for its UTF-8 bytes.
        count : int, default=1
            How often; a negative number removes.

        Returns
        -------
        self
        """
        count = _checked_count("add", count)
        return self._edit((token,), (count,), count, abs(count))

    def remove(self, token: Token, count: int = 1) -> Self:
        """Remove a token; the inverse of `add`.

        Parameters
        ----------
        token : str or bytes
        count : int, default=1
            How often; a negative number adds.

        Returns
        -------
        self
        """
        count = -_checked_count("remove", count)
        return self._edit((token,), (count,), count, abs(count))

    def replace(self, old: Token, new: Token) -> Self:
        """Remove one token and add another: the paper's equation (6).

        Parameters
        ----------
        old, new : str or bytes

        Returns
        -------
        self
        """
        return self._edit((old, new), (-1, 1), 0, 2)

    def update(self, tokens: Iterable[Token]) -> Self:
        """Add many tokens, at the speed of the vectorizers.

        Parameters
        ----------
        tokens : iterable of str or bytes
            If one of them is neither, nothing is added.

        Returns
        -------
        self
        """
        return self.edit((), tokens)

    def downdate(self, tokens: Iterable[Token]) -> Self:
        """Remove many tokens; the inverse of `update`.

        Parameters
        ----------
        tokens : iterable of str or bytes
            If one of them is neither, nothing is removed.

        Returns
        -------
        self
        """
        return self.edit(tokens, ())

    def edit(self, removed: Iterable[Token], added: Iterable[Token]) -> Self:
        """Remove many tokens and add many, or change nothing if one of them is refused.

        Parameters
        ----------
        removed, added : iterable of str or bytes

        Returns
        -------
        self

        Examples
        --------
        >>> from addhash import DocumentHash
        >>> document = DocumentHash(strict=True).update(["a", "cold", "night"])
        >>> document.edit(["cold", "night"], ["warm", "day"]).count
        3
        >>> document.downdate(["night"])
        Traceback (most recent call last):
        ...
        addhash.errors.AbsentTokenError: Cannot remove b'night' 1 time from a strict document that
        holds it 0 times.
        """
        check_tokens(removed)
        check_tokens(added)
        changes: list[tuple[bytes, int]] = []
        if self._tokens is not None:
            lost, gained = list(map(as_bytes, removed)), list(map(as_bytes, added))
            changes += [(token, -n) for token, n in Counter(lost).items()]
            changes += Counter(gained).items()
            removed, added = lost, gained
        sums, n_added = sum_tokens(self._configuration.hasher, added)
        removed_sums, n_removed = sum_tokens(self._configuration.hasher, removed)
        return self._move(sums - removed_sums, n_added - n_removed, changes)

    def _edit(
        self, tokens: tuple[Token, ...], weights: tuple[int, ...], total: int, magnitude: int
    ) -> Self:
        """Add a few tokens with weights that sum to `total`, their magnitudes to `magnitude`."""
        after = None
        if self._tokens is not None:
            after = self._tokens_after(zip(map(as_bytes, tokens), weights, strict=True))
        if self._bound + magnitude <= LARGEST:
            edit_sums(self._sums, self._configuration.hasher, tokens, weights)
            self._bound += magnitude
        else:
            # Only the result tells whether there is room.
            _check_room(magnitude)
            sums = self._sums.copy()
            edit_sums(sums, self._configuration.hasher, tokens, weights)
            self._bound = _checked_bound(sums, self._count + total)
            self._sums = sums
        self._keep(after)
        self._count += total
        return self

    def _move(self, sums: Sums, count: int, changes: Iterable[tuple[bytes, int]]) -> Self:
        """Add sums and a count, which `changes` to a strict document's tokens make."""
        sums = self._sums + sums  # both below 2**62: no overflow
        count += self._count
        bound = _checked_bound(sums, count)
        self._keep(self._tokens_after(changes))
        self._sums, self._count, self._bound = sums, count, bound
        return self

    def _tokens_after(self, changes: Iterable[tuple[bytes, int]]) -> dict[bytes, int] | None:
        """Return how often a strict document's tokens are there after changes, one by one."""
        if self._tokens is None:
            return None
        after: dict[bytes, int] = {}
        for token, change in changes:
            before = after.get(token, self._tokens.get(token, 0))
            if before + change < 0:
                raise AbsentTokenError(
                    f"Cannot remove {token!r:.80} {_times(-change)} from a strict document that"
                    f" holds it {_times(before)}."
                )
            after[token] = before + change
        return after

    def _keep(self, after: dict[bytes, int] | None) -> None:
        if self._tokens is None or after is None:
            return
        for token, count in after.items():
            if count:
                self._tokens[token] = count
            else:
                self._tokens.pop(token, None)

    # The group.

    def merge(self, other: "EditableSums") -> Self:
        """Add all tokens of another document.

        Parameters
        ----------
        other : DocumentHash
            A document that is hashed alike, and as strict.

        Returns
        -------
        self
        """
        return self._combine(other, 1)

    def subtract(self, other: "EditableSums") -> Self:
        """Remove all tokens of another document; the inverse of `merge`.

        Parameters
        ----------
        other : DocumentHash
            A document that is hashed alike, and as strict.

        Returns
        -------
        self
        """
        return self._combine(other, -1)

    def _combine(self, other: "EditableSums", sign: int) -> Self:
        self._check_alike(other)
        if self.strict != other.strict:
            raise ConfigurationMismatchError(
                f"The documents differ in strict ({self.strict} and {other.strict}); a strict one"
                " must know the tokens of what is added to it."
            )
        changes = [(token, sign * n) for token, n in (other._tokens or {}).items()]
        return self._move(sign * other._sums, sign * other._count, changes)

    def _check_alike(self, other: Any) -> None:
        if not isinstance(other, EditableSums):
            raise ParameterError(
                f"Expected a DocumentHash, got {other!r:.80} of type {type(other).__name__}."
            )
        check_alike(self._configuration, other._configuration)

    def __add__(self, other: object) -> Self:
        return self.copy().merge(other) if isinstance(other, EditableSums) else NotImplemented

    def __sub__(self, other: object) -> Self:
        return self.copy().subtract(other) if isinstance(other, EditableSums) else NotImplemented

    def __iadd__(self, other: object) -> Self:
        return self.merge(other) if isinstance(other, EditableSums) else NotImplemented

    def __isub__(self, other: object) -> Self:
        return self.subtract(other) if isinstance(other, EditableSums) else NotImplemented


def _checked_count(owner: str, count: Any) -> int:
    if not is_integer(count):
        raise ParameterError(
            f"The 'count' parameter of {owner} must be an integer. Got {count!r} instead."
        )
    return int(count)


def _check_room(magnitude: int) -> None:
    if magnitude > LARGEST:
        raise SumOverflowError(
            f"The document would have a sum or a count of magnitude {magnitude}, but exact sums"
            " end at 2**62 - 1. Keep several documents instead."
        )


def _checked_bound(sums: Sums, count: int) -> int:
    """Return the largest magnitude of sums and count, or refuse it."""
    bound = max(largest_magnitude(sums), abs(count))
    _check_room(bound)
    return bound


def _times(count: int) -> str:
    return "1 time" if count == 1 else f"{count} times"

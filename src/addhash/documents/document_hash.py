"""One editable document: the additive hash of its tokens, kept as exact integer sums."""

from collections import Counter
from collections.abc import Iterable
from statistics import NormalDist
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from addhash.documents.blob import read_document, write_document
from addhash.documents.decoding import decode_counts
from addhash.documents.estimates import Estimate, estimate_count
from addhash.documents.state import DocumentState
from addhash.documents.strict_tokens import StrictTokens
from addhash.documents.sums import Sums, cosine, scaled, sum_of_hashes
from addhash.documents.token_sums import (
    Token,
    as_bytes,
    as_tokens,
    check_tokens,
    signs_of,
    sum_tokens,
    token_digests,
)
from addhash.errors import AbsentTokenError, ConfigurationMismatchError, ParameterError
from addhash.hashing.configuration import HashConfiguration, check_alike, configure
from addhash.hashing.key import KEYS_ARE_NOT_PICKLED
from addhash.parameters import DOCUMENT, NormName, RandomizerName, check_values


class DocumentHash:
    """A document as the sum of its tokens' hashes, which can be edited, merged and probed.

    The document is a multiset of tokens. It keeps only the number of tokens and `n_features` exact
    integers, the sums of the tokens' +1 and -1 components. Adding or removing a token costs one
    hash, however long the document is, and never rounds: any sequence of edits gives the same bits
    as building the result from scratch.

    Documents form a group: removing is adding the inverse, so tokens that are not present (yet) can
    be removed too, unless the document is strict.

    Two threads must not edit a document at the same time; give each its own and merge. Others may
    read it meanwhile, unless it is strict: they see all of an edit or nothing of it.

    Parameters
    ----------
    n_features : int, default=2048
        The number of components, a multiple of 8 from 8 to 2**20.
    randomizer : {"shake256", "aes128"}, default="shake256"
        The hash function, as in `AdditiveHashingVectorizer`.
    key : bytes or None, default=None
        A secret of 1 to 128 bytes, at least 16 for real secrecy. It is never written anywhere, but
        its fingerprint is compared and stored by `to_bytes`.
    modulus : int or None, default=None
        The N of `value`, at least 2. None means 2**n_features.
    strict : bool, default=False
        Refuse to remove a token that is not present. This keeps the count of every distinct token,
        in memory and in `to_bytes`, and is slower.

    Examples
    --------
    >>> from addhash import DocumentHash
    >>> document = DocumentHash().update(["to", "be", "or", "not", "to", "be"])
    >>> document.replace("not", "maybe").remove("or")
    DocumentHash(n_features=2048, randomizer='shake256', count=5)
    >>> document == DocumentHash().update(["be", "maybe", "to", "be", "to"])
    True
    >>> round(document.estimate("be").count)
    2
    """

    __slots__ = ("_state", "_tokens")

    _state: DocumentState
    _tokens: StrictTokens | None

    def __init__(
        self,
        n_features: int = 2048,
        *,
        randomizer: RandomizerName = "shake256",
        key: bytes | None = None,
        modulus: int | None = None,
        strict: bool = False,
    ) -> None:
        check_values(type(self).__name__, DOCUMENT, {"strict": strict})
        configuration = configure(type(self).__name__, n_features, randomizer, key, modulus)
        self._state = DocumentState.empty(configuration)
        self._tokens = StrictTokens() if strict else None

    @classmethod
    def of_state(cls, state: DocumentState, tokens: StrictTokens | None = None) -> Self:
        """Return a document with a given state, and with given tokens if it is strict."""
        document = cls.__new__(cls)
        document._state = state
        document._tokens = tokens
        return document

    # What the document is.

    @property
    def configuration(self) -> HashConfiguration:
        """How the document is hashed."""
        return self._state.configuration

    @property
    def n_features(self) -> int:
        """The number of components."""
        return self._state.configuration.n_features

    @property
    def randomizer(self) -> str:
        """The hash function."""
        return self._state.configuration.randomizer

    @property
    def modulus(self) -> int:
        """The N of `value`."""
        return self._state.configuration.modulus

    @property
    def key_fingerprint(self) -> bytes | None:
        """16 bytes that identify the key, or None without a key."""
        return self._state.configuration.fingerprint or None

    @property
    def strict(self) -> bool:
        """Whether removing a token that is not present is refused."""
        return self._tokens is not None

    @property
    def count(self) -> int:
        """The number of tokens, negative if more were removed than added."""
        return self._state.tokens

    def __len__(self) -> int:
        tokens = self._state.tokens
        if tokens < 0:
            raise AbsentTokenError(
                f"The document has no length: it holds {tokens} tokens, because more"
                " were removed than added. `count` is the signed number."
            )
        return tokens

    def __bool__(self) -> bool:
        """Return whether the document differs from the empty one."""
        state = self._state
        return state.tokens != 0 or bool(state.sums.any())

    def __repr__(self) -> str:
        key = self._state.configuration.fingerprint
        parts = [
            f"n_features={self.n_features}",
            f"randomizer={self.randomizer!r}",
            *([f"key_fingerprint={key.hex()[:16]}..."] if key else []),
            *([] if self._state.configuration.has_default_modulus else ["modulus=..."]),
            *(["strict=True"] if self.strict else []),
            f"count={self._state.tokens}",
        ]
        return f"{type(self).__name__}({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        """Return whether two documents are hashed the same way and have the same count and sums."""
        if not isinstance(other, DocumentHash):
            return NotImplemented
        mine, theirs = self._state, other._state
        return (
            mine.configuration == theirs.configuration
            and mine.tokens == theirs.tokens
            and np.array_equal(mine.sums, theirs.sums)
        )

    __hash__ = None  # type: ignore[assignment]  # documents change

    def copy(self) -> Self:
        """Return an independent document with the same content."""
        return self.of_state(self._state, None if self._tokens is None else self._tokens.copy())

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
        check_values("add", DOCUMENT, {"count": count})
        return self._edit((token,), (int(count),), int(count), abs(int(count)))

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
        check_values("remove", DOCUMENT, {"count": count})
        return self._edit((token,), (-int(count),), -int(count), abs(int(count)))

    def replace(self, old: Token, new: Token) -> Self:
        """Remove one token and add another: the paper's equation (6).

        Parameters
        ----------
        old : str or bytes
            A token of the document.
        new : str or bytes
            The token in its place.

        Returns
        -------
        self
        """
        return self._edit((old, new), (-1, 1), 0, 2)

    def update(self, tokens: Iterable[Token]) -> Self:
        """Add many tokens, as fast as the vectorizers.

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
        """Remove some tokens and add others, or change nothing if one of them is refused.

        Parameters
        ----------
        removed : iterable of str or bytes
        added : iterable of str or bytes

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
        removed, added = as_tokens(removed), as_tokens(added)
        changes: list[tuple[bytes, int]] = []
        if self._tokens is not None:
            # Tokens are counted and hashed; another thread may change a list in between.
            lost, gained = list(map(as_bytes, tuple(removed))), list(map(as_bytes, tuple(added)))
            changes += [(token, -n) for token, n in Counter(lost).items()]
            changes += Counter(gained).items()
            removed, added = lost, gained
        hasher = self._state.configuration.hasher
        sums, n_added = sum_tokens(hasher, added)
        removed_sums, n_removed = sum_tokens(hasher, removed)
        state = self._state.moved(sums - removed_sums, n_added - n_removed)
        return self._commit(state, changes)

    def _edit(
        self, tokens: tuple[Token, ...], weights: tuple[int, ...], total: int, magnitude: int
    ) -> Self:
        """Add a few tokens with weights that sum to `total`, their magnitudes to `magnitude`."""
        state = self._state.edited(tokens, weights, total, magnitude)
        if self._tokens is None:
            self._state = state
            return self
        return self._commit(state, zip(map(as_bytes, tokens), weights, strict=True))

    def _commit(self, state: DocumentState, changes: Iterable[tuple[bytes, int]]) -> Self:
        """Switch to a state that results from `changes` to a strict document's tokens."""

        def take_on() -> None:
            self._state = state

        if self._tokens is None:
            take_on()
        else:
            self._tokens.change(changes, take_on)
        return self

    # The group.

    def merge(self, other: "DocumentHash") -> Self:
        """Add all tokens of another document.

        Parameters
        ----------
        other : DocumentHash
            A document hashed the same way, and strict if this one is.

        Returns
        -------
        self
        """
        return self._combine(other, 1)

    def subtract(self, other: "DocumentHash") -> Self:
        """Remove all tokens of another document; the inverse of `merge`.

        Parameters
        ----------
        other : DocumentHash
            A document hashed the same way, and strict if this one is.

        Returns
        -------
        self
        """
        return self._combine(other, -1)

    def _combine(self, other: "DocumentHash", sign: int) -> Self:
        self._check_alike(other)
        if self.strict != other.strict:
            raise ConfigurationMismatchError(
                f"The documents differ in strict ({self.strict} and {other.strict}); a strict one"
                " must know the tokens of whatever is added to it."
            )
        held = {} if other._tokens is None else other._tokens.counts
        changes = [(token, sign * n) for token, n in held.items()]
        theirs = other._state
        state = self._state.moved(sign * theirs.sums, sign * theirs.tokens)
        return self._commit(state, changes)

    def _check_alike(self, other: Any) -> None:
        if not isinstance(other, DocumentHash):
            raise ParameterError(
                f"Expected a DocumentHash, got {other!r:.80} of type {type(other).__name__}."
            )
        check_alike(self._state.configuration, other._state.configuration)

    def __add__(self, other: object) -> Self:
        return self.copy().merge(other) if isinstance(other, DocumentHash) else NotImplemented

    def __sub__(self, other: object) -> Self:
        return self.copy().subtract(other) if isinstance(other, DocumentHash) else NotImplemented

    def __iadd__(self, other: object) -> Self:
        return self.merge(other) if isinstance(other, DocumentHash) else NotImplemented

    def __isub__(self, other: object) -> Self:
        return self.subtract(other) if isinstance(other, DocumentHash) else NotImplemented

    # What the sums reveal.

    @property
    def sums(self) -> Sums:
        """A copy of the exact sums, int64."""
        return self._state.sums.copy()

    def vector(self, norm: NormName | None = "l2", dtype: Any = np.float32) -> npt.NDArray[Any]:
        """Return the vector that a vectorizer returns for the same tokens, bit for bit.

        Parameters
        ----------
        norm : {"l1", "l2"} or None, default="l2"
        dtype : dtype or "bits", default=np.float32
            As in `AdditiveHashingVectorizer`.

        Returns
        -------
        vector : ndarray of shape (n_features,), or (n_features // 8,) bytes
        """
        return scaled("vector", self._state.sums, norm, dtype)

    def similarity(self, other: "DocumentHash") -> float:
        """Return the cosine of two documents, from exact integers; 0 if one of them is zero.

        Parameters
        ----------
        other : DocumentHash
            A document hashed the same way.
        """
        self._check_alike(other)
        return cosine(self._state.sums, other._state.sums)

    @property
    def value(self) -> int:
        """The additive hash: the sum of h(token) modulo N, the paper's equation (7).

        h(token) is the token's digest of `n_features` bits, read as a little-endian integer.
        Nothing extra is stored for it: how many tokens have a bit set follows exactly from the
        bit's sum and the number of tokens.
        """
        state = self._state
        return sum_of_hashes(state.sums, state.tokens) % state.configuration.modulus

    def digest(self) -> bytes:
        """Return `value` as little-endian bytes, as many as N - 1 needs.

        Examples
        --------
        The document of one token has that token's digest:

        >>> from hashlib import shake_256
        >>> from addhash import DocumentHash
        >>> DocumentHash(256).add("token").digest() == shake_256(b"token").digest(32)
        True
        """
        return self.value.to_bytes(((self.modulus - 1).bit_length() + 7) // 8, "little")

    def estimate(self, token: Token) -> Estimate:
        """Estimate how often a token occurs, from the sums alone.

        The estimate is unbiased. Its variance is the sum of the squared counts of all other tokens,
        divided by `n_features`; that sum is unknown, but has an unbiased estimate in closed form,
        which gives the standard error. If a document contains m other tokens once each, the
        standard error is about sqrt(m / n_features).

        Parameters
        ----------
        token : str or bytes

        Returns
        -------
        estimate : Estimate
            Its `count` and `standard_error`, and an `interval` for a confidence.
        """
        return estimate_count(self._state.sums, signs_of(self._state.configuration.hasher, token))

    def contains(self, token: Token, confidence: float = 0.99) -> bool:
        """Return whether the sums rule out that a token is absent.

        This is a one-sided test: True if the estimated count is more than z standard errors above
        0, where a normal variable is below z with probability `confidence`. So an absent token is
        reported as present with probability ``1 - confidence``. A present one may be missed: one
        that occurs once is found with the probability that a normal variable is below
        ``1 / standard_error - z``, which is almost 1 in documents of up to ``n_features / 25``
        other tokens, and 1 in 10 in those of `n_features`.

        Parameters
        ----------
        token : str or bytes
        confidence : float, default=0.99
            A probability between 0 and 1.
        """
        check_values("contains", DOCUMENT, {"confidence": confidence})
        estimate = self.estimate(token)
        return estimate.count > NormalDist().inv_cdf(confidence) * estimate.standard_error

    def decode(
        self, candidates: Iterable[Token], confidence: float = 0.99
    ) -> list[tuple[Token, int]]:
        """Return the candidates that the document most likely contains, with their counts.

        If every token of the document is among the candidates, and there are fewer of these than
        `n_features` (and than 4096), the answer is exact however long the document is. Otherwise
        tokens that are not found are noise, and a candidate is found only if its count stands out:
        roughly, if it exceeds 5 * sqrt(s / n_features), where s is the sum of the squared counts of
        all tokens that are not found. A count that barely does is uncertain, and may well be one
        too high.

        Parameters
        ----------
        candidates : iterable of str or bytes
            The tokens to look for. Duplicates are ignored.
        confidence : float, default=0.99
            The probability that no absent candidate is listed.

        Returns
        -------
        tokens : list of (token, count)
            Largest counts first, ties in the order of the candidates. Counts are negative for
            tokens that were removed but not present.

        Examples
        --------
        >>> from addhash import DocumentHash
        >>> document = DocumentHash().update(["to", "be", "or", "not", "to", "be"])
        >>> document.decode(["be", "do", "not", "or", "to"])
        [('be', 2), ('to', 2), ('not', 1), ('or', 1)]
        """
        check_values("decode", DOCUMENT, {"confidence": confidence})
        check_tokens(candidates)
        tokens = list({as_bytes(token): token for token in candidates}.values())
        if not tokens or not self:
            return []
        digests = token_digests(self._state.configuration.hasher, tokens)
        counts = decode_counts(self._state.sums, digests, confidence).tolist()
        found = [(token, n) for token, n in zip(tokens, counts, strict=True) if n]
        return sorted(found, key=lambda pair: -pair[1])

    def to_bytes(self) -> bytes:
        """Return the document as bytes for `from_bytes`, the same on every machine.

        They include the key's fingerprint but not the key, and the tokens of a strict document.
        """
        return write_document(self._state, None if self._tokens is None else self._tokens.counts)

    @classmethod
    def from_bytes(cls, blob: bytes, key: bytes | None = None) -> Self:
        """Read a document from the bytes of `to_bytes`.

        Parameters
        ----------
        blob : bytes
            Anything truncated, altered or otherwise invalid is refused.
        key : bytes or None, default=None
            The key that the document was made with.

        Examples
        --------
        >>> from addhash import DocumentHash
        >>> document = DocumentHash(key=b"sixteen or more bytes").update(["to", "be"])
        >>> blob = document.to_bytes()
        >>> DocumentHash.from_bytes(blob, key=b"sixteen or more bytes") == document
        True
        """
        state, tokens = read_document(blob, key)
        return cls.of_state(state, None if tokens is None else StrictTokens(tokens))

    def __reduce__(self) -> Any:
        if self._state.configuration.fingerprint:
            raise ParameterError(KEYS_ARE_NOT_PICKLED)
        return type(self).from_bytes, (self.to_bytes(),)

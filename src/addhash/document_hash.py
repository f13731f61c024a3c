"""One editable document: the additive hash of its tokens, kept as exact integer sums."""

from collections.abc import Iterable
from statistics import NormalDist
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from addhash.configuration import configure, fingerprint_of
from addhash.decoding import decode_counts
from addhash.document_blob import pack_document, unpack_document
from addhash.editable_sums import EditableSums
from addhash.errors import BlobError, ConfigurationMismatchError, ParameterError
from addhash.estimates import Estimate, check_confidence, estimate_count
from addhash.exact_vectors import Sums, cosine, scaled, sum_of_hashes
from addhash.token_sums import Token, as_bytes, edit_sums, signs_of, token_digests

__all__ = ["DocumentHash"]


class DocumentHash(EditableSums):
    """A document as the sum of its tokens' hashes, which can be edited, merged and probed.

    The document is a multiset of tokens. All that is kept of it is the number of tokens and
    `n_features` exact integers, the sums of the tokens' +1 and -1 components. Adding or removing
    a token costs the hash of that token, however long the document is, and never rounds: any
    sequence of edits gives the same bits as building the result from scratch.

    Documents form a group: removing is adding the inverse, so a token may also be removed that
    is not there (yet), unless the document is strict.

    A document is not to be edited by two threads at the same time; give each its own and merge.

    Parameters
    ----------
    n_features : int, default=2048
        The number of components, a multiple of 8 from 8 to 2**20.
    randomizer : {"shake256", "siphash128"}, default="shake256"
        What hashes the tokens, as in `AdditiveHashingVectorizer`.
    key : bytes or None, default=None
        A secret of 1 to 128 bytes, 16 or more for real secrecy. It is never written anywhere,
        but its fingerprint is compared and goes into `to_bytes`.
    modulus : int or None, default=None
        The N of `value`, at least 2. None means 2**n_features.
    strict : bool, default=False
        Refuse to remove a token that is not there. This needs the count of every different
        token, in memory and in `to_bytes`, and takes longer.

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

    __slots__ = ()

    @property
    def sums(self) -> Sums:
        """A copy of the exact sums, int64."""
        return self._sums.copy()

    def vector(self, norm: str | None = "l2", dtype: Any = np.float32) -> npt.NDArray[Any]:
        """Return the vector that a vectorizer gives for the same tokens, bit for bit.

        Parameters
        ----------
        norm : {"l1", "l2"} or None, default="l2"
        dtype : dtype or "bits", default=np.float32
            As in `AdditiveHashingVectorizer`.

        Returns
        -------
        vector : ndarray of shape (n_features,), or (n_features // 8,) bytes
        """
        return scaled("vector", self._sums, norm, dtype)

    def similarity(self, other: "DocumentHash") -> float:
        """Return the cosine of two documents, from exact integers; 0 if one has no direction.

        Parameters
        ----------
        other : DocumentHash
            A document that is hashed alike.
        """
        self._check_alike(other)
        return cosine(self._sums, other._sums)

    @property
    def value(self) -> int:
        """The additive hash: the sum of h(token) modulo N, the paper's equation (7).

        h(token) is the token's digest of `n_features` bits, read as a little-endian integer.
        Nothing more is kept for it: how many tokens have a bit set follows from the bit's sum
        and the number of tokens, exactly.
        """
        return sum_of_hashes(self._sums, self._count) % self.modulus

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

        The estimate is unbiased. Its variance is the sum of the squared counts of all other
        tokens, divided by `n_features`; that sum is not known, but has an unbiased estimate in
        closed form, from which the standard error is taken. If a document holds m other tokens
        once each, the standard error is about sqrt(m / n_features).

        Parameters
        ----------
        token : str or bytes

        Returns
        -------
        estimate : Estimate
            Its `count` and `standard_error`, and an `interval` for a confidence.
        """
        return estimate_count(self._sums, signs_of(self._configuration.hasher, token))

    def contains(self, token: Token, confidence: float = 0.99) -> bool:
        """Tell whether the sums refute that a token is absent.

        This is a one-sided test: True if the estimated count is more than z standard errors
        above 0, where a normal variable is below z with probability `confidence`. So an absent
        token is taken for present with probability ``1 - confidence``. A present one may be
        missed: one that occurs once is found with the probability that a normal variable is
        below ``1 / standard_error - z``, which is almost sure in documents of up to
        ``n_features / 25`` other tokens, and 1 in 10 in those of `n_features`.

        Parameters
        ----------
        token : str or bytes
        confidence : float, default=0.99
            A probability between 0 and 1.
        """
        check_confidence("contains", confidence)
        estimate = self.estimate(token)
        return estimate.count > NormalDist().inv_cdf(confidence) * estimate.standard_error

    def decode(
        self, candidates: Iterable[Token], confidence: float = 0.99
    ) -> list[tuple[Token, int]]:
        """Return the candidates that the document most likely holds, with their counts.

        If every token of the document is among the candidates, and these are fewer than
        `n_features` (and than 4096), the answer is exact however long the document is. Else
        tokens that are not found are noise, and a candidate is found only if its count stands
        out: roughly, if it exceeds 5 * sqrt(s / n_features), where s is the sum of the squared
        counts of all tokens that are not found. A count that barely does is uncertain, and may
        well be one too high.

        Parameters
        ----------
        candidates : iterable of str or bytes
            The tokens to look for. Each is counted once, however often it is given.
        confidence : float, default=0.99
            The probability that no absent candidate is listed.

        Returns
        -------
        tokens : list of (token, count)
            The largest counts first, those that are equal in the order of the candidates.
            Counts are negative where tokens were removed that were not there.

        Examples
        --------
        >>> from addhash import DocumentHash
        >>> document = DocumentHash().update(["to", "be", "or", "not", "to", "be"])
        >>> document.decode(["be", "do", "not", "or", "to"])
        [('be', 2), ('to', 2), ('not', 1), ('or', 1)]
        """
        check_confidence("decode", confidence)
        tokens = list({as_bytes(token): token for token in candidates}.values())
        if not tokens or not self:
            return []
        digests = token_digests(self._configuration.hasher, tokens)
        counts = decode_counts(self._sums, digests, confidence).tolist()
        found = [(token, n) for token, n in zip(tokens, counts, strict=True) if n]
        return sorted(found, key=lambda pair: -pair[1])

    def to_bytes(self) -> bytes:
        """Return the document as bytes that `from_bytes` reads, the same on every machine.

        The key is not among them, but its fingerprint is; the tokens of a strict document are.
        """
        return pack_document(self._configuration, self._sums, self._count, self._tokens)

    @classmethod
    def from_bytes(cls, blob: bytes, key: bytes | None = None) -> Self:
        """Read a document from the bytes of `to_bytes`.

        Parameters
        ----------
        blob : bytes
            Bytes that are truncated, altered or something else are refused.
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
        content = unpack_document(blob)
        configuration = configure(
            cls.__name__, content.n_features, content.randomizer, key, content.modulus
        )
        if configuration.fingerprint != content.fingerprint:
            raise ConfigurationMismatchError(_key_problem(content.fingerprint, key))
        if content.tokens is not None:
            sums = np.zeros(content.n_features, np.int64)
            counts = tuple(content.tokens.values())
            fits = sum(counts) == content.count
            if fits:
                edit_sums(sums, configuration.hasher, tuple(content.tokens), counts)
            if not fits or not np.array_equal(sums, content.sums):
                raise BlobError(
                    f"Expected the bytes of {cls.__name__}.to_bytes, got {len(blob)} bytes: the"
                    " tokens of the strict document do not make its sums."
                )
        return cls._make(configuration, content.sums, content.count, content.tokens)

    def __reduce__(self) -> Any:
        if self._configuration.fingerprint:
            raise ParameterError(
                "A document with a key cannot be pickled, as the key must not be. Use to_bytes,"
                " and from_bytes with the key."
            )
        return type(self).from_bytes, (self.to_bytes(),)


def _key_problem(fingerprint: bytes, key: bytes | None) -> str:
    if not fingerprint:
        return "The document was made without a key; read it without one."
    given = "none was given" if key is None else f"that of fingerprint {fingerprint_of(key).hex()}"
    return (
        f"The document was made with the key of fingerprint {fingerprint.hex()}; expected that"
        f" key, got {given}."
    )

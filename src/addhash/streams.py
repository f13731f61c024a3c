"""Streams of tokens and of documents: a window that rolls on, and sums of many documents."""

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.document_hash import DocumentHash
from addhash.errors import DocumentError, ParameterError
from addhash.exact_vectors import Sums
from addhash.parameters import is_integer
from addhash.token_sums import Token, as_bytes, check_tokens

__all__ = ["RollingHash", "sum_documents", "tree_merge"]


class RollingHash:
    """The vector of the last tokens of an endless stream.

    Each token costs O(n_features), however long the window is: it is added, and the one that
    leaves the window is removed. The sums are integers, so nothing drifts: they are always those
    of the window's tokens. The tokens in the window are kept, as they are to be removed.

    Parameters
    ----------
    window : int
        How many tokens the window holds, at least 1.
    n_features : int, default=2048
        The number of components, a multiple of 8 from 8 to 2**20.
    randomizer : {"shake256", "siphash128"}, default="shake256"
        What hashes the tokens, as in `AdditiveHashingVectorizer`.
    key : bytes or None, default=None
        A secret of 1 to 128 bytes, as in `DocumentHash`.

    Examples
    --------
    >>> from addhash import DocumentHash, RollingHash
    >>> rolling = RollingHash(window=3)
    >>> for token in ["the", "quick", "brown", "fox", "jumps"]:
    ...     rolling.push(token)
    >>> rolling.document() == DocumentHash().update(["brown", "fox", "jumps"])
    True
    """

    def __init__(
        self,
        window: int,
        n_features: int = 2048,
        *,
        randomizer: str = "shake256",
        key: bytes | None = None,
    ) -> None:
        if not is_integer(window) or window < 1:
            raise ParameterError(
                "The 'window' parameter of RollingHash must be an integer of at least 1."
                f" Got {window!r} instead."
            )
        self._window = int(window)
        self._tokens: deque[bytes] = deque()
        self._document = DocumentHash(n_features, randomizer=randomizer, key=key)

    @property
    def window(self) -> int:
        """How many tokens the window holds when it is full."""
        return self._window

    def __len__(self) -> int:
        """Return how many tokens are in the window now."""
        return len(self._tokens)

    def __repr__(self) -> str:
        return f"RollingHash(window={self._window}, {self._document!r})"

    def push(self, token: Token) -> None:
        """Take in one token; the oldest leaves a full window.

        Parameters
        ----------
        token : str or bytes
        """
        token = as_bytes(token)
        if len(self._tokens) < self._window:
            self._document.add(token)
        else:
            self._document.replace(self._tokens[0], token)
            self._tokens.popleft()
        self._tokens.append(token)

    def extend(self, tokens: Iterable[Token]) -> None:
        """Take in many tokens, at the speed of `DocumentHash.update`.

        Parameters
        ----------
        tokens : iterable of str or bytes
            It is read to its end. If one of them is neither, nothing changes.
        """
        check_tokens(tokens)
        # Only the last ones matter, but all are checked.
        new: deque[bytes] = deque(map(as_bytes, tokens), maxlen=self._window)
        excess = max(0, len(self._tokens) + len(new) - self._window)
        self._document.edit(list(islice(self._tokens, excess)), new)
        for _ in range(excess):
            self._tokens.popleft()
        self._tokens += new

    @property
    def sums(self) -> Sums:
        """A copy of the window's exact sums, int64."""
        return self._document.sums

    def vector(self, norm: str | None = "l2", dtype: Any = np.float32) -> npt.NDArray[Any]:
        """Return the window's vector, as `DocumentHash.vector` does."""
        return self._document.vector(norm, dtype)

    def document(self) -> DocumentHash:
        """Return the window as a document of its own, which does not roll on."""
        return self._document.copy()


def sum_documents(documents: Iterable[DocumentHash]) -> DocumentHash:
    """Return the document of all tokens of many documents.

    Sums are exact: they have the same bits in whatever order, and in whatever groups, documents
    are added.

    Parameters
    ----------
    documents : iterable of DocumentHash
        At least one. They are read one after the other and not changed.

    Examples
    --------
    >>> from addhash import DocumentHash, sum_documents
    >>> pages = [DocumentHash().update(page.split()) for page in ["to be", "or not", "to be"]]
    >>> sum_documents(pages) == DocumentHash().update("to be or not to be".split())
    True
    """
    remaining = _checked(documents)
    total = next(remaining).copy()
    for document in remaining:
        total.merge(document)
    return total


def tree_merge(documents: Iterable[DocumentHash]) -> DocumentHash:
    """Return what `sum_documents` returns, merging pairs, then pairs of pairs, and so on.

    Work that is split over processes or machines is put together this way. The bits are the same
    in every grouping; strict documents are summed faster so, as their tokens are merged with
    fewer others.

    Parameters
    ----------
    documents : iterable of DocumentHash
        At least one. They are read one after the other and not changed; at most about
        log2(number of documents) are held at a time.

    Examples
    --------
    >>> from addhash import DocumentHash, sum_documents, tree_merge
    >>> pages = [DocumentHash().update([f"word {i}"]) for i in range(10)]
    >>> tree_merge(pages) == sum_documents(pages)
    True
    """
    # As in a binary counter: number k is the sum of 2**k documents, or missing.
    sums: list[DocumentHash | None] = []
    for document in _checked(documents):
        carry = document.copy()
        for k, held in enumerate(sums):
            if held is None:
                sums[k] = carry
                break
            carry = held.merge(carry)
            sums[k] = None
        else:
            sums.append(carry)
    return sum_documents(held for held in sums if held is not None)


def _checked(documents: Any) -> Iterator[DocumentHash]:
    """Yield documents, refusing to end without any."""
    if isinstance(documents, DocumentHash) or not isinstance(documents, Iterable):
        raise DocumentError(
            f"Expected an iterable of DocumentHash, got {documents!r:.80} of type"
            f" {type(documents).__name__}. Put a single one in a list."
        )
    position = -1
    for position, document in enumerate(documents):
        if not isinstance(document, DocumentHash):
            raise DocumentError(
                f"Document {position} is {document!r:.80} of type {type(document).__name__};"
                " expected a DocumentHash."
            )
        yield document
    if position < 0:
        raise DocumentError(
            "Expected at least one document to sum, got none: an empty sum has no configuration."
            " Begin with an empty DocumentHash."
        )

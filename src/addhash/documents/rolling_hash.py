"""A sliding window over a stream of tokens, and its vector."""

from collections.abc import Iterable
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from addhash.documents.document_hash import DocumentHash
from addhash.documents.state import DocumentState
from addhash.documents.sums import Sums
from addhash.documents.token_sums import Token, as_bytes, check_tokens, sum_tokens
from addhash.hashing.configuration import configure
from addhash.parameters import DOCUMENT, NormName, RandomizerName, check_values


class _Window(NamedTuple):
    """A state and the tokens it is made of: tokens[start:end]. Tokens after that are not valid."""

    state: DocumentState
    tokens: list[bytes]
    start: int
    end: int


class RollingHash:
    """The vector of the last tokens of an endless stream.

    Each token costs O(n_features), however long the window is: it is added, and the one that leaves
    the window is removed. The sums are integers, so nothing drifts: they are always those of the
    window's tokens. The tokens in the window are kept, because they have to be removed later.

    Parameters
    ----------
    window : int
        How many tokens the window holds, at least 1.
    n_features : int, default=2048
        The number of components, a multiple of 8 from 8 to 2**20.
    randomizer : {"shake256", "aes128"}, default="shake256"
        The hash function, as in `AdditiveHashingVectorizer`.
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
        randomizer: RandomizerName = "shake256",
        key: bytes | None = None,
    ) -> None:
        check_values("RollingHash", DOCUMENT, {"window": window})
        self._window = int(window)
        configuration = configure(type(self).__name__, n_features, randomizer, key)
        self._now = _Window(DocumentState.empty(configuration), [], 0, 0)

    @property
    def window(self) -> int:
        """How many tokens the window holds when it is full."""
        return self._window

    def __len__(self) -> int:
        """Return how many tokens are in the window now."""
        now = self._now
        return now.end - now.start

    def __repr__(self) -> str:
        return f"RollingHash(window={self._window}, {self.document()!r})"

    def __getstate__(self) -> dict[str, Any]:
        # A copy must not share the list, which grows in place.
        now = self._now
        own = _Window(now.state, now.tokens[now.start : now.end], 0, now.end - now.start)
        return self.__dict__ | {"_now": own}

    def push(self, token: Token) -> None:
        """Add one token; if the window is full, the oldest one leaves.

        Parameters
        ----------
        token : str or bytes
        """
        token = as_bytes(token)
        state, tokens, start, end = self._now
        if end - start < self._window:
            self._roll(state.edited((token,), (1,), 1, 1), 0, [token])
        else:
            self._roll(state.edited((tokens[start], token), (-1, 1), 0, 2), 1, [token])

    def extend(self, tokens: Iterable[Token]) -> None:
        """Add many tokens, as fast as `DocumentHash.update`.

        Parameters
        ----------
        tokens : iterable of str or bytes
            Read to the end. If one of them is neither, nothing changes.
        """
        check_tokens(tokens)
        # Only the last ones matter, but all are checked.
        new = [as_bytes(token) for token in tokens][-self._window :]
        state, held, start, _ = self._now
        excess = max(0, len(self) + len(new) - self._window)
        hasher = state.configuration.hasher
        added, n_added = sum_tokens(hasher, new)
        removed, n_removed = sum_tokens(hasher, islice(held, start, start + excess))
        self._roll(state.moved(added - removed, n_added - n_removed), excess, new)

    def _roll(self, state: DocumentState, excess: int, new: list[bytes]) -> None:
        """Move to a state: the oldest `excess` tokens leave, and new ones arrive.

        The window is replaced in one step; until then, no token of the old one is touched.
        """
        _, tokens, start, end = self._now
        start += excess
        if start > self._window:
            tokens, start, end = tokens[start:end], 0, end - start
        del tokens[end:]
        tokens += new
        self._now = _Window(state, tokens, start, end + len(new))

    @property
    def sums(self) -> Sums:
        """A copy of the window's exact sums, int64."""
        return self._now.state.sums.copy()

    def vector(self, norm: NormName | None = "l2", dtype: Any = np.float32) -> npt.NDArray[Any]:
        """Return the window's vector, as `DocumentHash.vector` does."""
        return self.document().vector(norm, dtype)

    def document(self) -> DocumentHash:
        """Return the window as an independent document, which does not roll on."""
        return DocumentHash.of_state(self._now.state)

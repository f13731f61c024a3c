"""From tokens to exact sums: many as fast as the vectorizers, or a few at once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from addhash.arrow.texts import is_arrow_column, text_column
from addhash.documents.sums import Sums
from addhash.errors import DocumentError
from addhash.runtime import native

Token = str | bytes

# Tokens hashed in one call. Fewer than 2**15, so that they are added in bit planes.
CHUNK = 16384


def as_bytes(token: Any) -> bytes:
    """Return the bytes that are hashed for a token."""
    if isinstance(token, str):
        return token.encode()
    if not isinstance(token, bytes):
        _refuse(token)
    return token


def check_tokens(tokens: Any) -> None:
    """Refuse what is not an iterable of tokens."""
    if isinstance(tokens, str | bytes):
        raise DocumentError(
            f"Expected an iterable of tokens, got the single token {tokens!r:.80}."
            " Put it in a list, or use add."
        )
    if isinstance(tokens, Mapping):
        raise DocumentError(
            f"Expected an iterable of tokens, got a {type(tokens).__name__}, which may mean its"
            " keys or counts. Give its keys(), or the elements() of a Counter."
        )
    if not isinstance(tokens, Iterable):
        raise DocumentError(
            f"Expected an iterable of tokens, got {tokens!r:.80} of type {type(tokens).__name__}."
        )


def as_tokens(tokens: Any) -> Any:
    """Check tokens and return them for reading; Arrow data stays a column."""
    check_tokens(tokens)
    return text_column(tokens) if is_arrow_column(tokens) else tokens


def edit_sums(
    sums: Sums,
    randomizer: native.Randomizer,
    tokens: tuple[Token, ...],
    weights: tuple[int, ...],
) -> None:
    """Add each token to the sums, times its weight. A bad token leaves them unchanged."""
    try:
        native.edit_sums(sums, randomizer, tokens, weights)
    except TypeError:
        for token in tokens:
            as_bytes(token)
        raise


def signs_of(randomizer: native.Randomizer, token: Token) -> Sums:
    """Return the components of one token, each 1 or -1."""
    signs = np.zeros(randomizer.bits, np.int64)
    edit_sums(signs, randomizer, (token,), (1,))
    return signs


def sum_tokens(randomizer: native.Randomizer, tokens: Iterable[Token]) -> tuple[Sums, int]:
    """Return the sums of all tokens and their number."""
    check_tokens(tokens)
    sums = np.zeros(randomizer.bits, np.int64)
    row = np.empty((1, randomizer.bits), np.int64)
    options = native.SumOptions(randomizer)
    count = 0
    batch = native.TokenBatch()
    for n_tokens in _chunks(batch, tokens):
        native.vectorize_tokens(batch, options, out=row, first=0, threads=1)
        sums += row[0]
        count += n_tokens
    return sums, count


def _chunks(batch: native.TokenBatch, tokens: Iterable[Token]) -> Iterator[int]:
    """Fill a batch with one chunk of tokens after the other; yield how many there are."""
    start = 0
    if type(tokens) in (list, tuple):
        assert isinstance(tokens, list | tuple)
        # A chunk is read in one step. Another thread may change the list between two.
        while True:
            _fill(batch, tokens, start, start)
            count = batch.token_count
            if count:
                yield count
            if count < CHUNK:
                return
            start += CHUNK
    remaining = iter(tokens)
    while chunk := list(islice(remaining, CHUNK)):
        _fill(batch, chunk, 0, start)
        yield len(chunk)
        start += len(chunk)


def token_digests(randomizer: native.Randomizer, tokens: Sequence[Token]) -> npt.NDArray[np.uint8]:
    """Return the bits of every token's vector, packed in the order of the components."""
    batch = native.TokenBatch()
    batch.append_strings(tokens)
    digests = native.digests(batch, randomizer)
    # Component 0 is the highest bit of the last byte.
    return np.ascontiguousarray(digests[:, ::-1])


def _fill(batch: native.TokenBatch, tokens: Sequence[Token], first: int, position: int) -> None:
    """Fill a batch with a chunk of tokens from `first` on, which is number `position` of all."""
    batch.clear()
    try:
        batch.append_strings(tokens, first, CHUNK)
    except (TypeError, UnicodeEncodeError) as error:
        for i, token in enumerate(tokens[first : first + CHUNK], position):
            if not isinstance(token, str | bytes):
                _refuse(token, i)
        error.add_note("in the tokens of a document")
        raise


def _refuse(token: Any, position: int | None = None) -> NoReturn:
    name = "The token" if position is None else f"Token {position}"
    raise DocumentError(
        f"{name} is {token!r:.80} of type {type(token).__name__}; expected a str or bytes."
    )

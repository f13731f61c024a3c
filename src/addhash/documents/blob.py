r"""Documents as bytes: one layout, little-endian everywhere, every byte accounted for.

| bytes | what |
|---|---|
| 8 | ``b"\x93ADDHDOC"`` |
| 2 | the version of the layout, 1 |
| 1 | the randomizer: 1 is shake256, 3 is aes128 |
| 1 | 1 if the document has a key, plus 2 if it is strict |
| 4 | n_features |
| 8 | the count, signed |
| 4 | the number of bytes of the modulus, 0 for 2**n_features |
| 1 | bytes per sum: the smallest of 1, 2, 4, 8 that fits all of them |
| 3 | zeros |
| 8 | the number of distinct tokens of a strict document, else 0 |
| 16 | the fingerprint of the key, or zeros |
| | the modulus |
| | the sums, signed, component 0 first |
| | each token of a strict document, sorted: 8 bytes count, 4 bytes length, the token |
| 16 | SHAKE-256 of all bytes before |
"""

import struct
from dataclasses import dataclass
from hashlib import shake_256
from typing import Any, NoReturn

import numpy as np

from addhash.documents.state import LARGEST, DocumentState
from addhash.documents.sums import Sums, largest_magnitude
from addhash.documents.token_sums import edit_sums
from addhash.errors import BlobError, ConfigurationMismatchError
from addhash.hashing.configuration import configure
from addhash.hashing.key import FINGERPRINT_BYTES, Key
from addhash.parameters import MAX_FEATURES, RANDOMIZERS, RandomizerName

MAGIC = b"\x93ADDHDOC"
VERSION = 1
HAS_KEY, IS_STRICT = 1, 2
HEADER = struct.Struct(f"<8sHBBIqIB3sQ{FINGERPRINT_BYTES}s")
ENTRY = struct.Struct("<QI")
CHECKSUM_BYTES = 16


@dataclass(frozen=True)
class _Content:
    """The content of a document's bytes."""

    n_features: int
    randomizer: RandomizerName
    fingerprint: bytes
    modulus: int | None
    count: int
    sums: Sums
    tokens: dict[bytes, int] | None


def _checksum(data: Any) -> bytes:
    return shake_256(data).digest(CHECKSUM_BYTES)


def _sum_bytes(sums: Sums) -> int:
    largest = largest_magnitude(sums)
    return next(size for size in (1, 2, 4, 8) if largest < 1 << (8 * size - 1))


def write_document(state: DocumentState, tokens: dict[bytes, int] | None) -> bytes:
    """Return a document as bytes; `tokens` are those of a strict one."""
    configuration, sums, count, _ = state
    modulus = configuration.modulus
    size = 0 if configuration.has_default_modulus else (modulus.bit_length() + 7) // 8
    flags = (HAS_KEY if configuration.fingerprint else 0) | (0 if tokens is None else IS_STRICT)
    sum_bytes = _sum_bytes(sums)
    parts = [
        HEADER.pack(
            MAGIC,
            VERSION,
            RANDOMIZERS[configuration.randomizer],
            flags,
            configuration.n_features,
            count,
            size,
            sum_bytes,
            bytes(3),
            len(tokens or ()),
            configuration.fingerprint,
        ),
        modulus.to_bytes(size, "little") if size else b"",
        sums.astype(f"<i{sum_bytes}").tobytes(),
    ]
    for token, times in sorted((tokens or {}).items()):
        parts += [ENTRY.pack(times, len(token)), token]
    blob = b"".join(parts)
    return blob + _checksum(blob)


def read_document(blob: Any, key: Any) -> tuple[DocumentState, dict[bytes, int] | None]:
    """Read a document, and the tokens of a strict one, from bytes and the key it was made with."""
    content = _unpack(blob)
    configuration = configure(
        "DocumentHash", content.n_features, content.randomizer, key, content.modulus
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
            _refuse(blob, "the tokens of the strict document do not add up to its sums")
    return DocumentState.of(configuration, content.sums, content.count), content.tokens


def _key_problem(fingerprint: bytes, key: Any) -> str:
    if not fingerprint:
        return "The document was made without a key; read it without one."
    given = Key.wrapped(key)
    got = "none was given" if given is None else f"that of fingerprint {given.fingerprint().hex()}"
    return (
        f"The document was made with the key of fingerprint {fingerprint.hex()}; expected that"
        f" key, got {got}."
    )


def _unpack(blob: Any) -> _Content:
    """Read the content of a blob, or raise a BlobError."""
    if not isinstance(blob, bytes | bytearray | memoryview):
        raise BlobError(
            f"Expected the bytes of DocumentHash.to_bytes, got {blob!r:.80} of type"
            f" {type(blob).__name__}."
        )
    data = bytes(blob)
    if len(data) < HEADER.size + CHECKSUM_BYTES:
        _refuse(data, "too few for a document")
    (magic, version, randomizer, flags, n_features, count, modulus_bytes, sum_bytes, zeros,
     n_tokens, fingerprint) = HEADER.unpack_from(data)  # fmt: skip
    if magic != MAGIC:
        _refuse(data, f"they start with {magic!r}, not with {MAGIC!r}")
    if version != VERSION:
        _refuse(data, f"their layout is version {version}, this addhash reads version {VERSION}")
    if _checksum(data[:-CHECKSUM_BYTES]) != data[-CHECKSUM_BYTES:]:
        _refuse(data, "their checksum is wrong: they were truncated or altered")
    # A forger who fixes the checksum must get the rest right, too.
    names = {code: name for name, code in RANDOMIZERS.items()}
    _require(data, randomizer in names, f"randomizer number {randomizer} is unknown")
    _require(data, flags <= HAS_KEY | IS_STRICT and zeros == bytes(3), "unknown flags are set")
    has_key, is_strict = bool(flags & HAS_KEY), bool(flags & IS_STRICT)
    _require(data, has_key or not any(fingerprint), "a fingerprint without a key")
    _require(data, is_strict or n_tokens == 0, "tokens of a document that is not strict")
    _require(
        data, 8 <= n_features <= MAX_FEATURES and n_features % 8 == 0, f"n_features is {n_features}"
    )
    _require(data, sum_bytes in (1, 2, 4, 8), f"{sum_bytes} bytes per sum")
    _require(data, abs(count) <= LARGEST, f"the count is {count}")
    start = HEADER.size
    end = len(data) - CHECKSUM_BYTES
    sums_start = start + modulus_bytes
    sums_end = sums_start + n_features * sum_bytes
    _require(
        data, sums_end <= end if is_strict else sums_end == end, "the declared sizes do not fit"
    )
    modulus = int.from_bytes(data[start:sums_start], "little") if modulus_bytes else None
    if modulus is not None:
        is_minimal = modulus >= 2 and data[sums_start - 1] != 0 and modulus != 1 << n_features
        _require(data, is_minimal, "the modulus is not in its canonical form")
    sums = np.frombuffer(data, f"<i{sum_bytes}", n_features, sums_start).astype(np.int64)
    is_sum = bool(((sums ^ count) & 1 == 0).all()) and int(sums.min()) >= -LARGEST
    _require(data, is_sum and int(sums.max()) <= LARGEST, "the sums are not those of a document")
    _require(data, sum_bytes == _sum_bytes(sums), "the sums are not in their canonical form")
    return _Content(
        n_features,
        names[randomizer],
        fingerprint if has_key else b"",
        modulus,
        count,
        sums,
        _unpack_tokens(data, sums_end, end, n_tokens) if is_strict else None,
    )


def _unpack_tokens(data: bytes, start: int, end: int, n_tokens: int) -> dict[bytes, int]:
    tokens: dict[bytes, int] = {}
    last = None
    while start < end:
        _require(data, end - start >= ENTRY.size, "a token is cut off")
        times, length = ENTRY.unpack_from(data, start)
        start += ENTRY.size
        _require(data, length <= end - start, "a token is cut off")
        token = data[start : start + length]
        start += length
        _require(data, 1 <= times <= LARGEST, f"a token occurs {times} times")
        _require(data, last is None or last < token, "the tokens are not sorted")
        tokens[token] = times
        last = token
    _require(data, len(tokens) == n_tokens, f"{len(tokens)} tokens instead of {n_tokens}")
    return tokens


def _require(data: bytes, condition: bool, problem: str) -> None:
    if not condition:
        _refuse(data, problem)


def _refuse(data: bytes, problem: str) -> NoReturn:
    raise BlobError(
        f"Expected the bytes of DocumentHash.to_bytes, got {len(data)} bytes: {problem}."
    )

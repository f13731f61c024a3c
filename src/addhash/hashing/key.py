"""The secret key of a hash: never shown, never written, identified by its fingerprint."""

from hashlib import shake_256
from hmac import compare_digest
from typing import Any, NoReturn

from addhash.errors import ParameterError

FINGERPRINT_BYTES = 16
MAX_BYTES = 128
KEYS_ARE_NOT_PICKLED = (
    "A key cannot be pickled, nor can anything that holds one: it would be written in plain"
    " text. Use save and load(key=...), to_bytes and from_bytes(key=...), or threads instead of"
    " processes."
)


class Key:
    """A secret. Its `repr` does not show it, and it cannot be pickled.

    Estimators turn the bytes passed as `key` into a Key at once, so that nothing that prints, logs
    or stores an estimator can give the secret away. A copy is the same key.

    Parameters
    ----------
    secret : bytes
        From 1 to 128 bytes; at least 16 random ones for real secrecy.

    Examples
    --------
    >>> from addhash.hashing.key import Key
    >>> Key(b"sixteen or more bytes")
    <secret key>
    >>> Key(b"sixteen or more bytes") == Key(b"sixteen or more bytes")
    True
    """

    __slots__ = ("_secret",)

    def __init__(self, secret: Any) -> None:
        self._secret = secret

    @staticmethod
    def wrapped(value: Any) -> "Key | None":
        """Return None and keys unchanged, anything else as a key, valid or not."""
        return value if value is None or isinstance(value, Key) else Key(value)

    @property
    def is_valid(self) -> bool:
        """Whether the secret is bytes of an allowed length."""
        return isinstance(self._secret, bytes) and 1 <= len(self._secret) <= MAX_BYTES

    def secret(self) -> bytes:
        """Return the secret of a valid key."""
        if not self.is_valid:
            raise ParameterError(f"A key must be from 1 to {MAX_BYTES} bytes. Got {self} instead.")
        secret: bytes = self._secret
        return secret

    def fingerprint(self) -> bytes:
        """Return 16 bytes that identify the key.

        They are SHAKE-256 of ``b"addhash/key-fingerprint/"`` and the key. The key cannot be
        computed from them, but a guess can be tested: a key must be too long to guess.
        """
        return shake_256(b"addhash/key-fingerprint/" + self.secret()).digest(FINGERPRINT_BYTES)

    def __repr__(self) -> str:
        if self.is_valid:
            return "<secret key>"
        if isinstance(self._secret, bytes):
            return f"{len(self._secret)} bytes"
        return f"a {type(self._secret).__name__}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Key):
            return NotImplemented
        if not (self.is_valid and other.is_valid):
            return self is other
        return compare_digest(self.secret(), other.secret())

    def __hash__(self) -> int:
        return hash(self.fingerprint()) if self.is_valid else id(self)

    def __copy__(self) -> "Key":
        return self

    def __deepcopy__(self, memo: Any) -> "Key":
        return self

    def __reduce__(self) -> NoReturn:
        raise ParameterError(KEYS_ARE_NOT_PICKLED)


class KeyParameter:
    """The `key` of an estimator: whatever is set becomes a `Key`."""

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        return self if owner is None else owner.__dict__["key"]

    def __set__(self, owner: Any, value: Any) -> None:
        owner.__dict__["key"] = Key.wrapped(value)

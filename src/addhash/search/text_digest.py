"""Whether texts are those that were read before."""

import hashlib
from collections.abc import Iterable
from typing import Any


class TextDigest:
    """A running digest of all texts, each hashed together with the digest of those before it.

    Examples
    --------
    >>> from addhash.search.text_digest import TextDigest
    >>> one, two = TextDigest(), TextDigest()
    >>> one.add(["a", "b"])
    >>> two.add(["ab"])
    >>> one.value == two.value
    False
    """

    def __init__(self, value: str = "") -> None:
        self._value = bytes.fromhex(value)

    @property
    def value(self) -> str:
        """The digest of the texts so far, to go on from."""
        return self._value.hex()

    def add(self, texts: Iterable[Any]) -> None:
        """Add the next texts."""
        for text in texts:
            data = text if isinstance(text, bytes) else str(text).encode("utf-8", "surrogatepass")
            self._value = hashlib.blake2b(data, digest_size=16, key=self._value).digest()

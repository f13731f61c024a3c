"""The randomizers: from a name, a width and a key to the native hash function."""

from hashlib import shake_256

from addhash.hashing.key import Key
from addhash.parameters import RandomizerName
from addhash.runtime import native

SHAKE_BLOCK = 136
AES_BYTES = 80  # five keys


def make_randomizer(kind: RandomizerName, n_features: int, key: Key | None) -> native.Randomizer:
    """Build the native randomizer. The parameters have been checked.

    ``"shake256"`` is the paper's: SHAKE-256 of the token. With a key, it is SHAKE-256 of a 136-byte
    block made of the key's length, the key and zeros, followed by the token.

    ``"aes128"`` is AES-CMAC of the token, expanded by four AES rounds in counter mode. The CMAC key
    and the four round keys are 80 bytes of SHAKE-256 of ``b"addhash/aes128/"`` and the key.
    """
    secret = b"" if key is None else key.secret()
    if kind == "shake256":
        block = (bytes([len(secret)]) + secret).ljust(SHAKE_BLOCK, b"\0") if secret else b""
    else:
        block = shake_256(b"addhash/aes128/" + secret).digest(AES_BYTES)
    return native.Randomizer(kind, int(n_features), block)

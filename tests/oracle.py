"""Slow and obvious: what every fast path is compared with."""

from hashlib import shake_256

import numpy as np

MASK = 2**64 - 1


# The next two functions are the listing in section 3 of "Additive Feature Hashing"
# (M. Andrecut), but that `ahash` takes tokens and leaves out the scaling.
def randomizer(w, L):
    h = shake_256(w.encode()).digest(L // 8)
    b = bin(int.from_bytes(h, byteorder="little"))[2:].zfill(L)
    return 2 * np.array(list(map(int, b))) - 1


def ahash(d, L):
    v = np.zeros((len(d), L), dtype=np.int64)
    for i in range(len(d)):
        for w in d[i]:
            v[i] = v[i] + randomizer(w, L)
    return v


def signs(digest):
    """The components that a digest stands for."""
    bits = np.unpackbits(np.frombuffer(digest, np.uint8), bitorder="little")
    return 2 * bits[::-1].astype(np.int64) - 1


def shake256_digest(token, L, key=None):
    block = b"" if key is None else (bytes([len(key)]) + key).ljust(136, b"\0")
    return shake_256(block + token).digest(L // 8)


def siphash128(key, message):
    """SipHash-2-4 with 128-bit output, from the algorithm's definition, as two 64-bit words."""

    def rotl(x, n):
        return (x << n | x >> (64 - n)) & MASK

    k0, k1 = (int.from_bytes(key[i : i + 8], "little") for i in (0, 8))
    v = [
        k0 ^ 0x736F6D6570736575,
        k1 ^ 0x646F72616E646F6D ^ 0xEE,
        k0 ^ 0x6C7967656E657261,
        k1 ^ 0x7465646279746573,
    ]

    def rounds(n):
        for _ in range(n):
            v[0] = (v[0] + v[1]) & MASK
            v[1] = rotl(v[1], 13) ^ v[0]
            v[0] = rotl(v[0], 32)
            v[2] = (v[2] + v[3]) & MASK
            v[3] = rotl(v[3], 16) ^ v[2]
            v[0] = (v[0] + v[3]) & MASK
            v[3] = rotl(v[3], 21) ^ v[0]
            v[2] = (v[2] + v[1]) & MASK
            v[1] = rotl(v[1], 17) ^ v[2]
            v[2] = rotl(v[2], 32)

    whole = len(message) // 8 * 8
    padded = message[whole:].ljust(7, b"\0") + bytes([len(message) % 256])
    for i in range(0, whole + 8, 8):
        word = int.from_bytes((message[:whole] + padded)[i : i + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xEE
    rounds(4)
    low = v[0] ^ v[1] ^ v[2] ^ v[3]
    v[1] ^= 0xDD
    rounds(4)
    return low, v[0] ^ v[1] ^ v[2] ^ v[3]


def siphash128_digest(token, L, key=None):
    secret = shake_256(b"addhash/siphash128/" + (key or b"")).digest(16)
    low, high = siphash128(secret, token)

    def mix(z):
        z = (z ^ z >> 32) * 0xD6E8FEB86659FD93 & MASK
        z = (z ^ z >> 32) * 0xD6E8FEB86659FD93 & MASK
        return z ^ z >> 32

    words = [mix(low + (i + 1) * (high | 1) & MASK) for i in range((L + 63) // 64)]
    return b"".join(w.to_bytes(8, "little") for w in words)[: L // 8]


DIGESTS = {"shake256": shake256_digest, "siphash128": siphash128_digest}


def sums(tokens, L, name="shake256", key=None):
    """The exact sums of the tokens' vectors, one token after the other."""
    total = np.zeros(L, np.int64)
    for token in tokens:
        total += signs(DIGESTS[name](token.encode(), L, key))
    return total

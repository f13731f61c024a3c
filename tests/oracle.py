"""Slow and obvious: what every fast path is compared with."""

import math
from functools import cache
from hashlib import shake_256

import numpy as np


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


def product(a, b):
    """The product of two elements of AES's field of 2^8 elements."""
    result = 0
    for bit in range(8):
        if a >> bit & 1:
            result ^= b
        b = b << 1 ^ (0x11B if b & 0x80 else 0)
    return result


def substituted(x):
    """AES's S-box: the inverse, or 0 for 0, and an affine map of its bits."""
    inverse = next((y for y in range(256) if product(x, y) == 1), 0)
    bits = [inverse >> i & 1 for i in range(8)]
    return 0x63 ^ sum((sum(bits[(i + j) % 8] for j in (0, 4, 5, 6, 7)) & 1) << i for i in range(8))


SUBSTITUTED = np.array([substituted(x) for x in range(256)], np.uint8)
TWICE = np.array([product(2, x) for x in range(256)], np.uint8)
# Byte 4 c + r of a block is in row r and column c; row r is shifted by r columns.
SHIFTED = [(i + 4 * (i % 4)) % 16 for i in range(16)]


def aes_round(blocks, key, is_last=False):
    """One round of AES of many blocks, rows of 16 bytes."""
    blocks = SUBSTITUTED[blocks[:, SHIFTED]].reshape(-1, 4, 4)
    if not is_last:
        a, b, c, d = (np.roll(blocks, -i, axis=2) for i in range(4))
        blocks = TWICE[a] ^ TWICE[b] ^ b ^ c ^ d
    return blocks.reshape(-1, 16) ^ key


@cache
def aes_round_keys(key):
    words = [list(key[i : i + 4]) for i in range(0, 16, 4)]
    constant = 1
    for i in range(4, 44):
        word = words[-1]
        if i % 4 == 0:
            word = [int(SUBSTITUTED[x]) for x in word[1:] + word[:1]]
            word[0] ^= constant
            constant = int(TWICE[constant])
        words.append([x ^ y for x, y in zip(words[i - 4], word, strict=True)])
    return np.array(words, np.uint8).reshape(11, 16)


def aes(keys, block):
    state = np.frombuffer(block, np.uint8)[None] ^ keys[0]
    for i in range(1, 11):
        state = aes_round(state, keys[i], is_last=i == 10)
    return state.tobytes()


def aes_cmac(key, message):
    """AES-CMAC as RFC 4493 defines it."""
    keys = aes_round_keys(key)

    def double(block):
        value = int.from_bytes(block, "big") << 1
        return (value % 2**128 ^ (0x87 if value >> 128 else 0)).to_bytes(16, "big")

    whole = double(aes(keys, bytes(16)))
    blocks = [message[i : i + 16] for i in range(0, len(message), 16)] or [b""]
    last = blocks.pop()
    if len(last) < 16:
        last, whole = (last + b"\x80").ljust(16, b"\0"), double(whole)
    blocks.append(bytes(x ^ y for x, y in zip(last, whole, strict=True)))
    state = bytes(16)
    for block in blocks:
        state = aes(keys, bytes(x ^ y for x, y in zip(state, block, strict=True)))
    return state


@cache
def aes128_digest(token, L, key=None):
    keys = shake_256(b"addhash/aes128/" + (key or b"")).digest(80)
    seed = np.frombuffer(aes_cmac(keys[:16], token), "<u8")
    step = np.array([0xC13FA9A902A6328F, 0x91E10DA5C79E7B1D], "<u8")
    i = np.arange(1, (L + 127) // 128 + 1, dtype="<u8")[:, None]
    blocks = (seed + i * step).view(np.uint8)
    for round_key in np.frombuffer(keys[16:], np.uint8).reshape(4, 16):
        blocks = aes_round(blocks, round_key)
    return blocks.tobytes()[: L // 8]


DIGESTS = {"shake256": shake256_digest, "aes128": aes128_digest}


def sums(tokens, L, name="shake256", key=None):
    """The exact sums of the tokens' vectors, one token after the other."""
    total = np.zeros(L, np.int64)
    for token in tokens:
        total += signs(DIGESTS[name](token.encode(), L, key))
    return total


LN2 = float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33")


def exponential(x):
    """The native core's e^x, an operation at a time."""
    if math.isnan(x):
        return x
    x = min(max(x, -746.0), 746.0)
    exponent = round(x * float.fromhex("0x1.71547652b82fep+0"))
    r = x - exponent * LN2[0] - exponent * LN2[1]
    odd = even = 0.0
    for n in range(13, 1, -2):
        odd = odd * (r * r) + 1 / math.factorial(n)
        even = even * (r * r) + 1 / math.factorial(n - 1)
    start = 1 + r
    power = start + ((r - (start - 1)) + r * r * (odd * r + even))
    return power * 2.0 ** (exponent // 2) * 2.0 ** (exponent - exponent // 2)


def logarithm(x):
    """The native core's ln x, an operation at a time."""
    if math.isnan(x) or x == math.inf:
        return x
    if x <= 0:
        return math.nan if x < 0 else -math.inf
    part, exponent = math.frexp(x)
    if part < math.sqrt(0.5):
        part, exponent = 2 * part, exponent - 1
    f = part - 1
    s = f / (2 + f)
    series = 0.0
    for n in range(21, 1, -2):
        series = series * (s * s) + 2 / n
    half = 0.5 * f * f
    small = s * (half + s * s * series) + exponent * LN2[1]
    return small - half + f + exponent * LN2[0]


def log_odds(scores):
    """Scores of "bayes" with its usual weights, as sure as their spread allows."""
    possible = np.array([score for score in scores if score > -math.inf])
    sureness = math.exp(
        max(0, 0.23 * math.log(len(possible)) - 0.16 * math.log(possible.var() + 0.01) - 0.34)
    )
    best = possible.max()
    return [best + sureness * (score - best) for score in scores]

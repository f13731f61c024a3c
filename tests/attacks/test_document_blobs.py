"""Blobs that are truncated, altered, foreign, or made to look right."""

import random
import struct
from hashlib import shake_256

import numpy as np
import pytest

from addhash import DocumentHash
from addhash.errors import BlobError, ConfigurationMismatchError

PLAIN = DocumentHash(64, modulus=10**9).update(["a", "b", "a"])
STRICT = DocumentHash(64, strict=True).update(["a", "b", "a"])
KEYED = DocumentHash(64, key=b"a key").update(["a", "b", "a"])
KEYS = {id(KEYED): b"a key"}

HEADER = struct.Struct("<8sHBBIqIB3sQ16s")
FIELDS = ["magic", "version", "randomizer", "flags", "n_features", "count", "modulus_bytes",
          "sum_bytes", "zeros", "tokens", "fingerprint"]  # fmt: skip


def sealed(content):
    """With a checksum that fits, as an attacker would make it."""
    return content + shake_256(content).digest(16)


def forged(document, body=None, **changes):
    blob = document.to_bytes()
    values = dict(zip(FIELDS, HEADER.unpack_from(blob), strict=True)) | changes
    body = blob[HEADER.size : -16] if body is None else body
    return sealed(HEADER.pack(*values.values()) + body)


@pytest.mark.parametrize("document", [PLAIN, STRICT, KEYED])
def test_truncated_at_every_length(document):
    blob = document.to_bytes()
    for length in range(len(blob)):
        with pytest.raises(BlobError, match=f"got {length} bytes"):
            DocumentHash.from_bytes(blob[:length], KEYS.get(id(document)))


@pytest.mark.parametrize("document", [PLAIN, STRICT, KEYED])
def test_every_flipped_bit(document):
    blob = document.to_bytes()
    for bit in range(8 * len(blob)):
        altered = bytearray(blob)
        altered[bit // 8] ^= 1 << bit % 8
        with pytest.raises(BlobError):
            DocumentHash.from_bytes(altered, KEYS.get(id(document)))


def test_bytes_too_many():
    for more in (b"\0", b"more", PLAIN.to_bytes()):
        with pytest.raises(BlobError, match="checksum"):
            DocumentHash.from_bytes(PLAIN.to_bytes() + more)


@pytest.mark.parametrize("foreign", [b"", b"\x80\x04\x95", b"PK\x03\x04" * 100, bytes(1000)])
def test_foreign_bytes(foreign):
    with pytest.raises(BlobError, match=r"Expected the bytes of DocumentHash\.to_bytes"):
        DocumentHash.from_bytes(foreign)


@pytest.mark.parametrize("foreign", [None, "text", 5, [1, 2], np.zeros(100)])
def test_no_bytes_at_all(foreign):
    with pytest.raises(BlobError, match="of type"):
        DocumentHash.from_bytes(foreign)


def test_bytes_like_objects_are_read():
    blob = PLAIN.to_bytes()
    for same in (bytearray(blob), memoryview(blob)):
        assert DocumentHash.from_bytes(same) == PLAIN


@pytest.mark.parametrize("version", [0, 2, 65535])
def test_other_versions_are_named(version):
    blob = bytearray(PLAIN.to_bytes())
    blob[8:10] = version.to_bytes(2, "little")
    with pytest.raises(BlobError, match=f"layout is version {version}, this addhash reads"):
        DocumentHash.from_bytes(blob)


SUMS = PLAIN.sums


@pytest.mark.parametrize(
    "blob",
    [
        forged(PLAIN, magic=b"\x93NUMPY\1\0"),
        forged(PLAIN, randomizer=0),
        forged(PLAIN, randomizer=2),
        forged(PLAIN, randomizer=4),
        forged(PLAIN, flags=4),
        forged(PLAIN, flags=255),
        forged(PLAIN, zeros=b"\1\0\0"),
        forged(PLAIN, fingerprint=bytes(15) + b"\1"),
        forged(PLAIN, tokens=1),
        # sizes
        forged(PLAIN, n_features=0),
        forged(PLAIN, n_features=7),
        forged(PLAIN, n_features=72),
        forged(PLAIN, n_features=2**20),
        forged(PLAIN, n_features=2**32 - 8),
        forged(PLAIN, modulus_bytes=2**32 - 1),
        forged(PLAIN, modulus_bytes=0),
        forged(PLAIN, sum_bytes=0),
        forged(PLAIN, sum_bytes=2),
        forged(PLAIN, sum_bytes=255),
        forged(PLAIN, count=2**62),
        forged(PLAIN, count=-(2**63)),
        forged(PLAIN, body=b""),
        # content
        forged(PLAIN, count=4),  # another parity than the sums'
        forged(PLAIN, modulus_bytes=1, body=b"\0" + SUMS.astype("i1").tobytes()),
        forged(PLAIN, modulus_bytes=1, body=b"\1" + SUMS.astype("i1").tobytes()),
        forged(PLAIN, modulus_bytes=2, body=b"\5\0" + SUMS.astype("i1").tobytes()),
        forged(PLAIN, modulus_bytes=9, body=bytes(8) + b"\1" + SUMS.astype("i1").tobytes()),
        forged(PLAIN, modulus_bytes=0, sum_bytes=2, body=SUMS.astype("<i2").tobytes()),
        forged(PLAIN, modulus_bytes=0, sum_bytes=8, body=(SUMS | 2**62).astype("<i8").tobytes()),
        forged(
            PLAIN, modulus_bytes=0, sum_bytes=8, body=np.full(64, -(2**63) + 1, "<i8").tobytes()
        ),
    ],
)
def test_forged_blobs(blob):
    with pytest.raises(BlobError):
        DocumentHash.from_bytes(blob)


def entry(token, count, length=None):
    return struct.pack("<QI", count, len(token) if length is None else length) + token


STRICT_SUMS = STRICT.sums.astype("i1").tobytes()


@pytest.mark.parametrize(
    ("entries", "tokens"),
    [
        (entry(b"a", 2) + entry(b"b", 1), 3),
        (entry(b"a", 2) + entry(b"b", 1), 2**64 - 1),
        (entry(b"b", 1) + entry(b"a", 2), 2),  # not sorted
        (entry(b"a", 1) + entry(b"a", 1) + entry(b"b", 1), 3),  # twice
        (entry(b"a", 2) + entry(b"b", 1) + entry(b"c", 0), 3),
        (entry(b"a", 2) + entry(b"b", 2**64 - 1), 2),
        (entry(b"a", 1) + entry(b"b", 2), 2),  # other sums
        (entry(b"a", 3) + entry(b"b", 1), 2),  # another count
        (entry(b"a", 2) + entry(b"b", 1, 2**32 - 1), 2),
        (entry(b"a", 2) + entry(b"b", 1)[:-1], 2),
        (entry(b"a", 2) + entry(b"b", 1) + b"\0" * 5, 2),
        (b"", 0),
    ],
)
def test_forged_tokens(entries, tokens):
    with pytest.raises(BlobError):
        DocumentHash.from_bytes(forged(STRICT, STRICT_SUMS + entries, tokens=tokens))


def test_the_forger_can_make_a_real_document():
    """The checksum is no signature: see docs/incremental.md."""
    entries = entry(b"a", 2) + entry(b"b", 1)
    assert DocumentHash.from_bytes(forged(STRICT, STRICT_SUMS + entries, tokens=2)) == STRICT


def test_random_bytes_never_raise_anything_else():
    rng = random.Random(1)
    blob = STRICT.to_bytes()
    for _ in range(3000):
        content = bytearray(blob[:-16])
        for _ in range(rng.randint(1, 4)):
            content[rng.randrange(10, len(content))] = rng.randrange(256)
        try:
            read = DocumentHash.from_bytes(sealed(bytes(content)))
        except (BlobError, ConfigurationMismatchError):
            continue
        assert read.to_bytes() == sealed(bytes(content))

"""The hashes are frozen: another bit needs another name."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from addhash import AdditiveHashingVectorizer, HashingVectorizer
from addhash.hashing.key import Key
from addhash.hashing.randomizers import make_randomizer
from addhash.runtime import native
from tests import oracle
from tests.texts import HOSTILE

VECTORS_SHA256 = "04c28a34ed9f332caaadb549e1a766d904f0b0cbafe71ae91a3390df0225d2cd"
VECTORS = json.loads(Path(__file__).with_name("vectors.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "vector", VECTORS, ids=lambda v: f"{v['randomizer']}-{v['key']}-{v['bits']}"
)
def test_digests(instruction_set, vector):
    key = None if vector["key"] is None else bytes.fromhex(vector["key"])
    batch = native.TokenBatch()
    batch.append_strings(vector["digests"])
    found = native.digests(
        batch, make_randomizer(vector["randomizer"], vector["bits"], Key.wrapped(key))
    )
    assert [row.tobytes().hex() for row in found] == list(vector["digests"].values())


def test_the_vectors_file_is_the_frozen_one():
    content = Path(__file__).with_name("vectors.json").read_bytes()
    assert hashlib.sha256(content).hexdigest() == VECTORS_SHA256


def test_siphash_reference_vector():
    """The first of the 128-bit vectors of SipHash's reference implementation."""
    low, high = oracle.siphash128(bytes(range(16)), b"")
    assert (low.to_bytes(8, "little") + high.to_bytes(8, "little")).hex() == (
        "a3817f04ba25a8e66df67214c7550293"
    )


# SHA-256 of the output for the texts in tests/texts.py.
OUTPUTS = {
    "shake256": "d26711ac7bf556508bb751d60471b61871f4659a0f7022f5dc6ae3afaa40931f",
    "siphash128": "20d804627d4e6324a9892ca16da21b3c901b7cb66ee0a45d019b9db4845cee1f",
    "trick": "d5d6677a3febee82698664616acd3014d5c7ec19112b0a13058f0b708c0acdca",
}


@pytest.mark.parametrize("randomizer", oracle.DIGESTS)
def test_vectors_of_texts(instruction_set, randomizer):
    found = AdditiveHashingVectorizer(
        analyzer="char_wb", ngram_range=(1, 3), randomizer=randomizer
    ).transform(HOSTILE)
    content = found.astype("<f4").tobytes()
    assert hashlib.sha256(content).hexdigest() == OUTPUTS[randomizer]


def test_bucket_counts_of_texts(instruction_set):
    found = HashingVectorizer(ngram_range=(1, 2), norm=None).transform(HOSTILE)
    parts = (found.indptr, found.indices, found.data)
    content = b"".join(np.asarray(part).astype("<i8").tobytes() for part in parts)
    assert hashlib.sha256(content).hexdigest() == OUTPUTS["trick"]

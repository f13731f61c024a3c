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

VECTORS_SHA256 = "b21aaa35da9fceba43f8ab141b98f715e72b4498a4dd1195168502795f7fe53c"
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


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (0, "bb1d6929e95937287fa37d129b756746"),
        (16, "070a16b46b4d4144f79bdd9dd04a287c"),
        (40, "dfa66747de9ae63030ca32611497c827"),
        (64, "51f0bebf7e3b9d92fc49741779363cfe"),
    ],
)
def test_the_oracle_gives_the_vectors_of_rfc_4493(size, expected):
    key = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
    message = bytes.fromhex(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
        "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
    )
    assert oracle.aes_cmac(key, message[:size]).hex() == expected


# SHA-256 of the output for the texts in tests/texts.py.
OUTPUTS = {
    "shake256": "d26711ac7bf556508bb751d60471b61871f4659a0f7022f5dc6ae3afaa40931f",
    "aes128": "940de8cbc70e5ec4da5852bd2bdc50ceb8d6ab6145f948fbb80fd46143250cb7",
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

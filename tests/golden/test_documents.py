"""The bytes of documents are frozen: another layout needs another version."""

import pytest

from addhash import DocumentHash

KEY = b"0123456789abcdef"
TOKENS = ["to", "be", "or", "not", "to", "be"]

DOCUMENTS = {
    "plain": DocumentHash(64).update(TOKENS),
    "negative": DocumentHash(64).update(TOKENS).remove("gone", 1000),
    "aes128": DocumentHash(64, randomizer="aes128").update(TOKENS),
    "keyed": DocumentHash(64, key=KEY).update(TOKENS),
    "modulus": DocumentHash(64, modulus=10**30 + 57).update(TOKENS),
    "strict": DocumentHash(64, strict=True).update(TOKENS),
}

BLOBS = {
    "plain": """
        9341444448444f430100010040000000060000000000000000000000010000000000000000000000
        000000000000000000000000000000000000fc0202000200fe02fafc04fe0200fefc02fe00040000
        02fefc02040004000000fe02060202fafefc00000002fe06fafafa0004fa00fc04000202fefcfcfe
        9549b6c455ad3d9132b8201d1cf8cd6b
    """,
    "negative": """
        9341444448444f4301000100400000001efcffffffffffff00000000020000000000000000000000
        0000000000000000000000000000000018fce80314fc1afcea03e8031afc18fc16fcea03e203e403
        1cfc16fc1afce80316fc14fc1afce603e803ec03e803e8031afc16fc14fc1afc1cfc18fcec03e803
        18fc18fce603ea03ee031afcea0312fc16fce40318fce803e8031afce6031efce203e20312fce803
        ec0312fce803e403ec03e803ea03ea0316fce403e403e603e6a98d9db197e39fdd3a3cb7f049ea3f
    """,
    "aes128": """
        9341444448444f430100030040000000060000000000000000000000010000000000000000000000
        00000000000000000000000000000000060400fc00fe02fcfc02000602fc04000002020000fc0200
        04fcfcfe00fc000004fc00fefc00fe00fefcfe0004fefefa00fefe04fcfa00fe04fe0000fcfe0600
        3ca39f53a9cf001d2e4e8fec486de91e
    """,
    "keyed": """
        9341444448444f430100010140000000060000000000000000000000010000000000000000000000
        b0b7eaa973e91ec92748e25b647798920006fe02fefc020600fe02fefefe02fe0606fe0002fcfe02
        040002000202fafa00fc02fc06fc00fafcfc0002fefe0004040402fe04fafe00040000000402fc06
        4dffd09ab4462daf39bd52574af9c6bc
    """,
    "modulus": """
        9341444448444f43010001004000000006000000000000000d000000010000000000000000000000
        0000000000000000000000000000000039000040eaed7446d09c2c9f0c0000fc0202000200fe02fa
        fc04fe0200fefc02fe0004000002fefc02040004000000fe02060202fafefc00000002fe06fafafa
        0004fa00fc04000202fefcfcfe6c04794f82eb2ef6c81607d0b35050e0
    """,
    "strict": """
        9341444448444f430100010240000000060000000000000000000000010000000400000000000000
        000000000000000000000000000000000000fc0202000200fe02fafc04fe0200fefc02fe00040000
        02fefc02040004000000fe02060202fafefc00000002fe06fafafa0004fa00fc04000202fefcfcfe
        02000000000000000200000062650100000000000000030000006e6f740100000000000000020000
        006f72020000000000000002000000746f7f95bfea5a85da60873d3bc8329830be
    """,
}

DIGESTS = {
    "plain": "1863020a24184dd9",
    "negative": "d8a3edfcbf3c2e73",
    "aes128": "afa3e65c285a74db",
    "keyed": "1093878b2220c7a4",
    "modulus": "1863020a24184dd90200000000",
    "strict": "1863020a24184dd9",
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_blobs(name):
    document, blob = DOCUMENTS[name], bytes.fromhex(BLOBS[name])
    assert document.to_bytes() == blob
    read = DocumentHash.from_bytes(blob, KEY if name == "keyed" else None)
    assert read == document
    assert read.strict == document.strict


@pytest.mark.parametrize("name", DOCUMENTS)
def test_digests(name):
    assert DOCUMENTS[name].digest().hex() == DIGESTS[name]


def test_fingerprint():
    assert DOCUMENTS["keyed"].key_fingerprint.hex() == "b0b7eaa973e91ec92748e25b64779892"

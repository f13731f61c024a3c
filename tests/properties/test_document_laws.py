"""The laws of documents: they form a group, and nothing but the multiset of tokens matters."""

import random
from collections import Counter
from hashlib import shake_256

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from addhash import DocumentHash, sum_documents

TOKENS = st.one_of(
    st.sampled_from(["a", "b", "c", "größe", b"raw\xff"]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    st.binary(max_size=200),
)
LISTS = st.lists(TOKENS, max_size=12)
CONFIGURATIONS = st.fixed_dictionaries(
    {
        "n_features": st.sampled_from([8, 64, 136, 1000, 2048]),
        "randomizer": st.sampled_from(["shake256", "aes128"]),
        "key": st.sampled_from([None, b"k", b"0123456789abcdef"]),
        "modulus": st.one_of(st.none(), st.integers(2, 2**80), st.just(2**3000 + 1)),
    }
)
EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), TOKENS, st.integers(-5, 5)),
        st.tuples(st.just("remove"), TOKENS, st.integers(-5, 5)),
        st.tuples(st.just("replace"), TOKENS, TOKENS),
        st.tuples(st.just("update"), LISTS),
        st.tuples(st.just("downdate"), LISTS),
        st.tuples(st.just("edit"), LISTS, LISTS),
    ),
    max_size=20,
)


def encoded(token):
    return token.encode() if isinstance(token, str) else token


def assert_same_bits(a, b):
    assert a == b
    assert a.count == b.count
    assert np.array_equal(a.sums, b.sums)
    assert a.value == b.value
    assert a.digest() == b.digest()
    for dtype in (np.float16, np.float32, np.float64):
        assert a.vector(dtype=dtype).tobytes() == b.vector(dtype=dtype).tobytes()
    assert a.vector(None, np.int64).tobytes() == b.vector(None, np.int64).tobytes()
    assert a.to_bytes() == b.to_bytes()


def tally(edits):
    """The multiset that edits make of nothing, counts negative where more was removed."""
    counts = Counter()
    for name, *arguments in edits:
        match name:
            case "add":
                counts[encoded(arguments[0])] += arguments[1]
            case "remove":
                counts[encoded(arguments[0])] -= arguments[1]
            case "replace":
                counts[encoded(arguments[0])] -= 1
                counts[encoded(arguments[1])] += 1
            case "update":
                counts.update(map(encoded, arguments[0]))
            case "downdate":
                counts.subtract(map(encoded, arguments[0]))
            case "edit":
                counts.subtract(map(encoded, arguments[0]))
                counts.update(map(encoded, arguments[1]))
    return counts


def build(configuration, counts):
    document = DocumentHash(**configuration)
    for token, count in sorted(counts.items()):
        document.add(token, count)
    return document


@settings(deadline=None)
@given(CONFIGURATIONS, EDITS)
def test_edits_equal_building_from_scratch(configuration, edits):
    document = DocumentHash(**configuration)
    for name, *arguments in edits:
        getattr(document, name)(*arguments)
    assert_same_bits(document, build(configuration, tally(edits)))


@settings(deadline=None)
@given(CONFIGURATIONS, EDITS, st.randoms(use_true_random=False))
def test_order_never_matters(configuration, edits, rng):
    shuffled = edits.copy()
    rng.shuffle(shuffled)
    documents = []
    for order in (edits, shuffled):
        document = DocumentHash(**configuration)
        for name, *arguments in order:
            getattr(document, name)(*arguments)
        documents.append(document)
    assert_same_bits(*documents)


@settings(deadline=None)
@given(CONFIGURATIONS, LISTS, LISTS, LISTS)
def test_documents_form_an_abelian_group(configuration, x, y, z):
    a, b, c = (DocumentHash(**configuration).update(tokens) for tokens in (x, y, z))
    zero = DocumentHash(**configuration)
    assert_same_bits(a + b, b + a)
    assert_same_bits((a + b) + c, a + (b + c))
    assert_same_bits(a + zero, a)
    assert_same_bits(a - a, zero)
    assert_same_bits((a + b) - b, a)
    assert_same_bits((a - b) + b, a)
    assert_same_bits(zero - (zero - a), a)
    assert_same_bits(a + b, DocumentHash(**configuration).update(x + y))
    assert_same_bits(a.copy().merge(b), a + b)
    assert_same_bits(a.copy().subtract(b), a - b)
    assert_same_bits(sum_documents([a, b, c]), sum_documents([c, a, b]))
    assert (a + b).value == (a.value + b.value) % a.modulus
    assert (a - b).value == (a.value - b.value) % a.modulus


@settings(deadline=None)
@given(CONFIGURATIONS, LISTS, TOKENS, TOKENS, st.integers(-(2**40), 2**40))
def test_one_edit_is_another(configuration, tokens, old, new, count):
    document = DocumentHash(**configuration).update(tokens)
    assert_same_bits(document.copy().replace(old, new), document.copy().remove(old).add(new))
    assert_same_bits(document.copy().add(old, count), document.copy().remove(old, -count))
    assert_same_bits(document.copy().add(old, count).remove(old, count), document)
    assert_same_bits(document.copy().downdate(tokens), DocumentHash(**configuration))
    one_by_one = DocumentHash(**configuration)
    for token in tokens:
        one_by_one.add(token)
    assert_same_bits(one_by_one, document)


@settings(deadline=None)
@given(CONFIGURATIONS, EDITS, st.integers(-(2**61), 2**61))
def test_bytes_are_the_document(configuration, edits, count):
    document = build(configuration, tally(edits)).add("many", count)
    blob = document.to_bytes()
    read = DocumentHash.from_bytes(blob, configuration["key"])
    assert_same_bits(read, document)
    assert read.to_bytes() == blob
    assert (read.n_features, read.randomizer) == (document.n_features, document.randomizer)


@settings(deadline=None)
@given(EDITS)
def test_strict_documents_are_multisets(edits):
    """Strict documents do what a Counter does that refuses to go below zero."""
    document = DocumentHash(64, strict=True)
    counts = Counter()
    for edit in edits:
        before = document.to_bytes()
        steps = [edit]
        if edit[0] == "edit":
            steps = [("downdate", edit[1]), ("update", edit[2])]
        elif edit[0] == "replace":
            steps = [("remove", edit[1], 1), ("add", edit[2], 1)]
        after, is_allowed = counts.copy(), True
        for step in steps:
            after.update(tally([step]))
            is_allowed &= min(after.values(), default=0) >= 0
        try:
            getattr(document, edit[0])(*edit[1:])
        except ValueError:
            assert not is_allowed
            assert document.to_bytes() == before
        else:
            assert is_allowed
            counts = after
    assert document == build({"n_features": 64}, counts)
    assert DocumentHash.from_bytes(document.to_bytes()).to_bytes() == document.to_bytes()


@settings(deadline=None)
@given(LISTS, st.sampled_from([8, 256, 2048]), st.integers(2, 2**3000))
def test_value_equals_the_papers_equation(tokens, n_features, modulus):
    expected = sum(
        int.from_bytes(shake_256(encoded(t)).digest(n_features // 8), "little") for t in tokens
    )
    document = DocumentHash(n_features, modulus=modulus).update(tokens)
    assert document.value == expected % modulus
    assert DocumentHash(n_features).update(tokens).value == expected % 2**n_features


def test_ten_million_edits_do_not_drift():
    """Ten million adds and removes at random, then the net of them from scratch."""
    rng = np.random.default_rng(2024)
    vocabulary = np.array([f"token {i}" for i in range(20_000)], dtype=object)
    net = np.zeros(len(vocabulary), np.int64)
    document = DocumentHash(256, modulus=2**255 - 19)
    singles = random.Random(7)
    edits = 0
    while edits < 10_000_000:
        removed, added = rng.integers(len(vocabulary), size=(2, 250_000))
        document.edit(vocabulary[removed], vocabulary[added])
        net += np.bincount(added, minlength=len(net)) - np.bincount(removed, minlength=len(net))
        edits += 500_000
        for _ in range(500):
            old, new = singles.randrange(len(net)), singles.randrange(len(net))
            document.replace(vocabulary[old], vocabulary[new])
            net[old] -= 1
            net[new] += 1
    rebuilt = DocumentHash(256, modulus=2**255 - 19)
    for token, count in zip(vocabulary, net.tolist(), strict=True):
        rebuilt.add(token, count)
    assert_same_bits(document, rebuilt)
    hashes = [int.from_bytes(shake_256(t.encode()).digest(32), "little") for t in vocabulary]
    expected = sum(h * n for h, n in zip(hashes, net.tolist(), strict=True))
    assert document.value == expected % (2**255 - 19)

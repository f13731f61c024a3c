import random
from collections import Counter

import pytest
from scipy.stats import binom

from addhash import DocumentHash


def words(start, end):
    return [f"word {i}" for i in range(start, end)]


@pytest.mark.parametrize("randomizer", ["shake256", "aes128"])
@pytest.mark.parametrize(
    ("n_features", "present", "candidates"),
    [(64, 20, 40), (256, 200, 250), (1000, 100, 999), (2048, 500, 800), (2048, 1500, 2000)],
)
def test_known_vocabularies_are_decoded_exactly(n_features, present, candidates, randomizer):
    rng = random.Random(present)
    counts = {word: rng.choice([1, 1, 2, 7, 1000]) for word in words(0, present)}
    document = DocumentHash(n_features, randomizer=randomizer, key=b"k")
    for word, count in counts.items():
        document.add(word, count)
    found = document.decode(rng.sample(words(0, candidates), candidates))
    assert dict(found) == counts
    assert [count for _, count in found] == sorted(counts.values(), reverse=True)


def test_long_documents_of_known_vocabularies():
    rng = random.Random(3)
    tokens = rng.choices(words(0, 300), k=200_000)
    assert dict(DocumentHash(512).update(tokens).decode(words(0, 400))) == Counter(tokens)


def test_more_candidates_than_components():
    for tokens in (words(0, 40) + words(0, 10) * 3, words(0, 200)):
        found = DocumentHash().update(tokens).decode(words(0, 10_000))
        assert dict(found) == Counter(tokens)


def test_unknown_tokens_are_noise():
    """Frequent candidates among many rare tokens that are no candidates."""
    document = DocumentHash().update(f"unknown {i}" for i in range(500))
    for i in range(10):
        document.add(f"word {i}", 100)
    found = dict(document.decode(words(0, 3000)))
    assert set(found) == set(words(0, 10))
    assert all(abs(count - 100) <= 3 for count in found.values())


def test_a_few_unknown_tokens_among_many_known():
    tokens = words(0, 500) + words(0, 100)
    document = DocumentHash().update([*tokens, "unknown", "unknown too"])
    assert dict(document.decode(words(0, 800))) == Counter(tokens)


def test_a_few_among_many_unknown():
    document = DocumentHash().update(words(0, 5) * 2 + words(5000, 5100))
    assert dict(document.decode(words(0, 2040))) == dict.fromkeys(words(0, 5), 2)


@pytest.mark.slow
@pytest.mark.parametrize(("n_features", "candidates"), [(512, 50), (256, 300)])
def test_absent_candidates_are_not_listed(n_features, candidates):
    """With a confidence of 0.99 one document in 100 may list an absent candidate."""
    documents = 600
    wrong = 0
    for i in range(documents):
        document = DocumentHash(n_features).update(f"{i}/{j}" for j in range(50))
        wrong += bool(document.decode([f"{i}/absent {j}" for j in range(candidates)]))
    assert wrong <= binom.isf(1e-6, documents, 0.01)


def test_differences_of_documents():
    old = DocumentHash().update(["the", "old", "text"])
    new = DocumentHash().update(["the", "new", "new", "text"])
    assert (new - old).decode(["the", "old", "new", "text"]) == [("new", 2), ("old", -1)]


def test_order_and_repetition():
    document = DocumentHash().update(["b", "a", "c", "c"])
    assert document.decode(["b", "a", b"a", "b", "c"]) == [("c", 2), ("b", 1), (b"a", 1)]
    assert document.decode(iter(["a"])) == [("a", 1)]


def test_nothing_to_find():
    assert DocumentHash().decode(["a"]) == []
    assert DocumentHash().add("a").decode([]) == []


@pytest.mark.parametrize("n_features", [8, 16])
def test_candidates_that_look_alike(n_features):
    """With 8 components there are but 256 vectors: no answer, or one, but no failure."""
    document = DocumentHash(n_features).update(["a", "b"])
    for count in (1, 5, 100, 1000):
        found = document.decode(["a", "b", *words(0, count)])
        assert isinstance(found, list)
    assert dict(document.decode(["a", "b"])) == {"a": 1, "b": 1}


def test_wide_documents():
    tokens = words(0, 30)
    assert dict(DocumentHash(2**16).update(tokens).decode(words(0, 100))) == Counter(tokens)


def test_more_candidates_alike_than_components_are_not_told_apart():
    """With 8 components several of 2,000 tokens have the vector of any one."""
    document = DocumentHash(8).update(["a"] * 100 + ["b"] * 3)
    assert document.decode(["a", *(f"t{i}" for i in range(2000))]) == []

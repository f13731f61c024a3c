"""Laws of the vectors, for any text."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from addhash import AdditiveFeatureHasher, AdditiveHashingVectorizer, HashingVectorizer

TEXTS = st.lists(st.text(), max_size=12)
RANDOMIZERS = st.sampled_from(["shake256", "aes128"])
TOKENS = st.lists(st.text(max_size=20), max_size=60)
LAWS = settings(max_examples=60, deadline=None)


def sums(tokens, **parameters):
    hasher = AdditiveFeatureHasher(
        input_type="string", norm=None, dtype=np.int64, **{"n_features": 264, **parameters}
    )
    return hasher.transform([tokens])[0]


@LAWS
@given(tokens=TOKENS, randomizer=RANDOMIZERS, seed=st.randoms())
def test_order_does_not_matter(tokens, randomizer, seed):
    shuffled = list(tokens)
    seed.shuffle(shuffled)
    assert np.array_equal(
        sums(tokens, randomizer=randomizer), sums(shuffled, randomizer=randomizer)
    )


@LAWS
@given(first=TOKENS, second=TOKENS, randomizer=RANDOMIZERS)
def test_the_sum_of_two_documents_is_the_document_of_both(first, second, randomizer):
    together = sums(first + second, randomizer=randomizer)
    assert np.array_equal(
        together, sums(first, randomizer=randomizer) + sums(second, randomizer=randomizer)
    )


@LAWS
@given(texts=TEXTS, randomizer=RANDOMIZERS, threads=st.integers(1, 5))
def test_batches_and_threads_do_not_matter(texts, randomizer, threads):
    parameters = {"analyzer": "char", "n_features": 128, "randomizer": randomizer}
    together = AdditiveHashingVectorizer(**parameters, n_jobs=threads).transform(texts)
    alone = AdditiveHashingVectorizer(**parameters, n_jobs=1)
    for row, text in zip(together, texts, strict=True):
        assert np.array_equal(row, alone.transform([text])[0])


@LAWS
@given(tokens=TOKENS, randomizer=RANDOMIZERS, width=st.integers(1, 40))
def test_a_smaller_vector_is_the_tail_of_a_larger_one(tokens, randomizer, width):
    large = sums(tokens, n_features=320, randomizer=randomizer)
    small = sums(tokens, n_features=8 * width, randomizer=randomizer)
    assert np.array_equal(small, large[-8 * width :])


@LAWS
@given(
    pairs=st.lists(
        st.tuples(st.text(max_size=5), st.floats(allow_nan=False, allow_infinity=False)),
        max_size=30,
    ),
    seed=st.randoms(),
)
def test_the_order_of_weights_does_not_matter(pairs, seed):
    hasher = AdditiveFeatureHasher(64, input_type="pair", norm=None, dtype=np.float64)
    shuffled = list(pairs)
    seed.shuffle(shuffled)
    found = hasher.transform([pairs, shuffled])
    assert found[0].tobytes() == found[1].tobytes()


@LAWS
@given(
    weights=st.dictionaries(st.text(max_size=5), st.integers(-(2**40), 2**40), max_size=30),
)
def test_whole_weights_are_added_exactly(weights):
    hasher = AdditiveFeatureHasher(64, norm=None, dtype=np.int64)
    one = AdditiveFeatureHasher(64, input_type="string", norm=None, dtype=np.int64)
    expected = np.zeros(64, np.int64)
    for name, weight in weights.items():
        expected += weight * one.transform([[name]])[0]
    assert np.array_equal(hasher.transform([weights])[0], expected)


@LAWS
@given(texts=TEXTS.filter(bool), threads=st.integers(1, 5))
def test_bucket_counts_do_not_depend_on_batches_and_threads(texts, threads):
    together = HashingVectorizer(n_features=64, n_jobs=threads).transform(texts).toarray()
    for row, text in zip(together, texts, strict=True):
        alone = HashingVectorizer(n_features=64, n_jobs=1).transform([text]).toarray()[0]
        assert np.array_equal(row, alone)


@LAWS
@given(texts=TEXTS)
@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_vectors_are_unit_or_zero(texts, norm):
    found = AdditiveHashingVectorizer(
        analyzer="char", n_features=64, norm=norm, dtype=np.float64
    ).transform(texts)
    order = 1 if norm == "l1" else 2
    for row, text in zip(found, texts, strict=True):
        size = np.linalg.norm(row, order)
        assert size == pytest.approx(1) or (size == 0 and len(text) != 1)


@settings(max_examples=20, deadline=None)
@given(
    texts=TEXTS,
    analyzer=st.sampled_from(["char", "char_wb", "word"]),
    lowest=st.integers(1, 4),
    beyond=st.integers(0, 10**9),
)
def test_lengths_of_ngrams_beyond_a_text_add_nothing(texts, analyzer, lowest, beyond):
    """And cost nothing, or this would not end."""
    texts = ["", *texts]
    longest = max([lowest, *(len(text) + 2 for text in texts)])

    def counts(highest):
        vectorizer = HashingVectorizer(
            analyzer=analyzer, ngram_range=(lowest, highest), norm=None, alternate_sign=False
        )
        return vectorizer.transform(texts)

    assert (counts(longest) != counts(min(longest + beyond, 2**31 - 1))).nnz == 0

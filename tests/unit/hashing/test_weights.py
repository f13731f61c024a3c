"""Token weights: what they are for counts at the edges, and what identifies them."""

import copy
import pickle
from math import log

import numpy as np
import pytest

from addhash import AdditiveHashingVectorizer, DocumentFrequencies
from addhash.errors import ParameterError
from addhash.hashing.weights import TokenWeights, idf_weights

MOST = 112  # of three bits, and of seven in all
CUT = {"analyzer": "word", "ngram_range": [1, 1], "lowercase": True}


def expected(n_documents, count):
    """Round to the nearest number of three significant bits, halves up, slowly."""
    exact = round(4 * log((1 + n_documents) / (1 + count)))
    short = [n for n in range(129) if n < 8 or n % (1 << (n.bit_length() - 3)) == 0]
    nearest = min(short, key=lambda n: (abs(n - exact), -n))
    return min(max(nearest, 1), MOST)


@pytest.mark.parametrize("n_documents", [0, 1, 2, 10, 1000, 10**6, 10**12, 2**40, 2**62])
def test_weights_are_logarithms_of_three_bits(n_documents):
    counts = np.unique([min(int(1.5**i), n_documents) for i in range(110)] + [0])
    weights = idf_weights(n_documents, counts)
    assert weights.tolist() == [expected(n_documents, count) for count in counts.tolist()]


def test_the_largest_weight_is_one_that_the_core_takes():
    assert idf_weights(2**62, np.array([0])).tolist() == [MOST]
    assert TokenWeights(np.full(8, MOST), CUT).of(["a"]).tolist() == [MOST]


def test_the_digest_is_that_of_the_weights_and_of_the_cut_in_any_order():
    table = np.arange(1, 9)
    weights = TokenWeights(table, CUT)
    turned = TokenWeights(table, dict(reversed(CUT.items())))
    assert weights == turned
    assert hash(weights) == hash(turned)
    assert weights != TokenWeights(table[::-1], CUT)
    assert weights != TokenWeights(table, CUT | {"lowercase": False})


def test_weights_never_change():
    table = np.arange(1, 9, dtype=np.uint8)
    weights = TokenWeights(table, CUT)
    digest = weights.digest
    table[:] = 1
    with pytest.raises(ValueError, match="read-only"):
        weights.table[0] = 7
    assert copy.copy(weights) is weights
    assert copy.deepcopy(weights) is weights
    again = pickle.loads(pickle.dumps(weights))
    assert TokenWeights(again.table, again.cut).digest == again.digest == digest
    assert not again.table.flags.writeable


def test_weights_of_texts_that_were_cut_otherwise_are_refused():
    weights = TokenWeights(np.arange(1, 9), CUT)
    weights.check_cut("V", CUT)
    for other in (CUT | {"lowercase": False}, CUT | {"stop_words": None, "binary": True}):
        with pytest.raises(ParameterError, match="tokenized the same way"):
            weights.check_cut("V", other)
    learnt = DocumentFrequencies().learn(["to be or not to be"])
    with pytest.raises(ParameterError, match="analyzer"):
        AdditiveHashingVectorizer(analyzer="char", weights=learnt).transform(["to be"])

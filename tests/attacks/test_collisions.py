"""What docs/incremental.md warns of: the additive hash is no integrity check."""

from fractions import Fraction
from math import lcm

import numpy as np
import pytest

from addhash import DocumentHash


def null_vector(matrix):
    """Whole numbers, not all zero, whose combination of the columns is zero."""
    rows = [[Fraction(int(x)) for x in row] for row in matrix]
    n = len(rows[0])
    pivots = []
    for column in range(n):
        used = len(pivots)
        found = next((r for r in range(used, len(rows)) if rows[r][column]), None)
        if found is None:
            solution = [Fraction(0)] * n
            solution[column] = Fraction(1)
            for r, pivot in enumerate(pivots):
                solution[pivot] = -rows[r][column]
            scale = lcm(*(x.denominator for x in solution))
            return [int(x * scale) for x in solution]
        rows[used], rows[found] = rows[found], rows[used]
        pivot_value = rows[used][column]
        rows[used] = [x / pivot_value for x in rows[used]]
        for r, row in enumerate(rows):
            if r != used and row[column]:
                factor = row[column]
                rows[r] = [x - factor * y for x, y in zip(row, rows[used], strict=True)]
        pivots.append(column)
    raise AssertionError("more columns than rows have a null vector")


@pytest.mark.parametrize("n_features", [8, 16])
def test_linear_algebra_finds_collisions(n_features):
    tokens = [f"token {i}" for i in range(n_features + 2)]
    vectors = [DocumentHash(n_features).add(token).sums for token in tokens]
    equations = np.vstack([np.array(vectors).T, np.ones(len(tokens), int)])
    weights = null_vector(equations)
    a, b = DocumentHash(n_features, modulus=10**40), DocumentHash(n_features, modulus=10**40)
    for token, weight in zip(tokens, weights, strict=True):
        (a if weight > 0 else b).add(token, abs(weight))
    assert any(weights)
    assert a.count > 0
    assert a == b
    assert a.digest() == b.digest()


def test_hashes_of_keyed_documents_can_be_combined_without_the_key():
    def keyed(*tokens):
        return DocumentHash(256, key=b"nobody knows this").update(tokens)

    a, b, c = keyed("pay", "alice", "10"), keyed("pay", "bob", "99"), keyed("pay", "bob", "10")
    forged = (a.value + b.value - c.value) % 2**256
    assert forged == keyed("pay", "alice", "99").value


def test_order_is_not_hashed():
    assert DocumentHash().update(["dog", "bites", "man"]) == DocumentHash().update(
        ["man", "bites", "dog"]
    )


def test_vectors_can_be_probed():
    vector = DocumentHash().update(["a", "secret", "meeting"]).vector()
    guesses = {word: vector @ DocumentHash().add(word).vector() for word in ("secret", "public")}
    assert guesses["secret"] > 0.5
    assert abs(guesses["public"]) < 0.1

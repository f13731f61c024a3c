from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import addhash
from addhash import Similarity


@pytest.mark.parametrize(
    ("threshold", "fraction"),
    [
        (0.8, Fraction(4, 5)),
        (2 / 3, Fraction(2, 3)),
        (5 / 9, Fraction(5, 9)),
        (1, Fraction(1)),
        (0.123456, Fraction(123456, 1_000_000)),
        (1e-9, Fraction(1, 1_000_000)),
        (Fraction(2, 3), Fraction(2, 3)),
    ],
)
def test_a_threshold_is_the_fraction_that_is_meant(threshold, fraction):
    assert Similarity.of("jaccard", threshold).fraction == fraction


@given(st.integers(1, 10**9))
def test_thresholds_are_never_rounded_down(numerator):
    exact = Fraction(numerator, 10**9)
    found = Similarity.of("jaccard", exact).fraction
    assert found >= exact
    # Of the fractions with a denominator of up to 1,000,000, none lies between.
    nearest = exact.limit_denominator(1_000_000)
    between = Fraction(nearest.numerator + found.numerator, nearest.denominator + found.denominator)
    assert found == nearest or between.denominator > 1_000_000


def test_a_pair_below_a_threshold_of_seven_decimals_is_not_found():
    texts = ["aa bb cc dd", "aa bb cc dd ee ff"]  # 4 of 6 words
    options = {"analyzer": "word", "ngram_range": (1, 1)}
    assert addhash.find_duplicates(texts, threshold=2 / 3, **options).n_pairs == 1
    assert addhash.find_duplicates(texts, threshold=0.6666667, **options).n_pairs == 0
    assert addhash.find_duplicates(texts, threshold=0.6666666, **options).n_pairs == 1

import random

import numpy as np
import pytest
from sklearn.base import clone

from addhash import AdditiveFeatureHasher
from addhash.errors import DocumentError, ParameterError, SumOverflowError, WeightError
from tests import oracle


def exact(**parameters):
    return AdditiveFeatureHasher(**{"norm": None, "dtype": np.int64, **parameters})


def test_record_types_agree():
    record = {"city": "Oslo", "rooms": 3, "old": True, "none": 0}
    expected = exact().transform([record])
    assert np.array_equal(exact(input_type="pair").transform([record.items()]), expected)
    strings = ["city=Oslo", "rooms", "rooms", "rooms", "old"]
    assert np.array_equal(exact(input_type="string").transform([strings]), expected)
    assert np.array_equal(expected[0], oracle.sums(strings, 2048))


def test_names_may_be_bytes():
    assert np.array_equal(
        exact(input_type="pair").transform([[(b"a", 2)]]),
        exact(input_type="pair").transform([[("a", 2)]]),
    )


def test_unit_vectors():
    found = AdditiveFeatureHasher(dtype=np.float64).transform([{"a": 0.25, "b": -3}, {}])
    assert np.linalg.norm(found[0]) == pytest.approx(1)
    assert not found[1].any()


def test_the_order_of_weights_does_not_matter(instruction_set):
    rng = random.Random(5)
    pairs = [(f"f{i}", rng.uniform(-1, 1) * 10 ** rng.randint(-12, 12)) for i in range(300)]
    shuffled = rng.sample(pairs, len(pairs))
    for norm in (None, "l1", "l2"):
        hasher = AdditiveFeatureHasher(input_type="pair", norm=norm, dtype=np.float64)
        found = hasher.transform([pairs, shuffled])
        assert found[0].tobytes() == found[1].tobytes()


def test_fractions_are_added_with_care():
    rng = random.Random(6)
    pairs = [(f"f{i}", rng.uniform(-1, 1)) for i in range(200)]
    found = AdditiveFeatureHasher(
        n_features=64, input_type="pair", norm=None, dtype=np.float64
    ).transform([pairs])[0]
    from math import fsum

    for c in range(64):
        true = fsum(w * int(oracle.sums([name], 64)[c]) for name, w in pairs[:])
        assert found[c] == pytest.approx(true, abs=200 * 2.0**-54)


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e-30, 1.0, 1e30, 1e300])
def test_any_scale(scale):
    hasher = AdditiveFeatureHasher(n_features=64, norm=None, dtype=np.float64)
    found = hasher.transform([{"a": scale, "b": 2 * scale}])[0]
    expected = oracle.sums(["a"], 64) * scale + oracle.sums(["b"], 64) * (2 * scale)
    assert np.array_equal(found, expected)
    unit = AdditiveFeatureHasher(n_features=64, dtype=np.float64).transform([{"a": scale}])[0]
    assert np.allclose(unit, oracle.sums(["a"], 64) / 8)


def test_without_alternate_sign(instruction_set):
    found = exact(n_features=64, alternate_sign=False).transform([{"a": 3, "b": 1}, {"c": 1}])
    expected = 3 * (oracle.sums(["a"], 64) + 1) // 2 + (oracle.sums(["b"], 64) + 1) // 2
    assert np.array_equal(found[0], expected)
    assert np.array_equal(found[1], (oracle.sums(["c"], 64) + 1) // 2)


def test_bits():
    found = AdditiveFeatureHasher(dtype="bits").transform([{"a": 0.5, "b": -2}])
    sums = AdditiveFeatureHasher(norm=None, dtype=np.float64).transform([{"a": 0.5, "b": -2}])
    assert np.array_equal(found, np.packbits(sums > 0, axis=1))


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), -float("inf")])
def test_weights_must_be_finite(weight):
    with pytest.raises(WeightError, match=r"Record 1 .*finite"):
        AdditiveFeatureHasher().transform([{"a": 1}, {"a": weight}])


def test_integers_need_whole_weights():
    with pytest.raises(WeightError, match=r"Record 0 .*not integers.*int64.*float"):
        exact().transform([{"a": 0.5}])
    with pytest.raises(SumOverflowError, match="int16"):
        exact(dtype=np.int16).transform([{"a": 40_000}])


def test_large_whole_weights_are_exact():
    found = exact(n_features=8).transform([{"a": 2**52, "b": 1}])
    expected = 2**52 * oracle.sums(["a"], 8) + oracle.sums(["b"], 8)
    assert np.array_equal(found[0], expected)


@pytest.mark.parametrize("randomizer", ["shake256", "aes128"])
@pytest.mark.parametrize("dtype", [np.int64, np.float32])
def test_every_kind_of_weight_is_added_exactly(instruction_set, randomizer, dtype):
    """Units, small counts, large counts and negative ones, alone and mixed, of few and many."""
    rng = random.Random(8)
    choices = [[1], [1, 2], range(1, 17), range(1, 18), [1, -1], [1, 2**40], [3, -(2**40)]]
    records = [
        [(f"f{rng.randrange(90)}", rng.choice(weights)) for _ in range(size)]
        for weights in choices
        for size in (1, 15, 16, 17, 1500)
    ]
    found = exact(n_features=64, input_type="pair", randomizer=randomizer, dtype=dtype).transform(
        records
    )
    rows = {
        name: exact(n_features=64, input_type="string", randomizer=randomizer).transform([[name]])
        for name in {name for record in records for name, _ in record}
    }
    for record, vector in zip(records, found, strict=True):
        expected = sum(weight * rows[name][0] for name, weight in record)
        assert np.array_equal(vector, expected.astype(dtype))


@pytest.mark.parametrize(
    ("input_type", "record", "said"),
    [
        ("dict", [("a", 1)], "expected a dict"),
        ("dict", None, "expected a dict"),
        ("string", "text", "single string"),
        ("pair", "text", "single string"),
    ],
)
def test_wrong_records(input_type, record, said):
    with pytest.raises(DocumentError, match=said):
        AdditiveFeatureHasher(input_type=input_type).transform([record])


@pytest.mark.parametrize(
    ("record", "error"),
    [([("a",)], ValueError), ([("a", 1, 2)], ValueError), ([3], TypeError), ([(3, 1)], TypeError)],
)
def test_wrong_pairs_are_named(record, error):
    with pytest.raises(error) as caught:
        AdditiveFeatureHasher(input_type="pair").transform([[("fine", 1)], record])
    assert "in record 1" in caught.value.__notes__


def test_values_that_are_no_numbers_are_named():
    with pytest.raises(TypeError, match="must be real number") as caught:
        AdditiveFeatureHasher().transform([{"a": None}])
    assert "in record 0" in caught.value.__notes__


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
@pytest.mark.parametrize("apart", [1, 100, 5000])
def test_the_first_wrong_record_is_named(n_jobs, apart):
    """Records are read while others are hashed: what is found later may come first."""
    fine = {f"f{i}": 1 for i in range(10)}
    records = [fine] * 700 + [{"a": float("inf")}] + [fine] * (apart - 1) + [{"a": None}]
    with pytest.raises(WeightError, match=r"Record 700 .*finite") as caught:
        AdditiveFeatureHasher(n_jobs=n_jobs).transform(records)
    assert caught.value.__suppress_context__
    with pytest.raises(TypeError, match="must be real number") as caught:
        AdditiveFeatureHasher(n_jobs=n_jobs).transform(records[701:] + records[:701])
    assert f"in record {apart - 1}" in caught.value.__notes__


@pytest.mark.parametrize(
    ("name", "value"), [("n_features", 9), ("input_type", "json"), ("norm", "l3"), ("key", 5)]
)
def test_bad_parameters(name, value):
    for method in ("fit", "transform"):
        with pytest.raises(ParameterError, match=f"'{name}' parameter of AdditiveFeatureHasher"):
            getattr(AdditiveFeatureHasher(**{name: value}), method)([{"a": 1}])


def test_many_records_and_threads():
    records = [{"i": i, f"k{i % 50}": "v", "x": i / 7} for i in range(6000)]
    expected = AdditiveFeatureHasher(n_features=64, n_jobs=1).transform(records)
    found = AdditiveFeatureHasher(n_features=64, n_jobs=4).transform(iter(records))
    assert np.array_equal(found, expected)


def test_scikit_learn_contract():
    hasher = AdditiveFeatureHasher(64, norm="l1")
    assert clone(hasher).get_params() == hasher.get_params()
    assert hasher.fit([{"a": 1}]) is hasher
    assert len(hasher.get_feature_names_out()) == 64
    assert hasher.fit_transform([{"a": 1}]).shape == (1, 64)
    assert "sesame" not in repr(AdditiveFeatureHasher(key=b"open sesame"))


def test_sums_beyond_64_bits():
    with pytest.raises(SumOverflowError, match="int64; use float64"):
        exact().transform([{"a": 2.0**62, "b": 2.0**62}])

"""Records are read, and their weights summed, as scikit-learn and scipy do it."""

import random
from collections import Counter, OrderedDict, defaultdict
from types import MappingProxyType

import numpy as np
import pytest
import sklearn.feature_extraction as theirs
from hypothesis import given, settings
from hypothesis import strategies as st

import addhash
from tests.contract.test_sklearn_equality import assert_identical, assert_same


def assert_both_agree(make_records, **parameters):
    """Both get records of their own: reading may use them up, or change them."""
    outcomes = []
    for kind in (addhash.FeatureHasher, theirs.FeatureHasher):
        try:
            outcomes.append(kind(**parameters).transform(make_records()))
        except Exception as error:
            outcomes.append(error)
    assert_same(*outcomes)
    return outcomes[0]


class Name(str):
    def __str__(self):
        return "shown"

    def encode(self, *args):
        raise AssertionError("a name is read as it is")


class Whole(int):
    def __float__(self):
        return 2.5


class Weight:
    def __init__(self, value):
        self.value = value

    def __float__(self):
        return self.value


class Items(dict):
    def items(self):
        return [("other", 2)]


class NoItems:
    @property
    def items(self):
        raise KeyError("not an AttributeError")


HOSTILE = {
    "subclass of str": lambda: [{Name("a"): 1}, {"a": Name("b")}, {Name("a"): Name("b")}],
    "subclass of int": lambda: [{"a": Whole(7)}],
    "object with __float__": lambda: [{"a": Weight(0.25), "b": Weight(0.0)}],
    "__float__ gives no float": lambda: [{"a": Weight("x")}],
    "booleans": lambda: [{"a": True, "b": False}],
    "NumPy scalars": lambda: [
        {"a": np.float64(2), "b": np.int8(3), "c": np.str_("x"), "d": np.nan}
    ],
    "an array of one": lambda: [{"a": np.array(1.5)}],
    "an array of two": lambda: [{"a": 1}, {"a": np.array([1.5, 2])}],
    "complex": lambda: [{"a": 1j}],
    "huge int": lambda: [{"a": 2**1000}, {"b": 2**1024}],
    "int beyond 2**53": lambda: [{"a": 2**53 + 1, "b": -(2**64)}],
    "infinities": lambda: [{"a": np.inf, "b": -np.inf, "c": np.nan, "d": -np.nan}],
    "negative zero": lambda: [{"a": -0.0, "b": 0, "c": 5e-324}],
    "lone surrogate in a name": lambda: [{"fine": 1}, {"a\ud800": 1}],
    "lone surrogate in a value": lambda: [{"fine": 1}, {"größe": "x\udfff"}],
    "lone surrogate of weight 0": lambda: [{"\ud800": 0}],
    "names of other types": lambda: [{1: "x", (2,): "y", None: "z", b"\xff": "b", b"\xff\xfe": 3}],
    "a name that is no string": lambda: [{"fine": 1}, {7: 1}],
    "a name that is no string of weight 0": lambda: [{7: 0}],
    "empty strings": lambda: [{"": 1, "=": 2}, {"": "", "=": ""}],
    "long names": lambda: [{"n" * size: "v" * size} for size in range(70)],
    "wide names": lambda: [{"größe": "語", "語" * 9: 2, "😀": "😀" * 40}],
    "other mappings": lambda: [
        OrderedDict(b=1, a=2),
        defaultdict(int, a=3),
        Counter("abca"),
        MappingProxyType({"a": "b"}),
        Items(a=1),
    ],
    "items that raise": lambda: [{"a": 1}, NoItems()],
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_hostile_records(instruction_set, name, dtype):
    for n_features in (1, 3, 2**20):
        assert_both_agree(HOSTILE[name], n_features=n_features, dtype=dtype)


@pytest.mark.parametrize("name", [n for n in HOSTILE if n != "items that raise"])
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_hostile_pairs(name):
    """As lists and tuples, and as whatever else can be gone through."""
    for form in (list, tuple, iter, lambda items: (pair for pair in items)):
        assert_both_agree(
            lambda form=form: [form(r.items()) for r in HOSTILE[name]()], input_type="pair"
        )
    assert_both_agree(
        lambda: [[list(pair) for pair in r.items()] for r in HOSTILE[name]()], input_type="pair"
    )


STRINGS = {
    "repeated": lambda: [["a"] * 40 + ["b"] * 3, ["b"], []],
    "bytes and str": lambda: [["a", b"a", "ä", "ä".encode(), b""]],
    "a subclass": lambda: [[Name("a")]],
    "a str among lists": lambda: [["a"], "text"],
    "generators": lambda: (iter(words) for words in (["a", "b"], [], ["c"])),
    "a dict": lambda: [{"a": 5}],
    "a number": lambda: [["a"], ["a", 3]],
    "not iterable": lambda: [["a"], 3],
    "a surrogate": lambda: [["a"], ["b", "\ud800"]],
}


@pytest.mark.parametrize("name", STRINGS)
def test_hostile_strings(name):
    assert_both_agree(STRINGS[name], input_type="string")


class Changing:
    """A weight that changes its record when it is read."""

    def __init__(self, change):
        self.change = change

    def __float__(self):
        self.change()
        return 1.0


def changing_dict(change):
    record = {"a": 1, "b": 2}
    record["c"] = Changing(lambda: change(record))
    record |= {"d": 4, "e": 5}
    return record


def swap(record):
    del record["a"]
    record["z"] = 1


@pytest.mark.parametrize(
    "change", [lambda r: r.clear(), lambda r: r.update(f=1), lambda r: r.pop("e"), swap]
)
def test_dicts_that_change_while_they_are_read(change):
    outcome = []
    for kind in (addhash.FeatureHasher, theirs.FeatureHasher):
        try:
            outcome.append(kind().transform([changing_dict(change)]).toarray().tolist())
        except RuntimeError as error:
            outcome.append(str(error))
    assert outcome[0] == outcome[1]


def test_a_dict_that_always_has_a_next_key():
    """Every read takes a key away and adds one: reading ends all the same."""
    record = {}
    numbers = iter(range(10**9))

    def move():
        del record[next(iter(record))]
        record[f"n{next(numbers)}"] = Changing(move)

    record |= {f"k{i}": Changing(move) for i in range(5)}
    with pytest.raises(RuntimeError, match="changed during iteration"):
        addhash.FeatureHasher().transform([record])


@pytest.mark.parametrize("form", [list, tuple])
def test_lists_that_change_while_they_are_read(form):
    def records():
        pairs = [("a", 1), ("b", 2), ("c", 3)]
        pairs.insert(1, ("x", Changing(pairs.clear)))
        return form([pairs, [("z", 1)]])

    assert_both_agree(records, input_type="pair")


def test_the_first_bad_record_is_the_one_that_is_named():
    records = [{"a": 1}] * 5000 + [{"a": np.inf}] + [{"a": 1}] * 9 + [{"a": None}]
    with pytest.raises(addhash.errors.WeightError, match="Record 5000 "):
        addhash.AdditiveFeatureHasher(8).transform(records)
    with pytest.raises(TypeError) as caught:
        addhash.FeatureHasher().transform(iter(records))
    assert "in record 5010" in caught.value.__notes__


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_features", [1, 2, 16, 100])
def test_sums_have_the_same_bits(instruction_set, n_features, dtype):
    """Rows of every length around those that the standard library sorts in different ways."""
    rng = random.Random(n_features)
    for size in [*range(12, 40), 64, 300, 2000]:
        records = [
            [(f"f{rng.randrange(size)}", rng.uniform(-1, 1) * 10 ** rng.randint(-9, 9))]
            for _ in range(3)
        ] + [
            [
                (f"f{rng.randrange(3 * size)}", rng.choice([rng.gauss(0, 1), "c", 3]))
                for _ in range(size)
            ]
            for _ in range(3)
        ]
        parameters = {"n_features": n_features, "input_type": "pair", "dtype": dtype}
        assert_both_agree(lambda records=records: records, **parameters)


def test_rows_that_come_sorted_are_not_sorted_again():
    """scipy sorts no row if all are sorted: equal buckets keep their order then."""
    rng = random.Random(3)
    names = sorted(
        (f"f{i}" for i in range(400)),
        key=lambda name: (
            addhash.FeatureHasher(7, input_type="string").transform([[name]]).indices[0]
        ),
    )
    record = [(name, rng.gauss(0, 1)) for name in names]
    for records in ([record], [record, record[::-1]]):
        assert_both_agree(lambda records=records: records, n_features=7, input_type="pair")


values = st.one_of(
    st.floats(), st.integers(-(2**70), 2**70), st.text(max_size=4), st.booleans(), st.none()
)


@settings(max_examples=200, deadline=None)
@given(
    records=st.lists(st.dictionaries(st.text(max_size=3), values, max_size=30), max_size=4),
    n_features=st.sampled_from([1, 2, 5, 2**20]),
    dtype=st.sampled_from([np.float64, np.float32]),
    alternate_sign=st.booleans(),
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_any_records(records, n_features, dtype, alternate_sign):
    parameters = {"n_features": n_features, "dtype": dtype, "alternate_sign": alternate_sign}
    assert_both_agree(lambda: records, **parameters)


def test_threads_give_one_result(monkeypatch):
    rng = random.Random(9)
    records = [
        {f"n{rng.randrange(90)}": rng.choice([rng.random(), "c", 2]) for _ in range(20)}
        for _ in range(5000)
    ]
    expected = theirs.FeatureHasher(n_features=64).transform(records)
    for threads in ("1", "2"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        assert_identical(addhash.FeatureHasher(n_features=64).transform(records), expected)

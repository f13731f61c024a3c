"""Similar records: the result is that of comparing every pair."""

import datetime
import math
import random
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import addhash
from addhash.errors import DocumentError, ParameterError

WORDS = ["ann", "anne", "anna", "lee", "li", "oslo", "os", "bergen", "main", "street", "st"]


def tokens_of(kind, value):
    """Cut a value by the definition of its kind."""
    text = str(value).lower()
    if kind == "name":
        padded = [f" {word} " for word in text.split()]
        return {word[i : i + 2] for word in padded for i in range(len(word) - 1)}
    if kind == "text":
        return set(text.split())
    if kind == "date":
        return {("y", value.year), ("m", value.month), ("d", value.day)}
    return {"".join(c for c in text if c.isalnum())}


def field_similarity(field, a, b):
    if field.kind == "number":
        apart = abs(a - b)
        return (
            1.0 if apart == 0 else max(0.0, 1 - apart / field.tolerance) if field.tolerance else 0
        )
    x, y = tokens_of(field.kind, a), tokens_of(field.kind, b)
    return len(x & y) / len(x | y)


def similarity_of(fields, a, b, least_weight):
    both = [name for name in fields if a.get(name) is not None and b.get(name) is not None]
    total = sum(fields[name].weight for name in both)
    if not both or total < least_weight * sum(field.weight for field in fields.values()) - 1e-12:
        return 0.0
    parts = [fields[n].weight * field_similarity(fields[n], a[n], b[n]) for n in both]
    return sum(parts) / total


def slow_pairs(records, fields, threshold, least_weight=0.5):
    found = {}
    for i, j in combinations(range(len(records)), 2):
        value = similarity_of(fields, records[i], records[j], least_weight)
        if value >= threshold - 1e-9:
            found[i, j] = value
    return found


def pairs_of(found):
    left, right, values = found.pairs
    return dict(zip(zip(left.tolist(), right.tolist(), strict=True), values.tolist(), strict=True))


FIELDS = {
    "name": addhash.Field("name", 2.0),
    "street": addhash.Field("text", 1.0),
    "zip": addhash.Field("code", 0.7),
    "born": addhash.Field("date", 1.3),
    "income": addhash.Field("number", 0.9, tolerance=2.5),
    "rooms": addhash.Field("number", 0.4),
}


def random_records(seed, count, missing=0.2):
    rng = random.Random(seed)
    records = []
    for _ in range(count):
        if records and rng.random() < 0.4:
            record = dict(rng.choice(records))
            if record["name"] is not None and rng.random() < 0.7:
                letters = list(record["name"])
                letters[rng.randrange(len(letters))] = rng.choice("abcdefgh")
                record["name"] = "".join(letters).strip() or "x"
        else:
            record = {
                "name": " ".join(rng.choices(WORDS, k=2)),
                "street": " ".join(rng.choices(WORDS, k=rng.randint(1, 4))),
                "zip": str(rng.randint(0, 30)),
                "born": datetime.date(1990 + rng.randint(0, 3), rng.randint(1, 3), 7),
                "income": rng.choice([-1.0, 0.0, -0.0, 0.5, 2.0, 2.4999, 5.0, 1e17, 1e17 + 16]),
                "rooms": float(rng.randint(1, 3)),
            }
        for name in record:
            if rng.random() < missing / 3:
                record[name] = None
        records.append(record)
    return records


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.7, 0.85, 1.0])
@pytest.mark.parametrize(
    ("least_weight", "missing"), [(0.5, 0.3), (0.0, 0.6), (0.9, 0.3), (0.5, 0)]
)
def test_pairs_are_those_of_brute_force(threshold, least_weight, missing):
    records = random_records(int(100 * threshold), 120, missing)
    expected = slow_pairs(records, FIELDS, threshold, least_weight)
    for n_jobs in (1, 2):
        found = addhash.find_duplicates(
            records, fields=FIELDS, threshold=threshold, least_weight=least_weight, n_jobs=n_jobs
        )
        got = pairs_of(found)
        assert got.keys() == expected.keys()
        assert all(math.isclose(got[pair], expected[pair], abs_tol=1e-12) for pair in got)
    assert expected


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "a": st.none() | st.text("ab ", max_size=6).filter(str.strip),
                "b": st.none() | st.sampled_from(["x y", "x z", "y", "q"]),
                "c": st.none() | st.floats(-3, 3),
            }
        ),
        min_size=2,
        max_size=12,
    ),
    st.sampled_from([0.2, 0.5, 0.75, 0.9, 1.0]),
    st.sampled_from([0.0, 0.4, 1.0]),
    st.tuples(*[st.floats(0.01, 10)] * 3),
)
def test_any_weights_and_gaps_give_the_pairs_of_brute_force(records, threshold, least, weights):
    fields = {
        "a": addhash.Field("name", weights[0]),
        "b": addhash.Field("text", weights[1]),
        "c": addhash.Field("number", weights[2], tolerance=1.0),
    }
    found = addhash.find_duplicates(
        records, fields=fields, threshold=threshold, least_weight=least, n_jobs=1
    )
    got, expected = pairs_of(found), slow_pairs(records, fields, threshold, least)
    near = {
        pair
        for pair in combinations(range(len(records)), 2)
        if abs(similarity_of(fields, records[pair[0]], records[pair[1]], least) - threshold) < 1e-8
    }
    assert got.keys() - near == expected.keys() - near


@pytest.mark.parametrize("n_fields", [2, 7, 8, 9, 12])
@pytest.mark.parametrize("n_words", [8, 2000])
def test_rare_and_common_tokens_in_few_and_many_fields(n_fields, n_words):
    # Rare tokens bring few records together; common ones so many that all are compared.
    rng = random.Random(n_fields + n_words)
    fields = {f"f{i}": addhash.Field("text", 1.0 + i % 3) for i in range(n_fields)}
    records = []
    for _ in range(150):
        record = {
            name: " ".join(f"w{rng.randrange(n_words)}" for _ in range(rng.randint(1, 5)))
            for name in fields
        }
        if records and rng.random() < 0.5:
            changed = {"f0": record["f0"]} | ({"f2": None} if n_fields > 2 else {})
            record = dict(rng.choice(records)) | changed
        records.append(record)
    expected = slow_pairs(records, fields, 0.4)
    assert expected
    found = pairs_of(addhash.find_duplicates(records, fields=fields, threshold=0.4))
    assert found == pytest.approx(expected)


def varied_records(seed, count, land):
    """Return records with few values in common, but for the land, if it is given."""
    rng = random.Random(seed)
    records = []
    for _ in range(count):
        record = {
            "name": "".join(rng.choices("abcdefghijklmnop", k=rng.randint(4, 9))),
            "zip": str(rng.randint(0, 500)),
            "born": datetime.date(rng.randint(1900, 2020), rng.randint(1, 12), rng.randint(1, 28)),
            "income": rng.randint(-1000, 1000) / 2,
            "rooms": float(rng.randint(1, 100)),
        }
        if records and rng.random() < 0.5:
            earlier = rng.choice(records)
            record = {name: rng.choice([record, earlier, earlier])[name] for name in record}
            if record["name"]:
                record["name"] += rng.choice("ab")
            record["income"] = record["income"] and record["income"] + rng.choice([0, 0.5, 1])
            record[rng.choice(list(record))] = None
        records.append(record | {"street": land})
    return records


# By the values of fields; or by rare tokens, where all records share a value.
@pytest.mark.parametrize("land", [None, "oslo"])
@pytest.mark.parametrize("threshold", [0.35, 0.6, 0.8])
def test_records_with_little_in_common(threshold, land):
    records = varied_records(int(100 * threshold), 140, land)
    expected = slow_pairs(records, FIELDS, threshold)
    options = {"fields": FIELDS, "threshold": threshold}
    assert len(expected) > 3
    for n_jobs in (1, 2):
        found = addhash.find_duplicates(records, **options, n_jobs=n_jobs)
        assert pairs_of(found) == pytest.approx(expected)
        found = addhash.find_duplicates(
            records[50:], **options, against=records[:50], n_jobs=n_jobs
        )
        apart = {(j - 50, i): value for (i, j), value in expected.items() if i < 50 <= j}
        assert pairs_of(found) == pytest.approx(apart)
        assert apart


def test_against_has_the_first_argument_on_the_left():
    records, reference = random_records(1, 60), random_records(1, 90)[40:]
    found = addhash.find_duplicates(records, fields=FIELDS, threshold=0.8, against=reference)
    expected = {
        (i, j)
        for i, j in product(range(len(records)), range(len(reference)))
        if similarity_of(FIELDS, records[i], reference[j], 0.5) >= 0.8 - 1e-9
    }
    assert pairs_of(found).keys() == expected
    assert expected
    assert found.keep.tolist() == [all(i != a for a, _ in expected) for i in range(len(records))]
    i, j = min(expected)
    shares = found.explain(i, j)
    assert sum(share.share for share in shares) == pytest.approx(
        similarity_of(FIELDS, records[i], reference[j], 0.5)
    )
    assert [(s.left, s.right) for s in shares] == [(records[i][n], reference[j][n]) for n in FIELDS]


def test_tables_of_every_kind_give_the_same():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    records = random_records(3, 50)
    columns = {name: [record[name] for record in records] for name in FIELDS}
    expected = pairs_of(addhash.find_duplicates(records, fields=FIELDS, threshold=0.6))
    tables = [
        columns,
        pyarrow.table(columns),
        polars.DataFrame(columns),
        pandas.DataFrame(columns),
        pandas.DataFrame(columns).convert_dtypes(),
    ]
    for table in tables:
        assert pairs_of(addhash.find_duplicates(table, fields=FIELDS, threshold=0.6)) == expected


def test_clusters_at_a_higher_threshold_and_connected():
    records = random_records(4, 80)
    loose = addhash.find_duplicates(records, fields=FIELDS, threshold=0.5)
    strict = addhash.find_duplicates(records, fields=FIELDS, threshold=0.8)
    assert pairs_of(loose.at(0.8)) == pairs_of(strict)
    assert loose.at(0.8).clusters.tolist() == strict.clusters.tolist()
    chained = addhash.find_duplicates(records, fields=FIELDS, threshold=0.7, clusters="connected")
    assert len(set(chained.clusters.tolist())) <= len(set(loose.at(0.7).clusters.tolist()))
    assert chained.largest(1)[0].least_similarity <= 1


def test_default_weights_are_bits():
    records = [{"id": str(i), "state": "ab"[i % 2]} for i in range(64)]
    fields = addhash.find_duplicates(records, fields=["id", "state"], threshold=1.0).fields
    # 2 * 32 * 31 of 64 * 63 ordered pairs agree in the state; none in the id.
    assert fields["state"].weight == pytest.approx(-math.log2((1984 + 2) / (64 * 63 + 2)))
    assert fields["id"].weight == pytest.approx(-math.log2(2 / (64 * 63 + 2)))


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["Ann Lee", "Bo"], "name"),
        (["one two three four five six seven eight nine"], "text"),
        ([1, 2, None], "code"),
        ([1.5, 2], "number"),
        ([datetime.date(2020, 1, 2), None], "date"),
        ([None, None], "name"),
    ],
)
def test_kinds_are_chosen_by_the_values(values, kind):
    found = addhash.find_duplicates({"x": values}, fields=["x"], threshold=0.9)
    assert found.fields["x"].kind == kind


@pytest.mark.parametrize(
    ("values", "alike"),
    [
        (["2020-01-31", "20200131"], True),
        (["31.01.2020", datetime.date(2020, 1, 31)], True),
        (["2020-01-31", "2020-01-30"], False),
    ],
)
def test_dates_are_read_in_several_forms(values, alike):
    found = addhash.find_duplicates({"x": values}, fields={"x": "date"}, threshold=0.9)
    assert (found.n_pairs == 1) == alike


def test_dates_with_a_tolerance_in_days():
    field = addhash.Field("date", tolerance=10)
    dates = ["2020-01-31", "2020-02-02", "2020-03-01"]
    found = addhash.find_duplicates({"x": dates}, fields={"x": field}, threshold=0.5)
    assert pairs_of(found) == {(0, 1): pytest.approx(0.8)}


@pytest.mark.parametrize(
    ("records", "fields", "error", "message"),
    [
        ([{"a": "x"}], {"b": 1}, DocumentError, "No record of the records has a field 'b'"),
        ({"a": ["x"]}, {"b": 1}, DocumentError, "no column 'b'"),
        ([{"a": "x"}], {}, ParameterError, "1 to 32 different columns"),
        ([{"a": "x"}], ["a", "a"], ParameterError, "1 to 32 different columns"),
        ([{"a": "x"}], "a", ParameterError, "must be a dict of column names"),
        ([{"a": "x"}], {"a": -1}, ParameterError, "weight.* above 0"),
        ([{"a": "x"}], {"a": "thing"}, ParameterError, "kind.* must be one of"),
        ([{"a": "x"}], {"a": "number"}, DocumentError, "Record 0: field 'a' is 'x'"),
        (["text"], {"a": 1}, DocumentError, "Record 0 .* expected a dict"),
        ("text", {"a": 1}, DocumentError, "must be a table"),
        ({"a": [1], "b": [1, 2]}, ["a", "b"], DocumentError, "differ in length"),
    ],
)
def test_mistakes_are_told(records, fields, error, message):
    with pytest.raises(error, match=message):
        addhash.find_duplicates(records, fields=fields)


def test_parameters_of_texts_are_refused():
    with pytest.raises(ParameterError, match=r"'measure' parameter .* is for texts"):
        addhash.find_duplicates([{"a": "x"}], fields=["a"], measure="cosine")
    with pytest.raises(ParameterError, match=r"'least_weight'.* is for records"):
        addhash.find_duplicates(["a"], least_weight=0.2)


def test_no_records_and_empty_ones():
    assert addhash.find_duplicates([], fields=["a"]).n_pairs == 0
    found = addhash.find_duplicates([{"a": None}, {"a": ""}, {"a": "x"}], fields=["a"])
    assert found.n_pairs == 0
    assert found.keep.all()


def test_many_records_of_one_value_are_walked_in_tiles():
    records = {"a": [f"n{i}" for i in range(3000)], "b": ["same"] * 3000}
    found = addhash.find_duplicates(
        records,
        fields={"a": addhash.Field("code", 1), "b": addhash.Field("code", 1)},
        threshold=0.6,
    )
    assert found.n_pairs == 0
    assert np.all(found.keep)


def scores(found, known):
    left, right, values = found.pairs
    pairs = {
        pair
        for pair, value in zip(
            zip(left.tolist(), right.tolist(), strict=True), values.tolist(), strict=True
        )
    }
    hits = len(pairs & known)
    return len(pairs), hits / len(pairs) if pairs else 1.0, hits / len(known)


@pytest.mark.parametrize("with_reference", [False, True])
def test_tuning_shows_what_each_threshold_gives(with_reference):
    records = random_records(12, 120)
    against = random_records(13, 60) + records[:20] if with_reference else None
    found = addhash.find_duplicates(records, fields=FIELDS, threshold=0.5, against=against)
    known = {pair for pair, value in pairs_of(found).items() if value > 0.8 or sum(pair) % 7 == 0}
    known |= {(0, 1)}
    tuning = found.tune(known=known)
    best = 0.0
    again = addhash.find_duplicates(records, fields=tuning.fields, threshold=0.5, against=against)
    for row in tuning.rows:
        count, precision, recall = scores(again.at(row.threshold), known)
        assert row.pairs == count
        assert row.precision == pytest.approx(precision)
        assert row.recall == pytest.approx(recall)
        best = max(best, 2 * precision * recall / (precision + recall) if recall else 0)
    assert tuning.confidence == pytest.approx(best)
    at = {row.threshold: row.f1 for row in tuning.rows}
    assert at[tuning.threshold] == pytest.approx(best)


def test_a_field_that_differs_in_known_pairs_loses_weight():
    rng = random.Random(3)
    names = ["".join(rng.choices("abcdefghij", k=12)) for _ in range(60)]
    records = [{"name": names[i // 2], "row": f"{rng.randrange(10**9):09}"} for i in range(120)]
    known = [(2 * i + 1, 2 * i) for i in range(60)]
    found = addhash.find_duplicates(records, fields={"name": 1.0, "row": 5.0}, threshold=0.1)
    tuning = found.tune(known=known)
    assert tuning.fields["name"].weight > tuning.fields["row"].weight
    assert tuning.confidence > 0.9
    assert found.fields["row"].weight == 5.0


def test_without_known_pairs_the_gap_is_proposed():
    rng = random.Random(5)
    people = []
    for _ in range(300):
        name = " ".join("".join(rng.choices("abcdefghijklmnop", k=7)) for _ in range(3))
        people.append(
            {"name": name, "born": f"{rng.randint(1900, 2000)}-01-{rng.randint(1, 28):02}"}
        )
        if rng.random() < 0.3:
            people.append({**people[-1], "name": name[:-2] + "zz"})
    found = addhash.find_duplicates(people, fields=["name", "born"], threshold=0.1)
    tuning = found.tune()
    assert 0.3 < tuning.threshold < 0.8
    assert tuning.confidence > 0.9
    assert tuning.fields == found.fields
    assert {row.f1 for row in tuning.rows} == {None}
    same = [
        (i, i + 1)
        for i in range(len(people) - 1)
        if people[i]["name"][:-2] == people[i + 1]["name"][:-2]
    ]
    at = {row.threshold: row.f1 for row in found.tune(known=same).rows}
    assert at[tuning.threshold] > max(at.values()) - 0.02


@pytest.mark.parametrize(
    ("known", "message"),
    [([], "at least one pair"), ([(0, 9)], "numbers below 2"), ([(-1, 0)], "numbers below 2")],
)
def test_known_pairs_that_cannot_be_are_refused(known, message):
    found = addhash.find_duplicates([{"a": "x"}, {"a": "x"}], fields=["a"])
    with pytest.raises(ParameterError, match=message):
        found.tune(known=known)
    assert addhash.find_duplicates([{"a": "x"}], fields=["a"]).tune().confidence == 0

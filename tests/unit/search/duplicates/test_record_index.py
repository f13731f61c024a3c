"""An index of records: after any history, what find_duplicates gives for the records left."""

import math
import pickle
import threading
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import addhash
from addhash.errors import DocumentError, IdError, MergeError, ModelFileError, ParameterError
from addhash.search.duplicates import held_records, record_table
from addhash.search.duplicates.leaders import Leaders
from tests.unit.search.duplicates.test_records import (
    FIELDS,
    pairs_of,
    random_records,
    similarity_of,
    slow_pairs,
)

LISTS = ("ids", "clusters", "representatives", "keep", "similarity")


def slow_index_pairs(records, fields, threshold, least_weight=0.5):
    """The pairs of a dict of records by brute force."""
    ids = sorted(records)
    found = slow_pairs([records[i] for i in ids], fields, threshold, least_weight)
    return {(ids[i], ids[j]): value for (i, j), value in found.items()}


def check(index, records, least_weight=0.5):
    """Pairs are those of brute force; each record is similar to the one that represents it."""
    got = pairs_of(index)
    expected = slow_index_pairs(records, index.fields, index.threshold, least_weight)
    assert got.keys() == expected.keys()
    assert all(math.isclose(got[pair], expected[pair], abs_tol=1e-12) for pair in got)
    ids = index.ids.tolist()
    assert sorted(ids) == sorted(records)
    assert len(index) == len(records)
    represented = dict(zip(ids, index.representatives.tolist(), strict=True))
    clusters = {}
    for i, cluster, value in zip(
        ids, index.clusters.tolist(), index.similarity.tolist(), strict=True
    ):
        leader = represented[i]
        assert represented[leader] == leader
        assert clusters.setdefault(cluster, leader) == leader
        assert value == (1 if i == leader else got[min(i, leader), max(i, leader)])
    leaders = [i for i in ids if represented[i] == i]
    assert len(clusters) == len(leaders)
    assert index.keep.tolist() == [represented[i] == i for i in ids]


@pytest.mark.parametrize("threshold", [0.4, 0.85])
@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_batches_give_what_one_run_gives(threshold, batch):
    records = random_records(3, 150, 0.3)
    index = addhash.DuplicateIndex(fields=FIELDS, threshold=threshold)
    for start in range(0, len(records), batch):
        index.add(records[start : start + batch])
    found = addhash.find_duplicates(records, fields=FIELDS, threshold=threshold)
    assert pairs_of(index) == pairs_of(found)  # to the bit
    assert index.clusters.tolist() == found.clusters.tolist()
    assert index.representatives.tolist() == found.representatives.tolist()
    assert index.keep.tolist() == found.keep.tolist()
    assert index.similarity.tolist() == found.similarity.tolist()


@pytest.mark.parametrize("few", [1, 10**9])
def test_few_and_many_records_are_looked_up_alike(few, monkeypatch):
    """One by one if few are asked for, all at once if many: both ways for all."""
    monkeypatch.setattr(held_records, "FEW", few)
    records, queries = random_records(4, 300, 0.3), random_records(5, 40, 0.3)
    index = addhash.DuplicateIndex(fields=FIELDS, threshold=0.5)
    index.add(records[:100])
    index.add(records[100:])
    found = index.query(queries)
    rows = []
    for (i, record), (q, query) in product(enumerate(records), enumerate(queries)):
        value = similarity_of(FIELDS, record, query, 0.5)
        if value >= 0.5 - 1e-9:
            rows.append((q, i, value))
    got = zip(found.queries.tolist(), found.ids.tolist(), found.similarity.tolist(), strict=True)
    assert sorted((q, i) for q, i, _ in rows) == sorted(
        zip(found.queries.tolist(), found.ids.tolist(), strict=True)
    )
    values = {(q, i): value for q, i, value in rows}
    got = list(got)
    assert all(math.isclose(value, values[q, i], abs_tol=1e-12) for q, i, value in got)
    assert got == sorted(got, key=lambda row: (row[0], -row[2], row[1]))
    assert pairs_of(index) == pairs_of(
        addhash.find_duplicates(records, fields=FIELDS, threshold=0.5)
    )
    assert len(index) == len(records)


RECORD = st.fixed_dictionaries(
    {
        "a": st.none() | st.text("ab ", max_size=6).filter(str.strip),
        "b": st.none() | st.sampled_from(["x y", "x z", "y", "q"]),
        "c": st.none() | st.floats(-3, 3).map(lambda x: round(x, 3)),
    }
)


@settings(max_examples=30, deadline=None)
@given(
    st.data(),
    st.sampled_from([1e-8, 0.23, 0.57, 0.9, 1.0]),
    st.sampled_from([0.0, 0.4, 1.0]),
    st.tuples(*[st.floats(0.01, 10)] * 3),
)
def test_any_history_gives_the_pairs_of_what_is_left(data, threshold, least, weights):
    fields = {
        "a": addhash.Field("name", weights[0]),
        "b": addhash.Field("text", weights[1]),
        "c": addhash.Field("number", weights[2], tolerance=1.0),
    }
    index = addhash.DuplicateIndex(fields=fields, threshold=threshold, least_weight=least)
    records = {}
    for _ in range(data.draw(st.integers(1, 10))):
        action = data.draw(st.sampled_from(["add", "remove", "update", "query", "load"]))
        some = data.draw(st.lists(st.sampled_from(sorted(records)), unique=True)) if records else []
        if action == "add":
            new = data.draw(st.lists(RECORD, max_size=5))
            records.update(zip(index.add(new).tolist(), new, strict=True))
        elif action == "remove":
            index.remove(some)
            for i in some:
                del records[i]
        elif action == "update":
            new = [data.draw(RECORD) for _ in some]
            index.update(some, new)
            records.update(zip(some, new, strict=True))
        elif action == "query":
            index.query(data.draw(st.lists(RECORD, min_size=1, max_size=3)))
        else:
            before = {name: getattr(index, name).tolist() for name in LISTS}
            index = addhash.DuplicateIndex.from_bytes(index.to_bytes())
            assert {name: getattr(index, name).tolist() for name in LISTS} == before
        found = addhash.find_duplicates(
            [records[i] for i in sorted(records)],
            fields=fields,
            threshold=threshold,
            least_weight=least,
        )
        ids = np.array(sorted(records), np.int64)
        left, right, values = found.pairs
        assert [column.tolist() for column in index.pairs] == [
            ids[left].tolist(),
            ids[right].tolist(),
            values.tolist(),
        ]
        assert sorted(index.ids.tolist()) == sorted(records)


def test_a_long_history_of_all_kinds_of_fields():
    rng = np.random.default_rng(1)
    pool = random_records(8, 400, 0.3)
    index = addhash.DuplicateIndex(fields=FIELDS, threshold=0.6)
    records = {}
    for step in range(30):
        new = [pool[i] for i in rng.integers(len(pool), size=rng.integers(1, 8))]
        records.update(zip(index.add(new).tolist(), new, strict=True))
        gone = rng.permutation(sorted(records))[: rng.integers(0, 4)].tolist()
        index.remove(gone)
        for i in gone:
            del records[i]
        changed = rng.permutation(sorted(records))[:2].tolist()
        new = [pool[i] for i in rng.integers(len(pool), size=len(changed))]
        index.update(changed, new)
        records.update(zip(changed, new, strict=True))
        if step % 10 == 9:
            check(index, records)
            index = pickle.loads(pickle.dumps(index))
            check(index, records)


def test_clusters_are_those_of_texts():
    """Records of one field of words are texts of single words: both follow the same rules."""
    rng = np.random.default_rng(2)
    texts = addhash.DuplicateIndex(threshold=0.4, ngram_range=(1, 1))
    records = addhash.DuplicateIndex(
        fields={"text": addhash.Field("text", 1.0)}, threshold=0.4, least_weight=0
    )
    words = np.array([f"w{i}" for i in range(8)])
    free = [tuple(words[rng.permutation(8)[: rng.integers(2, 7)]]) for _ in range(2000)]
    free = [" ".join(key) for key in {frozenset(chosen): chosen for chosen in free}.values()]
    used, spare = {}, []
    for _ in range(200):
        if rng.random() < 0.6 and free:
            new = [free.pop() for _ in range(min(len(free), int(rng.integers(1, 4))))]
            ids = spare[: len(new)] if rng.random() < 0.5 and len(spare) >= len(new) else None
            ids = texts.add(new, ids).tolist()
            assert records.add({"text": new}, ids).tolist() == ids
            spare = [i for i in spare if i not in ids]
            used.update(zip(ids, new, strict=True))
        elif used:
            gone = rng.permutation(sorted(used))[: rng.integers(1, 5)].tolist()
            texts.remove(gone)
            records.remove(gone)
            free[:0] = [used.pop(i) for i in gone]
            spare += gone
        for name in LISTS:
            assert getattr(records, name).tolist() == getattr(texts, name).tolist()
    assert not all(texts.keep)


def test_save_then_load_is_identity(tmp_path):
    index = addhash.DuplicateIndex(fields=FIELDS, threshold=2 / 3, least_weight=0.25)
    index.add(random_records(6, 200, 0.4))
    index.remove(index.ids[::3])
    index.update(index.ids[:5], random_records(7, 5))
    index.save(tmp_path / "a", metadata={"source": "random"})
    loaded = addhash.DuplicateIndex.load(tmp_path / "a")
    assert loaded.metadata == {"source": "random"}
    assert loaded.fields == FIELDS
    assert (loaded.threshold, loaded.measure) == (2 / 3, None)
    assert repr(loaded) == repr(index) == "<DuplicateIndex of 133 records, similarity >= 0.666667>"
    for name in LISTS:
        assert getattr(loaded, name).tolist() == getattr(index, name).tolist()
    assert pairs_of(loaded) == pairs_of(index)
    left, right = index.pairs.left[0], index.pairs.right[0]
    assert loaded.explain(left, right) == index.explain(left, right)
    loaded.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    # Both go on alike.
    for one in (index, loaded):
        one.remove(one.ids[::2])
        one.add(random_records(9, 50))
    for name in LISTS:
        assert getattr(loaded, name).tolist() == getattr(index, name).tolist()


def test_forged_files_are_refused(tmp_path):
    from addhash.files.model_file import read_model, write_model

    fields = {"a": addhash.Field("text", 1.0), "n": addhash.Field("number", 1.0)}
    index = addhash.DuplicateIndex(fields=fields, threshold=0.5)
    index.add({"a": ["x y", "x y", "z", None], "n": [1, 2, None, 7]})
    index.save(tmp_path / "good")
    model = read_model(tmp_path / "good", "DuplicateIndex")
    about, arrays = model.settings, model.arrays
    assert arrays["leaders"].tolist() == [0, 0, 2, 3]

    def refused(about=about, **changed):
        changed = {name: np.asarray(value) for name, value in changed.items()}
        write_model(tmp_path / "bad", "DuplicateIndex", about, {**arrays, **changed})
        with pytest.raises(ModelFileError, match="Cannot load"):
            addhash.DuplicateIndex.load(tmp_path / "bad")

    refused(ids=[0, 1, 2, 2])
    refused(ids=[0, 1, 2])
    refused(leaders=[0, 0, 0, 3])  # not similar
    refused(leaders=[1, 0, 2, 3])
    refused(leaders=[0, 0, 2, 7])
    refused(leaders=[0, 0, 2, -1])
    refused(clusters=[0, 1, 2, 3])
    refused(clusters=[0, 0, 0, 3])
    refused(field1=[1.0, 2.0, np.inf, 7.0])
    refused(field1=[1.0, 2.0, 3.0])
    refused(**{"field0.ends": [3, 2, 7, 7]})
    refused({**about, "next_id": 3})
    refused({**about, "next_id": 2**70})
    refused({**about, "threshold": 2.0})
    refused({**about, "least_weight": 2.0})
    refused({**about, "more": 1})
    refused({**about, "fields": []})
    for entry in (
        ["a", "auto", 1.0, 0.0],
        ["a", "text", None, 0.0],
        ["a", "text", -1.0, 0.0],
        ["a", "text", 1.0, 2.0],
        ["n", "text", 1.0, 0.0],
        [["a"], "text", 1.0, 0.0],
        ["a", "text", 1.0],
        7,
    ):
        refused({**about, "fields": [entry, about["fields"][1]]})
    refused(other=[1])


def test_interrupted_changes_are_whole_or_absent(monkeypatch):
    """An interrupt at every step of a change leaves the records before or after it."""
    table, leaders = record_table.RecordTable, Leaders
    pool = random_records(11, 60, 0.2)
    steps = [(table, name) for name in ("append", "give", "drop", "similarities", "join")]
    steps += [(leaders, "change"), (leaders, "finish")]
    for (owner, name), after in product(steps, (False, True)):
        index = addhash.DuplicateIndex(fields=FIELDS, threshold=0.5)
        index.add(pool[:40])
        done = addhash.DuplicateIndex(fields=FIELDS, threshold=0.5)
        done.add(pool[:40])
        old = index.ids[:3]
        done.update(old, pool[40:43])
        before, real = pairs_of(index), getattr(owner, name)

        def interrupt(*given, real=real, after=after, **named):
            result = real(*given, **named) if after else None
            raise KeyboardInterrupt(result)

        with monkeypatch.context() as patched:
            patched.setattr(owner, name, interrupt)
            try:
                index.update(old, pool[40:43])
            except KeyboardInterrupt:
                pass
            else:
                assert name in ("similarities", "join")  # one or the other is used
        assert pairs_of(index) in (before, pairs_of(done))
        index.update(old, pool[40:43])
        index.add(pool[43:])
        done.update(old, pool[40:43])
        done.add(pool[43:])
        for listed in LISTS:
            assert getattr(index, listed).tolist() == getattr(done, listed).tolist()
        assert pairs_of(index) == pairs_of(done)


def test_merge_is_adding():
    records = random_records(5, 200)
    one, two, whole = (addhash.DuplicateIndex(fields=FIELDS) for _ in range(3))
    one.add(records[:120])
    two.add(records[120:], ids=np.arange(120, 200))
    one.merge(two)
    whole.add(records)
    assert pairs_of(one) == pairs_of(whole)
    assert one.clusters.tolist() == whole.clusters.tolist()
    assert len(two) == 80
    with pytest.raises(IdError, match="The id 120 is taken"):
        one.merge(two)
    with pytest.raises(MergeError, match=r"differ in threshold: 0\.6 here, 0\.7 there"):
        one.merge(addhash.DuplicateIndex(fields=FIELDS, threshold=0.7))
    with pytest.raises(MergeError, match="One index is of records, the other one of texts"):
        one.merge(addhash.DuplicateIndex())
    assert len(one) == 200


def test_an_empty_index():
    index = addhash.DuplicateIndex(fields=FIELDS)
    loaded = addhash.DuplicateIndex.from_bytes(index.to_bytes())
    assert len(loaded) == 0
    assert loaded.pairs.left.shape == (0,)
    assert loaded.query(random_records(1, 2)).ids.shape == (0,)
    assert loaded.add([]).shape == (0,)
    loaded.add(random_records(1, 3))
    loaded.remove(loaded.ids)
    assert loaded.clusters.tolist() == []
    assert loaded.add(random_records(1, 1)).tolist() == [3]


def test_explain_gives_the_shares_of_a_search():
    records = random_records(12, 40)
    index = addhash.DuplicateIndex(fields=FIELDS, threshold=0.5)
    index.add(records, ids=np.arange(100, 140))
    found = addhash.find_duplicates(records, fields=FIELDS, threshold=0.5)
    for left, right, value in zip(*(column.tolist() for column in found.pairs), strict=True):
        shares = index.explain(left + 100, right + 100)
        expected = found.explain(left, right)
        assert [s[3:] for s in shares] == [s[3:] for s in expected]
        assert [str(s.left) for s in shares] == [str(s.left) for s in expected]
        assert math.isclose(sum(share.share for share in shares), value)
    with pytest.raises(IdError, match="has no id 7; nothing was compared"):
        index.explain(100, 7)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda x, r: x.add(r, ids=[0]), "The id 0 is taken"),
        (lambda x, r: x.add(r + r, ids=[5, 5]), "The id 5 is repeated"),
        (lambda x, r: x.add(r + r, ids=[5]), "an id for each of 2 records, got 1 ids"),
        (lambda x, _: x.remove([0, 9]), "has no id 9; nothing was removed"),
        (lambda x, r: x.update([0, 9], r + r), "has no id 9; nothing was changed"),
        (lambda x, r: x.update([0, 0], r + r), "The id 0 is repeated"),
    ],
)
def test_bad_ids_change_nothing(act, message):
    index = addhash.DuplicateIndex(fields=FIELDS)
    index.add(random_records(1, 2))
    before = index.to_bytes()
    with pytest.raises(IdError, match=message):
        act(index, random_records(2, 1))
    assert index.to_bytes() == before


def test_other_bad_input():
    index = addhash.DuplicateIndex(fields=FIELDS)
    index.add(random_records(1, 2))
    before = index.to_bytes()
    with pytest.raises(DocumentError, match="Record 1: field 'income' is 'much'"):
        index.add([*random_records(2, 1), {**random_records(2, 1)[0], "income": "much"}])
    with pytest.raises(DocumentError, match="have no column 'name'"):
        index.query({"names": ["Ann"]})
    assert index.to_bytes() == before
    with pytest.raises(ParameterError, match=r"explain\(left, right\), by their ids"):
        index.compare("a", "b")
    with pytest.raises(ParameterError, match="index of texts does not keep them"):
        addhash.DuplicateIndex().explain(0, 1)
    with pytest.raises(ParameterError, match=r"must give 'name' a kind, such as Field\('name'"):
        addhash.DuplicateIndex(fields={"name": 2.0})
    with pytest.raises(ParameterError, match="must give 'name' a weight"):
        addhash.DuplicateIndex(fields={"name": "name"})
    with pytest.raises(ParameterError, match="'fields' parameter of DuplicateIndex must name 1"):
        addhash.DuplicateIndex(fields=[])
    for name, value in {
        "measure": "cosine",
        "analyzer": "char",
        "ngram_range": (1, 1),
        "lowercase": False,
    }.items():
        with pytest.raises(ParameterError, match=f"'{name}' parameter of DuplicateIndex is for te"):
            addhash.DuplicateIndex(fields=FIELDS, **{name: value})
    with pytest.raises(ParameterError, match="'least_weight' parameter of DuplicateIndex is for r"):
        addhash.DuplicateIndex(least_weight=0.5)
    with pytest.raises(ParameterError, match="'threshold' parameter of DuplicateIndex"):
        addhash.DuplicateIndex(fields=FIELDS, threshold=2)


def test_fields_of_a_search_make_an_index():
    records = random_records(13, 80)
    found = addhash.find_duplicates(records, fields=list(FIELDS), threshold=0.7)
    index = addhash.DuplicateIndex(fields=found.fields, threshold=0.7)
    index.add(records)
    assert pairs_of(index) == pairs_of(found)


def test_threads_take_turns():
    records = random_records(14, 120)
    index = addhash.DuplicateIndex(fields=FIELDS)

    def work(k):
        for i in range(k, len(records), 4):
            index.add([records[i]], ids=[i])
            index.query([records[i]])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert pairs_of(index) == pairs_of(addhash.find_duplicates(records, fields=FIELDS))


def test_numbers_alone_are_found_up_to_the_tolerance():
    fields = {"n": addhash.Field("number", 1.0, tolerance=1.0)}
    numbers = [0.0, 0.25, 0.5, 1.0, -0.5, 1e17, 1e17 + 16, -0.0]
    index = addhash.DuplicateIndex(fields=fields, threshold=0.5)
    for number in numbers:
        index.add({"n": [number]})
    found = addhash.find_duplicates({"n": numbers}, fields=fields, threshold=0.5)
    assert pairs_of(index) == pairs_of(found)
    assert (0, 2) in pairs_of(index)
    assert (3, 4) not in pairs_of(index)
    index.add({"n": np.linspace(-1, 1, 600).tolist()})  # enough to be looked up one by one
    assert len(index.query({"n": [0.0]}).ids) == 5 + 300


def test_unused_rows_are_given_back(monkeypatch):
    """Queries and removals leave rows behind, which a table that is made anew has not."""
    monkeypatch.setattr(record_table, "SPARE", 10)
    records = random_records(15, 60)
    index = addhash.DuplicateIndex(fields=FIELDS)
    index.add(records)
    least = index.nbytes
    for _ in range(40):
        index.query(records[:10])
    assert index.nbytes < 4 * least
    index.remove(index.ids[10:])
    index.query(records[:1])
    assert pairs_of(index) == pairs_of(addhash.find_duplicates(records[:10], fields=FIELDS))

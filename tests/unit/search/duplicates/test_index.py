import pickle
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import addhash
from addhash.errors import DocumentError, IdError, MergeError, ModelFileError, ParameterError
from tests.unit.search.duplicates.brute_force import similar_pairs, tokens
from tests.unit.search.duplicates.test_finding import MEASURES, as_dict, random_texts


def pairs_of(texts, measure="jaccard", threshold=0.6):
    """The pairs of a dict of texts by brute force."""
    ids = sorted(texts)
    sets = [tokens(texts[i]) for i in ids]
    found = similar_pairs(sets, measure, threshold)
    return {(ids[i], ids[j]): value for (i, j), value in found.items()}


def check_clusters(index, texts):
    """Every text is similar to its representative, which is in its cluster; equal sets meet."""
    ids = index.ids.tolist()
    assert sorted(ids) == sorted(texts)
    cluster = dict(zip(ids, index.clusters.tolist(), strict=True))
    representative = dict(zip(ids, index.representatives.tolist(), strict=True))
    similarity = dict(zip(ids, index.similarity.tolist(), strict=True))
    pairs = as_dict(index.pairs)
    of_cluster = {}
    for i in ids:
        assert representative[representative[i]] == representative[i]
        assert of_cluster.setdefault(cluster[i], representative[i]) == representative[i]
        if i != representative[i]:
            assert similarity[i] == pairs[tuple(sorted((i, representative[i])))]
        else:
            assert similarity[i] == 1
    of_set = {}
    for i in ids:
        assert of_set.setdefault(frozenset(tokens(texts[i])), cluster[i]) == cluster[i]


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_batches_give_what_one_run_gives(measure, batch):
    texts = random_texts(1, 150)
    index = addhash.DuplicateIndex(threshold=0.6, measure=measure)
    for start in range(0, len(texts), batch):
        index.add(texts[start : start + batch])
    found = addhash.find_duplicates(texts, threshold=0.6, measure=measure, keep="first")
    assert as_dict(index.pairs) == as_dict(found.pairs)
    assert index.clusters.tolist() == found.clusters.tolist()
    assert index.representatives.tolist() == found.representatives.tolist()
    assert index.keep.tolist() == found.keep.tolist()
    assert index.similarity.tolist() == found.similarity.tolist()


def test_enough_texts_to_be_built_anew():
    """Past a thousand changes the index takes its order of tokens anew."""
    texts = random_texts(2, 4000, 100)
    index = addhash.DuplicateIndex(threshold=0.6)
    for start in range(0, len(texts), 250):
        index.add(texts[start : start + 250])
    gone = np.random.default_rng(0).permutation(len(texts))[:3000]
    index.remove(gone[:100])
    index.remove(gone[100:])
    index.add([texts[i] for i in gone], ids=gone)
    found = addhash.find_duplicates(texts, threshold=0.6)
    assert as_dict(index.pairs) == as_dict(found.pairs)


@settings(max_examples=40, deadline=None)
@given(st.data(), st.sampled_from(MEASURES))
def test_any_history_gives_the_pairs_of_what_is_left(data, measure):
    text = st.lists(st.sampled_from("abcde"), max_size=8).map(" ".join)
    index = addhash.DuplicateIndex(threshold=0.6, measure=measure)
    texts = {}
    for _ in range(data.draw(st.integers(1, 12))):
        action = data.draw(st.sampled_from(["add", "remove", "update", "save"]))
        some = data.draw(st.lists(st.sampled_from(sorted(texts)), unique=True)) if texts else []
        if action == "add":
            new = data.draw(st.lists(text, max_size=5))
            texts.update(zip(index.add(new).tolist(), new, strict=True))
        elif action == "remove":
            index.remove(some)
            for i in some:
                del texts[i]
        elif action == "update":
            new = [data.draw(text) for _ in some]
            index.update(some, new)
            texts.update(zip(some, new, strict=True))
        before = dict(zip(index.ids.tolist(), index.clusters.tolist(), strict=True))
        assert as_dict(index.pairs) == pairs_of(texts, measure)
        check_clusters(index, texts)
        assert before.keys() == texts.keys()


def test_clusters_survive_the_text_that_began_them():
    a, b = "a b c d e f g h i j", "a b c d e f g h i k"
    index = addhash.DuplicateIndex(threshold=0.7)
    index.add([a, b, a, "x y z"])
    assert index.clusters.tolist() == [0, 0, 0, 3]
    index.remove([0])
    assert (index.ids.tolist(), index.clusters.tolist()) == ([1, 2, 3], [0, 0, 3])
    assert index.representatives.tolist() == [2, 2, 3]
    index.remove([2])
    assert (index.representatives.tolist(), index.clusters.tolist()) == ([1, 3], [0, 3])
    # A new text with the id 0 that begins a cluster gets another number for it.
    index.add(["something else altogether"], ids=[0])
    assert index.clusters.tolist() == [0, 3, 4]


def test_members_that_the_new_representative_does_not_hold_leave():
    words = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"]
    middle, early, late = words[2:14], words[:12], words[4:]
    index = addhash.DuplicateIndex(threshold=0.7, ngram_range=(1, 1))
    index.add([" ".join(middle), " ".join(early), " ".join(late)])
    assert index.clusters.tolist() == [0, 0, 0]
    index.remove([0])
    assert index.clusters.tolist() == [0, 2]


def test_queries_change_nothing_and_find_all():
    texts, queries = random_texts(3, 200), random_texts(4, 50)
    queries += texts[:20]
    index = addhash.DuplicateIndex(threshold=0.6)
    index.add(texts)
    found = index.query(queries)
    sets = [tokens(text) for text in [*texts, *queries]]
    expected = similar_pairs(sets, "jaccard", 0.6, len(texts))
    rows = sorted((q, -value, i) for (i, q), value in expected.items())
    got = zip(found.queries.tolist(), (-found.similarity).tolist(), found.ids.tolist(), strict=True)
    assert list(got) == rows
    assert len(index) == len(texts)


def test_merge_is_adding():
    texts = random_texts(5, 200)
    one, two, whole = (addhash.DuplicateIndex(threshold=0.6) for _ in range(3))
    one.add(texts[:120])
    two.add(texts[120:], ids=np.arange(120, 200))
    one.merge(two)
    whole.add(texts)
    assert as_dict(one.pairs) == as_dict(whole.pairs)
    assert one.clusters.tolist() == whole.clusters.tolist()
    assert len(two) == 80
    with pytest.raises(IdError, match="The id 120 is taken"):
        one.merge(two)
    with pytest.raises(MergeError, match=r"differ in threshold: \[3, 5\] here, \[4, 5\] there"):
        one.merge(addhash.DuplicateIndex())
    with pytest.raises(MergeError, match="Expected a DuplicateIndex, got a list"):
        one.merge([])
    assert len(one) == 200


@pytest.mark.parametrize("measure", MEASURES)
def test_save_then_load_is_identity(tmp_path, measure):
    texts = random_texts(6, 200)
    index = addhash.DuplicateIndex(threshold=2 / 3, measure=measure, ngram_range=(1, 2))
    index.add(texts)
    index.remove(index.ids[::3])
    index.update(index.ids[:5], texts[5:10])
    index.save(tmp_path / "a", metadata={"source": "random"})
    loaded = addhash.DuplicateIndex.load(tmp_path / "a")
    assert loaded.metadata == {"source": "random"}
    for name in ("ids", "clusters", "representatives", "keep", "similarity"):
        assert getattr(loaded, name).tolist() == getattr(index, name).tolist()
    assert as_dict(loaded.pairs) == as_dict(index.pairs)
    loaded.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    # Both go on alike.
    for one in (index, loaded):
        one.remove(one.ids[::2])
        one.add(texts[:50])
    assert loaded.clusters.tolist() == index.clusters.tolist()
    assert loaded.ids.tolist() == index.ids.tolist()


def test_copies_go_their_own_way():
    index = addhash.DuplicateIndex(threshold=0.6)
    index.add(random_texts(8, 50))
    copied = pickle.loads(pickle.dumps(index))
    assert copied.clusters.tolist() == index.clusters.tolist()
    copied.remove(copied.ids[:10])
    assert (len(copied), len(index)) == (40, 50)


def test_an_empty_index(tmp_path):
    index = addhash.DuplicateIndex()
    index.save(tmp_path / "a")
    loaded = addhash.DuplicateIndex.load(tmp_path / "a")
    assert len(loaded) == 0
    assert loaded.pairs.left.shape == (0,)
    assert loaded.query(["a text"]).ids.shape == (0,)
    assert loaded.add([]).shape == (0,)


def test_forged_files_are_refused(tmp_path):
    from addhash.files.model_file import read_model, write_model

    index = addhash.DuplicateIndex(threshold=0.5, ngram_range=(1, 1))
    index.add(["a b c", "a b", "x y", "a b c"])
    index.save(tmp_path / "good")
    model = read_model(tmp_path / "good", "DuplicateIndex")
    about, arrays = model.settings, model.arrays

    def refused(about=about, **changed):
        changed = {name: np.asarray(value, np.int64) for name, value in changed.items()}
        write_model(tmp_path / "bad", "DuplicateIndex", about, {**arrays, **changed})
        with pytest.raises(ModelFileError, match="Cannot load"):
            addhash.DuplicateIndex.load(tmp_path / "bad")

    hashes = arrays["hashes"]
    refused(ids=[0, 1, 2, 2])
    refused(sets=[0, 1, 2, 3])
    refused(sets=[0, 1, 1, 0])  # a set without a text
    refused(sets=[0, 1, 2, -1])
    refused(sizes=[3, 2, 3])
    refused(sizes=[3, 2, 2**40])
    refused(sizes=[3, 4, 0])
    refused(leaders=[0, 0, 0])  # not similar
    refused(leaders=[0, 2, 1])
    refused(leaders=[0, 0, 7])
    refused(clusters=[0, 1, 2])
    refused(clusters=[0, 0, 0])
    refused(hashes=hashes[::-1])
    refused(hashes=[*hashes[:3], *hashes[:2], *hashes[:2]])  # two equal sets
    refused(ids=[0, 1, 2])
    refused({**about, "next_id": 3})
    refused({**about, "next_id": 2**70})
    refused({**about, "threshold": [3, 2]})
    refused({**about, "threshold": [2, 4]})
    refused({**about, "threshold": [1]})
    refused({**about, "measure": "dice"})
    refused({**about, "more": 1})
    refused(other=[1])


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda x: x.add(["a"], ids=[0]), "The id 0 is taken"),
        (lambda x: x.add(["a", "b"], ids=[5, 5]), "The id 5 is repeated"),
        (lambda x: x.add(["a", "b"], ids=[5]), "an id for each of 2 texts, got 1 ids"),
        (lambda x: x.add(["a"], ids=["5"]), "integer ids"),
        (lambda x: x.add(["a"], ids=np.array([2**63], np.uint64)), r"below 2\*\*63"),
        (lambda x: x.remove([0, 9]), "has no id 9; nothing was removed"),
        (lambda x: x.update([0, 9], ["a", "b"]), "has no id 9; nothing was changed"),
        (lambda x: x.update([0, 0], ["a", "b"]), "The id 0 is repeated"),
        (lambda x: x.update([0], []), "an id for each of 0 texts, got 1 ids"),
    ],
)
def test_bad_ids_change_nothing(act, message):
    index = addhash.DuplicateIndex()
    index.add(["one", "two"])
    with pytest.raises(IdError, match=message):
        act(index)
    assert index.ids.tolist() == [0, 1]


def test_other_bad_input():
    index = addhash.DuplicateIndex()
    with pytest.raises(DocumentError, match="Document 1 is None"):
        index.add(["a", None])
    with pytest.raises(ParameterError, match="'threshold' parameter of DuplicateIndex"):
        addhash.DuplicateIndex(threshold=2)
    index.add(["a"], ids=[2**63 - 1])
    with pytest.raises(IdError, match="no larger ids"):
        index.add(["b"])
    assert len(index) == 1


def test_threads_take_turns():
    texts = random_texts(7, 400)
    index = addhash.DuplicateIndex(threshold=0.6)

    def work(k):
        for i in range(k, len(texts), 4):
            index.add([texts[i]], ids=[i])
            index.query([texts[i]])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert as_dict(index.pairs) == as_dict(addhash.find_duplicates(texts, threshold=0.6).pairs)

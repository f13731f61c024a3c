"""Languages by the nearest paragraph: splits, sweeps, learning curves, the network."""

import numpy as np
import pytest

from addhash import AdditiveHashingVectorizer, HashingVectorizer, NearestNeighborClassifier
from addhash.paper.data_sets import Paragraphs, Split
from addhash.paper.experiments import languages
from addhash.paper.experiments.languages import CURVE, steps
from addhash.paper.experiments.step import Settings
from addhash.paper.results_file import merged
from addhash.sample import load_languages

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def paragraphs():
    texts, labels = load_languages()
    return Paragraphs(list(texts), np.array(labels))


@pytest.fixture(scope="module")
def split(paragraphs):
    parts = (np.arange(len(paragraphs.texts)) % 2 == i for i in (0, 1))
    return Split(
        *(
            Paragraphs([paragraphs.texts[i] for i in np.flatnonzero(part)], paragraphs.labels[part])
            for part in parts
        )
    )


@pytest.mark.parametrize("size", [64, 4096])
def test_the_official_split_is_classified_as_by_the_classifier(split, size):
    known, asked = split
    found = languages._official(split, 2, lambda fraction: None)
    settings = {
        "analyzer": "char", "ngram_range": (2, 2), "n_features": size, "norm": None,
        "lowercase": False,
    }  # fmt: skip
    is_right = {}
    for method, vectorizer in (
        ("ah", AdditiveHashingVectorizer(dtype=np.int32, **settings)),
        ("ht", HashingVectorizer(**settings)),
    ):
        X, Q = (vectorizer.transform(part.texts) for part in split)
        if method == "ht":
            X, Q = X.toarray(), Q.toarray()
        answers = NearestNeighborClassifier().fit(X, known.labels).predict(Q)
        is_right[method] = answers == asked.labels
        assert found[method][str(size)]["accuracy"] == pytest.approx(100 * is_right[method].mean())
    differences = is_right["ah"].astype(float) - is_right["ht"]
    difference = found["difference"][str(size)]
    assert difference["accuracy"] == pytest.approx(100 * differences.mean())
    error = 100 * differences.std(ddof=1) / len(differences) ** 0.5
    assert difference["se"] == pytest.approx(error)


def test_random_splits_keep_the_shares_of_the_languages(paragraphs):
    labels = paragraphs.labels
    known, asked = languages._random_split(labels, np.random.default_rng(0))
    together = np.concatenate([*known, asked])
    assert sorted(together) == list(range(len(labels)))
    for label, members in zip(np.unique(labels), known, strict=True):
        assert set(labels[members]) == {label}
        count = (labels == label).sum()
        assert (labels[asked] == label).sum() == round(0.2 * count)


def test_curves_of_a_power_law_are_extrapolated_exactly():
    curve = [(float(k), 100 * (1 - 0.4 * k**-0.25)) for k in CURVE]
    found = languages._extrapolated([curve, curve])
    assert found["law"] == {"scale": pytest.approx(0.4), "exponent": pytest.approx(0.25)}
    assert found["at_500"]["accuracy"] == pytest.approx(100 * (1 - 0.4 * 500**-0.25))
    assert found["at_500"]["se"] == pytest.approx(0, abs=1e-9)
    assert found["points"]["5"]["accuracy"] == pytest.approx(curve[0][1])


def test_steps(paragraphs, split):
    found = {}
    for step in steps(Settings(quick=True), split, paragraphs):
        ticks = []
        found = merged(found, step.run(ticks.append))
        assert ticks[-1] == pytest.approx(1)
        assert ticks == sorted(ticks)
    sizes = [str(2**exponent) for exponent in range(4, 13)]
    for name in ("subset-21", "head-235"):
        for method in ("ah", "ht"):
            assert list(found[name][method]) == sizes
            accuracies = [found[name][method][size]["accuracy"] for size in sizes]
            assert accuracies[-1] > accuracies[0]
            curve = found[name]["curve"][method]["points"]
            assert list(curve) == ["5", "10", "20", "40"]
    assert found["subset-21"]["known"] + found["subset-21"]["asked"] == len(paragraphs.texts)


def test_network(split):
    ticks = []
    found = languages._networks([split, split], 1e-3, 0, ticks.append)
    assert found["epochs"] == 20
    assert found["repeats"] == 2
    assert found["rate"] == 1e-3
    # The same paragraphs and the same seed: the same network, twice.
    assert found["se"] == 0
    assert 50 < found["accuracy"] < 100
    assert len(ticks) == 40
    assert ticks == sorted(ticks)


def test_all_steps_of_a_run():
    empty = Paragraphs([], np.array([], str))
    names = [step.name for step in steps(Settings(), Split(empty, empty), empty)]
    assert "languages, head-235, network" in names
    assert not any("full" in name for name in names)
    with_full = steps(Settings(), Split(empty, empty), empty, Split(empty, empty))
    more = {step.name for step in with_full} - set(names)
    assert more == {*(f"languages, full, n={n}" for n in range(1, 6)), "languages, full, network"}

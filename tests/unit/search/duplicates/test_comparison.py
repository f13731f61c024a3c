import numpy as np
import pytest

import addhash
from addhash.errors import DocumentError, ParameterError
from tests.texts import HOSTILE
from tests.unit.search.duplicates.test_finding import MEASURES, as_dict, random_texts


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("analyzer", ["auto", "word", "char", "char_wb"])
def test_a_comparison_says_what_the_search_says(measure, analyzer):
    texts = [*random_texts(1, 12, 8), *HOSTILE]
    options = {"measure": measure, "analyzer": analyzer, "ngram_range": (2, 3)}
    pairs = as_dict(addhash.find_duplicates(texts, threshold=1e-6, **options).pairs)
    index = addhash.DuplicateIndex(threshold=0.5, **options)
    for i in range(0, len(texts), 3):
        for j in range(i + 1, len(texts), 2):
            found = index.compare(texts[i], texts[j])
            assert found.similarity == pairs.get((i, j), 0.0)
            assert found.is_similar == (found.similarity >= 0.5)
            assert "".join(part.text for part in found.left) == texts[i]
            assert "".join(part.text for part in found.right) == texts[j]
            is_shared = any(part.is_shared for part in (*found.left, *found.right))
            assert is_shared == (found.shared > 0) or analyzer == "char_wb" or not texts[i]


def test_parts():
    index = addhash.DuplicateIndex(ngram_range=(2, 2))
    found = index.compare("one two, three. Four", "zero one two three five six")
    assert [tuple(part) for part in found.left] == [
        ("one two, three", True),
        (". Four", False),
    ]
    assert [tuple(part) for part in found.right] == [
        ("zero ", False),
        ("one two three", True),
        (" five six", False),
    ]
    assert (found.shared, found.only_left, found.only_right) == (2, 1, 3)
    assert (found.jaccard, found.containment) == (2 / 6, 2 / 3)
    assert found.cosine == 2 / np.sqrt(15)


def test_bad_texts():
    with pytest.raises(DocumentError, match="Document 1 is None"):
        addhash.DuplicateIndex().compare("a", None)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("clusters", ["representative", "connected"])
def test_a_higher_threshold_without_comparing_again(measure, clusters):
    texts = random_texts(2, 150)
    options = {"measure": measure, "clusters": clusters}
    found = addhash.find_duplicates(texts, threshold=0.5, **options)
    for threshold in (0.5, 0.6, 2 / 3, 0.8, 1):
        again = addhash.find_duplicates(texts, threshold=threshold, **options)
        at = found.at(threshold)
        assert as_dict(at.pairs) == as_dict(again.pairs)
        assert at.clusters.tolist() == again.clusters.tolist()
        assert at.threshold == pytest.approx(threshold)
    with pytest.raises(ParameterError, match="at least that of the search"):
        found.at(0.4)

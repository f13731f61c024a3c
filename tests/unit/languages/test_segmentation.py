"""Where the language changes inside a text."""

import itertools
import random
import re

import pytest

from addhash import languages
from addhash.languages.detection import detector_of
from addhash.languages.segmentation import CHANGE, SENTENCE_END, UNIT
from addhash.runtime import native
from tests.unit.languages.test_detection import SENTENCES


def joined(text, parts):
    assert [part.start for part in parts[1:]] == [part.end for part in parts[:-1]]
    assert not parts or (parts[0].start, parts[-1].end) == (0, len(text))
    return [(part.code, text[part.start : part.end].strip()) for part in parts]


def test_sentences_of_several_languages():
    text = "\n".join(SENTENCES.values())
    assert joined(text, languages.segments(text)) == list(SENTENCES.items())


def test_one_language_is_one_segment():
    text = SENTENCES["fra"]
    (part,) = languages.segments(text)
    assert (part.start, part.end, part.code) == (0, len(text), "fra")
    assert part[2:6] == languages.detect(text)[:4]


def test_scripts_that_touch():
    text = "我喜欢机器学习machine learning and statistics"
    assert joined(text, languages.segments(text, ["zh", "en"])) == [
        ("zho", "我喜欢机器学习"),
        ("eng", "machine learning and statistics"),
    ]


@pytest.mark.parametrize("text", ["", " ", "123 ...", "🙂"])
def test_no_letters_no_segments(text):
    assert languages.segments(text) == []


def test_what_has_no_letters_goes_with_what_is_before_it():
    text = "  12 The weather is fine today - 20 - Das Wetter ist heute wirklich schön. 7 "
    found = joined(text, languages.segments(text, ["en", "de"]))
    assert found == [
        ("eng", "12 The weather is fine today - 20 -"),
        ("deu", "Das Wetter ist heute wirklich schön. 7"),
    ]


@pytest.mark.parametrize("end", [".", "?", "!”", "。", ".)", "\n"])
def test_ends_of_sentences(end):
    assert SENTENCE_END.search(f"word{end} ")
    assert not SENTENCE_END.search("word ")
    assert not SENTENCE_END.search("3.14")


def test_below_the_threshold_it_is_undetermined():
    assert [part.code for part in languages.segments("xq", threshold=1)] == ["und"]


def test_units_are_the_whole_text():
    rng = random.Random(0)
    letters = "ab é, 12\n\u3000我たภ가\U0001f600\U00020000\ud800"
    for _ in range(200):
        text = "".join(rng.choices(letters, k=rng.randrange(200)))
        assert "".join(match.group() for match in re.finditer(UNIT, text)) == text


def test_no_other_way_to_part_has_more_evidence():
    """The slow way: every sequence of languages."""
    names = ("deu", "eng", "fra")
    compiled = detector_of(None, names).compiled
    places = [languages.load().classes_.tolist().index(name) for name in names]
    rng = random.Random(1)
    words = sorted({word for code in names for word in SENTENCES[code].split()})
    for _ in range(20):
        # Distinct ones: the language of a part counts each word once.
        units = rng.sample(words, k=6)
        evidence = compiled.evidence(units, 1)[0][:, places] * native.EVIDENCE_UNIT
        costs = [CHANGE / 2 if SENTENCE_END.search(unit) else CHANGE for unit in units]

        def worth(chosen, evidence=evidence, costs=costs):
            pairs = zip(itertools.pairwise(chosen), costs, strict=False)
            changes = sum(cost for (a, b), cost in pairs if a != b)
            return sum(evidence[i, p] for i, p in enumerate(chosen)) - changes

        best = max(map(worth, itertools.product(range(3), repeat=6)))
        text = " ".join(units)
        found = []
        for part in languages.segments(text, names, threshold=0):
            found += [names.index(part.code)] * len(text[part.start : part.end].split())
        assert worth(found) == pytest.approx(best)


def test_a_switch_inside_a_sentence():
    text = "I told him that que no me importa nada de nada, amigo"
    assert [s.code for s in languages.segments(text, ["en", "es"])] == ["eng", "spa"]


def test_greetings_in_three_languages():
    text = "Hello! 你好! Bonjour!"
    assert joined(text, languages.segments(text)) == [
        ("eng", "Hello!"),
        ("zho", "你好!"),
        ("fra", "Bonjour!"),
    ]


def test_the_prior_counts_in_each_part():
    text = "I told him que no me importa nada"
    assert joined(text, languages.segments(text)) == [
        ("eng", "I told him"),
        ("spa", "que no me importa nada"),
    ]

"""Which language a text is in."""

import sys
from pathlib import Path

import numpy as np
import pytest

from addhash import TextClassifier, languages
from addhash.errors import DocumentError, ParameterError
from addhash.languages.detection import detector_of
from addhash.learning.memory import Keeping
from addhash.learning.ngram_mixture import NgramMixture
from addhash.runtime import native

SENTENCES = {
    "deu": "Wer reitet so spät durch Nacht und Wind? Es ist der Vater mit seinem Kind.",
    "eng": "It is a truth universally acknowledged, that a single man must be in want of a wife.",
    "fra": "Longtemps, je me suis couché de bonne heure, et mes yeux se fermaient si vite.",
    "rus": "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива.",
    "jpn": "国境の長いトンネルを抜けると雪国であった。夜の底が白くなった。",
    "fin": "Kaikki onnelliset perheet ovat toistensa kaltaisia, jokainen onneton omalla tavallaan.",
    "swa": "Mtu aliyekuwa akiishi katika kijiji hicho alikuwa na watoto wawili wadogo.",
}
# What a newcomer types first.
FIRST = {
    "Hello": "eng",
    "I love you": "eng",
    "Good night": "eng",
    "Thank you": "eng",
    "我喜欢喝咖啡": "zho",
    "你好": "zho",
    "こんにちは": "jpn",
    "안녕하세요": "kor",
    "Guten Morgen": "deu",
    "Ciao": "ita",
    "Hola": "spa",
    "Bonjour": "fra",
    "Danke": "deu",
    "Takk": "nob",
    "¿Dónde está la biblioteca?": "spa",
    "Hi": "eng",
    "OK": "eng",
    "Te amo": "spa",
    "Eu te amo": "por",
    "cane": "ita",
    "kutya": "hun",
    "Ahoj": "ces",
    "pizza": "ita",
}
# Greetings, words and questions in 21 languages, written before the model was last tuned.
NEWCOMERS = Path(__file__).parents[3] / "benchmarks" / "texts" / "newcomers.tsv"


def test_sentences_of_books():
    found = languages.detect(SENTENCES.values())
    assert [detection.code for detection in found] == list(SENTENCES)
    assert all(0.5 < detection.probability <= 1 for detection in found)


@pytest.mark.parametrize(("text", "code"), FIRST.items())
def test_what_a_newcomer_types(text, code):
    assert languages.detect(text).code == code


def test_most_of_what_newcomers_type():
    rows = [line.split("\t") for line in NEWCOMERS.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 205
    found = languages.detect([text for _, text in rows])
    right = [answer.code == code for answer, (code, _) in zip(found, rows, strict=True)]
    assert sum(right) / len(right) >= 0.93  # 91 % before


def test_one_text_or_many_one_answer_or_several():
    text = SENTENCES["deu"]
    one = languages.detect(text)
    assert one == languages.detect([text])[0] == languages.detect(text, top=2)[0]
    assert one[:4] == ("deu", "de", "German", "Deutsch")
    assert languages.detect(text.encode()) == one
    assert languages.detect([]) == []
    top = languages.detect(text, top=2000)
    shares = [detection.probability for detection in top]
    assert sorted(shares[1:], reverse=True) == shares[1:]
    assert sum(shares) == pytest.approx(1)
    assert len({detection.code for detection in top}) == len(top)


def test_batches_and_threads_do_not_matter():
    texts = [*SENTENCES.values(), "", "12"] * 300
    found = languages.detect(texts)
    assert found[:9] == [languages.detect(text) for text in texts[:9]]
    assert found == found[:9] * 300


def test_a_choice_of_languages():
    found = languages.detect(SENTENCES["deu"], ["en", "French", "nld"], top=5)
    assert {detection.code for detection in found} == {"eng", "fra", "nld"}
    assert sum(detection.probability for detection in found) == pytest.approx(1)
    assert languages.detect("Guten Tag", ["en"], threshold=0).probability == 1


def test_more_is_known_of_a_choice_than_of_all():
    text = "la casa"
    among_all = {d.code: d.probability for d in languages.detect(text, top=600)}
    few = languages.detect(text, ["spa", "deu"], top=2)
    assert few[0].probability > among_all[few[0].code]


@pytest.mark.parametrize("text", ["", " ", "12:30", "🙂🙂", "...", "\n\t", "\ud800"])
def test_no_letters_no_language(text):
    assert languages.detect(text) is None
    assert languages.detect([text, "Guten Tag"], threshold=0)[0] is None


def test_below_the_threshold_it_is_undetermined_and_still_tells_its_candidates():
    found = languages.detect("xq", threshold=1)
    assert found.code == "und"
    assert found.probability < 1
    assert languages.detect("xq", threshold=0).code != "und"
    first, *others = languages.detect("xq", top=3, threshold=1)
    assert first.code == "und"
    assert len(others) == 2
    assert first.probability == others[0].probability


def test_a_script_that_no_language_has_is_undetermined():
    assert languages.detect("𐀀𐀁𐀂").code == "und"  # Linear B
    assert languages.detect("Привет", ["en", "de"]).code == "und"


@pytest.mark.parametrize(
    "text",
    [
        "asdfghjkl",
        "sdfkjh skdjfh",
        "https://example.com/the/best/words/here",
        "user@example.com",
        "@somebody",
        "if (x == 1) { y[2] = 3; }",
        "{'a': [1, 2], 'b': {'c': None}};",
        "get_name_of_user2",
        "print(x)",
        "len(items)",
        "/usr/local/bin/python3",
        "google.com",
        "xxx",
        "AAAAAAA",
    ],
)
def test_what_is_no_language(text):
    found = languages.detect(text)
    assert found is None or found.code == "und"


@pytest.mark.parametrize(
    "noise",
    [
        "{} https://example.org/und/der/die?das=ist#nicht",
        "@jemand {} #12",
        "<p class='der die das'>{}</p>",
        "{}&nbsp;😀 2024-01-01 x123 someFunctionName",
        "mail an max.mustermann@beispiel.de {}",
    ],
)
def test_links_names_tags_and_numbers_say_nothing(noise):
    text = "I would like a cup of tea"
    plain, found = languages.detect(text), languages.detect(noise.format(text))
    if "mail an" in noise:
        assert found.code == "eng"
    else:
        assert found == plain


def test_signs_of_hashtags_are_no_obstacle():
    assert languages.detect("#thankful for this #beautiful morning").code == "eng"


@pytest.mark.parametrize("code", SENTENCES)
def test_repeating_and_padding_change_nothing(code):
    text = SENTENCES[code]
    once = languages.detect(text)
    for same in (
        f"{text}\n" * 50,
        text + " " * 2000,
        text + "." * 2000,
        "0" * 2000 + " " + text,
        f"  {text} 😀 12 ",
    ):
        assert languages.detect(same) == once


def test_accents_of_two_characters_are_those_of_one():
    import unicodedata

    text = "Où êtes-vous allés hier, là-bas ? C'était très agréable"
    assert languages.detect(unicodedata.normalize("NFD", text)) == languages.detect(text)


def test_capitals_do_not_matter():
    text = SENTENCES["deu"]
    assert languages.detect(text.upper().replace("SS", "ss")).code == "deu"


def test_scripts():
    cases = {
        "Как твои дела сегодня?": "Cyrl",
        "Wie geht es dir heute?": "Latn",
        "今日はとても暑いですね": "Jpan",
        "这里的天气很好": "Hans",
        "這裡的天氣很好": "Hant",
        "오늘 날씨가 좋네요": "Kore",
        "วันนี้อากาศดีมาก": "Thai",
    }
    for text, script in cases.items():
        assert languages.detect(text).script == script, text


def test_a_language_of_two_scripts_is_one():
    for text in ("Данас је леп дан и ја идем у школу", "Danas je lep dan i ja idem u školu"):
        assert languages.detect(text).group == "hbs"
        assert languages.detect(text, ["srp", "rus", "deu"]).code == "srp"


def test_groups_are_sums():
    text = "Kako si danas, prijatelju moj?"
    everyone = languages.detect(text, top=2000)
    best = everyone[0]
    members = [d.probability for d in everyone if d.group == best.group]
    assert best.group == "hbs"
    assert best.group_probability == pytest.approx(sum(members))
    group = languages.detect(text, level="group")
    assert (group.code, group.name) == ("hbs", "Serbo-Croatian")
    assert group.probability == group.group_probability == best.group_probability
    several = languages.detect(text, level="group", top=5)
    assert several[0] == group
    assert len({d.group for d in several}) == 5
    shares = [d.probability for d in several]
    assert sorted(shares, reverse=True) == shares


def test_the_prior_prefers_what_many_speak_in_short_texts_only():
    assert languages.detect("Hello").code == "eng"
    alike = languages.detect("no", prior="uniform", top=1000)
    usual = languages.detect("no", top=1000)
    english = [{d.code: d.probability for d in found}["eng"] for found in (alike, usual)]
    assert english[0] < english[1]
    text = SENTENCES["fin"] * 3
    assert languages.detect(text, prior="uniform").code == languages.detect(text).code


def test_a_rare_language_is_an_answer_only_if_asked_for():
    tiers = {language.code: language.tier for language in languages.known()}
    assert tiers["tlh"] == "rare"
    codes = {d.code for d in languages.detect("tlhIngan Hol vIjatlh", top=2000)}
    assert not any(tiers[code] == "rare" for code in codes if code != "und")
    asked = languages.detect("tlhIngan Hol vIjatlhlaH", ["tlh", "eng", "deu"], threshold=0)
    assert asked.code == "tlh"


def test_probabilities_agree_with_the_evidence():
    """The slow way: evidence n-gram by n-gram, the prior, and a softmax."""
    classifier = languages.load()
    memory = classifier.memory
    text = "bon dia a tothom"
    keys = np.array([key for key, _, _ in native.placed_ngrams(text)], np.uint64)
    weight, half, rate, scale, _ = memory.rule
    fading = weight / (1 + (len(keys) / half) ** 2)
    latin = native.script_names().index("Latn")
    logs = {}
    for label, code in enumerate(memory.classes.labels.tolist()):
        trait = memory.trait(code)
        if trait.is_rare or not memory.totals[label, latin]:
            continue
        evidence = memory.detector.weights(keys, label).sum() * native.EVIDENCE_UNIT
        share = memory.totals[label, latin] / memory.totals[label].sum()
        prior = trait.prior + round(float(np.log2(share)), 2)
        logs[code] = (evidence + fading * prior) * rate / (1 + len(keys) / scale)
    shares = np.exp(np.array(list(logs.values())) - max(logs.values()))
    expected = dict(zip(logs, shares / shares.sum(), strict=True))
    found = {d.code: d.probability for d in languages.detect(text, top=2000, threshold=0)}
    assert found.keys() == expected.keys()
    assert all(found[code] == pytest.approx(expected[code]) for code in expected)


def test_the_classifier_answers_as_the_detector_does():
    classifier = languages.load()
    texts = [*SENTENCES.values(), *FIRST]
    found = languages.detect(texts, threshold=0)
    assert classifier.predict(texts).tolist() == [d.code for d in found]
    scores = classifier.predict_scores(texts)
    assert [s.score for s in scores] == [d.probability for d in found]


def test_tables_answer_as_the_counts_do():
    memory = languages.load().memory
    texts = [*SENTENCES.values(), *FIRST, "xq", "", "Привет, мир! 你好 hello"]

    def answers():
        found = memory.detector.detect(texts, memory.numbers, None, 5, 1)
        evidence = memory.detector.evidence(texts, 1)
        return [column.tolist() for column in (*found, *evidence)]

    without = answers()
    assert not memory.detector.has_tables
    memory.detector.expect(10**9)
    assert memory.detector.has_tables
    assert answers() == without


def test_what_it_is_taught():
    said = ["zorb klinte vosq mur", "vosq trebna klinte zorb", "mur trebna vosq"]
    model = languages.load().learn(said, ["qaa"] * 3)
    assert languages.detect("klinte vosq zorb", model=model).code == "qaa"
    assert languages.detect("klinte vosq", model=model, languages=["eng", "qaa"]).code == "qaa"
    for text in SENTENCES.values():
        assert languages.detect(text, model=model).code == languages.detect(text).code
    # The one that others ask is as it was, and what was taught can be forgotten.
    assert "qaa" not in languages.load().classes_
    assert model.forget(said, ["qaa"] * 3).digest() == languages.load().digest()


def _model(texts, labels):
    empty = NgramMixture.empty(0, Keeping())
    return TextClassifier.of_memory("mixture", empty).learn(texts, labels)


def test_a_model_of_one_or_two_languages():
    one = _model(["hello there"], ["eng"])
    assert languages.detect("hello", model=one)[0] == "eng"
    two = _model(["hello there", "guten Tag"], ["eng", "deu"])
    assert languages.detect(["hello", "Tag"], model=two)[1].code == "deu"
    assert languages.detect("hello", ["eng"], model=two).probability == 1


def test_one_text_takes_few_calls():
    languages.detect("once, to load the model")
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        languages.detect("Where is the station?")
    finally:
        sys.setprofile(None)
    assert calls < 60


@pytest.mark.parametrize(
    "arguments",
    [{"top": 0}, {"top": 1.5}, {"top": True}, {"threshold": 2}, {"threshold": "x"},
     {"threshold": float("nan")}, {"languages": "en"}, {"languages": ["xx"]}, {"model": 5},
     {"languages": [["en"]]}, {"languages": []}, {"prior": "flat"}, {"level": "family"},
     {"model": TextClassifier("nearest").fit(["a"], ["b"])}],
)  # fmt: skip
def test_arguments_that_are_refused(arguments):
    with pytest.raises(ParameterError):
        languages.detect("hello", **arguments)


@pytest.mark.parametrize("texts", [5, None, ["a", None], [["a"]], {"a": 1}.values()])
def test_what_is_not_a_text(texts):
    with pytest.raises(DocumentError):
        languages.detect(texts)


@pytest.mark.parametrize("names", [None, ["deu", "eng"]])
def test_what_answers_is_made_once(names):
    assert detector_of(None, names) is detector_of(None, names)
    own = languages.load()
    assert detector_of(own, names) is detector_of(own, names)
    assert detector_of(own, names) is not detector_of(None, names)

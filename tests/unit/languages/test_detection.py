"""Which language a text is in."""

import numpy as np
import pytest

from addhash import TextClassifier, languages
from addhash.errors import DocumentError, ParameterError

SENTENCES = {
    "deu": "Wer reitet so spät durch Nacht und Wind? Es ist der Vater mit seinem Kind.",
    "eng": "It is a truth universally acknowledged, that a single man must be in want of a wife.",
    "fra": "Longtemps, je me suis couché de bonne heure, et mes yeux se fermaient si vite.",
    "rus": "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива.",
    "jpn": "国境の長いトンネルを抜けると雪国であった。夜の底が白くなった。",
    "fin": "Kaikki onnelliset perheet ovat toistensa kaltaisia, jokainen onneton omalla tavallaan.",
    "swa": "Mtu aliyekuwa akiishi katika kijiji hicho alikuwa na watoto wawili wadogo.",
}


def test_sentences_of_books():
    found = languages.detect(SENTENCES.values())
    assert [detection.code for detection in found] == list(SENTENCES)
    assert all(0.5 < detection.probability <= 1 for detection in found)


def test_one_text_or_many_one_answer_or_several():
    text = SENTENCES["deu"]
    one = languages.detect(text)
    assert one == languages.detect([text])[0] == languages.detect(text, top=2)[0]
    assert one[:4] == ("deu", "de", "German", "Deutsch")
    assert languages.detect(text.encode()) == one
    assert languages.detect([]) == []
    top = languages.detect(text, top=1000)
    assert len(top) == len(languages.known())
    shares = [detection.probability for detection in top]
    assert sorted(shares, reverse=True) == shares
    assert sum(shares) == pytest.approx(1)


def test_batches_do_not_matter():
    texts = [*SENTENCES.values(), "", "12"] * 300
    found = languages.detect(texts)
    assert found[:9] == [languages.detect(text) for text in texts[:9]]
    assert found == found[:9] * 300


def test_a_choice_of_languages():
    found = languages.detect(SENTENCES["deu"], ["en", "French", "nld"], top=5)
    assert {detection.code for detection in found} == {"eng", "fra", "nld"}
    assert sum(detection.probability for detection in found) == pytest.approx(1)
    assert languages.detect("Guten Tag", ["en"]).probability == 1


def test_more_is_known_of_a_choice_than_of_all():
    text = "la casa"
    among_all = {d.code: d.probability for d in languages.detect(text, top=600)}
    few = languages.detect(text, ["spa", "deu"], top=2)
    assert few[0].probability > among_all[few[0].code]


@pytest.mark.parametrize("text", ["", " ", "12:30", "🙂🙂", "...", "\n\t", "\ud800"])
def test_no_letters_no_language(text):
    assert languages.detect(text) is None
    assert languages.detect([text, "Guten Tag"], threshold=0)[0] is None


def test_below_the_threshold_it_is_undetermined():
    found = languages.detect("xq", threshold=1)
    assert found.code == "und"
    assert found.probability < 1
    assert languages.detect("xq", threshold=0).code != "und"
    (only,) = languages.detect("xq", top=3, threshold=1)
    assert only.code == "und"


def test_a_script_that_no_language_has_is_undetermined():
    assert languages.detect("𐀀𐀁𐀂").code == "und"  # Linear B


def test_probabilities_agree_with_the_evidence():
    """The slow way: softmax of the classifier's evidence, preferring what many write."""
    classifier = languages.load()
    text = "bon dia a tothom"
    scale = float(classifier.metadata["temperature"].split(" * ")[0])
    evidence = classifier.decision_function([text])[0]
    logs = evidence * np.log(2) / (scale * (len(text) + 8) ** 0.7)
    logs += [0.2 * np.log(max(language.writers, 10_000)) for language in languages.known()]
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    found = languages.detect(text, threshold=0)
    assert found.code == classifier.classes_[shares.argmax()]
    assert found.probability == pytest.approx(shares.max())
    columns = np.isin(classifier.classes_, ["cat", "spa"])
    shares = np.exp((evidence * np.log(2) / (scale * (len(text) + 8) ** 0.7))[columns])
    found = languages.detect(text, ["cat", "spa"], threshold=0)
    assert found.probability == pytest.approx(shares.max() / shares.sum())


def test_what_it_is_taught():
    model = languages.load().learn(["nuqneH, jIyajbe'", "Qapla' batlh je"], ["tlh", "tlh"])
    assert languages.detect("nuqneH Qapla'", model=model, languages=["eng", "tlh"]).code == "tlh"
    found = languages.detect("Qapla' batlh je jIyajbe' nuqneH", model=model)
    assert found.code == found.name == "tlh"
    # The one that others ask is as it was.
    assert "tlh" not in languages.load().classes_


def test_a_model_of_one_or_two_languages():
    one = TextClassifier().fit(["hello there"], ["eng"])
    assert languages.detect("hello", model=one)[0] == "eng"
    two = TextClassifier().fit(["hello there", "guten Tag"], ["eng", "deu"])
    assert languages.detect(["hello", "Tag"], model=two)[1].code == "deu"
    assert languages.detect("hello", ["eng"], model=two).probability == 1


@pytest.mark.parametrize(
    "arguments",
    [{"top": 0}, {"top": 1.5}, {"top": True}, {"threshold": 2}, {"threshold": "x"},
     {"threshold": float("nan")}, {"languages": "en"}, {"languages": ["xx"]}, {"model": 5},
     {"model": TextClassifier("nearest")}],
)  # fmt: skip
def test_arguments_that_are_refused(arguments):
    with pytest.raises(ParameterError):
        languages.detect("hello", **arguments)


@pytest.mark.parametrize("texts", [5, None, ["a", None], [["a"]], {"a": 1}.values()])
def test_what_is_not_a_text(texts):
    with pytest.raises(DocumentError):
        languages.detect(texts)

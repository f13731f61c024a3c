"""Requests that come together share a call, and get the answers they would get alone."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from addhash import TextClassifier
from addhash.sample import load_messages
from addhash.service import asking
from addhash.service.asking import Asking
from addhash.service.view import View

TEXTS, LABELS = load_messages()


@pytest.fixture
def views():
    one = TextClassifier().fit(TEXTS, LABELS)
    other = TextClassifier("centroid").fit(TEXTS, LABELS)
    return [View(one, 1), View(other, 1)]


@pytest.fixture
def calls(monkeypatch):
    """How many texts each call had."""
    found, real = [], asking._predictions

    def counted(classifier, texts):
        found.append(len(texts))
        return real(classifier, texts)

    monkeypatch.setattr(asking, "_predictions", counted)
    return found


def ask_all(questions):
    """Return the answers to (view, texts), asked together."""
    with ThreadPoolExecutor(2) as threads:

        async def ask():
            asked = Asking(threads)
            every = (asked.predict("mail", view, texts) for view, texts in questions)
            return await asyncio.gather(*every, return_exceptions=True)

        return asyncio.run(ask())


@pytest.mark.parametrize("seconds", [0.0, 1e9], ids=["in-a-thread", "at-once"])
def test_answers_are_those_of_requests_alone(views, calls, monkeypatch, seconds):
    monkeypatch.setattr(asking, "AT_ONCE_SECONDS", seconds)
    questions = [(views[i % 2], TEXTS[i : i + i % 6]) for i in range(40)]
    expected = [view.classifier.predict_scores(texts, n_nearest=1) for view, texts in questions]
    assert ask_all(questions) == expected
    # One call for the few texts of each model, and one for each request of many texts.
    many = [len(texts) for _, texts in questions if len(texts) > asking.FEW_TEXTS]
    assert len(calls) == 2 + len(many)
    assert sum(calls) == sum(len(texts) for _, texts in questions)


def test_long_texts_do_not_hold_up_short_ones(views, calls):
    long = "a" * (asking.FEW_CHARACTERS + 1)
    assert len(ask_all([(views[0], ["short"]), (views[0], [long]), (views[0], ["brief"])])) == 3
    assert sorted(calls) == [1, 2]


def test_each_request_is_told_what_went_wrong(views, monkeypatch):
    def broken(classifier, texts):
        raise MemoryError("no room")

    monkeypatch.setattr(asking, "_predictions", broken)
    found = ask_all([(views[0], [text]) for text in TEXTS[:5]])
    assert [str(error) for error in found] == ["no room"] * 5


@pytest.mark.parametrize("gone", [0, 1])
def test_a_request_that_is_gone_keeps_no_other_from_its_answer(views, gone):
    async def ask():
        with ThreadPoolExecutor(1) as threads:
            asked = Asking(threads)
            jobs = [asked.predict("mail", views[0], [text]) for text in TEXTS[:3]]
            jobs[gone].cancel()
            return await asyncio.gather(*jobs, return_exceptions=True)

    expected = [[one] for one in views[0].classifier.predict_scores(TEXTS[:3], n_nearest=1)]
    found = asyncio.run(ask())
    assert isinstance(found.pop(gone), asyncio.CancelledError)
    expected.pop(gone)
    assert found == expected

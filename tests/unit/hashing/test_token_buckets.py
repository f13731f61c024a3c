from io import StringIO

import numpy as np
import pytest

from addhash import TextClassifier
from addhash.hashing.token_buckets import TokenBuckets
from addhash.hashing.vectorizer import TextVectorizer
from addhash.text.analysis import Analysis


def orders(tokens, **options):
    return TokenBuckets(2**20, False, Analysis(**options)).places(tokens)[1].tolist()


def test_the_order_of_words_is_their_number():
    assert orders(["to", "to be", "to be or"], ngram_range=(1, 3)) == [0, 1, 2]
    assert orders(["to be", "to be or"], ngram_range=(2, 3)) == [0, 1]


def test_the_order_of_characters_is_their_number():
    assert orders(["a", "ab", "abc"], analyzer="char", ngram_range=(1, 3)) == [0, 1, 2]
    assert orders(["ab", "abc"], analyzer="char", ngram_range=(2, 3)) == [0, 1]
    assert orders([" a ", " ab "], analyzer="char_wb", ngram_range=(4, 5)) == [0, 0]


def test_words_come_after_characters():
    analysis = Analysis(analyzer="text", ngram_range=(1, 2))
    tokens = [token.decode() for token in analysis.tokens("ab")]
    found = orders(tokens, analyzer="text", ngram_range=(1, 2))
    assert sorted(found) == [0] * 4 + [1] * 3 + [2] * 3 + [3] * 2
    assert len(analysis.orders) == 4


def test_tokens_of_a_function_are_of_one_order():
    assert orders(["to", "to be"], tokenizer=str.split) == [0, 0]


@pytest.mark.parametrize(
    "options",
    [
        {"ngram_range": (1, 3)},
        {"analyzer": "text", "ngram_range": (1, 5)},
        {"analyzer": "char", "ngram_range": (2, 4)},
    ],
)
def test_shares_of_tokens_add_up_to_the_decision(options):
    texts = ["to be or not to be", "that is the question", "to sleep perchance to dream"]
    classifier = TextClassifier(vectorizer=TextVectorizer(norm=None, dtype=np.int32, **options))
    classifier.fit(texts, ["a", "b", "c"])
    for text in [*texts, "to be the question"]:
        best = classifier.decision_function([text]).max()
        assert classifier.explain(text).evidence == pytest.approx(best, abs=1e-9)


def test_an_open_file_is_read_once_though_its_text_has_a_surrogate():
    def files(*texts):
        return map(StringIO, texts)

    vectorizer = TextVectorizer(input="file")
    classifier = TextClassifier(vectorizer=vectorizer)
    classifier.fit(files("good morning", "bonjour les enfants"), ["en", "fr"])
    found = classifier.predict_proba(files("bonjour \ud800", "good day"))
    assert np.array_equal(found, classifier.predict_proba(files("bonjour", "good day")))

"""The analysis cuts as scikit-learn does, with and without functions of the user's."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from sklearn.feature_extraction.text import HashingVectorizer as Peer

from addhash import AdditiveHashingVectorizer, DocumentHash, HashingVectorizer
from addhash.errors import DocumentError
from addhash.text import tokens
from addhash.text.analysis import Analysis
from addhash.text.stop_words import ENGLISH
from tests.texts import SCRIPTS

TEXTS = [
    *(text for text in SCRIPTS if text.isprintable()),
    "The quick  brown\tfox, and the Élan of Ñandú: naïve café ﬁn",
    "",
    "a",
    " \n ",
]


RANGES = [(1, 1), (1, 3), (3, 3)]


def shout(text):
    return text.upper()


CORE_SETTINGS = [
    *({"analyzer": a, "ngram_range": n} for a in ("word", "char", "char_wb") for n in RANGES),
    {"stop_words": "english"},
    {"stop_words": ["the", "fox"], "ngram_range": (1, 3)},
    {"strip_accents": "unicode"},
    {"strip_accents": "ascii", "ngram_range": (2, 2)},
    {"strip_accents": "unicode", "lowercase": False, "analyzer": "char", "ngram_range": (1, 3)},
    {"token_pattern": r"\S+", "ngram_range": (2, 3)},
]
SETTINGS = [
    {"strip_accents": shout},
    {"preprocessor": shout},
    {"preprocessor": shout, "analyzer": "char_wb", "ngram_range": (2, 4)},
    {"tokenizer": str.split, "token_pattern": None},
    {"token_pattern": r"(\w)\w*"},
    {"token_pattern": r"[^ ]+", "ngram_range": (2, 3)},
    {"analyzer": str.split},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: "-".join(s))
def test_python_cuts_as_scikit_learn_does(settings):
    analysis = Analysis(**settings)
    assert not analysis.is_native
    expected = Peer(**settings).build_analyzer()
    for text in TEXTS:
        assert analysis.tokens(text) == list(expected(text))
        assert analysis.tokens(text.encode()) == list(expected(text.encode()))


@pytest.mark.parametrize("settings", CORE_SETTINGS, ids=lambda s: "-".join(map(str, s.values())))
def test_the_core_cuts_as_scikit_learn_does(settings):
    analysis = Analysis(**settings)
    assert analysis.is_native
    expected = Peer(**settings).build_analyzer()
    for text in TEXTS:
        assert [token.decode() for token in analysis.tokens(text)] == list(expected(text))


def test_the_stop_words_are_scikit_learns():
    assert ENGLISH == ENGLISH_STOP_WORDS


class Words(HashingVectorizer):
    def build_analyzer(self):
        return str.split


class Preprocessed(HashingVectorizer):
    def build_preprocessor(self):
        return shout


class Tokenized(HashingVectorizer):
    def build_tokenizer(self):
        return str.split


class Decoded(HashingVectorizer):
    def decode(self, doc):
        return "always this"


class Stopped(HashingVectorizer):
    def get_stop_words(self):
        return {"the"}


class Pairs(HashingVectorizer):
    def _word_ngrams(self, tokens, stop_words=None):
        return ["".join(tokens)]


class Letters(HashingVectorizer):
    def _char_ngrams(self, text_document):
        return list(text_document)[::2]


class Insides(HashingVectorizer):
    def _char_wb_ngrams(self, text_document):
        return text_document.split()


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        (Words, {}),
        (Preprocessed, {}),
        (Tokenized, {}),
        (Decoded, {}),
        (Stopped, {}),
        (Pairs, {}),
        (Letters, {"analyzer": "char"}),
        (Insides, {"analyzer": "char_wb"}),
    ],
)
def test_a_subclass_cuts_in_its_own_way(kind, parameters):
    """Each of scikit-learn's hooks is obeyed: the matrix is that of its own class so subclassed."""
    peer = type(kind.__name__, (Peer,), dict(vars(kind)))
    texts = ["the cat and the dog", "a bird sang", "always the same"]
    ours, theirs = kind(**parameters).transform(texts), peer(**parameters).transform(texts)
    assert (ours != theirs).nnz == 0
    assert (ours != HashingVectorizer(**parameters).transform(texts)).nnz > 0


def test_many_tokens_are_taken_in_parts(monkeypatch):
    """A batch of documents whose tokens would not fit one batch of the core gives the same."""
    vectorizer = AdditiveHashingVectorizer(stop_words="english", ngram_range=(1, 5), norm=None)
    texts = [f"some words of text number {i} and more of them" for i in range(40)]
    whole = vectorizer.transform(texts)
    counted = HashingVectorizer(stop_words="english", ngram_range=(1, 5)).transform(texts)
    monkeypatch.setattr(tokens, "BATCH_BYTES", 200)
    assert np.array_equal(vectorizer.transform(texts), whole)
    again = HashingVectorizer(stop_words="english", ngram_range=(1, 5)).transform(texts)
    assert (again != counted).nnz == 0


def test_an_analysis_can_be_copied():
    for settings in ({"analyzer": "char"}, {"stop_words": "english"}):
        analysis = Analysis(**settings)
        expected = analysis.tokens("the cat")
        for again in (pickle.loads(pickle.dumps(analysis)), copy.deepcopy(analysis)):
            assert again == analysis
            assert again.tokens("the cat") == expected


def test_what_is_not_texts_is_refused():
    pandas = pytest.importorskip("pandas")
    vectorizer = AdditiveHashingVectorizer()
    frame = pandas.DataFrame({"text": ["a", "b"], "id": [1, 2]})
    with pytest.raises(DocumentError, match=r"columns 'text', 'id'.*frame\['text'\]"):
        vectorizer.transform(frame)
    assert vectorizer.transform(frame["text"]).shape == (2, 2048)
    with pytest.raises(DocumentError, match="one dimension"):
        vectorizer.transform(np.array("abc"))
    with pytest.raises(DocumentError, match="Document 1 is masked"):
        vectorizer.transform(np.ma.array(["a", "b"], mask=[False, True]))


def as_is(tokens):
    return tokens


def test_documents_may_be_lists_of_tokens():
    documents = [["a token", "b"], ("b", "b"), []]
    for kind, theirs in (
        (HashingVectorizer, Peer),
        (AdditiveHashingVectorizer, None),
    ):
        options = {"tokenizer": as_is, "lowercase": False, "token_pattern": None}
        found = kind(n_features=64, **options).transform(documents)
        if theirs is not None:
            expected = theirs(n_features=64, **options).transform(documents)
            assert (found != expected).nnz == 0
        else:
            one = DocumentHash(64).update(["a token", "b"]).vector()
            assert np.array_equal(found[0], one)
    for missing in (None, float("nan")):
        with pytest.raises(DocumentError, match="Document 1"):
            HashingVectorizer(**options).transform([["a"], missing])


def test_no_pattern_and_no_tokenizer_are_refused():
    for kind in (HashingVectorizer, AdditiveHashingVectorizer):
        with pytest.raises(TypeError, match="'token_pattern' parameter"):
            kind(token_pattern=None).transform(["a text"])

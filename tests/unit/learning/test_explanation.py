import re
from html import unescape

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from addhash import AdditiveHashingVectorizer, TextClassifier
from addhash.errors import DocumentError, ParameterError
from addhash.text.spans import tokens_with_characters, words_with_characters
from tests.oracle import log_odds

TEXTS = ["win a prize now", "you won!! claim  it", "see you at lunch", "call me at home, İstanbul"]
LABELS = ["spam", "spam", "ham", "ham"]
PROBES = [
    "you win a prize",
    "İ  lunch at\t\thome",
    "",
    "a",
    "ab",
    "\n\n",
    "won won won won",
    "ΣΑΣ ß",
]


def words_of(text):
    return text.split()


def without_accents(text):
    return text.replace("é", "e")


VECTORIZERS = {
    "default": None,
    "words": AdditiveHashingVectorizer(),
    "word pairs": AdditiveHashingVectorizer(ngram_range=(1, 3), stop_words=["a"]),
    "a pattern with a group": AdditiveHashingVectorizer(token_pattern=r"(\w)\w*"),
    "lower-case characters": AdditiveHashingVectorizer(analyzer="char", ngram_range=(1, 4)),
    "characters in words": AdditiveHashingVectorizer(analyzer="char_wb", ngram_range=(1, 5)),
    "binary": AdditiveHashingVectorizer(analyzer="char", ngram_range=(2, 2), binary=True),
    "bits of 1 and 0": AdditiveHashingVectorizer(
        alternate_sign=False, norm=None, dtype=np.int64, token_pattern=r"\w+"
    ),
    "a key": AdditiveHashingVectorizer(key=b"secret", randomizer="aes128"),
    "a function": AdditiveHashingVectorizer(analyzer=words_of),
    "a preprocessor": AdditiveHashingVectorizer(preprocessor=without_accents),
}
UNPLACED = ("a function", "a preprocessor")


def fitted(name, method="nearest", **parameters):
    classifier = TextClassifier(method, vectorizer=VECTORIZERS[name], **parameters)
    return classifier.fit(TEXTS, LABELS)


def check_sums(why):
    """All that an explanation shows adds up to the evidence and to its margin."""
    whole, lead = why.evidence, why.evidence_margin
    tokens = sum(share.evidence for share in why.tokens) + why.prior
    assert tokens == pytest.approx(whole, abs=1e-9)
    leads = sum(share.evidence_margin for share in why.tokens) + why.prior_margin
    assert leads == pytest.approx(lead, abs=1e-9)
    assert why.characters.sum() + why.unplaced == pytest.approx(whole, abs=1e-9)
    total = why.character_margins.sum() + why.unplaced_margin
    assert total == pytest.approx(lead, abs=1e-9)
    for parts in ("words", "tokens"):
        for count in (0, 1, 3, 1000):
            rows = why.rows(count, parts)
            assert sum(row.evidence for row in rows) == pytest.approx(whole, abs=1e-9)
            assert sum(row.evidence_margin for row in rows) == pytest.approx(lead, abs=1e-9)


@pytest.mark.filterwarnings("ignore:The parameter:UserWarning")
@pytest.mark.parametrize("method", ["nearest", "centroid"])
@pytest.mark.parametrize("name", VECTORIZERS)
@pytest.mark.parametrize("text", PROBES)
def test_shares_add_up(name, method, text):
    classifier = fitted(name, method)
    why = classifier.explain(text)
    answer = classifier.predict_scores([text])[0]
    assert (why.label, why.runner_up) == (answer.label, answer.runner_up)
    # A vectorizer of float32 rounds the vectors that the score is computed from.
    exact = 1e-9 if name in ("default", "bits of 1 and 0") else 1e-6
    assert (why.score, why.margin) == (answer.score, answer.margin)
    assert why.evidence == pytest.approx(answer.score, abs=exact)
    assert why.evidence_margin == pytest.approx(answer.margin, abs=exact)
    check_sums(why)
    assert len(why.characters) == len(why.character_margins) == len(text)
    if name not in UNPLACED:
        assert why.unplaced == 0


@pytest.mark.parametrize("fit_prior", [True, False])
@pytest.mark.parametrize("text", PROBES)
def test_shares_of_bayes_add_up_with_the_prior(text, fit_prior):
    texts, labels = [*TEXTS, *TEXTS[:2]] * 3, [*LABELS, *LABELS[:2]] * 3
    classifier = TextClassifier(fit_prior=fit_prior).fit(texts, labels)
    why = classifier.explain(text)
    answer = classifier.predict_scores([text])[0]
    assert (why.label, why.score, why.margin) == (answer.label, answer.score, answer.margin)
    check_sums(why)
    decision = classifier.decision_function([text])[0]  # spam's minus ham's
    sign = 1 if why.label == "spam" else -1
    assert np.sign(why.evidence_margin) in (0, np.sign(sign * decision))


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("n_buckets", [4, 16, 1 << 20])
def test_shares_of_bayes_add_up_where_tokens_share_a_bucket(binary, n_buckets):
    vectorizer = AdditiveHashingVectorizer(analyzer="char", ngram_range=(1, 2), binary=binary)
    classifier = TextClassifier(vectorizer=vectorizer, n_buckets=n_buckets).fit(TEXTS, LABELS)
    for text in PROBES:
        why = classifier.explain(text)
        runner_up, winner = log_odds([0, why.evidence_margin])
        assert winner - runner_up == pytest.approx(abs(classifier.decision_function([text])[0]))
        check_sums(why)


def test_what_is_shown_is_the_whole_margin_even_against_the_words():
    """Nine of ten examples are ham: the prior decides against what the word says."""
    classifier = TextClassifier().fit(["a"] * 90 + ["b"] * 3 + ["ab"] * 3, ["x"] * 93 + ["y"] * 3)
    why = classifier.explain("c")
    assert why.label == "x"
    rows = why.rows()
    assert rows[-1].what == "prior"
    assert sum(row.evidence_margin for row in rows) == pytest.approx(why.evidence_margin)
    assert why.evidence_margin > 0
    for form in (str(why), why._repr_html_()):
        assert "prior and bias" in form


def test_words():
    why = fitted("default").explain("You  win, a prize! 日本")
    assert [share.text for share in why.words] == ["You", "win", ",", "a", "prize", "!", "日", "本"]
    twice = fitted("default").explain("prize a prize")
    assert [(share.text, share.occurrences) for share in twice.words] == [("prize", 2), ("a", 1)]
    assert fitted("a function").explain("win it").parts == "tokens"
    with pytest.raises(ParameterError, match=r"'parts' parameter of TextClassifier\.explain"):
        fitted("default").explain("a", parts="letters")


@settings(deadline=None, max_examples=60)
@given(text=st.text(alphabet="aB'’- é\t\n.,日ก", max_size=25))
def test_words_cover_all_but_white_space(text):
    found = words_with_characters(text)
    assert "".join(word for word, _ in found) == "".join(text.split())
    for word, span in found:
        assert text[span.start : span.stop] == word
    assert [span.start for _, span in found] == sorted(span.start for _, span in found)


def test_the_length_is_limited():
    classifier = fitted("default", "centroid")
    classifier.explain("a" * 1000)
    with pytest.raises(DocumentError, match="at most 100,000 characters to explain, got 100,001"):
        classifier.explain("a" * 100_001)


def test_frames():
    why = fitted("default").explain("win a prize")
    frame = why.to_frame()
    assert list(frame.columns) == ["what", "text", "occurrences", "evidence", "evidence_margin"]
    assert frame["evidence_margin"].sum() == pytest.approx(why.evidence_margin)
    assert set(frame["text"]) >= {"win", "a", "prize"}
    answers = fitted("default").predict_scores(["win a prize", "lunch"])
    assert answers.to_frame()["label"].tolist() == [answer.label for answer in answers]


def test_the_notebook_has_a_legend():
    page = fitted("default").explain("win a prize")._repr_html_()
    assert re.search(r"46,160,67[^>]*>for &#x27;spam&#x27;", page)
    assert re.search(r"218,54,51[^>]*>for &#x27;ham&#x27;", page)


def test_shares_are_what_a_token_adds():
    """By hand: the cosine's sum over the tokens' own vectors."""
    classifier = fitted("default")
    why = classifier.explain("prize prize")
    vectorizer = classifier.vectorizer_
    text = vectorizer.transform(["prize prize"])[0].astype(float)
    winner = vectorizer.transform([TEXTS[0]])[0].astype(float)
    for share in why.tokens:
        token = vectorizer.transform([share.text])[0].astype(float)
        part = share.occurrences * (token @ winner)
        part /= np.linalg.norm(text) * np.linalg.norm(winner)
        assert share.evidence == pytest.approx(part, abs=1e-12)
    assert {s.text: s.occurrences for s in why.tokens}["pri"] == 2


def test_a_single_class_has_no_margin():
    for method in ("nearest", "centroid"):
        why = TextClassifier(method).fit(TEXTS[:2], LABELS[:2]).explain("a prize")
        assert (why.margin, why.runner_up, why.character_margins) == (None, None, None)
        assert why.tokens[0].evidence_margin is None
        assert why.words[0].evidence_margin is None
        assert "more than" not in str(why)
        assert "<span" in why._repr_html_()


def test_kept_texts_are_told():
    why = fitted("default", keep_texts=True).explain("win the prize", n_nearest=2)
    assert why.nearest[0].text == TEXTS[0]
    assert "win a prize now" in why._repr_html_()
    assert fitted("default", "centroid").explain("win the prize").nearest == ()


def test_rejected_texts_are_explained_too():
    assert fitted("default", reject_below=0.99).explain("a prize").label == "spam"


def test_bytes_are_texts():
    assert fitted("default").explain(b"a prize").text == "a prize"


def test_text_form():
    shown = str(fitted("default").explain("a prize"))
    assert shown.startswith("'spam', score 0.")
    assert "more than for 'ham'" in shown
    assert "margin +" in shown
    assert "'prize'" in shown
    assert "'riz'" in str(fitted("default").explain("a prize", parts="tokens"))


def test_html_is_escaped():
    hostile = "<script>alert(\"x\")</script> & 'prize'"
    classifier = TextClassifier("nearest", keep_texts=True).fit([hostile, "b"], ["<b>", "&amp;"])
    page = classifier.explain(hostile)._repr_html_()
    assert "<script" not in page
    assert "<b>&" in page or "&lt;b&gt;" in page
    body = re.search(r"pre-wrap[^>]*>(.*?)</p>", page, re.S).group(1)
    assert unescape(re.sub(r"<[^>]*>", "", body)) == hostile
    allowed = {"div", "p", "b", "span", "ol", "li", "table", "tr", "th", "td"}
    assert set(re.findall(r"</?(\w+)", page)) <= allowed


CUTS = [
    {"analyzer": "char", "ngram_range": (1, 3)},
    {"analyzer": "char", "ngram_range": (3, 3), "lowercase": False},
    {"analyzer": "char_wb", "ngram_range": (1, 4)},
    {"analyzer": "char_wb", "ngram_range": (3, 3)},
    {"analyzer": "word", "ngram_range": (1, 2)},
    {"analyzer": "word", "ngram_range": (2, 3), "token_pattern": r"[^ ]+"},
]


@pytest.mark.parametrize("cut", CUTS, ids=str)
@settings(deadline=None, max_examples=60)
@given(text=st.text(alphabet="aBcİΣß é\t\n\u2003.,日", max_size=25))
def test_every_token_is_placed(cut, text):
    vectorizer = AdditiveHashingVectorizer(**cut)
    placed = tokens_with_characters(vectorizer.analysis(), text)
    assert all(positions for _, positions in placed)
    assert [token for token, _ in placed] == list(vectorizer.build_analyzer()(text))
    for token, positions in placed:
        assert positions
        assert all(0 <= at < len(text) for at in positions)
        if not vectorizer.lowercase and cut["analyzer"] == "char" and not re.search(r"\s", token):
            assert "".join(text[at] for at in positions) == token

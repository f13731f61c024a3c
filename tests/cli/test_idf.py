"""`addhash idf` and the option --idf."""

import numpy as np
import pytest

from addhash import AdditiveHashingVectorizer, DocumentFrequencies, TextClassifier
from tests.cli.program import call, fails

TEXTS = ["win a prize now", "claim a free prize", "see you at lunch", "are you at home?"]
LABELS = ["spam", "spam", "ham", "ham"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "texts.txt").write_text("".join(f"{text}\n" for text in TEXTS))
    rows = zip(LABELS, TEXTS, strict=True)
    (tmp_path / "train.csv").write_text("label,text\n" + "".join(f"{a},{b}\n" for a, b in rows))
    idf = ("idf", tmp_path / "texts.txt", "-o", tmp_path / "texts.idf", "--ngrams", "1-3")
    assert call(*idf)[0] == 0
    return tmp_path


def expected_vectorizer(folder, **settings):
    return AdditiveHashingVectorizer(
        analyzer="char",
        ngram_range=(1, 3),
        lowercase=False,
        weights=DocumentFrequencies.load(folder / "texts.idf"),
        sublinear_tf=True,
        **settings,
    )


def test_counts_are_those_of_python(folder):
    counts = DocumentFrequencies.load(folder / "texts.idf")
    assert counts.n_documents == len(TEXTS)
    assert counts.counts(["a", "you", "zzz"]).tolist() == [4, 2, 0]


@pytest.mark.parametrize("method", ["nearest", "centroid"])
def test_fit_weighs(folder, method):
    model = folder / "a.model"
    options = ("--method", method, "--idf", folder / "texts.idf", "--ngrams", "1-3")
    assert call("fit", folder / "train.csv", "-o", model, *options)[0] == 0
    vectorizer = expected_vectorizer(folder, norm=None, dtype=np.int32)
    expected = TextClassifier(method, vectorizer=vectorizer).fit(TEXTS, LABELS)
    assert TextClassifier.load(model).digest() == expected.digest()


def test_vectorize_weighs(folder):
    out = folder / "vectors.npy"
    options = ("--idf", folder / "texts.idf", "--ngrams", "1-3")
    assert call("vectorize", folder / "texts.txt", "-o", out, *options)[0] == 0
    assert np.array_equal(np.load(out), expected_vectorizer(folder).transform(TEXTS))


def test_what_does_not_fit_is_refused(folder):
    idf = folder / "texts.idf"
    fit = ("fit", folder / "train.csv", "-o", folder / "a.model")
    assert "--method nearest and centroid" in fails(*fit, "--idf", idf, code=2)
    said = fails(*fit, "--method", "nearest", "--idf", idf, code=2)
    assert "--idf must come from texts tokenized the same way" in said
    assert "ngram_range ([1, 3] and [3, 3])" in said
    said = fails("vectorize", folder / "texts.txt", "-o", folder / "v.npz", "--method", "ht",
                 "--idf", idf, code=2)  # fmt: skip
    assert "--method ah" in said
    again = ("idf", folder / "texts.txt", "-o", idf)
    assert "exists" in fails(*again, code=2)
    assert "the file that this command writes" in fails(*again, "--force", "--idf", idf, code=2)
    assert call(*again, "--force")[0] == 0
    assert fails(*fit, "--method", "nearest", "--idf", folder / "train.csv")

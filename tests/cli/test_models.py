"""Models from the shell are those of the Python API, byte for byte."""

import csv
import json
import re

import numpy as np
import pytest

from addhash import AdditiveHashingVectorizer, Index, TextClassifier
from addhash.hashing.vectorizer import TextVectorizer
from addhash.sample import load_languages, load_messages
from tests.cli.program import fails, run, works

TEXTS, LABELS = load_languages()
UNSEEN = ["Where is my hat?", "Wo ist mein Hut?", "Où est mon chapeau ?"]
HUNGARIAN = ["Jó reggelt kívánok!", "Hol van a kalapom?"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    works("demo", "--sample", folder)
    works(
        "fit",
        folder / "languages.tsv",
        "-o",
        folder / "nearest.model",
        "--method",
        "nearest",
        "--keep-texts",
    )
    works("fit", folder / "languages.tsv", "-o", folder / "centroid.model", "--method", "centroid")
    return folder


@pytest.fixture(params=["nearest", "centroid"])
def model(request, folder, tmp_path):
    """A copy of each kind of model, named after its method."""
    path = tmp_path / f"{request.param}.model"
    path.write_bytes((folder / path.name).read_bytes())
    return path


def rows(output):
    return [json.loads(line) for line in output.splitlines()]


def in_python(method):
    return TextClassifier(method, keep_texts=method == "nearest").fit(TEXTS, LABELS)


def test_fit_writes_the_file_of_the_api(model, tmp_path):
    in_python(model.stem).save(tmp_path / "expected")
    assert model.read_bytes() == (tmp_path / "expected").read_bytes()


def test_fit_in_many_batches_is_fit_at_once(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("addhash.cli.input.documents.LOT_DOCUMENTS", 7)
    monkeypatch.setattr("addhash.tables.documents.BATCH_DOCUMENTS", 5)
    works(
        "fit", folder / "languages.tsv", "-o", tmp_path / "m", "--method", "nearest", "--keep-texts"
    )
    assert (tmp_path / "m").read_bytes() == (folder / "nearest.model").read_bytes()


def test_fit_is_bayes_and_the_file_of_the_api(folder, tmp_path, monkeypatch):
    texts, labels = load_messages()
    assert len(texts) >= 100  # enough to choose by
    works("fit", folder / "messages.tsv", "-o", tmp_path / "m")
    TextClassifier().fit(texts, labels).save(tmp_path / "api")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "api").read_bytes()
    options = "--analyzer word --features 4096 --keep-case"
    works("fit", folder / "messages.tsv", "-o", tmp_path / "w", *options.split())
    word = TextVectorizer(
        analyzer="word", ngram_range=(1, 2), lowercase=False, norm=None, dtype=np.int32
    )
    classifier = TextClassifier(vectorizer=word, n_buckets=4096).fit(texts, labels)
    assert TextClassifier.load(tmp_path / "w").digest() == classifier.digest()


@pytest.mark.parametrize("method", ["bayes", "nearest", "centroid"])
def test_evaluate_by_leaving_one_out(folder, tmp_path, method):
    texts, labels = load_messages()
    works("fit", folder / "messages.tsv", "-o", tmp_path / "m", "--method", method)
    shown = works("evaluate", tmp_path / "m", folder / "messages.tsv", "--leave-one-out")
    expected = TextClassifier.load(tmp_path / "m").leave_one_out(texts, labels)
    first = shown.splitlines()[0].split("\t")
    assert (first[0], int(first[4])) == ("accuracy", len(texts))
    assert float(first[3]) == pytest.approx(expected.accuracy, abs=1e-6)
    rejecting = ["--leave-one-out", "--reject-below", "0.999"]
    works("evaluate", tmp_path / "m", folder / "messages.tsv", *rejecting)
    (tmp_path / "new.csv").write_text("text,label\nnever seen,nobody\n")
    message = fails("evaluate", tmp_path / "m", tmp_path / "new.csv", "--leave-one-out")
    assert "nobody" in message


def test_fit_with_other_options(folder, tmp_path):
    options = "--method nearest --analyzer word --ngrams 1-2 --features 256 --lowercase"
    options += " --randomizer aes128"
    works("fit", folder / "messages.tsv", "-o", tmp_path / "m", *options.split())
    vectorizer = AdditiveHashingVectorizer(
        ngram_range=(1, 2), n_features=256, randomizer="aes128", norm=None, dtype=np.int32
    )
    expected = TextClassifier("nearest", vectorizer=vectorizer).fit(*load_messages())
    expected.save(tmp_path / "expected")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "expected").read_bytes()


def test_predict(model):
    stdin = "\n".join(UNSEEN) + "\n"
    expected = in_python(model.stem).predict_scores(UNSEEN)
    answers = rows(works("predict", model, "-", "--format", "jsonl", stdin=stdin))
    assert answers == [{"label": e.label, "score": e.score, "margin": e.margin} for e in expected]
    lines = works("predict", model, "-", "--format", "tsv", stdin=stdin).splitlines()
    assert lines == [f"{e.label}\t{e.score:.6f}\t{e.margin:.6f}" for e in expected]
    labels = works("predict", model, "-", "--labels-only", stdin=stdin).splitlines()
    assert labels == [e.label for e in expected]


def test_predict_to_a_file(model, tmp_path):
    (tmp_path / "in.txt").write_text("\n".join(UNSEEN) + "\n", encoding="utf-8")
    out = tmp_path / "out.csv"
    assert works("predict", model, tmp_path / "in.txt", "-o", out, "--keep-columns", "text") == ""
    lines = out.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "text,label,score,margin"
    assert len(lines) == 4
    assert lines[1].startswith("Where is my hat?,English,")


def test_values_with_tabs_and_lines_stay_one_line(folder):
    stdin = '{"text": "one\\ttwo\\nthree\\\\n"}\n'
    shown = works(
        "predict", folder / "centroid.model", "-", "--input-format", "jsonl", stdin=stdin,
    )  # fmt: skip
    assert shown.split("\t")[0] == "one\\ttwo\\nthree\\\\n"


def test_a_rejected_text_has_no_label(folder, tmp_path):
    works("fit", folder / "languages.tsv", "-o", tmp_path / "m", "--reject-below", "0.9")
    answer = works("predict", tmp_path / "m", "-", stdin="xyzzy\n")
    assert answer.startswith("\t")
    assert rows(works("predict", tmp_path / "m", "-", "--format", "jsonl", stdin="xyzzy\n"))[0][
        "label"
    ] is None  # fmt: skip


def test_evaluate(model, folder):
    sample = folder / "messages.tsv"
    works("fit", sample, "-o", model, "--method", model.stem, "--lowercase", "--force")
    classifier = TextClassifier.load(model)
    texts, labels = load_messages()
    measures = rows(works("evaluate", model, sample, "--format", "jsonl"))
    assert measures[0] == {
        "measure": "accuracy",
        "class": "",
        "answer": "",
        "value": classifier.score(texts, labels),
        "documents": 150,
    }
    found = {(m["measure"], m["class"]): m["value"] for m in measures}
    answers = classifier.predict(texts).tolist()
    for name in ("ham", "spam"):
        right = sum(a == b == name for a, b in zip(answers, labels, strict=True))
        assert found["recall", name] == right / labels.count(name)
        assert found["precision", name] == right / answers.count(name)


def test_evaluate_shows_what_is_confused(folder, tmp_path):
    works("fit", "-", "-o", tmp_path / "m", "--input-format", "csv",
          stdin="text,label\naaaa,a\nbbbb,b\n")  # fmt: skip
    test = "text,label\naaaa,a\naaaa,b\naaa,b\nbbbb,b\n"
    options = ["--input-format", "csv", "--format", "tsv"]
    lines = works("evaluate", tmp_path / "m", "-", *options, stdin=test).splitlines()
    assert lines[0] == "accuracy\t\t\t0.500000\t4"
    assert lines[-1] == "confused\tb\ta\t0.500000\t2"


def test_evaluate_refuses_labels_that_the_model_does_not_know(folder, tmp_path):
    works("fit", "-", "-o", tmp_path / "m", "--input-format", "csv",
          stdin="text,label\naaaa,a\nbbbb,b\n")  # fmt: skip
    test, options = "text,label\naaaa,a\nbbbb,z\n", ["--input-format", "csv", "--format", "tsv"]
    message = fails("evaluate", tmp_path / "m", "-", *options, stdin=test)
    assert "does not know the label 'z'; it knows 'a', 'b'" in message
    assert "--allow-unknown" in message
    lines = works("evaluate", tmp_path / "m", "-", *options, "--allow-unknown", stdin=test)
    assert lines.splitlines()[0] == "accuracy\t\t\t0.500000\t2"


@pytest.mark.parametrize("method", ["bayes", "nearest", "centroid"])
def test_suspects_are_those_of_the_library(folder, tmp_path, method):
    texts, labels = load_messages()
    labels[3] = "spam" if labels[3] == "ham" else "ham"
    source = tmp_path / "wrong.csv"
    with source.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("text", "label"), *zip(texts, labels, strict=True)])
    works("fit", source, "-o", tmp_path / "m", "--method", method)
    expected = TextClassifier.load(tmp_path / "m").suspects(texts, labels)
    assert 3 in [suspect.position for suspect in expected]
    found = rows(works("evaluate", tmp_path / "m", source, "--suspects", "--format", "jsonl"))
    assert [row["at_record"] - 1 for row in found] == [s.position for s in expected]
    assert [row["predicted_label"] for row in found] == [s.answer for s in expected]
    assert [row["text"] for row in found] == [s.text for s in expected]
    works("evaluate", tmp_path / "m", source, "--suspects", "-o", tmp_path / "doubtful.csv")
    with (tmp_path / "doubtful.csv").open(newline="", encoding="utf-8") as file:
        assert [row["text"] for row in csv.DictReader(file)] == [s.text for s in expected]
    assert "goes with --suspects" in fails(
        "evaluate", tmp_path / "m", source, "-o", tmp_path / "x.csv", code=2
    )


def test_evaluate_finds_a_threshold_for_an_error(folder, tmp_path):
    texts, labels = load_messages()
    works("fit", folder / "messages.tsv", "-o", tmp_path / "m", "--method", "centroid")
    point = TextClassifier.load(tmp_path / "m").choose_rejection(texts, labels, 0.02)
    found = rows(works("evaluate", tmp_path / "m", folder / "messages.tsv", "--leave-one-out",
                       "--max-error", "0.02", "--format", "jsonl"))  # fmt: skip
    (row,) = [row for row in found if row["measure"] == "reject-below for the error"]
    assert row["value"] == pytest.approx(point.threshold)
    assert row["documents"] == round(point.coverage * len(texts))


def test_learn_then_forget_gives_the_same_file(model):
    before = model.read_bytes()
    stdin = "\n".join(HUNGARIAN) + "\n"
    works("learn", model, "-", "--label", "Hungarian", stdin=stdin)
    assert works("predict", model, "-", "--labels-only", stdin=HUNGARIAN[1]) == "Hungarian\n"
    expected = in_python(model.stem).learn(HUNGARIAN, ["Hungarian"] * 2)
    learnt = model.read_bytes()
    expected.save(model)
    assert model.read_bytes() == learnt
    works("forget", model, "-", "--label", "Hungarian", stdin=stdin)
    assert model.read_bytes() == before


def test_learn_to_another_file(model, tmp_path):
    before = model.read_bytes()
    works("learn", model, "-", "--label", "x", "-o", tmp_path / "other", stdin="x y z\n")
    assert model.read_bytes() == before
    assert (tmp_path / "other").read_bytes() != before


def test_what_was_never_learnt_cannot_be_forgotten(model):
    before = model.read_bytes()
    assert fails("forget", model, "-", "--label", "Welsh", stdin="bore da\n")
    assert model.read_bytes() == before


def test_many_classes_of_one_example_are_nothing_to_warn_of(tmp_path):
    rows = "".join(f"word{i},label{i}\n" for i in range(60))
    stdin = "text,label\n" + rows
    done = run("fit", "-", "-o", tmp_path / "m", "--input-format", "csv", stdin=stdin)
    assert done.err == ""


def test_merge(folder, tmp_path):
    lines = (folder / "languages.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    for i in range(3):
        part = tmp_path / f"{i}.tsv"
        part.write_text(lines[0] + "".join(lines[1 + i :: 3]), encoding="utf-8")
        works("fit", part, "-o", tmp_path / f"{i}.model", "--method", "nearest", "--keep-texts")
    parts = [tmp_path / f"{i}.model" for i in (2, 0, 1)]
    works("merge", *parts, "-o", tmp_path / "all.model")
    merged, whole = (
        TextClassifier.load(m) for m in (tmp_path / "all.model", folder / "nearest.model")
    )
    assert merged.digest() == whole.digest()
    more = merged.tune(TEXTS, LABELS)
    more.save(tmp_path / "tuned.model")
    assert (tmp_path / "tuned.model").read_bytes() == (folder / "nearest.model").read_bytes()


def test_merge_refuses_other_settings(folder, tmp_path):
    models = [folder / "nearest.model", folder / "centroid.model"]
    assert "method" in fails("merge", *models, "-o", tmp_path / "m")
    assert not (tmp_path / "m").exists()
    assert "at least two" in fails("merge", models[0], "-o", tmp_path / "m", code=2)


def test_explain(model):
    text = "Where is my hat?"
    expected = in_python(model.stem).explain(text)
    found = rows(works("explain", model, text, "--top", "1000", "--format", "jsonl"))
    assert found[0] == {
        "what": "answer",
        "label": expected.label,
        "text": text,
        "times": None,
        "score": expected.score,
        "margin": expected.margin,
        "evidence": expected.evidence,
        "evidence_margin": expected.evidence_margin,
    }
    assert (found[1]["what"], found[1]["label"]) == ("runner-up", expected.runner_up)
    assert found[1]["score"] == pytest.approx(expected.score - expected.margin)
    shares = [row for row in found if row["what"] in ("word", "others", "prior")]
    assert sum(row["what"] == "word" for row in shares) == len(expected.words)
    total = sum(share["evidence"] for share in shares)
    assert total == pytest.approx(expected.evidence)
    assert sum(s["evidence_margin"] for s in shares) == pytest.approx(expected.evidence_margin)
    tokens = works(
        "explain", model, text, "--top", "1000", "--format", "jsonl", "--parts", "tokens"
    )
    listed = [row for row in rows(tokens) if row["what"] == "token"]
    assert len(listed) == len(expected.tokens)
    nearest = [(row["label"], row["score"], row["text"]) for row in found[2 + len(shares) :]]
    assert nearest == [(near.label, near.score, near.text) for near in expected.nearest]
    assert len(nearest) == (3 if model.stem == "nearest" else 0)
    lines = works("explain", model, "-", "--top", "1", stdin=text).splitlines()
    assert [line.split("\t")[0] for line in lines[:3]] == ["answer", "runner-up", "word"]


@pytest.mark.parametrize("kind", ["texts", "index"])
def test_search(folder, kind):
    path = folder / "languages.tsv"
    if kind == "index":
        path = folder / "languages.index"
        works("vectorize", folder / "languages.tsv", "-o", path)
    found = rows(works("search", path, "a cup of coffee", "-k", "3", "--format", "jsonl"))
    vectorizer = AdditiveHashingVectorizer(
        analyzer="char", ngram_range=(3, 3), lowercase=False, dtype=np.float64
    )
    scores = vectorizer.transform(TEXTS) @ vectorizer.transform(["a cup of coffee"])[0]
    best = np.argsort(-scores, kind="stable")[:3].tolist()
    assert [row["line"] for row in found] == [i + 2 for i in best]
    assert [row["score"] for row in found] == pytest.approx(scores[best].tolist())
    if kind == "texts":
        assert [row["text"] for row in found] == [TEXTS[i] for i in best]


def test_search_for_many(folder):
    stdin = "coffee\nKaffee\n"
    found = rows(
        works("search", folder / "languages.tsv", "-", "-k", "2", "--format", "jsonl", stdin=stdin)
    )
    assert [row["query"] for row in found] == [1, 1, 2, 2]
    assert "Kaffee" in found[2]["text"]


def test_inspect(folder, tmp_path):
    def facts(*arguments):
        lines = works("inspect", *arguments).splitlines()
        return dict(line.split("\t") for line in lines)

    found = facts(folder / "centroid.model")
    assert (found["holds"], found["method"], found["classes"]) == (
        "TextClassifier",
        "centroid",
        "12",
    )
    index = Index(8)
    index.add(np.eye(8, dtype=np.int32))
    index.save(tmp_path / "i.index")
    assert facts(tmp_path / "i.index")["vectors"] == "8"
    found = facts(folder / "messages.tsv")
    assert found["documents"] == "150"
    assert (found["class ham"], found["class spam"]) == ("90", "60")
    works("vectorize", folder / "messages.tsv", "-o", tmp_path / "v.npy", "--features", "8")
    assert facts(tmp_path / "v.npy")["shape"] == "[150, 8]"


@pytest.mark.parametrize("command", ["predict", "evaluate", "learn", "forget"])
def test_a_file_that_is_no_model(folder, tmp_path, command):
    sample = folder / "messages.tsv"
    (tmp_path / "empty").touch()
    (tmp_path / "copy.tsv").write_bytes(sample.read_bytes())
    for path in (tmp_path / "copy.tsv", tmp_path / "empty"):
        message = fails(command, path, sample)
        assert message.startswith(f"{path} is not a TextClassifier that addhash saved")
        assert message.endswith("Make one with: addhash fit TRAIN -o MODEL")
    assert "there is no such file" in fails(command, tmp_path / "none.model", sample)
    assert "it is a directory" in fails(command, tmp_path, sample)


def test_other_models_are_named(folder, tmp_path):
    index = Index(8)
    index.save(tmp_path / "i.index")
    assert "'Index'" in fails("predict", tmp_path / "i.index", folder / "messages.tsv")
    assert "'TextClassifier'" in fails("search", copy_as_index(folder, tmp_path), "query")


def copy_as_index(folder, tmp_path):
    path = tmp_path / "model.index"
    path.write_bytes((folder / "centroid.model").read_bytes())
    return path


def test_a_read_only_model_is_not_changed(model):
    model.chmod(0o444)
    assert "it is read-only" in fails("learn", model, "-", "--label", "x", stdin="x\n")
    assert "its folder does not exist" in fails("fit", "-", "-o", "/none/m", stdin="x\n")


def test_labels_are_needed(folder, tmp_path):
    (tmp_path / "texts.txt").write_text("a\nb\n")
    message = fails("fit", tmp_path / "texts.txt", "-o", tmp_path / "m", code=2)
    assert "contains texts but no labels" in message
    assert "--labels FILE" in message
    stdin = "text,label\nfine,x\nnone,\n"
    message = fails("fit", "-", "-o", tmp_path / "m", "--input-format", "csv", stdin=stdin)
    assert message.startswith("standard input, line 3: expected a label")
    assert "Give only one of them" in fails(
        "learn", folder / "nearest.model", "-", "--label", "x", "--label-column", "y", code=2
    )


def test_demo():
    shown = run("demo").out
    assert "The model's file before and after is the same, byte for byte." in shown
    for language in ("English", "German", "French", "Spanish", "Finnish", "Turkish"):
        assert f"   {language}" in shown
    assert re.search(r"Hungarian +[01]\.\d\d  after learning", shown)
    assert not re.search(r"Hungarian +[01]\.\d\d  after forgetting", shown)
    assert "0.7778  -0.1737  -0.2583" in shown
    assert "0.7303   0.0000   0.0000" in shown
    words = [word for word in shown.split() if word.strip("+#-=")]
    assert len(words) < 260  # read in under a minute

"""Answers with reasons: neighbours, rejection and what it costs, and messages that help."""

import json

import pytest

from addhash import TextClassifier
from addhash.sample import load_messages
from tests.cli.program import call, fails, run, works

TEXTS, LABELS = load_messages()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("answers")
    works("demo", "--sample", folder)
    works("fit", folder / "messages.tsv", "-o", folder / "m", "--method", "centroid")
    works("fit", folder / "messages.tsv", "-o", folder / "near", "--method", "nearest")
    return folder


def objects(output):
    return [json.loads(line) for line in output.splitlines()]


def test_neighbours_vote(folder, tmp_path):
    works(
        "fit",
        folder / "messages.tsv",
        "-o",
        tmp_path / "m",
        "--method",
        "nearest",
        "--neighbors",
        "3",
    )
    TextClassifier("nearest", n_neighbors=3).fit(TEXTS, LABELS).save(tmp_path / "expected")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "expected").read_bytes()
    assert "neighbors\t3\n" in works("inspect", tmp_path / "m")
    assert "--neighbors is for --method nearest" in fails(
        "fit", folder / "messages.tsv", "-o", tmp_path / "x", "--neighbors", "3",
        "--method", "centroid", code=2,
    )  # fmt: skip
    assert "--neighbors" in fails(
        "fit", folder / "messages.tsv", "-o", tmp_path / "x", "--neighbors", "0", code=2
    )


def test_rejection_is_chosen_when_predicting(folder, tmp_path):
    source = folder / "messages.tsv"
    options = ["--format", "jsonl", "--keep-columns", "none"]
    scores = objects(works("predict", folder / "m", source, *options))
    for option, column, threshold in (
        ("--reject-below", "score", 0.3),
        ("--reject-margin", "margin", 0.1),
    ):
        rejected = [row[column] < threshold for row in scores]
        assert 0 < sum(rejected) < len(scores)
        found = objects(works("predict", folder / "m", source, *options, option, threshold))
        assert [row["label"] is None for row in found] == rejected
        assert [row["score"] for row in found] == [row["score"] for row in scores]
        labels = works("predict", folder / "m", source, "--labels-only", option, threshold)
        assert [label == "" for label in labels.split("\n")[:-1]] == rejected


def test_a_threshold_of_the_model_can_be_moved(folder, tmp_path):
    works("fit", folder / "messages.tsv", "-o", tmp_path / "m", "--reject-below", "0.99")
    text = "quantum chromodynamics\n"
    assert works("predict", tmp_path / "m", "-", "--labels-only", stdin=text) == "\n"
    label = works("predict", tmp_path / "m", "-", "--labels-only", "--reject-below", "-1",
                  stdin=text)  # fmt: skip
    assert label in ("ham\n", "spam\n")
    explained = objects(works("explain", tmp_path / "m", text.strip(), "--format", "jsonl"))
    assert explained[0]["label"] in ("ham", "spam")
    measures = objects(
        works("evaluate", tmp_path / "m", folder / "messages.tsv", "--format", "jsonl")
    )
    assert measures[0]["measure"] == "accuracy"


def test_what_rejecting_costs(folder):
    source = folder / "messages.tsv"
    rows = objects(works("evaluate", folder / "m", source, "--format", "jsonl"))
    answers = TextClassifier.load(folder / "m").predict_scores(TEXTS)
    for name, value in (("reject-below", "score"), ("reject-margin", "margin")):
        found = [row for row in rows if row["measure"] == f"error with {name}"]
        assert len(found) >= 5
        for row in found:
            kept = [
                answer.label == truth
                for answer, truth in zip(answers, LABELS, strict=True)
                if round(getattr(answer, value), 4) >= float(row["answer"])
            ]
            assert row["documents"] == pytest.approx(len(kept), abs=1)
            assert row["value"] == pytest.approx(kept.count(False) / len(kept), abs=0.01)


@pytest.mark.parametrize("command", ["predict", "evaluate", "learn"])
def test_swapped_arguments_are_noticed(folder, tmp_path, command):
    (tmp_path / "texts.csv").write_text("text,label\na,b\n")
    message = fails(command, tmp_path / "texts.csv", folder / "m", code=2)
    assert message.endswith(f"is not a model, but {folder / 'm'} is one. Name the model first.")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "nearest", "--features", "12"], "--features must be a multiple of 8"),
        (["--ngrams", "99999999999999999999"], "--ngrams must be a number such as 3"),
        (["--features", "0"], "--features must be an integer from 1"),
        (["--randomizer", "shake256"], "--randomizer is for --method nearest and centroid"),
        (["--label", ""], "No such option: --label"),
    ],
)
def test_messages_name_the_options(folder, tmp_path, options, message):
    assert message in fails("fit", folder / "messages.tsv", "-o", tmp_path / "m", *options, code=2)


def test_a_label_has_to_be_a_name(folder):
    before = (folder / "m").read_bytes()
    for label in ("", "  "):
        assert "--label must be a name" in fails(
            "learn", folder / "m", "-", "--label", label, stdin="x\n", code=2
        )
    assert (folder / "m").read_bytes() == before


def test_a_result_that_is_too_large(tmp_path):
    (tmp_path / "in.txt").write_text("a text of some words\n" * 50)
    message = fails("vectorize", tmp_path / "in.txt", "-o", tmp_path / "x.npy", "--method", "ht",
                    "--features", "2147483647")  # fmt: skip
    assert "not enough memory" in message


def test_texts_without_tokens_are_pointed_out():
    code, out, err = call("similarity", "hi", "hi")
    assert (code, out) == (0, "0.000000\n")
    assert err.splitlines() == [
        "A has no tokens, so nothing can be compared: it is shorter than one token."
        " Use smaller --ngrams.",
        "B has no tokens, so nothing can be compared: it is shorter than one token."
        " Use smaller --ngrams.",
    ]
    assert call("similarity", "hi", "hi", "--ngrams", "1") == (0, "1.000000\n", "")
    _, _, err = call("similarity", "", "some text")
    assert err == "A has no tokens, so nothing can be compared: it is empty.\n"


def test_a_query_without_tokens_is_pointed_out(tmp_path):
    (tmp_path / "in.txt").write_text("a text of some words\n")
    for query in ("", "hi"):
        code, out, err = call("search", tmp_path / "in.txt", query)
        assert (code, out) == (0, "0.000000\t1\ta text of some words\n")
        assert err == "Every score is 0: the query, or every text, has no tokens.\n"
    assert call("search", tmp_path / "in.txt", "words")[2] == ""


def test_an_index_knows_its_hashing(folder, tmp_path):
    index = tmp_path / "x.index"
    options = ["--analyzer", "word", "--lowercase"]
    works("vectorize", folder / "messages.tsv", "-o", index, *options)
    query = TEXTS[0].upper()
    (hit,) = objects(works("search", index, query, "-k", "1", "--format", "jsonl"))
    assert hit == {"score": pytest.approx(1), "line": 2, "text": TEXTS[0]}
    message = fails("search", index, query, *options, code=2)
    assert "knows how its texts were hashed" in message
    works("vectorize", folder / "messages.tsv", "-o", tmp_path / "y.index", *options,
          "--keep-columns", "none")  # fmt: skip
    (hit,) = objects(works("search", tmp_path / "y.index", query, "-k", "1", "--format", "jsonl"))
    assert hit == {"score": pytest.approx(1), "line": 2}


def test_inspect_shows_counts_settings_size_and_digest(folder):
    facts = dict(line.split("\t") for line in works("inspect", folder / "m").splitlines())
    classifier = TextClassifier.load(folder / "m")
    assert facts["examples"] == "150"
    assert (facts["class ham"], facts["class spam"]) == ("90", "60")
    assert facts["bytes"] == str((folder / "m").stat().st_size)
    assert len(facts["digest"]) == 64
    assert (facts["method"], facts["analyzer"], facts["n-grams"]) == ("centroid", "char", "3-3")
    assert classifier.class_counts_.tolist() == [90, 60]


def test_what_is_written_down_about_a_model(folder, tmp_path):
    options = ["--about", "license=CC0", "--about", "source=a = b"]
    works("fit", folder / "messages.tsv", "-o", tmp_path / "m", *options)
    works("learn", tmp_path / "m", "-", "--label", "ham", stdin="more text\n")
    facts = dict(line.split("\t") for line in works("inspect", tmp_path / "m").splitlines())
    assert (facts["about: license"], facts["about: source"]) == ("CC0", "a = b")
    assert "--about must be a name and a text" in fails(
        "fit", folder / "messages.tsv", "-o", tmp_path / "x", "--about", "CC0", code=2
    )


def test_an_index_knows_what_its_ids_are(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["text"], ["a text"], ["more words"]):
        book.active.append(row)
    book.save(tmp_path / "in.xlsx")
    works("vectorize", tmp_path / "in.xlsx", "-o", tmp_path / "x.index")
    (hit,) = objects(works("search", tmp_path / "x.index", "more", "-k", "1", "--format", "jsonl"))
    assert (hit["row"], hit["text"]) == (3, "more words")


HEAVY = ["sklearn", "scipy", "pandas"]


@pytest.mark.parametrize("command", ["predict", "inspect", "learn", "search", "missing"])
def test_nothing_heavy_is_loaded(folder, tmp_path, command):
    import subprocess
    import sys

    (tmp_path / "m").write_bytes((folder / "m").read_bytes())
    (tmp_path / "in.txt").write_text("a text\n")
    arguments = {
        "predict": ["predict", tmp_path / "m", tmp_path / "in.txt"],
        "inspect": ["inspect", tmp_path / "m"],
        "learn": ["learn", tmp_path / "m", tmp_path / "in.txt", "--label", "x"],
        "search": ["search", tmp_path / "in.txt", "a text"],
        "missing": ["predict", tmp_path / "m", tmp_path / "none.txt"],
    }[command]
    code = f"""
import sys
from addhash.cli import main
sys.argv = {["addhash", *map(str, arguments)]!r}
try:
    main()
except SystemExit as stop:
    code = stop.code
print("LOADED", code, sorted({set(HEAVY)!r} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    expected = 1 if command == "missing" else 0
    assert done.stdout.splitlines()[-1] == f"LOADED {expected} []"


def test_a_missing_file_is_said_at_once():
    assert "there is no such file" in run("predict", "none.model", "none.txt", code=1).err

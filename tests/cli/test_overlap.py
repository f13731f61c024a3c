"""`addhash overlap`, as a user runs it."""

import csv
import json

import pytest

from tests.cli.program import call

TESTS = ["What is the capital of Norway?", "How many trams are there in Oslo?", "Why?"]
TEXTS = ["It rains.", "Quiz: what is the capital of Sweden?", "HOW MANY TRAMS are there in Oslo"]


@pytest.fixture
def files(tmp_path):
    for name, column, texts in [
        ("train.jsonl", "body", TEXTS[:2]),
        ("more.jsonl", "body", TEXTS[2:]),
        ("test.jsonl", "question", TESTS),
    ]:
        lines = "".join(json.dumps({column: text, "n": 1}) + "\n" for text in texts)
        (tmp_path / name).write_text(lines)
    return tmp_path / "train.jsonl", tmp_path / "more.jsonl", tmp_path / "test.jsonl"


def ok(train, test, *arguments):
    columns = ("--text-column", "body", "--test-column", "question", "--ngrams", "3")
    code, out, err = call("overlap", *train, "--test", test, *columns, *arguments)
    assert code == 0, err
    assert out == ""
    return err


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_shares_places_and_rows_to_drop(files, tmp_path):
    *train, test = files
    before = [path.read_bytes() for path in files]
    tests, rows = tmp_path / "tests.csv", tmp_path / "rows.csv"
    err = ok(train, test, "-o", tests, "--rows", rows)
    assert [path.read_bytes() for path in files] == before
    assert "2 of 3 test items share n-grams with 2 of 3 texts." in err
    assert f"  {train[0]}: 1 of 2 rows to drop" in err
    assert f"  {train[1]}: 1 of 1 rows to drop" in err
    assert "1 test items have fewer than 3 words" in err
    shown = read(tests)
    assert [(row["row"], row["ngrams"], row["held"]) for row in shown] == [
        ("1", "4", "3"),
        ("2", "5", "5"),
        ("3", "0", "0"),
    ]
    assert [row["share"] for row in shown] == ["0.750000", "1.000000", ""]
    assert [(row["in_file"], row["in_row"], row["start"], row["end"]) for row in shown] == [
        (str(train[0]), "2", "6", "28"),
        (str(train[1]), "1", "0", "32"),
        ("", "", "", ""),
    ]
    assert [(row["file"], row["row"], row["test_row"]) for row in read(rows)] == [
        (str(train[0]), "2", "1"),
        (str(train[1]), "1", "2"),
    ]


def test_least_share(files, tmp_path):
    *train, test = files
    rows = tmp_path / "rows.csv"
    ok(train, test, "--rows", rows, "--least", "0.8")
    assert [row["file"] for row in read(rows)] == [str(train[1])]
    ok(train, test, "--match-case", "-o", tmp_path / "tests.csv")
    assert [row["held"] for row in read(tmp_path / "tests.csv")] == ["2", "2", "0"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--ngrams", "0"], "--ngrams"),
        (["--least", "2"], "--least"),
        (["-o", "train.jsonl"], "train.jsonl"),
        (["-o", "test.jsonl"], "test.jsonl"),
        (["--test-column", "nowhere"], "nowhere"),
    ],
)
def test_refused(files, tmp_path, options, message, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = [path.read_bytes() for path in files]
    columns = [] if "--test-column" in options else ["--test-column", "question"]
    code, _, err = call(
        "overlap", files[0], "--text-column", "body", "--test", files[2], *columns, *options
    )
    assert code != 0
    assert message in err
    assert [path.read_bytes() for path in files] == before

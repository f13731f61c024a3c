"""`addhash passages`, as a user runs it."""

import csv
import json

import pytest

from tests.cli.program import call

NOTICE = "All rights reserved, no part may be copied"
ROWS = [
    {"id": "1", "site": "x", "body": f"{NOTICE}. It rains in Oslo."},
    {"id": "2", "site": "x", "body": f"The sun shines. {NOTICE.upper()}!"},
    {"id": "3", "site": "y", "body": f"Nothing new. {NOTICE}; goodbye"},
]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def ok(*arguments):
    code, out, err = call("passages", *arguments, "--text-column", "body", "--min-words", "5")
    assert code == 0, err
    assert out == ""
    return err


def read(path):
    if path.suffix == ".csv":
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("memory", [[], ["--memory", "2GB"]])
def test_cut_and_reported(table, tmp_path, memory):
    before = table.read_bytes()
    cleaned, report = tmp_path / "out.jsonl", tmp_path / "report.csv"
    err = ok(table, "-o", cleaned, "--report", report, *memory)
    assert table.read_bytes() == before
    assert [row["body"] for row in read(cleaned)] == [
        ROWS[0]["body"],
        "The sun shines. ",
        "Nothing new. goodbye",
    ]
    assert [row["id"] for row in read(cleaned)] == ["1", "2", "3"]
    assert "Passages: 1 in 3 of 3 texts; places: 3." in err
    assert "Cut: 87 characters in 2 places." in err
    rows = read(report)
    assert [(row["row"], row["start"], row["passage"]) for row in rows] == [
        ("1", "0", "1"),
        ("2", "16", "1"),
        ("3", "13", "1"),
    ]
    assert {(row["words"], row["documents"], row["first_document"]) for row in rows} == {
        ("8", "3", "1")
    }
    assert rows[1]["text"] == NOTICE.upper()
    assert rows[0]["file"] == str(table)


def test_groups_marks_and_shares(table, tmp_path):
    cleaned = tmp_path / "out.csv"
    ok(table, "-o", cleaned, "--by", "site", "--mark", "[cut] ")
    assert [row["body"] for row in read(cleaned)] == [
        ROWS[0]["body"],
        "The sun shines. [cut] ",
        ROWS[2]["body"],
    ]
    ok(table, "-o", cleaned, "--keep", "all", "--above", "0.9")
    assert read(cleaned)[0]["body"] == "It rains in Oslo."
    ok(table, "-o", cleaned, "--match-case")
    assert [row["body"] for row in read(cleaned)][1:] == [ROWS[1]["body"], "Nothing new. goodbye"]


def test_several_files_count_as_one(table, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps(ROWS[0]) + "\n")
    report = tmp_path / "report.jsonl"
    ok(table, other, "--report", report)
    assert [(row["file"], row["row"]) for row in read(report)] == [
        *[(str(table), i) for i in (1, 2, 3)],
        (str(other), 1),
    ]


def test_nothing_found(table, tmp_path):
    report = tmp_path / "report.csv"
    err = ok(table, "--report", report, "--min-documents", "4")
    assert "Passages: 0 in 0 of 3 texts" in err
    assert read(report) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--output"),
        (["-o", "in.jsonl"], "in.jsonl"),
        (["-o", "out.jsonl", "--keep", "all"], "nothing is cut"),
        (["-o", "out.jsonl", "--min-words", "1"], "--min-words"),
        (["-o", "out.jsonl", "--above", "2"], "--above"),
        (["-o", "out.jsonl", "--by", "nowhere"], "nowhere"),
        (["-o", "out.jsonl", "--text-column", "id"], "one --text-column"),
        (["-o", "out.jsonl", "--memory", "much"], "--memory"),
    ],
)
def test_refused(table, tmp_path, options, message, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = table.read_bytes()
    _, _, err = call("passages", table, "--text-column", "body", *options)
    assert message in err
    assert table.read_bytes() == before
    assert not (tmp_path / "out.jsonl").exists()

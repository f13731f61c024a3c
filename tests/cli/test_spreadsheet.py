"""30,000 messages from a spreadsheet and back, by the commands of the documents."""

import csv
import os
import re
import subprocess
from pathlib import Path

import pytest

from addhash.sample import load_languages, load_messages
from docs.make_cli import PAGE
from tests.cli.program import ADDHASH, environment, works

COUNT = 30_000
NAMES = ["ticket", "received", "message", "note"]


def messages():
    """Sentences of twelve languages and messages, with line breaks and all that needs quotes."""
    texts = [*load_languages()[0], *load_messages()[0]]
    for i in range(COUNT):
        text = texts[i % len(texts)]
        if i % 7 == 0:
            text = text.replace(" ", "\n", 1)
        note = 'say "no"; never' if i % 11 == 0 else ""
        yield f"T-{i:05}", f"2024-05-{i % 28 + 1:02}", text, note


def run_documented(folder):
    with open(folder / "messages.csv", "w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(NAMES)
        writer.writerows(messages())
    works("demo", "--sample", folder)
    works("fit", folder / "languages.tsv", "-o", folder / "languages.model", "--method", "centroid")
    works(
        "fit",
        folder / "messages.tsv",
        "-o",
        folder / "spam.model",
        "--method",
        "nearest",
        "--keep-texts",
    )
    scripts = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    path = f"{Path(ADDHASH).parent}{os.pathsep}{os.environ['PATH']}"
    assert scripts[2].count("\n") == 3
    done = subprocess.run(
        ["bash", "-e", "-c", scripts[2]],
        cwd=folder, env=environment(PATH=path), capture_output=True, check=True,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == (b"", b"")


def read(path):
    with open(path, newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file, delimiter=";"))


def kept(row):
    return tuple(row[name] for name in NAMES)


def check_languages(folder):
    found = read(folder / "languages.csv")
    assert [kept(row) for row in found] == list(messages())
    assert list(found[0]) == [*NAMES, "language", "language_score", "language_margin"]
    truths, labels = [*load_languages()[1], *["English"] * 150], [row["language"] for row in found]
    right = sum(truths[i % len(truths)] == label for i, label in enumerate(labels))
    assert right / COUNT > 0.9


def check_kinds(folder):
    languages, found = read(folder / "languages.csv"), read(folder / "english.csv")
    english = [row for row in languages if row["language"] == "English"]
    assert 3000 < len(english) < 15_000
    assert [{name: row[name] for name in languages[0]} for row in found] == english
    assert {row["kind"] for row in found} == {"ham", "spam"}


def check_workbook(folder):
    openpyxl = pytest.importorskip("openpyxl")
    expected = read(folder / "english.csv")
    book = openpyxl.load_workbook(folder / "english.xlsx", read_only=True)
    names, *rows = book.active.iter_rows(values_only=True)
    book.close()
    assert list(names[: len(expected[0])]) == list(expected[0])
    assert {"check", "check_score", "check_nearest_1", "check_nearest_1_text"} <= set(names)
    assert len(rows) == len(expected)
    known = set(load_messages()[0])
    for row, origin in zip(rows, expected, strict=True):
        cells = dict(zip(names, row, strict=True))
        for name, text in origin.items():
            # Numbers stay numbers in a workbook.
            is_number = isinstance(cells[name], int | float)
            assert cells[name] == (float(text) if is_number else text or None)
        assert cells["check"] == origin["kind"]
        assert cells["check_nearest_1_text"] in known


def test_a_spreadsheet_and_back(tmp_path):
    """One test, because the commands take a while."""
    run_documented(tmp_path)
    check_languages(tmp_path)
    check_kinds(tmp_path)
    check_workbook(tmp_path)

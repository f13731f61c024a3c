"""Columns and rows of dedupe, link, passages and overlap, and what is said of wrong ones."""

import csv
import json
import shlex

import pytest

from tests.cli.program import call, fails

PEOPLE = """\
id,name,street,age,born
1,Ann Lee,Main St 1,30,1980-01-02
2,Anne Lee,Main St 1,x,1980-01-02
3,Bo Ek,,40,never
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = {
        "p.csv": PEOPLE,
        "t.csv": "text\na b c\nd e f\n",
        "lr.csv": "l,r\n1,2\n",
        "known.csv": "left,right\n1,2\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    yield tmp_path
    for name, content in files.items():  # input files stay as they are
        assert (tmp_path / name).read_text() == content


def works(*arguments):
    code, out, err = call(*arguments)
    assert code == 0, err
    return out


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("dedupe tune p.csv --field name --known known.csv --id xyz", "one of them with --id."),
        ("dedupe p.csv --field name --id xyz --dry-run", "one of them with --id."),
        ("dedupe p.csv --text-column name --id xyz --dry-run", "one of them with --id."),
        ("dedupe p.csv --field name --keep max:xyz --dry-run", "one of them with --keep max:."),
        ("dedupe p.csv --field xyz --dry-run", "one of them with --field."),
        (
            "dedupe p.csv --field name --against t.csv --dry-run",
            "'text'. Name one of them with --f",
        ),
        (
            "dedupe p.csv --text-column name --against t.csv --dry-run",
            "one of them with --text-col",
        ),
        ("dedupe p.csv --field name --field name --dry-run", "--field name is given twice"),
        ("dedupe p.csv --field name --field '#2' --dry-run", "--field names 'name' twice"),
        ("dedupe p.csv --text-column name --text-column name --dry-run", "names 'name' twice"),
        ("dedupe explain 1 2 --rows p.csv --field xyz", "one of them with --field."),
        ("dedupe explain 1 2 --rows p.csv --field name --id xyz", "one of them with --id."),
        ("link p.csv t.csv --field name -o o.csv", "'text'. Name one of them with --field."),
        ("link p.csv p.csv --field name --field name -o o.csv", "--field name is given twice"),
        ("passages p.csv --text-column xyz -o o.csv", "one of them with --text-column."),
        ("passages p.csv --text-column name --by xyz -o o.csv", "one of them with --by."),
        (
            "overlap t.csv --test p.csv --test-column xyz -o o.csv",
            "one of them with --test-column.",
        ),
    ],
)
def test_a_wrong_column_is_told_in_terms_of_its_option(folder, line, message):
    said = fails(*shlex.split(line), code=2)
    assert message in said
    assert not (folder / "o.csv").exists()


def test_columns_may_be_named_by_number(folder):
    works("dedupe", "p.csv", "--field", "#2:name:1", "--pairs", "a.csv", "--id", "#1")
    works("dedupe", "p.csv", "--field", "name:name:1", "--pairs", "b.csv", "--id", "id")
    assert read("a.csv") == read("b.csv") == [{"left": "1", "right": "2", "similarity": "0.777778"}]
    works("link", "p.csv", "p.csv", "--field", "#2:name:1", "-o", "a.csv")
    works("link", "p.csv", "p.csv", "--field", "name:name:1", "-o", "b.csv")
    assert read("a.csv") == read("b.csv")
    assert len(read("a.csv")) == 5
    rows = [json.loads(line) for line in works(
        "dedupe", "tune", "p.csv", "--field", "#2:name:1", "--format", "jsonl"
    ).splitlines()]  # fmt: skip
    assert rows[0]["pairs"] == 1
    works("dedupe", "p.csv", "--text-column", "name", "--keep", "max:#1", "-o", "a.csv")
    assert len(read("a.csv")) == 3
    works("passages", "p.csv", "--text-column", "#2", "--by", "#3", "--report", "a.csv")
    assert read("a.csv") == []


def test_empty_fields_are_missing_values(folder):
    """A record with nothing to compare is like no other, not even one like it."""
    (folder / "empty.csv").write_text("id,name,town\n1,,\n2,,\n3,Ann,\n4,Ann,Oslo\n5, ,Oslo\n")
    works("dedupe", "empty.csv", "--field", "name:name:3", "--field", "town:code:1",
          "--pairs", "pairs.csv", "-o", "kept.csv")  # fmt: skip
    assert [(row["left"], row["right"]) for row in read("pairs.csv")] == [("3", "4")]
    assert [row["id"] for row in read("kept.csv")] == ["1", "2", "3", "5"]

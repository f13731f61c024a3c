"""The files people have: delimiters, workbooks, marks, encodings, spreadsheets."""

import codecs
import csv
import datetime
import json

import pytest

from addhash.tables.delimited import detect_delimiter
from tests.cli.program import fails, run_on_terminal, works

ROWS = [("1", "Well, well | well", "a;b"), ("2", 'He said "yes"\nand left', "x\ty")]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("formats")
    works("demo", "--sample", folder)
    works("fit", folder / "languages.tsv", "-o", folder / "m", "--method", "centroid")
    return folder / "m"


def write_csv(path, delimiter, names=("id", "text", "note"), rows=ROWS, encoding="utf-8", **more):
    with open(path, "w", newline="", encoding=encoding) as file:
        csv.writer(file, delimiter=delimiter, **more).writerows([names, *rows])


def kept(model, path, *options):
    output = works("predict", model, path, "--format", "jsonl", *options)
    found = [json.loads(line) for line in output.splitlines()]
    return [tuple(row[name] for name in ("id", "text", "note")) for row in found]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize("delimiter", list(",;\t|"))
def test_delimiters_are_detected(model, tmp_path, delimiter, quoting, encoding):
    path = tmp_path / "in.csv"
    write_csv(path, delimiter, encoding=encoding, quoting=quoting)
    assert kept(model, path) == ROWS
    assert f"delimiter\t{ {chr(9): 'tab'}.get(delimiter, delimiter) }\n" in works("inspect", path)


def test_a_delimiter_can_be_named(model, tmp_path):
    path = tmp_path / "in.csv"
    write_csv(path, "~")
    assert kept(model, path, "--delimiter", "~") == ROWS
    write_csv(path, "\t")
    assert kept(model, path, "--delimiter", "tab") == ROWS
    assert "--delimiter must be one character" in fails(
        "predict", model, path, "--delimiter", ";;", code=2
    )
    (tmp_path / "in.txt").write_text("x\n")
    assert "--delimiter is for .csv" in fails(
        "predict", model, tmp_path / "in.txt", "--delimiter", ";", code=2
    )


def test_a_line_that_names_the_delimiter(model, tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("sep=|\nid|text|note\n1|a, b; c|x\n")
    assert kept(model, path) == [("1", "a, b; c", "x")]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], ","),
        (["text"], ","),
        (["text", "one; two", "three"], ","),
        (["a;b", "1,5;2,5", "1,0;3,0"], ";"),
        (["a,b", "1;2,3", '"x, y",z'], ","),
        (["a;b", '"open', "quote;", 'here";x', '"cut off'], ";"),
        (["a|b|c", "1|2|3"], "|"),
    ],
)
def test_what_a_delimiter_is(lines, expected):
    assert detect_delimiter(lines) == expected


def test_results_have_the_delimiter_of_their_source(model, tmp_path):
    write_csv(tmp_path / "in.csv", ";")
    works("predict", model, tmp_path / "in.csv", "-o", tmp_path / "out.csv")
    with open(tmp_path / "out.csv", newline="", encoding="utf-8") as file:
        found = list(csv.reader(file, delimiter=";"))
    assert [tuple(row[:3]) for row in found[1:]] == ROWS


def test_a_file_of_tsv_has_names(model, tmp_path):
    write_csv(tmp_path / "in.csv", ",")
    works("predict", model, tmp_path / "in.csv", "-o", tmp_path / "out.tsv")
    lines = (tmp_path / "out.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "id\ttext\tnote\tlabel\tscore\tmargin"
    assert lines[2].startswith('2\tHe said "yes"\\nand left\tx\\ty\t')


def test_a_mark_for_excel(model, tmp_path):
    write_csv(tmp_path / "in.csv", ",")
    works("predict", model, tmp_path / "in.csv", "-o", tmp_path / "out.csv", "--bom")
    assert (tmp_path / "out.csv").read_bytes().startswith(codecs.BOM_UTF8 + b"id,text")
    works("predict", model, tmp_path / "in.csv", "-o", tmp_path / "plain.csv")
    assert (tmp_path / "plain.csv").read_bytes().startswith(b"id,text")
    assert "--bom is for .csv and .tsv" in fails(
        "predict", model, tmp_path / "in.csv", "-o", tmp_path / "x.jsonl", "--bom", code=2
    )
    assert not (tmp_path / "x.jsonl").exists()


def test_formulas_are_marked_on_request(model, tmp_path):
    rows = [("-1.5", "=1+1", "@x"), ("+2", "plain text", "-cmd|x")]
    write_csv(tmp_path / "in.csv", ",", rows=rows)
    works("predict", model, tmp_path / "in.csv", "-o", tmp_path / "out.csv", "--spreadsheet")
    with open(tmp_path / "out.csv", newline="") as file:
        found = list(csv.reader(file))
    assert found[1][:3] == ["-1.5", "'=1+1", "'@x"]
    assert found[2][:3] == ["+2", "plain text", "'-cmd|x"]
    assert kept(model, tmp_path / "in.csv")[0] == rows[0]


def test_the_hint_for_another_encoding_works(model, tmp_path):
    path = tmp_path / "in.txt"
    path.write_bytes("Smart \u201cquotes\u201d and 5 \u20ac\n".encode("cp1252"))
    message = fails("predict", model, path)
    assert "--encoding cp1252" in message
    output = works("predict", model, path, "--encoding", "cp1252", "--keep-columns", "text")
    assert output.startswith("Smart \u201cquotes\u201d and 5 \u20ac\t")
    path.write_bytes("text\n".encode("utf-16"))
    assert "--encoding utf-16" in fails("predict", model, path)


@pytest.mark.parametrize(
    "name", ["rot13", "base64", "zlib", "punycode", "undefined", "idna", "utf-9", "hex", ""]
)
def test_what_is_not_an_encoding(model, tmp_path, name):
    (tmp_path / "in.txt").write_text("a text\n")
    message = fails("predict", model, tmp_path / "in.txt", "--encoding", name, code=2)
    assert f"The encoding {name!r} is unknown" in message


openpyxl = pytest.importorskip("openpyxl")


def write_workbook(path, rows, title="Sheet", more=()):
    book = openpyxl.Workbook()
    book.active.title = title
    for row in rows:
        book.active.append(row)
    for name, content in more:
        sheet = book.create_sheet(name)
        for row in content:
            sheet.append(row)
    book.save(path)


def test_workbooks_in(model, tmp_path):
    path = tmp_path / "in.xlsx"
    day = datetime.datetime(2024, 5, 17)
    rows = [["id", "text", "when"], [7, "Where is my hat?", day], [8, None, None], [9, 12.5, None]]
    write_workbook(path, rows, more=[("Other", [["text"], ["Wo ist mein Hut?"]])])
    output = works("predict", model, path, "--format", "jsonl", "--keep-columns", "all")
    found = [json.loads(line) for line in output.splitlines()]
    assert [(row["id"], row["text"], row["when"]) for row in found] == [
        (7, "Where is my hat?", "2024-05-17 00:00:00"),
        (8, None, None),
        (9, 12.5, None),
    ]
    assert found[0]["label"] == "English"
    assert works("predict", model, path, "--sheet", "Other", "--labels-only") == "German\n"
    assert "it has 'Sheet', 'Other'" in fails("predict", model, path, "--sheet", "Nope", code=2)
    found = json.loads(works("search", path, "hat", "-k", "1", "--format", "jsonl"))
    assert found["row"] == 2


def test_workbooks_out(model, tmp_path):
    texts = ["=1+1", "+cmd|x", "bell\x07 and _x0007_", "two\nlines", "naïve 日本語", "x" * 30_000]
    source = tmp_path / "in.jsonl"
    with open(source, "w", encoding="utf-8") as file:
        for i, text in enumerate(texts):
            file.write(json.dumps({"id": i, "text": text, "ok": True}) + "\n")
    works("predict", model, source, "-o", tmp_path / "out.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx").active
    cells = list(sheet.iter_rows(values_only=True))
    assert cells[0] == ("id", "text", "ok", "label", "score", "margin")
    assert [row[0] for row in cells[1:]] == list(range(len(texts)))
    assert all(cell.data_type != "f" for row in sheet.iter_rows() for cell in row)
    assert isinstance(cells[1][4], float)
    # Read again by addhash, nothing has changed.
    output = works("predict", model, tmp_path / "out.xlsx", "--keep-columns", "text",
                   "--format", "jsonl")  # fmt: skip
    assert [json.loads(line)["text"] for line in output.splitlines()] == texts


def test_what_a_workbook_cannot_hold(model, tmp_path):
    (tmp_path / "in.txt").write_text("x" * 40_000 + "\n")
    message = fails("predict", model, tmp_path / "in.txt", "-o", tmp_path / "out.xlsx",
                    "--keep-columns", "text")  # fmt: skip
    assert "holds at most 32,767" in message
    assert not (tmp_path / "out.xlsx").exists()
    assert "needs a file" in fails(
        "predict", model, tmp_path / "in.txt", "--format", "xlsx", code=2
    )


def test_damaged_workbooks(model, tmp_path):
    path = tmp_path / "in.xlsx"
    path.write_text("plain text")
    assert "it is not an .xlsx workbook" in fails("predict", model, path)
    write_workbook(path, [["text"], ["a"]])
    path.write_bytes(path.read_bytes()[:-200])
    assert "it is damaged" in fails("predict", model, path)


def test_json_that_is_hard_to_read(model, tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text('{"text": "fine"}\n{"text": "half \\ud800 pair"}\n')
    message = fails("evaluate", model, path, "--labels", labels(tmp_path, 2))
    assert f"{path}, line 2: \\ud800 is half of a character" in message
    output = works("predict", model, path, "--errors", "replace", "--format", "jsonl")
    assert json.loads(output.splitlines()[1])["text"] == "half \ufffd pair"
    path.write_text('{"text": "fine", "n": ' + "9" * 5000 + "}\n")
    assert "line 1: this is not valid JSON" in fails("predict", model, path)
    path.write_text("{}\n{}\n")
    assert "line 1: the object is empty" in fails("predict", model, path)


def labels(folder, count):
    (folder / "labels.txt").write_text("x\n" * count)
    return folder / "labels.txt"


def test_a_text_that_is_not_utf_8(model):
    from tests.cli.program import run

    done = run("explain", model, b"caf\xe9".decode("utf-8", "surrogateescape"), code=2)
    assert "is not valid UTF-8" in done.err
    done = run("similarity", b"caf\xe9".decode("utf-8", "surrogateescape"), "b", code=2)
    assert "is not valid UTF-8" in done.err


def test_parquet_with_bytes_that_are_not_text(model, tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    bad = pa.array([b"fine", b"\xff\xfe"]).view(pa.string())
    pq.write_table(pa.table({"text": bad}), tmp_path / "in.parquet")
    message = fails("predict", model, tmp_path / "in.parquet")
    assert "the file is damaged" in message


def test_a_terminal_that_lacks_characters(model):
    shown = run_on_terminal("similarity", "a text", "a text", PYTHONIOENCODING="ascii")
    assert "1.0000" in shown
    shown = run_on_terminal("explain", model, "日本語の文章です", PYTHONIOENCODING="ascii")
    assert "unexpected" not in shown
    assert "score" in shown

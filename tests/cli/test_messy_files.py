"""Files as people have them: read, written like they were, or refused with what to do."""

import csv
import gzip
import io
import json

import openpyxl
import pytest

from addhash.tables import preview
from addhash.tables.compression import ZSTD
from tests.cli.program import call, fails, works

ENGLISH, GERMAN = "Where is my hat?", "Wo ist mein Hut?"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    works("demo", "--sample", folder)
    path = folder / "languages.model"
    works("fit", folder / "languages.tsv", "-o", path, "--method", "centroid")
    return path


def put(folder, name, data):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def labelled(model, path, *more):
    """Return the rows of a file with the labels that it gets, as CSV."""
    out = works("predict", model, path, "--format", "csv", *more)
    return list(csv.DictReader(io.StringIO(out, newline="")))


# Several text columns.


def test_texts_of_several_columns_are_joined(model, tmp_path):
    path = put(tmp_path, "in.csv", "title,body,id\nWhere is,my hat?,1\n,Wo ist mein Hut?,2\n")
    joined = ["--text-column", "title", "--text-column", "body"]
    out = works("vectorize", path, "-o", tmp_path / "joined.npy", *joined)
    texts = put(tmp_path, "in.txt", f"{ENGLISH}\n{GERMAN}\n")
    works("vectorize", texts, "-o", tmp_path / "texts.npy")
    assert out == ""
    assert (tmp_path / "joined.npy").read_bytes() == (tmp_path / "texts.npy").read_bytes()
    found = labelled(model, path, *joined)
    assert [row["label"] for row in found] == ["English", "German"]
    assert [row["id"] for row in found] == ["1", "2"]
    found = works("search", path, "hat", *joined, "--format", "jsonl", "-k", "1")
    assert json.loads(found)["text"] == ENGLISH


def test_a_model_remembers_the_columns_it_was_made_from(tmp_path):
    rows = [("win", "a prize", "spam"), ("see you", "at noon", "ham")]
    table = "".join(f"{a},{b},{c}\n" for a, b, c in rows)
    path = put(tmp_path, "in.csv", f"head,tail,label\n{table}")
    joined = ["--text-column", "head", "--text-column", "tail"]
    model = tmp_path / "m.model"
    works("fit", path, "-o", model, *joined)
    plain = put(tmp_path, "plain.csv", "text,label\nwin a prize,spam\nsee you at noon,ham\n")
    works("fit", plain, "-o", tmp_path / "plain.model")
    expected = [row["predicted_score"] for row in labelled(tmp_path / "plain.model", plain)]
    # Without the options, and for every command that uses the model.
    assert [row["predicted_score"] for row in labelled(model, path)] == expected
    before = model.read_bytes()
    works("learn", model, path)
    works("forget", model, path)
    assert model.read_bytes() == before
    assert "1.000000" in works("evaluate", model, path).splitlines()[0]
    assert '["head", "tail"]' in works("inspect", model)
    # A file without these columns is read as usual; one with some of them is not clear.
    assert [row["predicted_score"] for row in labelled(model, plain)] == expected
    half = put(tmp_path, "half.csv", "head,rest\na,b\n")
    message = fails("predict", model, half, code=2)
    assert "has no 'tail'" in message
    assert "--text-column" in message


def test_a_text_column_named_twice(model, tmp_path):
    path = put(tmp_path, "in.csv", "text,id\na,1\n")
    message = fails("predict", model, path, "--text-column", "id", "--text-column", "#2", code=2)
    assert "names 'id' twice" in message


def test_duplicates_by_several_columns(tmp_path):
    people = "given,surname\nAnn,White\nBob,White\nAnn,White\n"
    path = put(tmp_path, "people.csv", people)
    joined = ["--text-column", "given", "--text-column", "surname", "--ngrams", "1"]
    call("dedupe", path, "-o", tmp_path / "kept.csv", *joined)
    assert (tmp_path / "kept.csv").read_text() == "given,surname\nAnn,White\nBob,White\n"
    message = fails("dedupe", path, "-o", tmp_path / "kept.txt", *joined, code=2)
    assert "one column of texts" in message


# Bad rows.

RAGGED = "text,id\n" + "".join(
    f"{ENGLISH}\n" if i in (3, 7, 8, 20, 21, 30) else f"{ENGLISH},{i}\n" for i in range(2, 40)
)


@pytest.mark.parametrize("name", ["in.csv", "in.tsv"])
def test_rows_that_cannot_be_read(model, tmp_path, name):
    data = RAGGED if name.endswith("csv") else RAGGED.replace(",", "\t")
    path = put(tmp_path, name, data)
    message = fails("predict", model, path)
    assert "line 3: expected 2 columns, got 1" in message
    assert "--on-bad-rows skip" in message
    code, out, err = call("predict", model, path, "--on-bad-rows", "skip")
    assert (code, len(out.splitlines())) == (0, 32)
    assert err.startswith(
        f"Skipped 6 rows of {path} that could not be read: lines 3, 7, 8, 20, 21, ..."
    )
    assert "on-bad-rows" not in err
    assert "lose the rows that are skipped" in fails(
        "predict", model, path, "--on-bad-rows", "skip", "--in-place", code=2
    )
    assert path.read_text() == data


def test_bad_rows_of_other_formats(model, tmp_path):
    lines = ['{"text": "a"}', "{nope", "[1]", '{"other": 1}', '{"text": null}', '{"text": "b"}']
    path = put(tmp_path, "in.jsonl", "\n".join(lines) + "\n")
    assert "--on-bad-rows skip" in fails("predict", model, path)
    code, out, err = call("predict", model, path, "--on-bad-rows", "skip")
    assert (code, len(out.splitlines())) == (0, 2)
    assert "Skipped 4 rows" in err
    assert "lines 2, 3, 4, 5." in err
    book = openpyxl.Workbook()
    for row in (["text"], ["a"], ["b", "beyond"], ["c"]):
        book.active.append(row)
    book.save(tmp_path / "in.xlsx")
    code, out, err = call("predict", model, tmp_path / "in.xlsx", "--on-bad-rows", "skip")
    assert (code, len(out.splitlines())) == (0, 2)
    assert "row 3." in err


def test_bad_rows_take_their_labels_with_them(tmp_path):
    path = put(tmp_path, "in.csv", "text,id\na,1\nb\nc,3\n")
    labels = put(tmp_path, "labels.txt", "one\ntwo\nthree\n")
    call("fit", path, "-o", tmp_path / "m.model", "--labels", labels, "--on-bad-rows", "skip")
    shown = works("inspect", tmp_path / "m.model")
    assert "class one" in shown
    assert "class three" in shown
    assert "class two" not in shown


@pytest.mark.parametrize("memory", [[], ["--memory", "8GB"]])
def test_passages_say_once_which_rows_were_skipped(tmp_path, memory):
    path = put(tmp_path, "in.csv", "text,id\na b c,1\nlost\na b c,2\n")
    out = ["-o", tmp_path / "out.csv", "--min-words", "2", "--on-bad-rows", "skip", *memory]
    code, _, err = call("passages", path, *out)
    assert (code, err.count("Skipped 1 row of")) == (0, 1)


def test_nothing_but_bad_rows(model, tmp_path):
    path = put(tmp_path, "in.csv", "text,id\na\nb\n")
    assert "expected 2 columns" in fails("predict", model, path, "--on-bad-rows", "skip")


def test_rows_without_a_label_are_bad_rows(tmp_path):
    path = put(tmp_path, "in.csv", "text,label\na,x\nb,\nc,y\n")
    code, _, err = call("fit", path, "-o", tmp_path / "m.model", "--on-bad-rows", "skip")
    assert code == 0
    assert "line 3. The first of them" in err


# Columns.


def test_names_that_differ_in_capitals_only_count_as_taken(model, tmp_path):
    path = put(tmp_path, "in.csv", f"Text,Label\n{ENGLISH},x\n")
    assert list(labelled(model, path)[0])[2:] == [
        "predicted_label", "predicted_score", "predicted_margin",
    ]  # fmt: skip


def test_no_column_of_the_input_is_replaced(model, tmp_path):
    text = "text,Score,line,Cluster,similarity,predicted_label,nearest_1_text"
    path = put(tmp_path, "in.csv", f"{text}\n{ENGLISH},a,b,c,d,e,f\n{GERMAN},g,h,i,j,k,l\n")
    own = dict(zip(text.split(","), [ENGLISH, *"abcdef"], strict=True))
    out = tmp_path / "out.jsonl"
    call("dedupe", path, "--mark", "-o", out)
    row = json.loads(out.read_text().splitlines()[0])
    assert row | own == row
    assert [name for name in row if name not in own] == [
        "duplicate_cluster", "duplicate_representative", "duplicate_similarity",
    ]  # fmt: skip
    row = json.loads(works("search", path, "hat", "-k", "1", "--format", "jsonl"))
    assert row | own == row
    assert row["match_score"] > 0
    assert (row["match_record"], row["match_line"]) == (1, 2)
    path = put(tmp_path, "known.csv", path.read_text().replace(",e,", ",German,"))
    call("evaluate", model, path, "--label-column", "predicted_label", "--allow-unknown",
         "--mistakes", out)  # fmt: skip
    row = json.loads(out.read_text().splitlines()[0])
    assert row | own | {"predicted_label": "German"} == row
    assert row["evaluated_predicted_label"] == "English"
    assert row["evaluated_at_line"] == 2
    path = put(tmp_path, "both.csv", "text,score,Match_Score\nan apple,1,2\n")
    assert "has a column 'match_score'" in fails("search", path, "an apple", code=2)
    # Those that are left out are not in the way.
    assert works("search", path, "an apple", "--keep-columns", "none").startswith("1.0")


def test_marked_rows_are_written_like_the_input(tmp_path):
    data = f"\ufeffid;text\r\n1;{ENGLISH}\r\n2;{GERMAN}\r\n"
    path = put(tmp_path, "in.csv", data)
    call("dedupe", path, "--mark", "-o", tmp_path / "out.csv")
    expected = data.replace("text\r", "text;cluster;representative;similarity\r")
    expected = expected.replace("hat?", "hat?;1;1;1.000000").replace("Hut?", "Hut?;2;2;1.000000")
    assert (tmp_path / "out.csv").read_bytes().decode() == expected


def test_names_that_occur_more_than_once(model, tmp_path):
    path = put(tmp_path, "in.csv", f"text,id,text,text\n7,1,{ENGLISH},x\n")
    message = fails("predict", model, path, code=2)
    assert "has 3 columns named 'text': columns 1, 3 and 4" in message
    assert "--text-column '#4'" in message  # a shell takes a bare # for a comment
    assert "columns 1, 3 and 4" in fails("predict", model, path, "--text-column", "text", code=2)
    out = works("predict", model, path, "--text-column", "#3", "--format", "csv")
    assert "English" in out
    # Names that play no part are kept as they are.
    path = put(tmp_path, "notes.csv", f"note,text,note\na,{ENGLISH},b\n")
    works("predict", model, path, "--labels-only", "--keep-columns", "all",
          "-o", tmp_path / "out.csv")  # fmt: skip
    assert (tmp_path / "out.csv").read_text() == f"note,text,note,label\na,{ENGLISH},b,English\n"


def test_columns_without_a_name(model, tmp_path):
    path = put(tmp_path, "in.csv", f",text\n0,{ENGLISH}\n")
    works("predict", model, path, "--labels-only", "--keep-columns", "all", "-o",
          tmp_path / "out.csv")  # fmt: skip
    assert (tmp_path / "out.csv").read_text() == f",text,label\n0,{ENGLISH},English\n"


# What a file is like.


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "|"])
def test_the_output_is_like_the_input(model, tmp_path, mark, end, delimiter):
    quoted = f'"{GERMAN} ""Ja"""'
    rows = [["id", "text"], ["1", ENGLISH], ["2", quoted]]
    data = mark + "".join(delimiter.join(row) + end for row in rows)
    path = put(tmp_path, "in.csv", data)
    new = zip(rows, ["language", "English", "German"], strict=True)
    expected = mark + "".join(delimiter.join([*row, label]) + end for row, label in new)
    more = ["--labels-only", "--keep-columns", "all", "--name", "language"]
    works("predict", model, path, *more, "-o", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes().decode() == expected
    works("predict", model, path, *more, "--in-place")
    assert path.read_bytes().decode() == expected


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig", "cp1252"])
def test_encodings_in_place(model, tmp_path, encoding):
    text = "".join(f"{i};Où est mon chapeau?\r\n" for i in range(3000))
    path = put(tmp_path, "in.csv", f"id;text\r\n{text}".encode(encoding))
    works("predict", model, path, "--in-place", "--encoding", encoding, "--labels-only")
    lines = path.read_bytes().decode(encoding).split("\r\n")
    assert lines[0] == "id;text;label"
    texts, labels = zip(*(line.rsplit(";", 1) for line in lines[1:-1]), strict=True)
    assert list(texts) == [f"{i};Où est mon chapeau?" for i in range(3000)]
    assert len(set(labels)) == 1


@pytest.mark.parametrize(("name", "library"), [("out.csv.gz", "gzip"), ("out.jsonl.zst", ZSTD)])
def test_compressed_output(model, tmp_path, name, library):
    unpack = pytest.importorskip(library).decompress
    path = put(tmp_path, "in.csv", f"id,text\n1,{ENGLISH}\n")
    for command in (["predict", model], ["detect"]):
        works(*command, path, "-o", tmp_path / name)
        assert ENGLISH in unpack((tmp_path / name).read_bytes()).decode()
        # What was written can be read.
        assert ENGLISH in works(*command, tmp_path / name, "--keep-columns", "text", "--name", "x")
    first = (tmp_path / name).read_bytes()
    works("detect", path, "-o", tmp_path / name)
    assert (tmp_path / name).read_bytes() == first
    call("dedupe", path, "-o", tmp_path / "kept.csv.gz")
    assert gzip.decompress((tmp_path / "kept.csv.gz").read_bytes()) == path.read_bytes()
    packed = put(tmp_path, "in.csv.gz", gzip.compress(path.read_bytes()))
    works("predict", model, packed, "--in-place", "--labels-only")
    assert gzip.decompress(packed.read_bytes()).decode() == f"id,text,label\n1,{ENGLISH},English\n"
    message = fails("predict", model, path, "-o", tmp_path / "out.xlsx.gz", code=2)
    assert "compressed already" in message


def test_parquet_in_and_out(model, tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table(
        {"id": pa.array([1, None], pa.int16()), "text": ["", GERMAN], "tags": [["a"], []]},
        metadata={"made by": "hand"},
    )
    path = tmp_path / "in.parquet"
    pq.write_table(table, path)
    out = tmp_path / "out.parquet"
    for command, label, answer in (
        (["predict", model, path], "label", "German"),
        (["detect", path, "--languages", "en,de"], "language", "deu"),
    ):
        works(*command, "-o", out)
        found = pq.read_table(out)
        assert found.select(table.column_names).equals(table)
        assert found.schema.metadata[b"made by"] == b"hand"
        assert found.column(label).to_pylist() == [None, answer]
    works("predict", model, path, "--in-place")
    assert pq.read_table(path).select(table.column_names).equals(table)
    assert pa.types.is_float64(pq.read_table(path).schema.field("score").type)


def test_numbers_stay_numbers_in_a_workbook(model, tmp_path):
    table = "id,zip,price,code,text\n17,01234,1.50,12345678901234567,42\n-3,,2,1e5,x\n"
    works("predict", model, put(tmp_path, "in.csv", table), "-o", tmp_path / "out.xlsx",
          "--labels-only", "--keep-columns", "all")  # fmt: skip
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx").active
    rows = [[cell.value for cell in row][:5] for row in sheet.iter_rows(min_row=2)]
    assert rows == [
        [17, "01234", 1.5, "12345678901234567", "42"],
        [-3, None, 2, "1e5", "x"],
    ]
    assert sheet["C2"].number_format == "0.00"


def test_old_mac_line_ends(model, tmp_path):
    path = put(tmp_path, "in.csv", f"id,text\r1,{ENGLISH}\r2,{GERMAN}\r")
    assert [row["label"] for row in labelled(model, path)] == ["English", "German"]
    assert works("predict", model, put(tmp_path, "in.txt", f"{ENGLISH}\r{GERMAN}\r"),
                 "--labels-only") == "English\nGerman\n"  # fmt: skip


def test_a_lone_return_within_a_line(model, tmp_path):
    path = put(tmp_path, "in.csv", "id,text\n1,Where is\rmy hat?\n")
    assert [row["text"] for row in labelled(model, path)] == ["Where is\rmy hat?"]


def test_spaces_before_quotes(model, tmp_path):
    path = put(tmp_path, "in.csv", f'id, text, city\n1, "{ENGLISH}", "Los Angeles, CA"\n')
    found = labelled(model, path)
    assert (found[0]["text"], found[0]["city"]) == (ENGLISH, "Los Angeles, CA")


def test_utf_16_without_a_mark(model, tmp_path):
    for encoding in ("utf-16-le", "utf-16-be"):
        path = put(tmp_path, "in.csv", f"id,text\n1,{ENGLISH}\n".encode(encoding))
        assert f"--encoding {encoding}" in fails("predict", model, path)
        assert labelled(model, path, "--encoding", encoding)[0]["label"] == "English"


# Texts instead of files.


def test_a_text_on_the_command_line(model):
    out = works("predict", model, "--text", ENGLISH, "--text", GERMAN, "--labels-only")
    assert out == "English\nGerman\n"
    message = fails("predict", model, ENGLISH)
    assert "there is no such file" in message
    assert f"did you mean --text '{ENGLISH}'?" in message
    assert "both name" in fails("predict", model, "x.csv", "--text", "a", code=2)
    assert "Name a file" in fails("predict", model, code=2)
    assert "--text is none" in fails("predict", model, "--text", "a", "--in-place", code=2)


def test_a_query_that_is_a_file(tmp_path):
    path = put(tmp_path, "in.txt", f"{ENGLISH}\n{GERMAN}\n")
    message = fails("search", path, path, code=2)
    assert "is a file" in message
    assert "--text" in message
    assert GERMAN in works("search", path, "--text", "Hut", "-k", "1")
    assert "both queries" in fails("search", path, "a", "--text", "b", code=2)
    assert "Name a text" in fails("search", path, code=2)


@pytest.mark.parametrize("method", ["bayes", "nearest", "centroid"])
def test_empty_texts_get_no_label(tmp_path, method):
    path = put(tmp_path, "in.csv", "text,label\nwin a prize,spam\nsee you,ham\n")
    works("fit", path, "-o", tmp_path / "m.model", "--method", method)
    lines = put(tmp_path, "in.txt", "\nwin a prize\n \t\n")
    out = works("predict", tmp_path / "m.model", lines)
    assert [line.split("\t")[0] for line in out.splitlines()] == ["", "spam", ""]
    assert out.splitlines()[0] == "\t\t"
    assert works("predict", tmp_path / "m.model", lines, "--labels-only") == "\nspam\n\n"
    out = works("predict", tmp_path / "m.model", lines, "--nearest", "1", "--format", "jsonl")
    assert json.loads(out.splitlines()[0])["score"] is None


# Inspection.


def test_every_table_can_be_inspected(tmp_path):
    table = "Class Index,Title,Description,When,ok\n3,Oil,It rose,2024-05-17,\n4,Gold,It fell,x,\n"
    shown = works("inspect", put(tmp_path, "ag.csv", table))
    facts = dict(line.split("\t", 1) for line in shown.splitlines())
    assert facts["column Class Index"] == "whole number, such as 3"
    assert facts["column Title"] == "text, such as Oil"
    assert facts["column ok"] == "empty"
    assert facts["text column"] == "not clear: name it with --text-column"
    assert json.loads(facts["row 2"])["Description"] == "It fell"
    # What follows a row that breaks off is not needed to see the first ones.
    shown = works("inspect", put(tmp_path, "open.csv", 'a,b\n1,2\n"never closed\n'))
    assert "column b\twhole number, such as 2" in shown
    found = preview(str(put(tmp_path, "empty.csv", "")))
    assert (found.columns, found.rows) == ((), ())


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-16-le"])
def test_a_table_in_another_encoding_can_be_inspected(tmp_path, encoding):
    rows = "text,label\n" + "plain,x\n" * 20_000 + "café,y\n"
    path = put(tmp_path, "in.csv", rows.encode(encoding))
    facts = dict(line.split("\t", 1) for line in works("inspect", path).splitlines())
    assert facts["encoding"] == f"{encoding}, it seems: name it with --encoding"
    assert (facts["columns"], facts["documents"]) == ("text, label", "20001")
    message = fails("inspect", path, "--encoding", "ascii" if encoding == "cp1252" else "utf-32")
    assert "Name" in message
    # What is no text in any encoding is refused as it was before.
    message = fails("inspect", put(tmp_path, "b.csv", b"text,label\n\x81\x8d,b\n"))
    assert "is not valid utf-8" in message


STRAY = 'text,label\n"oil" rises,b\nteam wins,s\n"never closed,b\nstocks fall,b\nthe "match",s\n'


def test_records_with_stray_quotes_are_bad_rows(model, tmp_path):
    path = put(tmp_path, "stray.csv", STRAY)
    message = fails("predict", model, path)
    assert "line 2: this record is not valid CSV" in message
    assert "--on-bad-rows skip" in message
    code, out, err = call("predict", model, path, "--on-bad-rows", "skip")
    assert code == 0
    assert [line.split("\t")[0] for line in out.splitlines()] == [
        "team wins",
        "stocks fall",
        'the "match"',
    ]
    assert err.startswith(f"Skipped 2 rows of {path} that could not be read: lines 2, 4.")
    facts = dict(line.split("\t", 1) for line in works("inspect", path).splitlines())
    assert facts["documents"] == "3"
    assert facts["rows that cannot be read"] == "2"
    assert facts["the first of them"].startswith(f"{path}, line 2: this record is not valid CSV")
    assert path.read_text() == STRAY


def test_the_sheets_of_a_workbook_are_shown(tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "Tickets"
    book.active.append(["text"])
    book.active.append(["a ticket"])
    book.create_sheet("Budget").append(["note"])
    book.save(tmp_path / "two.xlsx")
    shown = works("inspect", tmp_path / "two.xlsx")
    assert "sheet\tTickets\nother sheets\tBudget\n" in shown
    shown = works("inspect", tmp_path / "two.xlsx", "--sheet", "Budget")
    assert "sheet\tBudget\nother sheets\tTickets\n" in shown


@pytest.mark.parametrize(
    ("start", "advice"),
    [
        (b"PK\x03\x04", "--input-format xlsx"),
        (b"PAR1\x15", "--input-format parquet"),
        (b"\x1f\x8b\x08", "ends with .gz"),
        (b"\x28\xb5\x2f\xfd", "ends with .zst"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_what_is_no_text_is_told_by_its_first_bytes(model, tmp_path, start, advice, encoding):
    data = start + bytes(range(64, 90)) * 10
    path = put(tmp_path, "in.csv", data)
    for arguments in ([path], ["-"]):
        assert advice in fails("predict", model, *arguments, "--encoding", encoding, stdin=data)


def test_a_list_of_objects_is_told_apart(model, tmp_path):
    path = put(tmp_path, "in.jsonl", '[{"text": "a"}, {"text": "b"}]\n')
    assert "each needs a line of its own" in fails("predict", model, path)
    path = put(tmp_path, "numbers.jsonl", "[1, 2]\n")
    assert "expected a JSON object, got '[1, 2]'" in fails("predict", model, path)


def test_a_missing_column_names_the_option_that_asked_for_it(tmp_path):
    path, other = tmp_path / "in.csv", tmp_path / "other.csv"
    path.write_text("id,body\n1,a b c\n2,d e f\n")
    other.write_text("x,y\n1,2\n")
    out = ["-o", tmp_path / "out.csv"]
    body = ["--text-column", "body"]
    for arguments, option in (
        (["dedupe", path, *out, *body, "--id", "Nope"], "--id"),
        (["dedupe", path, *out, *body, "--keep", "max:Nope"], "--keep max:"),
        (["dedupe", path, *out, "--field", "Nope"], "--field"),
        (["dedupe", path, *out, "--field", "body", "--against", other], "--field"),
        (["link", path, other, *out, "--field", "body"], "--field"),
        (["passages", path, *out, *body, "--by", "Nope"], "--by"),
        (["overlap", path, *out, *body, "--test", other, "--test-column", "Nope"], "--test-column"),
        (["dedupe", "tune", path, *body, "--known", other], "the columns left and right"),
    ):
        assert f"Name one of them with {option}." in fails(*arguments, code=2)
    message = fails("dedupe", path, *out, "--field", "body:number")
    assert message == "Record 1: field 'body' is 'a b c'; expected a number."


def test_thresholds_are_called_what_they_are_called_here(model):
    message = fails("predict", model, "--text", "a", "--reject-below", "7", code=2)
    assert message == "--reject-below must be None or a number from -1 to 1. Got 7.0 instead."
    message = fails("predict", model, "--text", "a", "--reject-margin", "-7", code=2)
    assert message.startswith("--reject-margin must be")


def test_explain_does_not_take_a_file_for_a_text(model, tmp_path):
    path = tmp_path / "in.txt"
    path.write_text("Where is my hat?\n")
    assert "is a file" in fails("explain", model, path, code=2)
    assert "English" in works("explain", model, path, "--row", "1")
    assert "in.txt" in works("explain", model, "-", stdin=str(path))


def test_no_value_of_an_object_is_dropped(model, tmp_path):
    data = f'{{"text": "{ENGLISH}", "more": {{"a": 1, "b": 2, "a": 3}}}}\n{{"text": "{GERMAN}"}}\n'
    path = put(tmp_path, "in.jsonl", data)
    message = fails("predict", model, path, "--in-place")
    assert "in.jsonl, line 1: the key 'a' occurs twice in an object." in message
    assert path.read_text() == data
    code, out, _ = call("predict", model, path, "--on-bad-rows", "skip")
    assert (code, len(out.splitlines())) == (0, 1)

"""Results keep the rows that they belong to: columns, order, places, and only those wanted."""

import csv
import io
import json

import pytest

from addhash import TextIndex
from addhash.sample import load_languages
from tests.cli.program import call, fails, works

MESSAGES = [
    ("17", "en", "Where is my hat?", "a, b"),
    ("18", "de", "Wo ist\nmein Hut?", 'say "no"'),
    ("19", "fr", "Où est mon chapeau ?", ""),
]
NAMES = ["ticket", "lang", "text", "note"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    works("demo", "--sample", folder)
    works("fit", folder / "languages.tsv", "-o", folder / "m", "--method", "centroid")
    works(
        "fit",
        folder / "languages.tsv",
        "-o",
        folder / "near",
        "--method",
        "nearest",
        "--keep-texts",
    )
    with open(folder / "in.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([NAMES, *MESSAGES])
    objects = [dict(zip(NAMES, row, strict=True)) for row in MESSAGES]
    with open(folder / "in.jsonl", "w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in objects)
    return folder


def rows_of(path, delimiter=","):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def objects(output):
    return [json.loads(line) for line in output.splitlines()]


LANGUAGES = ["English", "German", "French"]


@pytest.mark.parametrize("name", ["in.csv", "in.jsonl"])
def test_all_columns_are_kept(folder, tmp_path, name):
    works("predict", folder / "m", folder / name, "-o", tmp_path / "out.csv")
    found = rows_of(tmp_path / "out.csv")
    assert list(found[0]) == [*NAMES, "label", "score", "margin"]
    assert [tuple(row[name] for name in NAMES) for row in found] == MESSAGES
    assert [row["label"] for row in found] == LANGUAGES


def test_some_columns_or_none_are_kept(folder):
    def names(*options):
        output = works("predict", folder / "m", folder / "in.csv", "--format", "jsonl", *options)
        return list(objects(output)[0])

    added = ["label", "score", "margin"]
    assert names("--keep-columns", "none") == added
    assert names("--keep-columns", "note, ticket") == ["note", "ticket", *added]
    assert names("--keep-columns", "all") == [*NAMES, *added]
    assert names("--labels-only") == ["label"]
    message = fails("predict", folder / "m", folder / "in.csv", "--keep-columns", "tiket", code=2)
    assert "has no column 'tiket'" in message
    assert "Did you mean 'ticket'?" in message


def test_a_file_without_columns_keeps_its_text_on_request(folder):
    options = ["--format", "csv", "--keep-columns", "all"]
    output = works("predict", folder / "m", "-", *options, stdin="Where is my hat?\n")
    assert output.startswith("text,label,score,margin\nWhere is my hat?,English,")


def test_columns_of_the_same_name_are_told_apart(folder, tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("text,label,score\nWhere is my hat?,?,1\n")
    output = works("predict", folder / "m", source, "--format", "csv")
    assert output.startswith(
        "text,label,score,predicted_label,predicted_score,predicted_margin\n"
        "Where is my hat?,?,1,English,0.2"
    )
    output = works("predict", folder / "m", source, "--format", "csv", "--name", "language")
    assert output.startswith("text,label,score,language,language_score,language_margin\n")
    source.write_text("text,text,\nWhere is my hat?,x,y\n")
    output = works("predict", folder / "m", source, "--format", "csv", "--text-column", "#1")
    assert output.startswith("text,text_2,column 3,label,score,margin\nWhere is my hat?,x,y,")


def test_objects_with_other_keys_lose_none(folder, tmp_path):
    source = tmp_path / "in.jsonl"
    source.write_text('{"text": "one text"}\n{"text": "two", "id": 5}\n')
    found = objects(works("predict", folder / "m", source, "--format", "jsonl"))
    assert "id" not in found[0]
    assert found[1]["id"] == 5
    message = check_late_failure("predict", folder / "m", source, "--format", "csv")
    assert "has the column 'id', which the first row does not have" in message
    assert "--keep-columns" in message


def check_late_failure(*arguments):
    code, _, err = call(*arguments)
    assert code == 1
    assert err.startswith("Error: ")
    return err


def test_only_some_rows(folder):
    def tickets(*conditions):
        options = [word for condition in conditions for word in ("--where", condition)]
        output = works("predict", folder / "m", folder / "in.csv", "--format", "jsonl", *options)
        return [row["ticket"] for row in objects(output)]

    assert tickets("lang=en") == ["17"]
    assert tickets("lang=en", "lang=fr") == ["17", "19"]
    assert tickets("lang=en", "lang=fr", "ticket=19") == ["19"]
    assert tickets("note=") == ["19"]


def test_rows_that_do_not_exist(folder):
    source = folder / "in.csv"
    message = fails("predict", folder / "m", source, "--where", "lang=eng")
    assert "No row of" in message
    assert "has lang=eng. Values found instead: 'en', 'de', 'fr'." in message
    assert "has no column 'lng'" in fails(
        "predict", folder / "m", source, "--where", "lng=en", code=2
    )
    assert "--where must be a column and a value" in fails(
        "predict", folder / "m", source, "--where", "lang", code=2
    )


def test_learning_from_some_rows(folder, tmp_path):
    sample = folder / "languages.tsv"
    works(
        "fit",
        sample,
        "-o",
        tmp_path / "m",
        "--where",
        "language=English",
        "--where",
        "language=Welsh",
    )
    assert "classes\t1\n" in works("inspect", tmp_path / "m")
    works("fit", sample, "-o", tmp_path / "two", "--where", "language=English",
          "--where", "language=German")  # fmt: skip
    assert "classes\t2\n" in works("inspect", tmp_path / "two")


def test_labels_in_a_file_of_their_own_stay_beside_their_texts(folder, tmp_path):
    (tmp_path / "x.csv").write_text("text,keep\naaaa,no\nbbbb,yes\ncccc,no\ndddd,yes\n")
    (tmp_path / "y.txt").write_text("A\nB\nC\nD\n")
    options = ["--labels", tmp_path / "y.txt", "--where", "keep=yes"]
    works("fit", tmp_path / "x.csv", "-o", tmp_path / "m", *options)
    assert works("predict", tmp_path / "m", "-", "--labels-only", stdin="bbbb\ndddd\n") == "B\nD\n"


def test_records_and_lines_are_both_given_where_they_differ(folder, tmp_path):
    query = "Où est mon chapeau ?"
    found = objects(works("search", folder / "in.csv", query, "-k", "1", "--format", "jsonl"))
    assert (found[0]["record"], found[0]["line"], found[0]["ticket"]) == (3, 5, "19")
    assert list(found[0])[-1] == "text"
    source = tmp_path / "in.csv"
    source.write_text('text,label\n"one\ntwo\nthree",x\nfour,\n')
    message = fails("fit", source, "-o", tmp_path / "m")
    assert f"{source}, line 5 (record 2): expected a label" in message
    (tmp_path / "plain.txt").write_text("one text\nmore text\n")
    found = objects(works("search", tmp_path / "plain.txt", "more", "-k", "1", "--format", "jsonl"))
    assert list(found[0]) == ["score", "line", "text"]


def test_mistakes_come_with_their_rows(folder, tmp_path):
    source = tmp_path / "test.csv"
    source.write_text('id,text,label\n1,"Where is\nmy hat?",English\n2,Where is my hat?,Dutch\n')
    works("evaluate", folder / "m", source, "--mistakes", tmp_path / "wrong.csv")
    (row,) = rows_of(tmp_path / "wrong.csv")
    assert (row["id"], row["label"], row["true_label"]) == ("2", "Dutch", "Dutch")
    assert (row["predicted_label"], row["at_record"], row["at_line"]) == ("English", "2", "4")
    works("evaluate", folder / "m", source, "--mistakes", tmp_path / "few.csv",
          "--keep-columns", "id")  # fmt: skip
    assert list(rows_of(tmp_path / "few.csv")[0])[:2] == ["id", "at_record"]


def test_vectors_keep_columns(folder, tmp_path):
    works("vectorize", folder / "in.csv", "-o", tmp_path / "v.jsonl", "--features", "8")
    found = objects((tmp_path / "v.jsonl").read_text(encoding="utf-8"))
    assert [tuple(row[name] for name in NAMES) for row in found] == MESSAGES
    assert len(found[0]["vector"]) == 8
    pq = pytest.importorskip("pyarrow.parquet")
    works("vectorize", folder / "in.csv", "-o", tmp_path / "v.parquet", "--features", "8",
          "--keep-columns", "ticket")  # fmt: skip
    table = pq.read_table(tmp_path / "v.parquet")
    assert table.column_names == ["ticket", "vector"]
    assert table.column("ticket").to_pylist() == ["17", "18", "19"]


def test_the_nearest_examples_for_programs(folder):
    output = works(
        "predict", folder / "near", "-", "--nearest", "2", "--format", "csv",
        stdin="Where is my hat?\n",
    )  # fmt: skip
    (row,) = csv.DictReader(io.StringIO(output))
    assert row["label"] == row["nearest_1"] == "English"
    assert row["runner_up"] not in ("", "English")
    assert float(row["nearest_1_score"]) == float(row["score"])
    assert float(row["nearest_2_score"]) <= float(row["nearest_1_score"])
    assert row["nearest_1_text"] in load_languages()[0]


def test_a_row_of_a_file_is_explained(folder):
    found = objects(
        works("explain", folder / "m", folder / "in.csv", "--row", "2", "--format", "jsonl")
    )
    assert (found[0]["label"], found[0]["text"]) == ("German", "Wo ist\nmein Hut?")
    message = fails("explain", folder / "m", folder / "in.csv", "--row", "4")
    assert "has no document 4 to explain; 3 were read" in message


def test_queries_are_answered_in_batches(folder, monkeypatch):
    """A file of queries takes a few searches, and gives what one by one gives."""
    calls = []
    real = TextIndex.search
    monkeypatch.setattr(
        TextIndex,
        "search",
        lambda self, texts, k=10: calls.append(len(texts)) or real(self, texts, k),
    )
    queries = [row[2].replace("\n", " ") for row in MESSAGES] * 50
    options = ["-k", "2", "--format", "jsonl"]
    together = objects(
        works("search", folder / "in.csv", "-", *options, stdin="\n".join(queries) + "\n")
    )
    assert calls == [len(queries)]
    assert [row["query"] for row in together] == [i for i in range(1, 151) for _ in range(2)]
    for i, query in enumerate(queries[:3]):
        alone = objects(works("search", folder / "in.csv", query, *options))
        assert [{"query": i + 1} | row for row in alone] == together[2 * i : 2 * i + 2]


def test_numbers_of_the_input_are_kept_in_full(folder, tmp_path):
    source = tmp_path / "in.jsonl"
    source.write_text('{"text": "a text", "x": 0.12345678901234567, "n": 12345678901234567890}\n')
    exact = [repr(0.12345678901234567), "12345678901234567890"]
    (row,) = csv.reader(works("predict", folder / "m", source, "--format", "csv").splitlines()[1:])
    assert row[1:3] == exact
    assert len(row[-1].split(".")[1]) == 6
    works("predict", folder / "m", source, "-o", tmp_path / "out.tsv")
    assert (tmp_path / "out.tsv").read_text().split("\n")[1].split("\t")[1:3] == exact
    openpyxl = pytest.importorskip("openpyxl")
    works("predict", folder / "m", source, "-o", tmp_path / "out.xlsx")
    cells = list(openpyxl.load_workbook(tmp_path / "out.xlsx").active.iter_rows(values_only=True))
    # A spreadsheet would round the large number.
    assert cells[1][1] == pytest.approx(0.12345678901234567, rel=1e-15)
    assert cells[1][2] == exact[1]


def test_explain_reads_the_columns_that_the_model_was_fitted_on(tmp_path):
    with open(tmp_path / "train.csv", "w", encoding="utf-8") as file:
        file.write("title,body,label\nred apple,sweet fruit,food\nfast car,loud engine,cars\n")
    joined = ("--text-column", "title", "--text-column", "body")
    works("fit", tmp_path / "train.csv", *joined, "-o", tmp_path / "m", "--method", "centroid")
    out = works(
        "explain", tmp_path / "m", tmp_path / "train.csv", "--row", "2", "--format", "jsonl"
    )
    assert objects(out)[0]["text"] == "fast car loud engine"


def test_evaluate_gives_empty_texts_no_label_and_refuses_empty_labels(folder, tmp_path):
    rows = "text,label\nWhere is the station?,English\n   ,English\n"
    (tmp_path / "test.csv").write_text(rows)
    out = works("evaluate", folder / "m", tmp_path / "test.csv", "--format", "jsonl")
    assert objects(out)[0] == {
        "measure": "accuracy",
        "class": "",
        "answer": "",
        "value": 0.5,
        "documents": 2,
    }
    mistakes = tmp_path / "mistakes.csv"
    works("evaluate", folder / "m", tmp_path / "test.csv", "--mistakes", mistakes)
    assert [row["text"] for row in rows_of(mistakes)] == ["   "]
    (tmp_path / "test.csv").write_text(rows + "Where is it?,\n")
    message = fails("evaluate", folder / "m", tmp_path / "test.csv")
    assert "line 4" in message
    assert "expected a label" in message
    skipping = ("--on-bad-rows", "skip", "--format", "jsonl")
    code, out, err = call("evaluate", folder / "m", tmp_path / "test.csv", *skipping)
    assert (code, "Skipped 1 row" in err) == (0, True)
    assert objects(out)[0]["documents"] == 2


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_decimal_commas(folder, tmp_path, delimiter):
    lines = ["text", "number"], ["Where is the station?", "1.5"]
    text = "".join(delimiter.join(line) + "\n" for line in lines)
    (tmp_path / "in.csv").write_text(text)
    written = tmp_path / "out.csv"
    works("predict", folder / "m", tmp_path / "in.csv", "-o", written, "--decimal-comma")
    (row,) = rows_of(tmp_path / "out.csv", delimiter)
    assert row["number"] == "1.5"  # as it was
    for name in ("score", "margin"):
        assert "." not in row[name]
        assert 0 < float(row[name].replace(",", ".")) <= 1
    refused = fails(
        *("predict", folder / "m", tmp_path / "in.csv", "-o", tmp_path / "out.jsonl"),
        "--decimal-comma",
        code=2,
    )
    assert "--decimal-comma is for .csv and .tsv" in refused

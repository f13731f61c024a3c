"""`addhash dedupe`, as a user runs it."""

import csv
import json

import pytest

import addhash
from tests.cli.program import call, fails, run
from tests.unit.search.duplicates.test_finding import random_texts

A = "The quick brown fox jumps over the lazy dog near the river bank today"
B = "The quick brown fox jumps over the lazy dog near the river bank tonight"
C = "It rains in Oslo, and the trams are late again this morning, they say"
ROWS = [
    {"id": "1", "body": A, "score": "2"},
    {"id": "2", "body": C, "score": "1"},
    {"id": "3", "body": B, "score": "7.5"},
    {"id": "4", "body": A.upper(), "score": ""},
]


def write_csv(path, rows=ROWS, delimiter=","):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


def read_csv(path, delimiter=","):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def ok(*arguments):
    code, out, err = call(*arguments)
    assert code == 0, err
    return out, err


@pytest.fixture
def table(tmp_path):
    return write_csv(tmp_path / "in.csv")


@pytest.mark.parametrize(
    ("keep", "ids"),
    [
        ([], ["1", "2"]),
        (["--keep", "last"], ["2", "4"]),
        (["--keep", "longest"], ["1", "2"]),
        (["--keep", "max:score"], ["2", "3"]),
    ],
)
def test_what_is_kept(table, tmp_path, keep, ids):
    before = table.read_bytes()
    out, err = ok("dedupe", table, "--text-column", "body", "-o", tmp_path / "kept.csv", *keep)
    assert out == ""
    assert [row["id"] for row in read_csv(tmp_path / "kept.csv")] == ids
    assert read_csv(tmp_path / "kept.csv")[0].keys() == ROWS[0].keys()
    assert table.read_bytes() == before
    assert "2 of 4 texts (50.0 %) are near-duplicates; pairs: 3, clusters: 1." in err
    assert "3 texts, similar to the one kept by" in err


def test_pairs_and_clusters(table, tmp_path):
    ok(
        *("dedupe", table, "--text-column", "body"),
        *("--pairs", tmp_path / "pairs.csv", "--clusters", tmp_path / "clusters.jsonl"),
    )
    pairs = read_csv(tmp_path / "pairs.csv")
    assert [(row["left"], row["right"]) for row in pairs] == [("1", "3"), ("1", "4"), ("3", "4")]
    assert pairs[1]["similarity"] == "1.000000"
    clusters = [json.loads(line) for line in (tmp_path / "clusters.jsonl").read_text().splitlines()]
    assert [row["cluster"] for row in clusters] == [1, 2, 1, 1]
    assert [row["kept"] for row in clusters] == [True, True, False, False]
    assert [row["kept_document"] for row in clusters] == [1, 2, 1, 1]


def test_a_dry_run_writes_nothing(table, tmp_path):
    _, err = ok("dedupe", table, "--text-column", "body", "--dry-run")
    assert "near-duplicates" in err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.csv"]


def test_against_a_reference(table, tmp_path):
    (tmp_path / "test.txt").write_text(f"{B}\nsomething else\n", encoding="utf-8")
    write_csv(tmp_path / "test.csv", [{"id": "x", "body": B, "score": "0"}])
    options = ("--text-column", "body", "--against", tmp_path / "test.csv")
    _, err = ok(
        *("dedupe", table, *options, "-o", tmp_path / "kept.csv"),
        *("--clusters", tmp_path / "clusters.csv"),
    )
    assert [row["id"] for row in read_csv(tmp_path / "kept.csv")] == ["2"]
    assert "3 of 4 texts (75.0 %) are like one of 1 others" in err
    kept = [row["kept_document"] for row in read_csv(tmp_path / "clusters.csv")]
    assert kept == ["1", "", "1", "1"]


@pytest.mark.parametrize("name", ["txt", "csv", "tsv", "jsonl", "xlsx", "parquet"])
def test_every_format_is_read_and_written(table, tmp_path, name):
    pytest.importorskip("pyarrow")
    pytest.importorskip("openpyxl")
    target, again = tmp_path / f"kept.{name}", tmp_path / "again.csv"
    ok("dedupe", table, "--text-column", "body", "-o", target)
    column = () if name == "txt" else ("--text-column", "body")
    ok("dedupe", target, *column, "-o", again)
    if name == "txt":
        assert target.read_text("utf-8").splitlines() == [A, C]
    else:
        assert read_csv(again) == ROWS[:2]


def test_parquet_keeps_its_types(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {
        "n": arrow.array([1, None, 3], arrow.int16()),
        "text": [A, C, B],
        "tags": [["a"], [], None],
    }
    parquet.write_table(arrow.table(columns), tmp_path / "in.parquet")
    ok("dedupe", tmp_path / "in.parquet", "-o", tmp_path / "out.parquet")
    kept = parquet.read_table(tmp_path / "out.parquet")
    assert kept.schema == parquet.read_schema(tmp_path / "in.parquet")
    assert kept.column("n").to_pylist() == [1, None]


def test_a_csv_file_keeps_its_delimiter(tmp_path):
    write_csv(tmp_path / "in.csv", delimiter=";")
    ok("dedupe", tmp_path / "in.csv", "--text-column", "body", "-o", tmp_path / "out.csv")
    assert read_csv(tmp_path / "out.csv", ";") == ROWS[:2]


def test_several_files_count_as_one(tmp_path):
    one, two = write_csv(tmp_path / "1.csv", ROWS[:2]), write_csv(tmp_path / "2.csv", ROWS[2:])
    ok("dedupe", one, two, "--text-column", "body", "-o", tmp_path / "kept.csv")
    assert read_csv(tmp_path / "kept.csv") == ROWS[:2]
    write_csv(two, [{"other": "a", "body": "b"}])
    message = fails("dedupe", one, two, "--text-column", "body", "-o", tmp_path / "kept.csv")
    assert "Give files with the same columns" in message


def test_within_a_memory_the_result_is_the_same(tmp_path):
    (tmp_path / "in.txt").write_text("\n".join(random_texts(1, 500)) + "\n", encoding="utf-8")
    ok("dedupe", tmp_path / "in.txt", "--threshold", "0.6", "-o", tmp_path / "a.txt")
    options = ("--threshold", "0.6", "--memory", "4GB")
    ok("dedupe", tmp_path / "in.txt", *options, "-o", tmp_path / "b.txt")
    assert (tmp_path / "a.txt").read_bytes() == (tmp_path / "b.txt").read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.txt", "b.txt", "in.txt"]


def test_a_run_that_got_nowhere_leaves_nothing(tmp_path):
    fails("dedupe", tmp_path / "none.txt", "--memory", "4GB", "-o", tmp_path / "out.txt")
    assert list(tmp_path.iterdir()) == []


def test_chains_on_request(tmp_path):
    words = [f"w{i}" for i in range(20)]
    lines = [" ".join(words[i : i + 10]) for i in range(6)]
    (tmp_path / "in.txt").write_text("\n".join(lines) + "\n")
    options = ("--ngrams", "1", "--threshold", "0.8")
    for more, count in (((), 3), (("--connected",), 1)):
        ok("dedupe", tmp_path / "in.txt", *options, *more, "-o", tmp_path / "out.txt")
        assert len((tmp_path / "out.txt").read_text().splitlines()) == count


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "with --output, or look first with --dry-run"),
        (["--dry-run", "-o", "x.csv"], "--dry-run writes nothing"),
        (["-o", "x.doc"], "extension .doc is unknown"),
        (["--pairs", "x.txt"], "extension .txt is unknown"),
        (["-o", "in.csv"], "is also an input"),
        (["-o", "x.csv", "--pairs", "x.csv"], "is also an input"),
        (["-o", "x.csv", "--keep", "best"], "--keep must be first, last, longest or max:COLUMN"),
        (["-o", "x.csv", "--keep", "first", "--against", "in.csv"], "Give only one"),
        (["-o", "x.csv", "--connected", "--against", "in.csv"], "--connected is about clusters"),
        (["-o", "x.csv", "--threshold", "1.5"], "--threshold must be a number above 0 and up to 1"),
        (["-o", "x.csv", "--ngrams", "0"], "--ngrams must be a number"),
        (["-o", "x.csv", "--memory", "much"], "--memory must be a number of bytes"),
        (["--dry-run", "--memory", "4GB"], "Name an --output"),
    ],
)
def test_wrong_use(table, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    arguments = ("dedupe", "in.csv", "--text-column", "body", *options)
    assert message in fails(*arguments, code=2)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.csv"]


def test_files_that_do_not_serve(table, tmp_path):
    assert "can be read only once" in fails("dedupe", "-", "--dry-run", code=2)
    options = ("--text-column", "body", "-o", tmp_path / "x.csv")
    assert "no such file" in fails("dedupe", tmp_path / "none.csv", *options)
    assert "has no column" in fails("dedupe", table, *options, "--keep", "max:none", code=2)
    message = fails("dedupe", table, *options, "--keep", "max:body")
    assert "record 1, line 2: --keep max: needs a number" in message


def test_a_text_of_several_lines_does_not_fit_a_txt_file(tmp_path):
    write_csv(tmp_path / "in.csv", [{"text": "two\nlines"}])
    message = fails("dedupe", tmp_path / "in.csv", "-o", tmp_path / "out.txt")
    assert "several lines" in message
    assert not (tmp_path / "out.txt").exists()


def test_explain():
    out, _ = ok("dedupe", "explain", "Call me at noon, John", "Call me at noon, Mary")
    assert out.splitlines() == [
        "A\tCall me at noon\tTrue",
        "A\t, John\tFalse",
        "B\tCall me at noon\tTrue",
        "B\t, Mary\tFalse",
    ]
    options = ("--format", "table", "--threshold", "0.5")
    out, _ = ok("dedupe", "explain", "Call me at noon, John", "Call me at noon, Mary", *options)
    assert "A  Call me at noon[, John]" in out
    assert "jaccard 0.5000: near-duplicates at 0.5" in out


def test_explain_is_coloured_on_a_terminal():
    texts = ("a b c d", "a b c e")
    done = run("dedupe", "explain", *texts, "--format", "table", FORCE_COLOR="1")
    assert "\x1b[32ma b c\x1b[0m" in done.out
    assert "\x1b[31m d\x1b[0m" in done.out


def test_tune(table):
    out, _ = ok("dedupe", "tune", table, "--text-column", "body", "--format", "csv")
    rows = list(csv.DictReader(out.splitlines()))
    texts = [row["body"] for row in ROWS]
    for row in rows:
        found = addhash.find_duplicates(texts, threshold=float(row["threshold"]))
        assert int(row["pairs"]) == found.n_pairs
        assert int(row["left_out"]) == (~found.keep).sum()
    assert rows[-1]["similarity"] == "1.000000"
    assert {rows[-1]["left"], rows[-1]["right"]} == {A, A.upper()}
    out, _ = ok("dedupe", "tune", table, "--text-column", "body", "--format", "table")
    assert "0.80  3 pairs, 2 documents left out" in out


PEOPLE = [
    {"number": "a1", "name": "Anna Berg", "street": "12 Hill Road", "age": "40"},
    {"number": "a2", "name": "Ana Berg", "street": "12 Hill Road", "age": "40"},
    {"number": "a3", "name": "Bo Dahl", "street": "3 Lake Street", "age": ""},
]
FIELDS = ("--field", "name:2", "--field", "street:text", "--field", "age:number:1:5")


def test_records_are_compared_by_fields(tmp_path):
    path, kept, pairs = (tmp_path / name for name in ("people.csv", "kept.csv", "pairs.csv"))
    write_csv(path, PEOPLE)
    before = path.read_bytes()
    ok("dedupe", path, *FIELDS, "-o", kept, "--pairs", pairs, "--id", "number")
    assert [row["number"] for row in read_csv(kept)] == ["a1", "a3"]
    assert [(row["left"], row["right"]) for row in read_csv(pairs)] == [("a1", "a2")]
    assert path.read_bytes() == before


def test_a_threshold_that_is_usual_for_texts_holds_for_records_too(tmp_path):
    write_csv(tmp_path / "people.csv", [PEOPLE[0], {**PEOPLE[1], "street": "7 Mill Road"}])
    found = {}
    for threshold in ("0.6", "0.8"):
        pairs = tmp_path / f"{threshold}.csv"
        ok("dedupe", tmp_path / "people.csv", *FIELDS, "--threshold", threshold, "--pairs", pairs)
        found[threshold] = [float(row["similarity"]) for row in read_csv(pairs)]
    assert 0.6 <= found["0.6"][0] < 0.8
    assert found["0.8"] == []


def test_marks_keep_all_rows(tmp_path):
    write_csv(tmp_path / "people.csv", PEOPLE)
    options = (*FIELDS, "--mark", "--id", "number", "-o", tmp_path / "all.csv")
    ok("dedupe", tmp_path / "people.csv", *options)
    rows = read_csv(tmp_path / "all.csv")
    assert [row["representative"] for row in rows] == ["a1", "a1", "a3"]
    assert [row["cluster"] for row in rows] == ["1", "1", "3"]
    assert [row["name"] for row in rows] == [row["name"] for row in PEOPLE]


def test_records_of_two_files_are_linked(tmp_path):
    write_csv(tmp_path / "a.csv", PEOPLE[1:])
    write_csv(tmp_path / "b.csv", [{**PEOPLE[0], "number": "b7"}])
    _, err = ok("link", tmp_path / "a.csv", tmp_path / "b.csv", *FIELDS, "-o", tmp_path / "m.csv")
    (row,) = read_csv(tmp_path / "m.csv")
    assert (row["left_number"], row["right_number"]) == ("a2", "b7")
    assert 0.6 <= float(row["similarity"]) < 1
    assert "1 of 2 rows" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--field", "name", "--field", "name:2"], "given twice"),
        (["--field", "name:thing"], "--field must be NAME"),
        (["--field", "name", "--text-column", "name"], "Give only one of them"),
        (["--field", "name", "--measure", "cosine"], "--measure is about texts"),
        (["--field", "nobody"], "nobody"),
        (["--field", "name", "--id", "age"], "--id"),
        (["--field", "name", "--memory", "1GB"], "--memory is for texts"),
    ],
)
def test_mistakes_about_records_are_told(tmp_path, arguments, message):
    write_csv(tmp_path / "people.csv", PEOPLE)
    ended, _, err = call("dedupe", tmp_path / "people.csv", *arguments, "-o", tmp_path / "kept.csv")
    assert ended in (1, 2)
    assert message in " ".join(err.split())
    assert not (tmp_path / "kept.csv").exists()


def test_tuning_of_records_shows_how_many_known_pairs_are_found(tmp_path):
    path, known = tmp_path / "people.csv", tmp_path / "known.csv"
    write_csv(path, [*PEOPLE, {**PEOPLE[2], "number": "a4", "street": "3 Lake St"}])
    write_csv(known, [{"left": "a2", "right": "a1"}, {"left": "a4", "right": "a3"}])
    options = (*FIELDS, "--known", known, "--id", "number", "--format", "csv")
    out, err = ok("dedupe", "tune", path, *options)
    rows = {row["threshold"]: row for row in csv.DictReader(out.splitlines())}
    assert rows["0.400000"]["recall"] == "1.000000"
    assert rows["1.000000"]["recall"] == "0.000000"
    assert all(0 <= float(row["f1"]) <= 1 for row in rows.values())
    assert "Proposed: --threshold 0." in err
    assert "F1 1.000" in err
    by_number = (*FIELDS, "--known", tmp_path / "numbers.csv", "--format", "csv")
    write_csv(tmp_path / "numbers.csv", [{"left": 1, "right": 2}, {"left": 3, "right": 4}])
    assert ok("dedupe", "tune", path, *by_number) == (out, err)
    out, err = ok("dedupe", "tune", path, *FIELDS, "--format", "table")
    assert "by the gap" in err
    assert "precision" not in out
    out, err = ok(
        "dedupe", "tune", path, "--text-column", "name", "--known", known, "--id", "number"
    )
    assert "F1" in err


def test_tuning_proposes_weights_that_find_more_known_pairs(tmp_path):
    rows = [
        {"name": f"{name} {name[::-1]}", "row": f"{7919 * i % 1000003}"}
        for i, name in enumerate(["anna", "anna", "berit", "berit", "cyrus", "cyrus", "dag", "eli"])
    ]
    rows[7]["row"] = rows[6]["row"]
    write_csv(tmp_path / "people.csv", rows)
    write_csv(tmp_path / "known.csv", [{"left": i, "right": i + 1} for i in (1, 3, 5)])
    options = ("--field", "name:1", "--field", "row:9", "--known", tmp_path / "known.csv")
    _, err = ok("dedupe", "tune", tmp_path / "people.csv", *options, "--from", "0.1")
    words = " ".join(err.split())
    assert "--field name:name:1 --field row:name:" in words
    assert "F1 1.000" in words


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--field", "name", "--known", "known.csv"], "there is no document '9'"),
        (["--field", "name", "--known", "known.csv", "--id", "number"], "has the id '9'"),
        (["--text-column", "name", "--id", "number"], "Name their file with --known"),
        (["--field", "name", "--ngrams", "2"], "--ngrams is about texts"),
        (["--field", "name:0"], "--field name must be a number above 0"),
    ],
)
def test_mistakes_about_tuning_are_told(tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "people.csv", PEOPLE)
    write_csv(tmp_path / "known.csv", [{"left": "9", "right": "1"}])
    ended, _, err = call("dedupe", "tune", tmp_path / "people.csv", *options)
    assert ended in (1, 2)
    assert message in " ".join(err.split())


def test_explain_shows_the_share_of_each_field(tmp_path):
    path = tmp_path / "people.csv"
    write_csv(path, PEOPLE)
    options = ("--rows", path, *FIELDS, "--format", "csv")
    out, err = ok("dedupe", "explain", "1", "2", *options)
    rows = list(csv.DictReader(out.splitlines()))
    assert [row["field"] for row in rows] == ["name", "street", "age"]
    records = [{**row, "age": row["age"] or None} for row in PEOPLE]
    age = addhash.Field("number", 1.0, tolerance=5)
    fields = {"name": 2.0, "street": "text", "age": age}
    found = addhash.find_duplicates(records, fields=fields, threshold=0.1)
    for row, share in zip(rows, found.explain(0, 1), strict=True):
        assert float(row["share"]) == pytest.approx(share.share, abs=1e-6)
    assert f"Similarity {found.pairs.similarity[0]:.4f}: near-duplicates at 0.6" in err
    assert ok("dedupe", "explain", "a1", "a2", "--id", "number", *options) == (out, err)
    assert "no row '7'" in fails("dedupe", "explain", "1", "7", *options)
    by_id = ("--id", "number", *options)
    assert "whose number is 'b9'" in fails("dedupe", "explain", "a1", "b9", *by_id)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--field", "name"], "Name it with --rows"),
        (["--rows", "people.csv"], "with --field"),
        (["--rows", "-", "--field", "name"], "standard input"),
    ],
)
def test_mistakes_about_explaining_rows_are_told(tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "people.csv", PEOPLE)
    ended, _, err = call("dedupe", "explain", "1", "2", *options)
    assert ended == 2
    assert message in " ".join(err.split())

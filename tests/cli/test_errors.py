"""Every mistake gets its own clear message: what, where, what to do."""

import gzip
import sys

import pytest

from addhash.tables.compression import ZSTD
from tests.cli.program import check_paragraph, fails, run, works


def test_errors_of_the_installed_program(tmp_path):
    done = run("vectorize", tmp_path / "none.txt", "-o", tmp_path / "out.npy", code=1)
    assert "there is no such file" in check_paragraph(done.out, done.err)
    done = run("vectorize", "-", code=2)
    assert "--output" in check_paragraph(done.out, done.err)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out.npy"


def vectorize_fails(source, out, *options, **more):
    return fails("vectorize", source, "-o", out, *options, **more)


def test_invalid_utf_8(tmp_path, out):
    source = tmp_path / "latin.txt"
    source.write_bytes("fine\nalso fine\ncaf\xe9\n".encode("latin-1"))
    message = vectorize_fails(source, out)
    assert f"{source}, line 3: byte 4 of the line (0xe9) is not valid utf-8." in message
    assert "--encoding cp1252" in message
    assert "--errors replace" in message
    assert not out.exists()
    works("vectorize", source, "-o", out, "--encoding", "latin-1")
    works("vectorize", source, "-o", out, "--errors", "replace")


def test_unknown_encoding(tmp_path, out):
    source = tmp_path / "a.txt"
    source.write_text("a")
    message = vectorize_fails(source, out, "--encoding", "utf-9", code=2)
    assert "encoding 'utf-9' is unknown" in message


def test_missing_column(tmp_path, out):
    source = tmp_path / "a.csv"
    source.write_text("id,heading\n1,x\n")
    message = vectorize_fails(source, out, "--text-column", "headin", code=2)
    assert message.endswith(
        "has no column 'headin'; it has 'id', 'heading'. Did you mean 'heading'?"
    )


def test_unclear_column(tmp_path, out):
    source = tmp_path / "a.csv"
    source.write_text("id,heading\n1,x\n")
    message = vectorize_fails(source, out, code=2)
    assert "Cannot tell which column" in message
    assert "'id', 'heading'" in message
    assert "--text-column" in message


def test_unknown_extension_of_input(tmp_path, out):
    source = tmp_path / "a.docx"
    source.write_text("a")
    message = vectorize_fails(source, out, code=2)
    assert "the extension .docx is unknown" in message
    assert "--input-format" in message
    works("vectorize", source, "-o", out, "--input-format", "txt")


def test_unknown_extension_of_output(tmp_path):
    source = tmp_path / "a.txt"
    source.write_text("a")
    message = vectorize_fails(source, tmp_path / "out.pickle", code=2)
    assert "the extension .pickle is unknown" in message
    assert ".npy, .npz, .parquet, .jsonl or .index" in message


@pytest.mark.parametrize(
    ("name", "content"), [("a.txt", ""), ("a.csv", ""), ("a.csv", "text\n"), ("a.jsonl", "\n")]
)
def test_empty_file(tmp_path, out, name, content):
    source = tmp_path / name
    source.write_text(content)
    assert "is empty: it contains no documents" in vectorize_fails(source, out)
    assert not out.exists()


def test_empty_standard_input(out):
    assert "standard input is empty" in vectorize_fails("-", out)


def test_directories(tmp_path, out):
    (tmp_path / "a.txt").mkdir()
    (tmp_path / "a.npy").mkdir()
    assert "it is a directory" in vectorize_fails(tmp_path / "a.txt", out)
    assert "it is a directory" in vectorize_fails(tmp_path, out)
    assert "it is a directory" in vectorize_fails("-", tmp_path / "a.npy")


def test_missing_file(tmp_path, out):
    assert "there is no such file" in vectorize_fails(tmp_path / "none.txt", out)


def test_missing_folder(tmp_path):
    assert "its folder does not exist" in vectorize_fails("-", tmp_path / "none" / "out.npy")


def test_read_only_target(tmp_path, out):
    out.write_bytes(b"precious")
    out.chmod(0o444)
    message = vectorize_fails("-", out, stdin="a text\n")
    assert "it is read-only" in message
    assert out.read_bytes() == b"precious"


def test_ragged_table(tmp_path, out):
    source = tmp_path / "a.csv"
    source.write_text('text,label\n"two\nlines",x\nshort\n')
    assert "a.csv, line 4: expected 2 columns, got 1." in vectorize_fails(source, out)


def test_open_quote(tmp_path, out):
    source = tmp_path / "a.csv"
    source.write_text('text\nfine\n"never closed\nmore\n')
    assert "a.csv, line 3: this record is not valid CSV" in vectorize_fails(source, out)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{nope", "line 2: this is not valid JSON"),
        ("[1]", "line 2: expected a JSON object"),
        ('{"other": "x"}', "line 2: the object has no 'text', only 'other'"),
        ('{"text": 5}', "line 2: expected a text in 'text', got 5"),
        ('{"text": null}', "line 2: expected a text in 'text', got null."),
    ],
)
def test_wrong_json(tmp_path, out, line, message):
    source = tmp_path / "a.jsonl"
    source.write_text('{"text": "fine"}\n' + line + "\n")
    assert message in vectorize_fails(source, out)


def test_damaged_archives(tmp_path, out):
    whole = gzip.compress(b"a document\n" * 1000)
    for name, content in [("a.txt.gz", whole[:-20]), ("b.txt.gz", b"plain text\n")]:
        (tmp_path / name).write_bytes(content)
        message = vectorize_fails(tmp_path / name, out)
        assert "Cannot decompress" in message
        assert "gzip" in message
    zstd = pytest.importorskip(ZSTD)
    whole = zstd.compress(bytes(range(256)) * 1000)
    for name, content in [("a.txt.zst", whole[:-3]), ("b.txt.zst", b"plain text\n")]:
        (tmp_path / name).write_bytes(content)
        message = vectorize_fails(tmp_path / name, out, "--encoding", "latin-1")
        assert "Cannot decompress" in message
        assert "zstd" in message


def test_no_parquet(tmp_path, out):
    pytest.importorskip("pyarrow")
    source = tmp_path / "a.parquet"
    source.write_text("plain text")
    assert "it is not a Parquet file" in vectorize_fails(source, out)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--features", "12"], "must be a multiple of 8"),
        (["--features", "many"], "valid int"),
        (["--ngrams", "3-1"], "--ngrams must be a number such as 3"),
        (["--dtype", "int16"], "norm"),
        (["--method", "ht", "--dtype", "bits"], "--method ht writes float32 or float64"),
        (["--method", "ht", "--randomizer", "aes128"], "--randomizer is for --method ah"),
        (["--keep-columns", "text"], "--keep-columns needs a .parquet or .jsonl file"),
        (["--no-header"], "--no-header is for .csv and .tsv"),
        (["--methud", "ah"], "No such option"),
    ],
)
def test_wrong_options(out, options, message):
    assert message in vectorize_fails("-", out, *options, code=2)


def test_labels_that_do_not_match(tmp_path, out):
    source, labels = tmp_path / "x.txt", tmp_path / "y.txt"
    source.write_text("a\nb\nc\n")
    labels.write_text("1\n2\n")
    assert "has 2 labels, but" in vectorize_fails(source, out, "--labels", labels)
    labels.write_text("1\n2\n3\n4\n")
    assert "has more labels than" in vectorize_fails(source, out, "--labels", labels)


def test_a_file_name_that_is_none():
    message = fails("similarity", "missing.txt", "b", code=2)
    assert "missing.txt looks like a file, but is not one" in message
    assert works("similarity", "missing.txt", "missing.txt", "--text") == "1.000000\n"


@pytest.mark.parametrize(
    ("package", "name"),
    [("pyarrow", "a.parquet"), ("openpyxl", "a.xlsx"), ("backports.zstd", "a.txt.zst")],
)
def test_a_missing_extra_names_the_pip_line(tmp_path, out, monkeypatch, package, name):
    monkeypatch.setitem(sys.modules, package if package != "backports.zstd" else ZSTD, None)
    (tmp_path / name).write_bytes(b"whatever")
    message = vectorize_fails(tmp_path / name, out)
    assert f"needs the package {package}, which is not installed" in message
    assert message.endswith("Install it with: pip install 'addhash[files]'")


def test_parquet_output_without_its_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    target = tmp_path / "out.parquet"
    assert "pip install 'addhash[files]'" in vectorize_fails("-", target, stdin="a\n")
    assert not list(tmp_path.iterdir())

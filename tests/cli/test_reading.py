"""Documents are the same whatever the format, the compression and the way they come."""

import csv
import gzip
import io
import json

import pytest

from addhash.cli.input.documents import Documents
from addhash.cli.options.reading import LabelOptions, ReadOptions
from addhash.errors import TableError
from addhash.tables.compression import ZSTD
from tests.texts import HOSTILE

# A line of .txt and .tsv holds neither line ends nor tabs.
LINES = [text for text in HOSTILE if not set(text) & set("\n\r\t")]
LABELS = [f"label {i % 3}" for i in range(len(LINES))]


def as_txt():
    return "".join(f"{text}\n" for text in LINES).encode()


def as_tsv():
    rows = zip(LABELS, LINES, strict=True)
    return ("label\ttext\n" + "".join(f"{a}\t{b}\n" for a, b in rows)).encode()


def as_csv():
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["id", "Text", "Language"])
    writer.writerows([i, *row] for i, row in enumerate(zip(LINES, LABELS, strict=True)))
    return out.getvalue().encode()


def as_jsonl():
    rows = zip(LINES, LABELS, strict=True)
    return "".join(json.dumps({"text": a, "label": b}) + "\n" for a, b in rows).encode()


def as_parquet():
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    out = io.BytesIO()
    pq.write_table(pa.table({"text": LINES, "label": LABELS}), out, row_group_size=7)
    return out.getvalue()


FORMATS = {
    "txt": as_txt,
    "tsv": as_tsv,
    "csv": as_csv,
    "jsonl": as_jsonl,
    "parquet": as_parquet,
}


def compress(data, compression):
    if compression == ".zst":
        zstd = pytest.importorskip(ZSTD)
        half = len(data) // 2  # files of several frames are valid
        return zstd.compress(data[:half]) + zstd.compress(data[half:])
    return gzip.compress(data) if compression == ".gz" else data


def read(path, need="wanted", labels=None, label_column=None, **reading):
    labelling = LabelOptions(labels=labels, label_column=label_column)
    documents = Documents(str(path), ReadOptions(**reading), labelling, need)
    return [document for batch in documents for document in batch]


def found(documents):
    return [(document.text, document.label, document.line) for document in documents]


@pytest.mark.parametrize("compression", ["", ".gz", ".zst"])
@pytest.mark.parametrize("kind", FORMATS)
def test_formats_and_compressions(tmp_path, kind, compression):
    path = tmp_path / f"documents.{kind}{compression}"
    path.write_bytes(compress(FORMATS[kind](), compression))
    if kind == "txt":
        (tmp_path / "labels").write_text("\n".join(LABELS) + "\n")
        documents = read(path, labels=str(tmp_path / "labels"))
    else:
        documents = read(path)
    assert [document.text for document in documents] == LINES
    assert [document.label for document in documents] == LABELS


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32-be", "gb18030", "utf-8-sig", "utf-8"])
def test_encodings(tmp_path, encoding):
    path = tmp_path / "documents.txt"
    path.write_bytes("".join(f"{text}\n" for text in LINES).encode(encoding))
    assert [document.text for document in read(path, encoding=encoding)] == LINES


def test_a_byte_order_mark_is_no_text(tmp_path):
    path = tmp_path / "documents.csv"
    path.write_bytes("\ufefftext\nein Text\n".encode())
    assert found(read(path)) == [("ein Text", None, 2)]


def test_line_ends(tmp_path):
    path = tmp_path / "documents.txt"
    path.write_bytes("a\r\nb\u2028c\x85d\n\nlast".encode())
    assert [document.text for document in read(path)] == ["a", "b\u2028c\x85d", "", "last"]


def test_numbers_are_those_of_the_lines(tmp_path):
    path = tmp_path / "documents.csv"
    path.write_text('text\n"one\ntwo"\n\nthree\n')
    assert found(read(path)) == [("one\ntwo", None, 2), ("three", None, 5)]


def test_strings_are_json_documents_too(tmp_path):
    path = tmp_path / "documents.jsonl"
    path.write_text('"one"\n\n"two"\n')
    assert found(read(path)) == [("one", None, 1), ("two", None, 3)]


def test_columns_without_names(tmp_path):
    path = tmp_path / "SMS"
    path.write_text('ham\t"Hello\nspam\tBuy "now"\n')
    documents = read(
        path, "needed", input_format="tsv", no_header=True, text_column=["2"], label_column="1"
    )
    assert found(documents) == [('"Hello', "ham", 1), ('Buy "now"', "spam", 2)]


def test_batches_stay_small(tmp_path):
    path = tmp_path / "documents.txt"
    path.write_text("x" * 1000 + "\n" * 1 + "short\n" * 5000)
    sizes = [len(batch) for batch in Documents(str(path), ReadOptions())]
    assert sum(sizes) == 5001
    assert max(sizes) <= 1024


@pytest.mark.parametrize("cut", range(1, 12))
def test_an_error_knows_its_line_wherever_the_chunks_end(tmp_path, monkeypatch, cut):
    monkeypatch.setattr("addhash.tables.sources.CHUNK_BYTES", cut)
    monkeypatch.setattr("addhash.tables.sources.Opened.read_available.__defaults__", (cut,))
    path = tmp_path / "documents.txt"
    path.write_bytes("fine\nschön\nalso\n".encode() + b"bro\xffken\nmore\n")
    with pytest.raises(TableError, match="line 4"):
        read(path)

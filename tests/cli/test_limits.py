"""Memory stays bounded, whatever is in a file; what is made to fill it is refused."""

import gzip
import zipfile

import numpy as np
import pytest

from addhash.cli.input.documents import Documents
from addhash.cli.options.reading import ReadOptions
from addhash.errors import TableError
from addhash.tables.compression import ZSTD, unpack
from tests.cli.program import fails, works
from tests.cli.test_streaming import peak_memory

LINE = b"hello world " * 1000 + b"\n"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("limits")
    works("demo", "--sample", folder)
    options = ["--method", "centroid", "--features", "64", "--randomizer", "aes128"]
    works("fit", folder / "languages.tsv", "-o", folder / "m", *options)
    return folder / "m"


def packed(data, compression):
    if compression == ".gz":
        return gzip.compress(data, 9)
    return pytest.importorskip(ZSTD).compress(data)


@pytest.mark.parametrize("compression", [".gz", ".zst"])
def test_a_bomb_is_refused_by_name_of_the_limit(tmp_path, compression):
    path = tmp_path / f"bomb.txt{compression}"
    path.write_bytes(packed(LINE * (200_000_000 // len(LINE)), compression))
    assert path.stat().st_size < 1_000_000
    message = fails("vectorize", path, "-o", tmp_path / "out.npy", "--features", "8")
    assert "unpacks to more than 250 times its size" in message
    assert "--max-size 0" in message
    assert not (tmp_path / "out.npy").exists()


@pytest.mark.parametrize("compression", [".gz", ".zst"])
def test_unpacking_takes_little_memory(tmp_path, compression):
    small, large = tmp_path / f"small.txt{compression}", tmp_path / f"large.txt{compression}"
    small.write_bytes(packed(LINE * 100, compression))
    large.write_bytes(packed(LINE * (100_000_000 // len(LINE)), compression))
    before = peak_memory("inspect", small)
    after = peak_memory("inspect", large, "--max-size", "0")
    assert after - before < 30


def test_zstd_is_unpacked_in_small_pieces(tmp_path):
    zstd = pytest.importorskip(ZSTD)
    data = np.random.default_rng(0).integers(0, 4, 3_000_000, np.uint8).tobytes()
    frames = zstd.compress(data) + zstd.compress(b"") + zstd.compress(b"the end")
    path = tmp_path / "x.zst"
    path.write_bytes(frames)
    with open(path, "rb") as raw:
        unpacker = unpack(raw, "zstd", "x.zst")
        pieces = []
        while piece := unpacker.read1(10_000):
            assert len(piece) <= 10_000
            pieces.append(piece)
    assert b"".join(pieces) == data + b"the end"


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl", "a.tsv", "open-quote.csv"])
def test_a_record_can_be_too_long(tmp_path, name):
    path = tmp_path / name
    long = "x" * 50_000
    contents = {
        "a.txt": f"short\n{long}\n",
        "a.tsv": f"text\tid\nshort\t1\n{long}\t2\n",
        "a.csv": f"text,id\nshort,1\n{long},2\n",
        "a.jsonl": f'{{"text": "short"}}\n{{"text": "{long}"}}\n',
        "open-quote.csv": 'text,id\nshort,1\n"' + "never closed\n" * 5000,
    }
    path.write_text(contents[name])
    line = 3 if name.endswith("sv") else 2
    with pytest.raises(
        TableError, match=rf"line {line}: this record is longer than the limit of 16 KB"
    ):
        list(Documents(str(path), ReadOptions(max_size="16K")))
    if name != "open-quote.csv":
        assert sum(map(len, Documents(str(path), ReadOptions(max_size="60K")))) == 2


def test_the_longest_line_of_a_pipe(model):
    message = fails("predict", model, "-", "--max-size", "1M", stdin=b"x" * 2_000_000)
    assert "line 1: this record is longer than the limit of 1 MB" in message
    assert "--max-size 1G" in message


@pytest.mark.parametrize("size", ["", "many", "-1", "1T", "1.5M"])
def test_sizes_that_are_none(model, size):
    assert "--max-size must be a number such as 500M" in fails(
        "predict", model, "-", f"--max-size={size}", code=2, stdin="x\n"
    )


def test_a_workbook_bomb(model, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["text"])
    book.save(tmp_path / "plain.xlsx")
    with (
        zipfile.ZipFile(tmp_path / "plain.xlsx") as plain,
        zipfile.ZipFile(tmp_path / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as bomb,
    ):
        for entry in plain.infolist():
            if entry.filename != "xl/sharedStrings.xml":
                bomb.writestr(entry.filename, plain.read(entry))
        with bomb.open("xl/sharedStrings.xml", "w") as file:
            for _ in range(100):
                file.write(b" " * 1_000_000)
    message = fails("predict", model, tmp_path / "bomb.xlsx")
    assert "--max-size" in message
    assert peak_memory("inspect", tmp_path / "bomb.xlsx", code=1) < 200


def test_a_parquet_bomb(model, tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    texts = pa.array(["x" * 10_000_000] * 10)
    pq.write_table(
        pa.table({"text": texts}), tmp_path / "bomb.parquet", compression="zstd",
        use_dictionary=False,
    )  # fmt: skip
    assert (tmp_path / "bomb.parquet").stat().st_size < 200_000
    message = fails("predict", model, tmp_path / "bomb.parquet")
    assert "unpacks to more than 250 times its size" in message


def test_a_text_in_many_rows_of_parquet_is_held_once(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    codes = pa.array([0, None, 1, 0] * 500, pa.int32())
    texts = pa.array(["x" * 1_000_000, "short"])
    table = pa.table({"text": pa.DictionaryArray.from_arrays(codes, texts), "id": range(2000)})
    pq.write_table(table.slice(0, 1), tmp_path / "one.parquet")
    table = table.set_column(0, "text", table.column("text").fill_null("none"))
    pq.write_table(table, tmp_path / "many.parquet")
    found = [d for batch in Documents(str(tmp_path / "many.parquet"), ReadOptions()) for d in batch]
    expected = [1_000_000, 4, 5, 1_000_000] * 500
    assert [len(document.text) for document in found] == expected
    before = peak_memory("inspect", tmp_path / "one.parquet")
    assert peak_memory("inspect", tmp_path / "many.parquet") - before < 100


def test_inspecting_arrays_reads_their_headers_only(tmp_path):
    header = {"descr": "<f8", "fortran_order": False, "shape": (10_000, 5_000)}
    with (
        zipfile.ZipFile(tmp_path / "big.npz", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("zeros.npy", "w", force_zip64=True) as file,
    ):
        np.lib.format.write_array_header_1_0(file, header)
        for _ in range(100):
            file.write(bytes(4_000_000))
    assert (tmp_path / "big.npz").stat().st_size < 1_000_000
    assert 'zeros\t["float64", 10000, 5000]' in works("inspect", tmp_path / "big.npz")
    assert peak_memory("inspect", tmp_path / "big.npz") < 250


@pytest.mark.parametrize("damage", ["cut", "object", "not zip", "empty"])
def test_inspecting_damaged_arrays(tmp_path, damage):
    path = tmp_path / "x.npz"
    np.savez(path, a=np.arange(10))
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:60])
    elif damage == "object":
        np.savez(path, a=np.array([{}], object), allow_pickle=True)
    elif damage == "not zip":
        path.write_bytes(b"PK\x03\x04 nothing of the kind")
    else:
        path.write_bytes(b"")
    assert "contains no arrays that can be loaded safely" in fails("inspect", path)


def test_explaining_a_long_text_takes_little_memory(model, tmp_path):
    """100,000 different tokens, of 2,048 components each."""
    works("fit", model.parent / "languages.tsv", "-o", tmp_path / "m")
    letters = np.random.default_rng(0).integers(0x4E00, 0x9FA0, 100_000)
    (tmp_path / "long.txt").write_text("".join(map(chr, letters.tolist())), encoding="utf-8")
    assert peak_memory("explain", tmp_path / "m", tmp_path / "long.txt", "--row", "1") < 350

"""`addhash similarity` and `addhash vectorize` give what the Python API gives."""

import gzip
import json
import os

import numpy as np
import pytest
import scipy.sparse as sp

from addhash import AdditiveHashingVectorizer, HashingVectorizer
from tests.cli.program import run, run_on_terminal, works
from tests.texts import SCRIPTS

PAPER = [
    "John likes to watch movies",
    "Mary also likes to watch movies",
    "Jane makes popcorn",
]


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(SCRIPTS) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def expected():
    return AdditiveHashingVectorizer(
        analyzer="char", ngram_range=(3, 3), lowercase=False
    ).transform(SCRIPTS)


def test_the_papers_similarities():
    options = ["--analyzer", "word", "--features", "32"]
    assert works("similarity", *PAPER[:2], *options, "--method", "ht") == "0.730297\n"
    assert works("similarity", PAPER[0], PAPER[1], *options) == "0.777806\n"
    assert works("similarity", PAPER[0], PAPER[2], *options) == "-0.173702\n"


def test_similarity_of_files_and_standard_input(tmp_path):
    (tmp_path / "a.txt").write_text("one text\nof two lines\n")
    with gzip.open(tmp_path / "b.txt.gz", "wt") as file:
        file.write("one text\nof two lines\n")
    out = works("similarity", tmp_path / "a.txt", tmp_path / "b.txt.gz", "--format", "jsonl")
    assert json.loads(out) == {"similarity": pytest.approx(1)}
    assert (
        run("similarity", tmp_path / "a.txt", "-", stdin="one text\nof two lines\n").out
        == "1.000000\n"
    )


def test_npy(source, expected, tmp_path):
    out = tmp_path / "out.npy"
    assert run("vectorize", source, "-o", out).out == ""
    np.testing.assert_array_equal(np.load(out), expected)
    assert np.load(out, mmap_mode="r").shape == expected.shape


def test_npz(source, expected, tmp_path):
    out = tmp_path / "out.npz"
    works("vectorize", source, "-o", out)
    np.testing.assert_array_equal(np.load(out)["vectors"], expected)
    first = out.read_bytes()
    works("vectorize", source, "-o", out)
    assert out.read_bytes() == first


def test_sparse_npz(source, tmp_path):
    out = tmp_path / "out.npz"
    works("vectorize", source, "-o", out, "--method", "ht", "--features", "100000")
    vectorizer = HashingVectorizer(
        analyzer="char", ngram_range=(3, 3), lowercase=False, n_features=100_000, dtype=np.float32
    )
    difference = sp.load_npz(out) - vectorizer.transform(SCRIPTS)
    assert difference.nnz == 0


def test_parquet(tmp_path, expected):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    labels = [f"label {i}" for i in range(len(SCRIPTS))]
    pq.write_table(pa.table({"text": SCRIPTS, "label": labels}), tmp_path / "in.parquet")
    out = tmp_path / "out.parquet"
    works("vectorize", tmp_path / "in.parquet", "-o", out)
    table = pq.read_table(out)
    assert table.column("text").to_pylist() == SCRIPTS
    assert table.column("label").to_pylist() == labels
    np.testing.assert_array_equal(
        np.array(table.column("vector").to_pylist(), np.float32), expected
    )


def test_jsonl(source, expected, tmp_path):
    out = tmp_path / "out.jsonl"
    works("vectorize", source, "-o", out, "--keep-columns", "text")
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row["text"] for row in rows] == SCRIPTS
    np.testing.assert_array_equal(np.array([row["vector"] for row in rows], np.float32), expected)


def test_exact_integers(source, tmp_path):
    out = tmp_path / "out.npy"
    options = "--dtype int16 --norm none --analyzer word --ngrams 1-2 --lowercase --features 64"
    works("vectorize", source, "-o", out, *options.split(), "--randomizer", "aes128")
    expected = AdditiveHashingVectorizer(
        ngram_range=(1, 2), n_features=64, randomizer="aes128", norm=None, dtype=np.int16
    ).transform(SCRIPTS)
    np.testing.assert_array_equal(np.load(out), expected)


def test_permissions_are_those_of_any_new_file(source, tmp_path):
    out = tmp_path / "out.npy"
    works("vectorize", source, "-o", out)
    umask = os.umask(0)
    os.umask(umask)
    assert out.stat().st_mode & 0o777 == 0o666 & ~umask
    out.chmod(0o640)
    works("vectorize", source, "-o", out)
    assert out.stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(source, tmp_path):
    (tmp_path / "link.npy").symlink_to(tmp_path / "real.npy")
    works("vectorize", source, "-o", tmp_path / "link.npy")
    assert (tmp_path / "link.npy").is_symlink()
    assert np.load(tmp_path / "real.npy").shape == (len(SCRIPTS), 2048)


def test_a_terminal_shows_progress_and_the_result(source, tmp_path):
    shown = run_on_terminal("vectorize", source, "-o", tmp_path / "out.npy")
    assert "Vectorizing" in shown
    assert f"Wrote {len(SCRIPTS)} vectors" in shown


def test_a_number_on_a_terminal_stands_at_the_left():
    shown = run_on_terminal("similarity", "one text", "one text", TERM="dumb")
    assert [line.strip() for line in shown.splitlines()] == ["similarity", "1.0000"]
    assert max(map(len, shown.splitlines())) <= len("similarity")


def test_info():
    done = run("info", "--format", "jsonl")
    facts = {row["what"]: row["value"] for row in map(json.loads, done.out.splitlines())}
    assert facts["numpy"] == np.__version__
    assert "baseline" in facts["instruction_sets"]
    header = works("info", "--format", "csv").splitlines()[0]
    assert header == "what,value"
    assert "\x1b[1m" in run_on_terminal("info")

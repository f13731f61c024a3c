"""Reading WiLI-2018 and the Universal Declaration, on stand-ins of their form."""

import pytest

from addhash.errors import DataFileError
from addhash.languages.sources import UDHR_COLUMNS, read_corpus


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "wili-2018" / "head-235").mkdir(parents=True)
    (tmp_path / "udhr").mkdir()
    return tmp_path


def write_wili(
    folder, texts="Grüezi\u2028mitenand\nHello\n", labels="als\neng\n", name="head-235/{}"
):
    place = folder / "wili-2018"
    (place / name.format("x")).with_suffix(".txt").write_text(texts, newline="")
    (place / name.format("y")).with_suffix(".txt").write_text(labels, newline="")


def write_udhr(folder, rows=("als\tsq\tAlbanian, Tosk\tTë gjithë", "und\t\t(Klau)\tabc")):
    content = "\n".join([UDHR_COLUMNS, *rows]) + "\n"
    (folder / "udhr" / "paragraphs.tsv").write_text(content, newline="")


def test_both_sources(folder):
    write_wili(folder)
    write_udhr(folder)
    corpus = read_corpus(folder)
    assert corpus.texts == ["Grüezi\u2028mitenand", "Hello", "Të gjithë"]
    assert corpus.codes == ["gsw", "eng", "sqi"]
    assert [source.rpartition(": ")[2] for source in corpus.sources] == ["2 texts", "1 texts"]
    assert read_corpus(folder / "udhr").codes == ["sqi"]


def test_all_of_wili_comes_before_a_part_of_it(folder):
    write_wili(folder)
    write_wili(folder, "Moin\n", "nds-nl\n", "{}_train")
    assert read_corpus(folder).codes == ["nds"]
    assert read_corpus(folder / "wili-2018").texts == ["Moin"]


def test_nothing_there(tmp_path):
    with pytest.raises(DataFileError, match="found neither"):
        read_corpus(tmp_path)


def test_files_that_are_not_as_expected(folder):
    write_wili(folder, labels="eng\n")
    with pytest.raises(DataFileError, match="1 labels for 2 texts"):
        read_corpus(folder)
    write_wili(folder)
    (folder / "wili-2018" / "head-235" / "x.txt").write_bytes(b"ab\xff")
    with pytest.raises(DataFileError, match="byte 2 is not UTF-8"):
        read_corpus(folder)
    write_wili(folder)
    write_udhr(folder, ["eng\tno text"])
    with pytest.raises(DataFileError, match="line 2 has 2 columns"):
        read_corpus(folder)
    (folder / "udhr" / "paragraphs.tsv").write_text("a,b\n")
    with pytest.raises(DataFileError, match="first line is 'a,b'"):
        read_corpus(folder)

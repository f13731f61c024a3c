"""Reading the texts of the model, on stand-ins of their form, and what their licences ask for."""

import lzma

import pytest

from addhash import languages
from addhash.errors import DataFileError
from addhash.languages.corpus import UDHR_COLUMNS, read_corpus

SENTENCES = "deu\tLatn\ttatoeba\tGuten\u2028Tag\neng\tLatn\ttatoeba\tHello there\n"
WORDS = "deu\tLatn\tunilex\tund\t12345\ntlh\tLatn\tgatitos\tbatlh\t1\n"
UDHR = ("als\tsq\tAlbanian, Tosk\tTë gjithë", "und\t\t(Klau)\tabc", "que\tqu\tQuechua\tTukuy")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "languages").mkdir()
    (tmp_path / "udhr").mkdir()
    write(tmp_path)
    return tmp_path


def write(folder, sentences=SENTENCES, words=WORDS, udhr=UDHR):
    place = folder / "languages"
    (place / "sentences.tsv.xz").write_bytes(lzma.compress(sentences.encode()))
    (place / "words.tsv.xz").write_bytes(lzma.compress(words.encode()))
    content = "\n".join(["\t".join(UDHR_COLUMNS), *udhr]) + "\n"
    (folder / "udhr" / "paragraphs.tsv").write_text(content, newline="")


def test_all_sources(folder):
    corpus = read_corpus(folder)
    assert list(corpus) == ["deu", "eng", "sqi", "tlh"]
    assert corpus["deu"].sentences == ["Guten\u2028Tag"]
    assert corpus["deu"].words == [("und", 12345)]
    assert corpus["sqi"].sentences == ["Të gjithë"]
    assert corpus["tlh"].sentences == []


def test_nothing_there(tmp_path):
    with pytest.raises(DataFileError, match="is missing"):
        read_corpus(tmp_path)


def test_files_that_are_not_as_expected(folder):
    write(folder, sentences="deu\tGuten Tag\n")
    with pytest.raises(DataFileError, match="line 1 has 2 columns"):
        read_corpus(folder)
    write(folder, words="deu\tLatn\tunilex\tund\tmany\n")
    with pytest.raises(DataFileError, match="not a count"):
        read_corpus(folder)
    write(folder)
    (folder / "languages" / "words.tsv.xz").write_bytes(b"not xz")
    with pytest.raises(DataFileError, match="not as expected"):
        read_corpus(folder)
    write(folder)
    (folder / "languages" / "sentences.tsv.xz").write_bytes(lzma.compress(b"ab\xff"))
    with pytest.raises(DataFileError, match="byte 2 is not UTF-8"):
        read_corpus(folder)
    write(folder)
    (folder / "udhr" / "paragraphs.tsv").write_text("a\tb\tc\td\n")
    with pytest.raises(DataFileError, match="first line is"):
        read_corpus(folder)


def test_a_small_model_is_made_and_is_the_same_again(folder):
    corpus = read_corpus(folder)
    for texts in corpus.values():  # seven times are enough to be kept
        texts.sentences *= 7
    one, metadata = languages.train(corpus)
    two, _ = languages.train(corpus)
    assert one.digest() == two.digest()
    assert languages.detect("hello there", ["eng", "deu"], model=one).code == "eng"
    assert "CC BY" in metadata["license"]


def test_every_source_is_named_in_the_model():
    metadata = languages.load().metadata
    for source in languages.sources():
        assert source.attribution in metadata["sources"]
        assert not {"SA", "NC", "ND", "ODbL"} & set(source.licence.replace(",", " ").split())

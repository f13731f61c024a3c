import copy
import pickle

import numpy as np
import pytest

from addhash import AdditiveHashingVectorizer, Index, TextIndex
from addhash.errors import DocumentError, IdError, ModelFileError, ParameterError
from addhash.hashing.vectorizer import TextVectorizer

TEXTS = ["John likes movies", "Mary likes music", "It rains in Oslo", "語学は楽しい"]


def words(**parameters):
    return AdditiveHashingVectorizer(norm=None, dtype=np.int32, **parameters)


def filled(*arguments, **parameters):
    index = TextIndex(*arguments, **parameters)
    index.add(TEXTS)
    return index


def test_it_is_an_index_of_hashed_texts():
    index = filled(words())
    vectors = Index(2048)
    vectors.add(words().transform(TEXTS))
    expected = vectors.search(words().transform(["movies", "rains"]), k=3)
    found = index.search(["movies", "rains"], k=3)
    assert [[match.id for match in row] for row in found] == expected.ids.tolist()
    assert [[match.score for match in row] for row in found] == expected.scores.tolist()
    assert found[0][0].text == "John likes movies"


def test_a_query_is_hashed_as_the_index_was(tmp_path):
    """Also after loading, and whatever becomes of the vectorizer."""
    vectorizer = words(lowercase=True)
    index = filled(vectorizer)
    best = index.search(["JOHN LIKES MOVIES"], k=1)
    assert best[0][0].score == pytest.approx(1)
    vectorizer.set_params(lowercase=False, analyzer="char")
    assert index.search(["JOHN LIKES MOVIES"], k=1) == best
    index.save(tmp_path / "index")
    loaded = TextIndex.load(tmp_path / "index")
    assert loaded.search(["JOHN LIKES MOVIES"], k=1) == best
    assert isinstance(loaded.vectorizer, TextVectorizer)
    assert loaded.vectorizer.lowercase is True


def test_ids_are_given_and_taken(tmp_path):
    index = filled()
    index.remove([1, 3])
    assert index.ids.tolist() == [0, 2]
    assert index.add(["new"]).tolist() == [4]
    index.remove([4])
    index.save(tmp_path / "index", metadata={"source": "test"})
    loaded = TextIndex.load(tmp_path / "index")
    assert loaded.add(["newer"]).tolist() == [5]
    assert loaded.metadata == {"source": "test"}
    loaded.save(tmp_path / "again")
    assert TextIndex.load(tmp_path / "again").metadata == {"source": "test"}
    assert loaded.text(2) == TEXTS[2]
    with pytest.raises(IdError, match="no id 1"):
        loaded.text(1)
    with pytest.raises(IdError, match="taken"):
        loaded.add(["x"], ids=[0])
    assert len(loaded) == 3


def test_texts_need_not_be_kept(tmp_path):
    index = filled(keep_texts=False)
    assert index.search(["music"], k=1)[0][0].text is None
    with pytest.raises(IdError, match="keeps no texts"):
        index.text(0)
    index.save(tmp_path / "index")
    assert TEXTS[0].encode() not in (tmp_path / "index").read_bytes()
    assert TextIndex.load(tmp_path / "index").search(["music"], k=1)[0][0].id == 1


def test_what_is_refused(tmp_path):
    for wrong in ("words", words(), AdditiveHashingVectorizer(dtype="bits"), Index(4)):
        if isinstance(wrong, AdditiveHashingVectorizer) and wrong.dtype != "bits":
            continue
        with pytest.raises(ParameterError, match="vectorizer"):
            TextIndex(wrong)
    with pytest.raises(DocumentError, match="string object"):
        TextIndex().add("one text")
    with pytest.raises(ParameterError, match="'k'"):
        filled().search(["a"], k=0)
    filled().save(tmp_path / "index")
    with pytest.raises(ModelFileError, match="holds a 'TextIndex'"):
        Index.load(tmp_path / "index")


def test_copies_are_their_own():
    index = filled()
    for again in (copy.deepcopy(index), pickle.loads(pickle.dumps(index))):
        again.remove([0])
        assert len(index) == 4
        assert again.search(["music"], k=1) == index.search(["music"], k=1)
    assert repr(index).startswith("<TextIndex of 4 texts, TextVectorizer(")
    assert TextIndex().search(["a"], k=3) == [[]]

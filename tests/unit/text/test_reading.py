from itertools import chain

import pytest

from addhash.errors import DocumentError
from addhash.text import reading as documents
from addhash.text.reading import BATCH_CHARACTERS, batches, check_iterable, small_batch

MANY = 50_000


@pytest.mark.parametrize("kind", [list, tuple, iter])
@pytest.mark.parametrize("count", [0, 1, 2, 511, 512, 513, documents.BATCH_DOCUMENTS + 1, MANY])
def test_batches_hold_every_document_in_order(kind, count):
    texts = [f"text {i}" for i in range(count)]
    found = list(batches(kind(texts)))
    assert list(chain.from_iterable(found)) == texts
    assert all(0 < len(batch) <= documents.BATCH_DOCUMENTS for batch in found)
    assert [len(batch) for batch in batches(kind(texts), 7)] == [7] * (count // 7) + (
        [count % 7] if count % 7 else []
    )


@pytest.mark.parametrize("kind", [list, iter])
def test_large_documents_come_a_few_at_a_time(kind):
    large = "x" * (documents.BATCH_CHARACTERS // 2 + 1)
    found = list(batches(kind([large] * 9)))
    assert sum(map(len, found)) == 9
    assert max(map(len, found)) <= 2


def test_documents_are_not_read_ahead():
    read = []

    def source():
        for i in range(100):
            read.append(i)
            yield "x" * documents.BATCH_CHARACTERS

    next(batches(source()))
    assert read == [0]


def test_documents_without_a_length():
    assert list(batches(iter([None, 3, "x"]))) == [[None, 3, "x"]]
    assert list(batches([None, 3, "x"])) == [[None, 3, "x"]]


def test_a_small_batch_is_a_copy_of_a_list_of_str():
    texts = ["a", "b"]
    batch = small_batch(texts)
    assert batch == texts
    assert batch is not texts
    for other in ([], ("a",), ["a", b"b"], ["a", None], "a", iter(texts), ["a"] * 20_000):
        assert small_batch(other) is None
    assert small_batch(["a", "b"], 1) is None
    assert small_batch(["a" * (BATCH_CHARACTERS + 1)]) is None


class Dataset:
    """A table of Hugging Face: rows are dicts, and only `column_names` names its columns."""

    column_names = ("text", "label")
    shape = (1, 2)

    def __iter__(self):
        yield {"text": "hello", "label": "ham"}


class Series(list):
    """A column of Dask, which has the name of its column."""

    columns = ("text",)
    shape = (1,)
    ndim = 1


def test_a_table_is_refused_by_naming_a_column_and_a_column_is_read():
    with pytest.raises(DocumentError, match=r"such as frame\['text'\]"):
        check_iterable(Dataset())
    check_iterable(Series(["hello"]))

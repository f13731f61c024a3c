"""A search for passages that was stopped goes on after its last whole reading."""

import json

import pytest

import addhash
from addhash.errors import ParameterError

TEXTS = [
    "all rights reserved no part may be copied it rains",
    "the sun shines all rights reserved no part may be copied",
    "nothing new",
    "it rains again no part may be copied it rains",
] * 3


class Stopping:
    """Texts that can be read so many times, and then only up to a place; reads are counted."""

    def __init__(self, texts, readings=9, place=0):
        self.texts, self.readings, self.place = texts, readings, place
        self.read = 0

    def __iter__(self):
        self.read += 1
        for i, text in enumerate(self.texts):
            if self.read > self.readings and i >= self.place:
                raise KeyboardInterrupt
            yield text


def find(texts, folder, **given):
    options = {"min_words": 3, "memory": "4GB", "folder": folder, **given}
    return addhash.find_passages(texts, **options)


def same(found, expected):
    for name in ("places", "table", "cuts"):
        one, other = getattr(found, name), getattr(expected, name)
        one, other = (x() if callable(x) else x for x in (one, other))
        assert [column.tolist() for column in one] == [column.tolist() for column in other]


@pytest.mark.parametrize("place", [0, 5])
@pytest.mark.parametrize("readings", [0, 1, 2])
@pytest.mark.parametrize("by", [None, list("aab" * 4)])
def test_only_what_is_missing_is_read_again(tmp_path, readings, place, by):
    expected = addhash.find_passages(TEXTS, min_words=3, by=by)
    assert len(expected) > 1
    with pytest.raises(KeyboardInterrupt):
        find(Stopping(TEXTS, readings, place), tmp_path, by=by)
    again = Stopping(TEXTS)
    same(find(again, tmp_path, by=by), expected)
    assert again.read == 3 - readings
    again = Stopping(TEXTS)
    same(find(again, tmp_path, by=by), expected)
    assert again.read == 1


@pytest.mark.parametrize("readings", [1, 2])
@pytest.mark.parametrize(
    "changed",
    [
        {"texts": TEXTS[::-1]},
        {"texts": TEXTS[:-1]},
        {"texts": [*TEXTS, "a new text"]},
        {"min_words": 4},
        {"min_documents": 5},
        {"lowercase": False},
        {"by": list("aab" * 4)},
    ],
)
def test_what_other_texts_or_parameters_left_is_not_taken(tmp_path, readings, changed):
    with pytest.raises(KeyboardInterrupt):
        find(Stopping(TEXTS, readings, 5), tmp_path)
    texts = changed.get("texts", TEXTS)
    given = {"min_words": 3} | {k: v for k, v in changed.items() if k != "texts"}
    same(find(texts, tmp_path, **given), addhash.find_passages(texts, **given))


def test_what_was_spoilt_is_not_taken(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        find(Stopping(TEXTS, 2, 5), tmp_path)
    expected = addhash.find_passages(TEXTS, min_words=3)
    (tmp_path / "windows-2").write_bytes(b"\0" * 16)
    same(find(TEXTS, tmp_path), expected)
    (tmp_path / "windows-2").unlink()
    same(find(TEXTS, tmp_path), expected)


def test_a_folder_of_something_else_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="useful only with the 'memory' parameter"):
        addhash.find_passages(TEXTS, folder=tmp_path)
    addhash.find_duplicates(TEXTS, memory="4GB", folder=tmp_path / "other")
    with pytest.raises(ParameterError, match="something other than a run of find_passages"):
        find(TEXTS, tmp_path / "other")
    find(TEXTS, tmp_path / "own")
    with pytest.raises(ParameterError, match="something other than a run of find_dup"):
        addhash.find_duplicates(TEXTS, memory="4GB", folder=tmp_path / "own")
    assert json.loads((tmp_path / "own" / "state.json").read_text())["readings"] == 2
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(ParameterError, match="something other than a run of find_passages"):
        find(TEXTS, tmp_path / "mine")
    assert (tmp_path / "mine" / "notes.txt").read_text() == "mine"

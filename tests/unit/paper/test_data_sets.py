"""The data sets as texts and labels, and parts cut from the whole."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from addhash.paper import data_sets
from addhash.paper.catalogue import WILI
from addhash.paper.data_sets import (
    Messages,
    load_full,
    load_head,
    load_messages,
    load_subset,
)
from addhash.paper.data_source import DataSource


def test_messages(data_folder):
    texts, is_spam = load_messages(DataSource(data_folder))
    assert len(texts) == len(is_spam) == 5574
    assert is_spam.sum() == 747
    assert texts[2].startswith("Free entry in 2 a wkly comp")
    assert is_spam[2]


def test_first_of_each_message():
    messages = Messages(["a", "b", "a", "c", "b"], np.array([True, False, False, True, False]))
    every, firsts = messages.all_and_firsts()
    assert every.tolist() == [True] * 5
    assert firsts.tolist() == [True, True, False, True, False]


def test_parts_of_wili(data_folder):
    files = DataSource(data_folder)
    head = load_head(files)
    assert len(head.texts) == len(head.labels) == 11_750
    assert len(np.unique(head.labels)) == 235
    for part in load_subset(files):
        assert len(part.texts) == 10_500
        assert np.unique(part.labels).tolist() == data_sets.SUBSET
        assert set(np.unique(part.labels, return_counts=True)[1]) == {500}


@pytest.fixture
def small_wili(monkeypatch, tmp_path):
    """A whole set of four lines a part, whose texts hold other line separators."""
    contents = {
        "x_train.txt": "one\u2028still one\ntwo\nthree\x85\nfour\n",
        "y_train.txt": "deu\nxyz\neng\nxyz\n",
        "x_test.txt": "five\nsix\nseven\neight\n",
        "y_test.txt": "xyz\nxyz\nfra\ndeu\n",
    }
    for name, text in contents.items():
        content = text.encode()
        (tmp_path / name).write_bytes(content)
        known = replace(WILI[name], size=len(content), sha256=hashlib.sha256(content).hexdigest())
        monkeypatch.setitem(WILI, name, known)
    monkeypatch.setattr(data_sets, "HEAD_LINES", 3)
    return DataSource(tmp_path)


def test_the_whole_set(small_wili):
    known, asked = load_full(small_wili)
    assert known.texts == ["one\u2028still one", "two", "three\x85", "four"]
    assert asked.labels.tolist() == ["xyz", "xyz", "fra", "deu"]


def test_parts_are_cut_from_the_whole_where_they_are_missing(small_wili):
    assert load_head(small_wili).texts == ["one\u2028still one", "two", "three\x85"]
    known, asked = load_subset(small_wili)
    assert known.texts == ["one\u2028still one", "three\x85"]
    assert known.labels.tolist() == ["deu", "eng"]
    assert asked.texts == ["seven", "eight"]

import fcntl
import os

import pytest

from addhash.files import lock
from addhash.files.lock import locked


def test_names_may_be_as_long_as_the_system_allows(tmp_path):
    path = tmp_path / ("n" * 255)
    with locked(path):
        assert len(os.listdir(tmp_path)) == 1
    assert os.listdir(tmp_path) == []


def test_the_lock_is_beside_the_file_under_its_name(tmp_path):
    with locked(tmp_path / "model"):
        assert os.listdir(tmp_path) == [".model.lock"]


def test_a_lock_that_was_removed_meanwhile_is_not_held(tmp_path, monkeypatch):
    """Its holder removes the file as it lets go; who has opened it by then must open the next."""
    path = tmp_path / "file"
    beside = tmp_path / ".file.lock"
    really = fcntl.flock

    def slow(handle, how):
        monkeypatch.setattr(lock.fcntl, "flock", really)
        beside.unlink()
        really(handle, how)

    monkeypatch.setattr(lock.fcntl, "flock", slow)
    with locked(path):
        assert beside.exists()
        with pytest.raises(TimeoutError, match="Another process"), locked(path, timeout=0):
            pass
    assert not beside.exists()


def test_the_file_is_removed_while_it_is_held(tmp_path, monkeypatch):
    """Who got hold of a file that is removed afterwards would not be alone with it."""
    removed = []

    def remove(path):
        with open(path) as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        removed.append(path)
        really(path)

    really = os.unlink
    monkeypatch.setattr(lock.os, "unlink", remove)
    with locked(tmp_path / "model"):
        pass
    assert removed == [str(tmp_path / ".model.lock")]

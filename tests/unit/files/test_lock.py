import os

from addhash.files.lock import locked


def test_names_may_be_as_long_as_the_system_allows(tmp_path):
    path = tmp_path / ("n" * 255)
    with locked(path):
        assert len(os.listdir(tmp_path)) == 1
    assert os.listdir(tmp_path) == []


def test_the_lock_is_beside_the_file_under_its_name(tmp_path):
    with locked(tmp_path / "model"):
        assert os.listdir(tmp_path) == [".model.lock"]

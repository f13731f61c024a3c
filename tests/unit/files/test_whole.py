"""Files appear whole or not at all, and keep their rights."""

import os
import stat
import threading

import pytest

from addhash.files.whole import whole_file


def test_a_file_is_not_there_before_it_is_complete(tmp_path):
    path = tmp_path / "file"
    with whole_file(path) as file:
        file.write(b"content")
        file.flush()
        assert not path.exists()
    assert path.read_bytes() == b"content"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failure_leaves_what_was_there(tmp_path, error):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def stopped():
        with whole_file(path) as file:
            file.write(b"new")
            raise error

    with pytest.raises(error):
        stopped()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_rights_are_kept(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with whole_file(path) as file:
        file.write(b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_new_files_have_the_usual_rights(tmp_path):
    (tmp_path / "usual").write_bytes(b"")
    with whole_file(tmp_path / "file") as file:
        file.write(b"new")
    usual, new = ((tmp_path / name).stat().st_mode for name in ("usual", "file"))
    assert usual == new


def test_links_are_followed(tmp_path):
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to("target")
    with whole_file(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"


def test_a_library_may_replace_the_file_under_its_name(tmp_path):
    with whole_file(tmp_path / "file") as file:
        other = tmp_path / "other"
        other.write_bytes(b"by another hand")
        other.replace(file.name)
    assert (tmp_path / "file").read_bytes() == b"by another hand"


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError), whole_file(tmp_path / "nowhere" / "file"):
        pass


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    received = []
    reader = threading.Thread(target=lambda: received.append(path.read_bytes()))
    reader.start()
    with whole_file(path) as file:
        file.write(b"content")
    reader.join()
    assert received == [b"content"]
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert os.listdir(tmp_path) == ["pipe"]


def test_a_device_is_written_to_and_stays_a_device(tmp_path):
    path = tmp_path / "null"
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root may make a device node")
    with whole_file(path) as file:
        file.write(b"content")
    assert stat.S_ISCHR(path.stat().st_mode)


def test_leftovers_of_killed_runs_are_removed(tmp_path):
    token = "0123456789abcdef"
    (tmp_path / f".file.{token}.part").write_bytes(b"left behind")
    others = [f".file.x.model.{token}.part", ".file.notes.part", f".other.{token}.part"]
    for other in others:
        (tmp_path / other).write_bytes(b"of another file")
    with whole_file(tmp_path / "file") as file:
        file.write(b"new")
        with whole_file(tmp_path / "file") as second:
            # What another run is writing at this moment is not a leftover.
            second.write(b"newer")
        assert os.path.exists(file.name)
    assert sorted(os.listdir(tmp_path)) == sorted([*others, "file"])
    assert (tmp_path / "file").read_bytes() == b"new"


def test_a_folder_is_not_replaced(tmp_path):
    with pytest.raises(IsADirectoryError), whole_file(tmp_path):
        pass


def test_content_reaches_the_disk_before_its_name(tmp_path, monkeypatch):
    steps = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (steps.append("sync"), sync(handle)))
    monkeypatch.setattr(os, "replace", lambda a, b: (steps.append("rename"), replace(a, b)))
    with whole_file(tmp_path / "file") as file:
        file.write(b"content")
    assert steps == ["sync", "rename", "sync"]


def test_the_umask_is_not_touched(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "umask", lambda _: pytest.fail("the umask of all threads was set"))
    with whole_file(tmp_path / "file") as file:
        file.write(b"content")
    assert (tmp_path / "file").read_bytes() == b"content"


@pytest.mark.parametrize("name", ["n" * 255, "ü" * 127, "n" * 232, "n" * 233])
def test_names_may_be_as_long_as_the_system_allows(tmp_path, name):
    with whole_file(tmp_path / name) as file:
        file.write(b"content")
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("name", ["file", "n" * 255, "[a]*?"])
def test_leftovers_of_any_name_are_removed(tmp_path, name):
    with whole_file(tmp_path / name) as file:
        unfinished = os.path.basename(file.name)
        os.link(file.name, tmp_path / "copy")
    os.rename(tmp_path / "copy", tmp_path / unfinished)
    similar = tmp_path / f".{name[:200]}.notes.part"
    similar.write_bytes(b"not ours")
    with whole_file(tmp_path / name) as file:
        file.write(b"content")
    assert sorted(os.listdir(tmp_path)) == sorted([name, similar.name])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_file_that_root_replaces_keeps_its_owner(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"before")
    os.chown(path, 1234, 4321)
    path.chmod(0o640)
    with whole_file(path) as file:
        file.write(b"after")
    found = path.stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (1234, 4321, 0o640)
    assert path.read_bytes() == b"after"

import os
import stat

import pytest

from addhash import TextClassifier
from addhash.service.change_queue import Change
from addhash.service.errors import (
    ConflictError,
    DataFolderError,
    InvalidError,
    KeyReusedError,
    StorageError,
    UnknownError,
)
from addhash.service.ledger import Ledger
from addhash.service.model_folder import ModelFolder
from addhash.service.registry import ModelRegistry


def empty():
    return TextClassifier().partial_fit([], [])


@pytest.fixture
def registry(tmp_path):
    registry = ModelRegistry(tmp_path)
    registry.open()
    yield registry
    registry.close()


def test_models_are_named_after_their_files_or_as_one_likes(tmp_path):
    for name in ("a b.model", ".hidden.model", "mail.model"):
        empty().save(tmp_path / name)
    given = [f"{tmp_path}/a b.model", f"{tmp_path}/.hidden.model", f"post={tmp_path}/mail.model"]
    registry = ModelRegistry(tmp_path / "data", given)
    registry.open()
    assert [name for name, _ in registry] == ["a-b", "hidden", "post"]
    registry.close()


def test_a_model_whose_creation_was_killed_is_gone(tmp_path):
    folder = tmp_path / "models" / "mail"
    folder.mkdir(parents=True)
    Ledger.create(folder / "ledger.sqlite").close()
    registry = ModelRegistry(tmp_path)
    registry.open()
    assert list(registry) == []
    assert not folder.exists()
    registry.create("mail", empty())
    assert [name for name, _ in registry] == ["mail"]
    registry.close()


@pytest.mark.parametrize("name", ["", ".x", "a/b", "x" * 65, "a b", "ü"])
def test_odd_names_are_refused(registry, name):
    with pytest.raises(InvalidError, match="Expected a name"):
        registry.create(name, empty())


def test_unknown_models_are_told_with_those_that_are_known(registry):
    registry.create("mail", empty())
    with pytest.raises(UnknownError, match="there are: mail"):
        _ = registry["post"]


def test_the_detector_of_languages_is_served_where_there_is_no_model(tmp_path):
    registry = ModelRegistry(tmp_path, with_languages=True)
    registry.open()
    [(name, writer)] = registry
    assert name == "languages"
    assert len(writer.model.view.classifier.classes_) > 500
    registry.close()
    again = ModelRegistry(tmp_path, with_languages=True)
    again.open()
    assert [name for name, _ in again] == ["languages"]
    again.close()


# Nothing that others wrote is ever removed.


def canaries(folder, *names):
    """Write files that must survive."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"canary {name}")


def alive(folder, *names):
    return all((folder / name).read_text() == f"canary {name}" for name in names)


def opened(folder, **more):
    registry = ModelRegistry(folder, **more)
    registry.open()
    return registry


@pytest.mark.parametrize(
    "names",
    [
        ["models/bert-base/weights.bin"],
        ["models/README.md"],
        ["report.txt"],
        ["src/x.py", "models/mail/snapshot.txt"],
    ],
)
def test_a_folder_of_others_is_refused_and_nothing_in_it_touched(tmp_path, names):
    canaries(tmp_path, *names)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(DataFolderError, match=r"not a data folder of addhash.*Nothing in it"):
        opened(tmp_path)
    assert sorted(tmp_path.rglob("*")) == before
    assert alive(tmp_path, *names)


def test_what_others_put_into_the_folder_later_stays(tmp_path):
    registry = opened(tmp_path)
    registry.create("mail", empty())
    registry.close()
    names = [
        "models/bert-base/weights.bin",
        "models/README.md",
        "models/empty-one/nothing.txt",
        "models/mail/notes.model",
        "models/mail/.notes.part",
        "models/.hidden/x",
        "important.part",
        "tmp12345678.part",
    ]
    canaries(tmp_path, *names)
    (tmp_path / "models" / "bare").mkdir()
    registry = opened(tmp_path)
    assert [name for name, _ in registry] == ["mail"]
    assert registry.ignored == ["README.md", "bare", "bert-base", "empty-one"]
    with pytest.raises(ConflictError, match="something else"):
        registry.create("bert-base", empty())
    registry.close()
    assert alive(tmp_path, *names)
    assert (tmp_path / "models" / "bare").is_dir()


def test_a_model_file_is_not_served_under_the_name_of_a_foreign_folder(tmp_path):
    empty().save(tmp_path / "spam.model")
    opened(tmp_path / "data").close()
    canaries(tmp_path / "data", "models/spam/weights.bin")
    with pytest.raises(DataFolderError, match="Choose another name"):
        opened(tmp_path / "data", given=[str(tmp_path / "spam.model")])
    assert alive(tmp_path / "data", "models/spam/weights.bin")
    opened(tmp_path / "data", given=[f"other={tmp_path / 'spam.model'}"]).close()


def test_a_folder_of_0_2_is_known_by_its_ledgers(tmp_path):
    registry = opened(tmp_path)
    registry.create("mail", empty())
    registry.close()
    (tmp_path / "addhash-server.json").unlink()
    canaries(tmp_path, "models/mail/notes.txt")
    registry = opened(tmp_path)
    assert [name for name, _ in registry] == ["mail"]
    registry.close()
    assert (tmp_path / "addhash-server.json").exists()
    assert alive(tmp_path, "models/mail/notes.txt")


def test_a_newer_data_folder_asks_for_an_upgrade(tmp_path):
    (tmp_path / "addhash-server.json").write_text('{"layout": 99}')
    with pytest.raises(DataFolderError, match=r"newer addhash.*Upgrade"):
        opened(tmp_path)
    (tmp_path / "addhash-server.json").write_text("what")
    with pytest.raises(DataFolderError, match="cannot be read"):
        opened(tmp_path)


def test_hidden_files_and_lost_and_found_do_not_make_a_folder_foreign(tmp_path):
    canaries(tmp_path, ".gitkeep", "lost+found/x")
    opened(tmp_path).close()
    assert alive(tmp_path, ".gitkeep", "lost+found/x")


def test_leftovers_of_killed_requests_are_removed(tmp_path):
    registry = opened(tmp_path)
    upload = registry.folder.new_upload()
    upload.close()
    for ending in ("-ledger", "-ledger-journal"):  # of a copy
        (tmp_path / f"upload-0123456789abcdef.part{ending}").touch()
    part = tmp_path / "models" / ".new-mail-0123456789abcdef.part"
    part.mkdir()
    Ledger.create(part / "ledger.sqlite").close()
    registry.close()
    opened(tmp_path).close()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["addhash-server.json", "models"]
    assert list((tmp_path / "models").iterdir()) == []


def test_a_failed_creation_leaves_nothing(registry, monkeypatch):
    def full(*values, **more):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(TextClassifier, "save", full)
    with pytest.raises(StorageError, match="No space left"):
        registry.create("mail", empty())
    assert list(registry.folder.models.iterdir()) == []
    monkeypatch.undo()
    registry.create("mail", empty())


def test_a_model_that_cannot_be_opened_keeps_no_other_from_being_served(tmp_path, monkeypatch):
    registry = opened(tmp_path)
    for name in ("a", "b"):
        registry.create(name, empty())
    registry.close()
    tidy = ModelFolder.tidy

    def refuse(folder):
        if folder.name == "a":
            raise PermissionError(13, "Permission denied")
        tidy(folder)

    monkeypatch.setattr(ModelFolder, "tidy", refuse)
    registry = opened(tmp_path)
    conditions = {name: queue.model.condition for name, queue in registry}
    assert conditions == {"a": "failed", "b": "ready"}
    assert "Permission denied" in registry["a"].model.problems["model"]
    registry.close()


def test_what_is_learnt_is_private(tmp_path):
    before = os.umask(0o022)
    try:
        registry = opened(tmp_path / "data")
        registry.create("mail", empty())
        queue = registry["mail"]
        queue.submit(lambda draft: Change(queue.model.learn(draft, ["a"], ["x"]))).result()
        empty().save(tmp_path / "other.model")
        queue.submit(
            lambda draft: Change(queue.model.merge(draft, tmp_path / "other.model"))
        ).result()
        registry.close()
        found = [tmp_path / "data", *(tmp_path / "data/models").rglob("*")]
        assert {path.suffix for path in found} == {"", ".model", ".sqlite"}
        for path in found:
            assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    finally:
        os.umask(before)


def test_a_request_creates_a_model_once(registry):
    registry.create("mail", empty(), ("key", b"request"))
    again = registry.create("mail", empty(), ("key", b"request"))
    assert again == (registry["mail"], True)
    with pytest.raises(KeyReusedError, match="another request"):
        registry.create("mail", empty(), ("key", b"another"))
    with pytest.raises(ConflictError, match="already a model"):
        registry.create("mail", empty(), ("other key", b"request"))


def test_two_files_of_one_name_are_refused(tmp_path):
    with pytest.raises(InvalidError, match=r"a/mail\.model and b/mail\.model .* NAME=FILE"):
        ModelRegistry(tmp_path, ["a/mail.model", "b/mail.model"])
    assert list(tmp_path.iterdir()) == []


def test_a_deletion_that_is_killed_leaves_no_half_of_a_model(tmp_path, monkeypatch):
    registry = opened(tmp_path)
    registry.create("mail", empty())
    monkeypatch.setattr(ModelFolder, "remove", lambda self: None)  # the process ends here
    monkeypatch.setattr(os, "rename", renamed_once(os.rename))
    registry.remove("mail")
    monkeypatch.undo()
    registry.close()
    registry = opened(tmp_path)
    assert list(registry) == []
    assert list(registry.folder.models.iterdir()) == []
    registry.close()


def renamed_once(rename):
    names = iter([rename])
    return lambda *paths: next(names, lambda *paths: None)(*paths)


def test_a_deletion_leaves_the_files_of_others_under_the_name_of_the_model(registry):
    registry.create("mail", empty())
    theirs = registry.folder.models / "mail" / "notes.txt"
    theirs.write_text("mine")
    registry.remove("mail")
    assert [p.name for p in registry.folder.models.iterdir()] == ["mail"]
    assert [p.name for p in theirs.parent.iterdir()] == ["notes.txt"]


def test_a_model_that_cannot_be_deleted_is_still_served(registry, monkeypatch):
    def refused(*paths):
        raise PermissionError(13, "Permission denied")

    registry.create("mail", empty())
    monkeypatch.setattr(os, "rename", refused)
    with pytest.raises(StorageError, match="could not be deleted: Permission denied"):
        registry.remove("mail")
    assert registry["mail"].model.condition == "ready"


def test_new_models_and_snapshots_are_on_disk_before_they_are_told(registry, monkeypatch):
    synced, sync = [], os.fsync
    monkeypatch.setattr(
        os, "fsync", lambda file: (synced.append(os.readlink(f"/proc/self/fd/{file}")), sync(file))
    )
    queue, _ = registry.create("mail", empty())
    assert str(registry.folder.models) in synced
    synced.clear()
    queue.between(lambda: queue.model.take_snapshot("first")).result()
    assert str(registry.folder.models / "mail") in synced
    assert any("named-first.backup" in path for path in synced)

import os
import random
import shutil
import sqlite3

import pytest

from addhash import TextClassifier
from addhash.errors import ModelFileError, ParameterError
from addhash.sample import load_messages
from addhash.service.change_queue import Change, ChangeQueue
from addhash.service.errors import (
    BusyError,
    ConflictError,
    InvalidError,
    KeyReusedError,
    StorageError,
    UnavailableError,
)
from addhash.service.model_folder import ModelFolder
from addhash.service.taught_model import TaughtModel

METHODS = ["bayes", "nearest", "centroid"]
TEXTS, LABELS = load_messages()


def empty(method="bayes"):
    return TextClassifier(method).partial_fit([], [])


@pytest.fixture
def opened(tmp_path):
    """Return a function that opens a model in a folder of the test, and closes it at the end."""
    models = []

    def open_model(method="bayes", given=None):
        if not (tmp_path / "m").exists():
            ModelFolder.create(tmp_path / "m", given or empty(method))
        model = TaughtModel(ModelFolder(tmp_path / "m"), given)
        models.append(model)
        return model

    yield open_model
    for model in models:
        model.close()


def learn(model, texts, labels):
    ids = []

    def work(draft):
        ids.extend(model.learn(draft, texts, labels))
        return True

    model.commit(work)
    return ids


def change(model, name, *values):
    def work(draft):
        getattr(model, name)(draft, *values)
        return True

    model.commit(work)
    model.scrub()


def digest(model):
    return model.view.classifier.digest()


@pytest.mark.parametrize("method", METHODS)
def test_any_history_arrives_at_the_same_bytes(opened, method):
    chance = random.Random(7)
    model, known = opened(method), {}
    for _ in range(40):
        if known and chance.random() < 0.4:
            ids = chance.sample(sorted(known), chance.randint(1, min(3, len(known))))
            change(model, "forget_ids", ids)
            for i in ids:
                del known[i]
        elif known and chance.random() < 0.2:
            i = chance.choice(sorted(known))
            label = chance.choice(["ham", "spam", "other"])
            change(model, "relabel", i, label)
            known[model.page(before=None, limit=1)[0].id] = known.pop(i)[0], label
        else:
            chosen = chance.sample(range(len(TEXTS)), chance.randint(1, 4))
            texts, labels = [TEXTS[i] for i in chosen], [LABELS[i] for i in chosen]
            known |= zip(learn(model, texts, labels), zip(texts, labels, strict=True), strict=True)
        if chance.random() < 0.2:
            model.save_snapshot()
        if chance.random() < 0.3:
            before = digest(model), model.number
            model.close()
            model = opened(method)
            assert (digest(model), model.number) == before
    once = empty(method).partial_fit(*zip(*known.values(), strict=True))
    assert digest(model) == once.digest()
    assert model.count() == len(known)


@pytest.mark.parametrize("method", METHODS)
def test_what_was_never_learnt_cannot_be_forgotten(opened, method):
    model = opened(method)
    learn(model, TEXTS[:4], LABELS[:4])
    before = digest(model)
    for texts, labels in [
        (["never seen"], ["ham"]),
        ([TEXTS[0]], ["other"]),
        ([TEXTS[0], TEXTS[0]], [LABELS[0]] * 2),
        ([TEXTS[0], "never seen"], [LABELS[0], "ham"]),
    ]:
        with pytest.raises(ConflictError, match="nothing was forgotten"):
            change(model, "forget", texts, labels)
    with pytest.raises(ConflictError, match="no example with the id 99"):
        change(model, "forget_ids", [1, 99])
    assert digest(model) == before
    assert model.count() == 4


@pytest.mark.parametrize("method", METHODS)
def test_forgetting_reaches_the_disk(opened, tmp_path, method):
    secret = "the cormorant's password is 8a7f"
    model = opened(method)
    learn(model, TEXTS[:20], LABELS[:20])
    (i,) = learn(model, [secret], ["ham"])
    model.save_snapshot()
    assert any(secret.encode() in path.read_bytes() for path in tmp_path.rglob("*.sqlite*"))
    change(model, "forget_ids", [i])
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert secret[4:13].encode() not in path.read_bytes(), path


def test_a_kill_between_forgetting_and_cleaning_is_made_good(opened, tmp_path):
    secret = "the cormorant's password is 8a7f"
    model = opened()
    learn(model, TEXTS[:20], LABELS[:20])
    (i,) = learn(model, [secret], ["ham"])
    model.save_snapshot()
    model.commit(lambda draft: bool(model.forget_ids(draft, [i])))
    # What a kill leaves, now that the change is made and nothing was cleaned.
    shutil.copytree(tmp_path / "m", tmp_path / "killed")
    left = [
        path for path in (tmp_path / "killed").iterdir() if secret.encode() in path.read_bytes()
    ]
    assert left != []
    again = TaughtModel(ModelFolder(tmp_path / "killed"))
    for path in (tmp_path / "killed").iterdir():
        assert b"cormorant" not in path.read_bytes(), path
    assert digest(again) == digest(model)
    again.close()


def test_texts_that_a_model_file_keeps_leave_it_too(tmp_path):
    secret = "the cormorant's password is 8a7f"
    start = TextClassifier("nearest", keep_texts=True).fit(TEXTS[:5], LABELS[:5])
    start.save(tmp_path / "start.model")
    ModelFolder.create(tmp_path / "m", tmp_path / "start.model")
    model = TaughtModel(ModelFolder(tmp_path / "m"), tmp_path / "start.model")
    (i,) = learn(model, [secret], ["ham"])
    model.save_snapshot()
    assert secret.encode() in (tmp_path / "m" / "snapshot.model").read_bytes()
    change(model, "forget_ids", [i])
    model.save_snapshot()
    assert all(secret.encode() not in path.read_bytes() for path in (tmp_path / "m").iterdir())
    model.close()


def test_undo_takes_back_a_lesson_by_its_number_and_redo_brings_it_back(opened):
    model = opened()
    learn(model, TEXTS[:3], LABELS[:3])
    first = model.number
    before = digest(model)
    learn(model, TEXTS[3:6], LABELS[3:6])
    second, after = model.number, digest(model)
    change(model, "undo", [second])
    assert digest(model) == before
    undo = model.number
    change(model, "undo", [undo])
    assert digest(model) == after
    assert model.count() == 6
    with pytest.raises(ConflictError, match="cannot be undone"):
        change(model, "undo", [undo])  # it is redone already
    change(model, "undo", [first])  # someone else's later lesson stays
    assert [e.text for e in model.page(before=None, limit=9)] == TEXTS[3:6][::-1]
    with pytest.raises(ConflictError, match=f"Change {first} cannot be undone"):
        change(model, "undo", [first])
    change(model, "undo", [model.number])
    assert digest(model) == after


def test_a_file_is_undone_as_a_file(opened):
    model = opened()
    numbers = []
    for i in range(0, 30, 10):
        learn(model, TEXTS[i : i + 10], LABELS[i : i + 10])
        numbers.append(model.number)
    after = digest(model)
    change(model, "undo", numbers)
    assert model.count() == 0
    change(model, "undo", [model.number])
    assert digest(model) == after
    change(model, "undo", [model.number])
    assert model.count() == 0
    change(model, "undo", [model.number])
    assert digest(model) == after


def test_relabelling_is_undone_to_the_old_label_and_redone(opened):
    model = opened()
    (i,) = learn(model, ["a text"], ["a"])
    learn(model, ["another"], ["b"])
    change(model, "relabel", i, "b")
    relabelled = model.number
    for label in ("a", "b", "a"):
        change(model, "undo", [relabelled])
        relabelled = model.number
        assert {e.text: e.label for e in model.page(before=None, limit=9)} == {
            "a text": label,
            "another": "b",
        }
    assert digest(model) == empty().partial_fit(["a text", "another"], ["a", "b"]).digest()


def test_a_relabelling_is_undone_after_a_restart(opened):
    model = opened()
    (i,) = learn(model, ["a text"], ["a"])
    change(model, "relabel", i, "b")
    number = model.number
    model.close()
    model = opened()
    change(model, "undo", [number])
    assert [e.label for e in model.page(before=None, limit=9)] == ["a"]


def test_what_was_undone_leaves_the_disk_and_what_is_forgotten_is_not_redone(opened, tmp_path):
    model = opened()
    learn(model, ["the cormorant"], ["a"])
    learn(model, ["the cormorant"], ["b"])
    change(model, "undo", [2])
    undo = model.number
    assert model.count() == 1
    change(model, "forget", ["the cormorant"], ["a"])
    change(model, "undo", [undo])
    assert model.count() == 0
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or b"cormorant" not in path.read_bytes()


def test_a_failed_undo_changes_nothing(opened):
    model = opened()
    learn(model, ["one"], ["a"])
    learn(model, ["two"], ["a"])
    change(model, "undo", [1])
    undo, before = model.number, digest(model)
    with pytest.raises(ConflictError):
        change(model, "undo", [undo, 99])
    assert digest(model) == before
    change(model, "undo", [undo])
    assert model.count() == 2


@pytest.mark.parametrize("damage", ["missing", "empty"])
def test_a_missing_or_empty_ledger_is_told_and_the_snapshot_served(opened, tmp_path, damage):
    model = opened()
    learn(model, TEXTS[:9], LABELS[:9])
    after = digest(model)
    model.close()
    path = tmp_path / "m" / "ledger.sqlite"
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(b"")
    model = opened()
    assert model.condition == "read-only"
    assert f"is {damage}. Restore it from a backup" in model.problems["ledger"]
    assert digest(model) == after
    assert {p.name for p in (tmp_path / "m").glob("*.model")} == {"snapshot.model", "source.model"}
    assert path.exists() == (damage == "empty")


def test_a_damaged_snapshot_is_made_again(opened, tmp_path):
    model = opened()
    learn(model, TEXTS[:9], LABELS[:9])
    before = digest(model)
    model.close()
    path = tmp_path / "m" / "snapshot.model"
    path.write_bytes(path.read_bytes()[:-7])
    model = opened()
    assert digest(model) == before
    assert model.condition == "ready"
    assert "damaged" in model.problems["snapshot"]


def test_a_cut_ledger_is_told_and_the_snapshot_served(opened, tmp_path):
    model = opened()
    learn(model, TEXTS[:9], LABELS[:9])
    model.close()
    old = (tmp_path / "m" / "ledger.sqlite").read_bytes()
    model = opened()
    learn(model, TEXTS[9:12], LABELS[9:12])
    after = digest(model)
    model.close()
    (tmp_path / "m" / "ledger.sqlite").write_bytes(old)
    model = opened()
    assert model.condition == "read-only"
    assert (
        "the ledger ends at change 1, but the snapshot knows change 2" in model.problems["ledger"]
    )
    assert digest(model) == after
    with pytest.raises(UnavailableError, match="cannot be changed: the ledger ends"):
        learn(model, ["x"], ["ham"])


@pytest.mark.parametrize("damage", ["cut", "noise", "missing snapshot"])
def test_a_damaged_ledger_leaves_a_clear_state(opened, tmp_path, damage):
    model = opened()
    learn(model, TEXTS * 3, LABELS * 3)
    after = digest(model)
    model.close()
    path = tmp_path / "m" / "ledger.sqlite"
    content = path.read_bytes()
    assert len(content) > 20_000
    path.write_bytes(content[:9000] if damage == "cut" else content[:4096] + os.urandom(9000))
    if damage == "missing snapshot":
        (tmp_path / "m" / "snapshot.model").unlink()
    model = opened()
    assert "damaged" in model.problems["ledger"]
    if damage == "missing snapshot":
        assert model.condition == "failed"
        with pytest.raises(UnavailableError, match="cannot be served"):
            _ = model.view
    else:
        assert model.condition == "read-only"
        assert digest(model) == after
    with pytest.raises(UnavailableError, match="cannot be changed"):
        learn(model, ["x"], ["ham"])


def test_a_full_disk_refuses_the_change_and_nothing_else(opened):
    model = opened()
    learn(model, TEXTS[:5], LABELS[:5])
    before = digest(model)
    model.ledger.limit_size(15)
    with pytest.raises(sqlite3.OperationalError, match="full"):
        learn(model, ["x" * 200_000], ["ham"])
    assert digest(model) == before
    assert model.count() == 5
    model.ledger.limit_size(10**6)
    learn(model, ["x" * 200_000], ["ham"])
    assert model.count() == 6


def test_the_source_is_copied_and_read_again(tmp_path):
    given = tmp_path / "given.model"
    first, second = empty().partial_fit(TEXTS[:9], LABELS[:9]), empty().partial_fit(TEXTS, LABELS)
    first.save(given)
    ModelFolder.create(tmp_path / "m", given)
    model = TaughtModel(ModelFolder(tmp_path / "m"), given)
    assert digest(model) == first.digest()
    learn(model, ["taught"], ["ham"])
    assert not model.reload()
    given.write_bytes(b"not a model")
    before = digest(model)
    with pytest.raises(ModelFileError):
        model.reload()
    assert "given.model cannot be used" in model.problems["source"]
    assert digest(model) == before
    second.save(given)
    assert model.reload()
    assert "source" not in model.problems
    second.partial_fit(["taught"], ["ham"])
    assert digest(model) == second.digest()
    model.close()
    given.unlink()
    model = TaughtModel(ModelFolder(tmp_path / "m"), given)
    assert digest(model) == second.digest()
    assert "given.model cannot be read" in model.problems["source"]
    model.close()


def test_merged_models_stay_merged(opened, tmp_path):
    model = opened()
    learn(model, TEXTS[:5], LABELS[:5])
    for i, part in enumerate([slice(5, 9), slice(9, 20)]):
        empty().partial_fit(TEXTS[part], LABELS[part]).save(tmp_path / f"{i}.model")
        change(model, "merge", tmp_path / f"{i}.model")
    expected = empty().partial_fit(TEXTS[:20], LABELS[:20]).digest()
    assert digest(model) == expected
    model.close()
    (tmp_path / "m" / "snapshot.model").unlink()
    model = opened()
    assert digest(model) == expected
    empty("nearest").partial_fit(TEXTS[:2], LABELS[:2]).save(tmp_path / "other.model")
    with pytest.raises(ConflictError, match="differ in method"):
        change(model, "merge", tmp_path / "other.model")
    (tmp_path / "bad.model").write_bytes(b"x")
    with pytest.raises(InvalidError, match="not a model to merge"):
        change(model, "merge", tmp_path / "bad.model")
    assert digest(model) == expected
    assert sorted(p.name for p in (tmp_path / "m").glob("merged*")) == ["merged-3.model"]


def test_similar_examples_follow_changes(opened):
    model = opened()
    ids = learn(model, TEXTS[:50], LABELS[:50])
    assert not model.similar.is_built
    model.build_similar()
    ((found, score),) = model.similar.search([TEXTS[7]], 1)[0]
    assert (found, model.get_all([found])[0].text) == (ids[7], TEXTS[7])
    assert score == pytest.approx(1)
    change(model, "forget_ids", [ids[7]])
    model.similar.update([], [ids[7]])
    assert model.similar.search([TEXTS[7]], 1)[0][0][0] != ids[7]
    (new,) = learn(model, [TEXTS[7]], ["ham"])
    model.similar.update([(new, TEXTS[7])], [])
    assert model.similar.search([TEXTS[7]], 1)[0][0][0] == new


# The thread that makes changes.


@pytest.fixture
def queue(opened):
    queue = ChangeQueue(opened())
    yield queue
    queue.close()


def lesson(queue, text, label, key=None, request=b""):
    def make(draft):
        return Change(queue.model.learn(draft, [text], [label]))

    return queue.submit(make, key, request)


def test_a_group_is_committed_together_and_bad_ones_are_refused_alone(queue):
    held = queue.between(lambda: __import__("time").sleep(0.05))
    jobs = [lesson(queue, TEXTS[i], LABELS[i]) for i in range(30)]
    bad = lesson(queue, "a number", 7)
    jobs += [lesson(queue, TEXTS[i], LABELS[i]) for i in range(30, 40)]
    held.result()
    assert [job.result(10).answer for job in jobs] == [b"[%d]" % (i + 1) for i in range(40)]
    with pytest.raises(ParameterError, match="classes so far are texts"):
        bad.result()
    assert digest(queue.model) == empty().partial_fit(TEXTS[:40], LABELS[:40]).digest()
    assert queue.model.count() == 40


def test_what_cannot_be_cleaned_yet_is_told_and_tried_again(queue, monkeypatch):
    lesson(queue, "cormorant", "ham").result(10)
    lesson(queue, "other", "ham").result(10)
    scrub = queue.model.ledger.scrub

    def fail():
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(queue.model.ledger, "scrub", fail)

    def make(draft):
        return Change([], removed=queue.model.forget_ids(draft, [1]))

    with pytest.raises(StorageError, match="could not be cleaned of it yet"):
        queue.submit(make).result(10)
    assert queue.model.problems["disk"] == "disk I/O error"
    assert queue.model.count() == 1
    monkeypatch.setattr(queue.model.ledger, "scrub", scrub)
    lesson(queue, "third", "ham").result(10)
    assert "disk" not in queue.model.problems
    content = b"".join(path.read_bytes() for path in queue.model.folder.path.iterdir())
    assert b"cormorant" not in content


def test_a_key_counts_once_also_after_a_restart(opened):
    queue = ChangeQueue(opened())
    first = lesson(queue, "text", "ham", "key", b"request").result(10)
    again = lesson(queue, "text", "ham", "key", b"request").result(10)
    assert (again.answer, first.is_repeated, again.is_repeated) == (first.answer, False, True)
    with pytest.raises(KeyReusedError, match="another request"):
        lesson(queue, "text", "ham", "key", b"other request").result(10)
    queue.close()
    queue = ChangeQueue(opened())
    assert lesson(queue, "text", "ham", "key", b"request").result(10).is_repeated
    assert queue.model.count() == 1
    queue.close()
    with pytest.raises(BusyError, match="stopping"):
        lesson(queue, "text", "ham")


def test_a_key_whose_lesson_was_forgotten_is_refused(opened):
    queue = ChangeQueue(opened())
    lesson(queue, "text", "ham", "key", b"request").result(10)
    queue.submit(lambda draft: Change(queue.model.forget_ids(draft, [1]))).result(10)
    for request in (b"request", b"another"):
        with pytest.raises(KeyReusedError, match="forgotten"):
            lesson(queue, "text", "ham", "key", request).result(10)
    assert queue.model.count() == 0
    queue.close()

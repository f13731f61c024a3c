"""Named snapshots, roll back, compare and merge previews, without a network."""

import io
import os
import tarfile

import pytest

from addhash import TextClassifier
from addhash.sample import load_messages
from addhash.service.snapshots import MOST_SNAPSHOTS
from tests.service.test_api import MAIL, digest, expect, forget, open_client, teach

TEXTS, LABELS = load_messages()
FILE = {"Content-Type": "application/octet-stream"}
SECRET = "the secret sentence of a stranger"


@pytest.fixture
def client(tmp_path):
    with open_client(tmp_path / "data") as client:
        client.post("/v1/models", json={"name": "mail"})
        yield client


def keep(client, name):
    answer = client.post(f"{MAIL}/snapshots", json={"name": name})
    assert answer.status_code == 201, answer.text
    return answer.json()


def roll_back(client, name, **headers):
    return client.post(f"{MAIL}/rollback", json={"snapshot": name}, headers=headers)


def names(client):
    return [one["name"] for one in client.get(f"{MAIL}/snapshots").json()["snapshots"]]


def listed(client):
    examples = client.get(f"{MAIL}/examples?limit=1000").json()["examples"]
    return sorted((e["text"], e["label"]) for e in examples)


def files(tmp_path):
    return sorted(path.name for path in (tmp_path / "data" / "models" / "mail").iterdir())


def merge(client, path, start):
    start.save(path)
    answer = client.post(f"{MAIL}/merge", content=path.read_bytes(), headers=FILE)
    assert answer.status_code == 200, answer.text


def test_a_snapshot_is_listed_with_what_it_is_of(client):
    assert client.get(f"{MAIL}/snapshots").json() == {"snapshots": [], "limit": MOST_SNAPSHOTS}
    teach(client, TEXTS[:5], LABELS[:5])
    made = keep(client, "first")
    assert (made["name"], made["change"], made["examples"]) == ("first", 1, 5)
    teach(client, TEXTS[5:7], LABELS[5:7])
    keep(client, "second")
    found = client.get(f"{MAIL}/snapshots").json()["snapshots"]
    assert [(one["name"], one["change"], one["examples"]) for one in found] == [
        ("second", 2, 7),
        ("first", 1, 5),
    ]
    assert all(one["bytes"] > 0 and one["created"] > 0 for one in found)


def test_roll_back_restores_the_state_and_keeps_the_present_one(client):
    ids = teach(client, TEXTS[:20], LABELS[:20])
    then, before = listed(client), digest(client)
    keep(client, "good")
    forget(client, ids=ids[:5])
    client.patch(f"{MAIL}/examples/{ids[7]}", json={"label": "other"})
    teach(client, TEXTS[20:30], LABELS[20:30])
    now, after = listed(client), digest(client)
    number = client.get(MAIL).json()["change"]

    answer = roll_back(client, "good").json()
    assert answer["change"] == number + 1 == client.get(MAIL).json()["change"]
    assert (listed(client), digest(client)) == (then, before)
    assert len(answer["ids"]) == 6  # five that were forgotten, and the relabelled one
    assert len(answer["removed"]) == 11
    assert names(client)[0] == answer["kept"]

    again = roll_back(client, answer["kept"]).json()
    assert again["change"] == number + 2
    assert (listed(client), digest(client)) == (now, after)
    assert set(names(client)) == {"good", answer["kept"], again["kept"]}


def test_roll_back_undoes_a_merge(client, tmp_path):
    teach(client, TEXTS[:20], LABELS[:20])
    merge(client, tmp_path / "a.model", TextClassifier().fit(TEXTS[20:40], LABELS[20:40]))
    keep(client, "one-merge")
    before = digest(client)
    merge(client, tmp_path / "b.model", TextClassifier().fit(TEXTS[40:60], LABELS[40:60]))
    both = digest(client)
    kept = roll_back(client, "one-merge").json()["kept"]
    assert digest(client) == before
    assert [name for name in files(tmp_path) if name.startswith("merged")] == ["merged-2.model"]
    roll_back(client, kept)
    assert digest(client) == both


def test_the_state_after_a_roll_back_survives_a_restart(tmp_path):
    with open_client(tmp_path / "data") as client:
        client.post("/v1/models", json={"name": "mail"})
        ids = teach(client, TEXTS[:10], LABELS[:10])
        keep(client, "good")
        forget(client, ids=ids)
        roll_back(client, "good")
        before = digest(client), listed(client), names(client)
    with open_client(tmp_path / "data") as again:
        assert (digest(again), listed(again), names(again)) == before
        assert again.get(MAIL).json()["problems"] == {}
        # The numbers of lessons that came back can be undone.
        answer = again.post(f"{MAIL}/undo", json={"change": 1})
        assert len(answer.json()["removed"]) == 10
        expect(again.post(f"{MAIL}/undo", json={"change": 3}), 409, "cannot be undone")


def test_similar_examples_follow_a_roll_back(client):
    teach(client, ["win a prize"], ["spam"])
    keep(client, "good")
    teach(client, ["lunch at noon"], ["ham"])

    def similar(text):
        answer = client.post(f"{MAIL}/similar", json={"texts": [text], "k": 5}).json()
        return [one["text"] for one in answer["similar"][0]]

    assert "lunch at noon" in similar("lunch")
    roll_back(client, "good")
    assert similar("lunch") == ["win a prize"]


def test_a_redo_does_not_double_what_a_roll_back_brought(client):
    teach(client, TEXTS[:3], LABELS[:3])
    keep(client, "good")
    undone = client.post(f"{MAIL}/undo", json={"change": 1}).json()["change"]
    roll_back(client, "good")
    expect(client.post(f"{MAIL}/undo", json={"change": undone}), 409, "cannot be undone")
    assert len(listed(client)) == 3


def test_a_key_counts_once(client):
    teach(client, TEXTS[:3], LABELS[:3])
    key = {"Idempotency-Key": "one"}
    first = client.post(f"{MAIL}/snapshots", json={"name": "a"}, headers=key)
    teach(client, TEXTS[3:5], LABELS[3:5])
    again = client.post(f"{MAIL}/snapshots", json={"name": "a"}, headers=key)
    assert again.json() == first.json()
    assert again.headers["idempotent-replayed"] == "true"
    done = roll_back(client, "a", **{"Idempotency-Key": "two"}).json()
    assert roll_back(client, "a", **{"Idempotency-Key": "two"}).json() == done
    assert len(names(client)) == 2


def test_names_are_refused_that_are_taken_odd_or_unknown(client):
    teach(client, TEXTS[:3], LABELS[:3])
    keep(client, "a")
    keep(client, "a")  # the same state
    teach(client, TEXTS[3:5], LABELS[3:5])
    expect(client.post(f"{MAIL}/snapshots", json={"name": "a"}), 409, "already a snapshot a")
    for name in ("", "../x", "a/b", ".x", "x" * 65, "ü"):
        expect(client.post(f"{MAIL}/snapshots", json={"name": name}), 422)
    expect(roll_back(client, "b"), 404, "no snapshot", "a")
    expect(client.get(f"{MAIL}/snapshots/b"), 404, "no snapshot")
    expect(client.delete(f"{MAIL}/snapshots/b"), 404, "no snapshot")
    assert names(client) == ["a"]


def test_there_is_a_limit_and_a_roll_back_needs_room(client):
    for i in range(MOST_SNAPSHOTS):
        keep(client, f"s{i}")
    teach(client, TEXTS[:3], LABELS[:3])
    before = digest(client)
    expect(client.post(f"{MAIL}/snapshots", json={"name": "more"}), 409, "delete one first")
    expect(roll_back(client, "s0"), 409, "delete one first")
    assert digest(client) == before
    assert client.delete(f"{MAIL}/snapshots/s1").status_code == 200
    assert roll_back(client, "s0").status_code == 200
    assert listed(client) == []


def test_a_snapshot_is_a_backup(client):
    teach(client, TEXTS[:9], LABELS[:9])
    before = digest(client)
    keep(client, "good")
    content = client.get(f"{MAIL}/snapshots/good").content
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        assert archive.getnames()[0] == "ledger.sqlite"
    answer = client.put("/v1/models/old/backup", content=content, headers=FILE)
    assert answer.status_code == 201, answer.text
    assert client.get("/v1/models/old").json()["digest"] == before
    assert client.get("/v1/models/old/snapshots").json()["snapshots"] == []


def test_forgetting_says_which_snapshots_still_hold_the_text(client, tmp_path):
    keep(client, "empty")
    ids = teach(client, [SECRET, "lunch"], ["spam", "ham"])
    keep(client, "with-it")
    client.patch(f"{MAIL}/examples/{ids[0]}", json={"label": "ham"})
    answer = forget(client, texts=[SECRET], labels=["ham"]).json()
    assert answer["snapshots"] == ["with-it"]
    assert forget(client, ids=[ids[1]]).json()["snapshots"] == ["with-it"]
    folder = tmp_path / "data"
    assert any(SECRET.encode() in p.read_bytes() for p in folder.rglob("*.backup"))
    client.delete(f"{MAIL}/snapshots/with-it")
    held = [p for p in folder.rglob("*") if p.is_file() and SECRET.encode() in p.read_bytes()]
    assert held == []


def test_only_own_files_are_removed_and_all_are_private(tmp_path):
    folder = tmp_path / "data" / "models" / "mail"
    with open_client(tmp_path / "data") as client:
        client.post("/v1/models", json={"name": "mail"})
        keep(client, "good")
    assert (folder / "named-good.backup").stat().st_mode & 0o777 == 0o600
    parts = [
        ".named-x.backup.0123456789abcdef.part",
        ".named-x.backup.0123456789abcdef.part-ledger",
    ]
    foreign = ["named-.backup", "named-x.backup.old", "good.backup", ".named-x.backup.part"]
    for name in parts + foreign:
        (folder / name).write_bytes(b"x")
    broken = folder / "named-broken.backup"
    broken.write_bytes(b"not an archive")
    with open_client(tmp_path / "data") as again:
        assert names(again) == ["good"]
        assert set(parts) & set(os.listdir(folder)) == set()
        assert set(foreign) <= set(os.listdir(folder))
        answer = again.request("DELETE", MAIL, json={"name": "mail"})
        assert answer.status_code == 200
    assert sorted(os.listdir(folder)) == sorted(foreign)


def test_a_damaged_snapshot_is_said_to_be_and_changes_nothing(client, tmp_path):
    teach(client, TEXTS[:9], LABELS[:9])
    keep(client, "good")
    before = digest(client)
    path = tmp_path / "data" / "models" / "mail" / "named-good.backup"
    content = path.read_bytes()
    path.write_bytes(content[:3000])
    expect(roll_back(client, "good"), 409, "cannot be read")
    assert digest(client) == before
    assert names(client) == ["good"]
    assert not [name for name in os.listdir(path.parent.parent) if name.startswith(".new")]
    gone = forget(client, texts=TEXTS[:1], labels=LABELS[:1])
    assert (gone.status_code, gone.json()["snapshots"]) == (200, ["good"])


def test_a_model_of_a_file_keeps_that_file_as_its_source(tmp_path):
    TextClassifier().fit(TEXTS[:50], LABELS[:50]).save(tmp_path / "mail.model")
    with open_client(tmp_path / "data", [str(tmp_path / "mail.model")]) as client:
        teach(client, TEXTS[50:60], LABELS[50:60])
        keep(client, "good")
        before = digest(client)
        teach(client, TEXTS[60:70], LABELS[60:70])
        roll_back(client, "good")
        assert digest(client) == before
    with open_client(tmp_path / "data", [str(tmp_path / "mail.model")]) as client:
        assert digest(client) == before


# Compare.


def compare(client, **wanted):
    answer = client.post(f"{MAIL}/compare", json=wanted)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_model_is_compared_with_its_snapshot_by_leaving_out_what_each_knows(client):
    teach(client, TEXTS[:60], LABELS[:60])
    keep(client, "small")
    teach(client, TEXTS[60:], LABELS[60:])
    found = compare(client, snapshot="small")
    known = dict(zip(TEXTS[:60], LABELS[:60], strict=True))
    texts, labels = TEXTS[::-1], LABELS[::-1]  # as listed, the latest first
    whole = TextClassifier().partial_fit(TEXTS, LABELS).leave_one_out(texts, labels)
    small = TextClassifier().partial_fit(TEXTS[:60], LABELS[:60])
    others = [
        small.leave_one_out([t], [y]).answers[0] if known.get(t) == y else small.predict([t])[0]
        for t, y in zip(texts, labels, strict=True)
    ]
    rows = list(zip(texts, labels, whole.answers.tolist(), others, strict=True))
    assert found["texts"] == len(TEXTS)
    assert found["accuracy"] == pytest.approx(whole.accuracy)
    right = sum(label == other for _, label, _, other in rows)
    assert found["other_accuracy"] == pytest.approx(right / len(rows))
    expected = [row for row in rows if row[2] != row[3]]
    assert found["different"] == len(expected)
    shown = [(d["text"], d["label"], d["answer"], d["other_answer"]) for d in found["differences"]]
    assert shown == expected
    for one in found["classes"]:
        assert one["texts"] == LABELS.count(one["label"])
        mine = [row for row in rows if row[1] == one["label"]]
        assert one["right"] == sum(row[1] == row[2] for row in mine)
        assert one["other_right"] == sum(row[1] == row[3] for row in mine)


def test_two_models_are_compared_on_given_texts(client):
    teach(client, ["win a prize", "see you at lunch"], ["spam", "ham"])
    client.post("/v1/models", json={"name": "turned"})
    lesson = {"texts": ["win a prize", "see you at lunch"], "labels": ["ham", "spam"]}
    client.post("/v1/models/turned/examples", json=lesson)
    found = compare(client, model="turned", texts=["a prize", "lunch"], labels=["spam", "spam"])
    assert (found["accuracy"], found["other_accuracy"], found["different"]) == (0.5, 0.5, 2)
    assert found["classes"] == [{"label": "spam", "texts": 2, "right": 1, "other_right": 1}]
    assert [(d["id"], d["answer"], d["other_answer"]) for d in found["differences"]] == [
        (None, "spam", "ham"),
        (None, "ham", "spam"),
    ]
    found = compare(client, model="turned", texts=["a prize"])
    assert (found["accuracy"], found["classes"], found["different"]) == (None, [], 1)
    found = compare(client, model="mail")
    assert (found["different"], found["texts"]) == (0, 2)


def test_an_empty_model_has_no_answers_to_compare(client):
    client.post("/v1/models", json={"name": "empty"})
    assert compare(client, model="empty")["texts"] == 0
    teach(client, ["win a prize", "see you at lunch"], ["spam", "ham"])
    found = compare(client, model="empty", texts=["a prize"])
    assert found["differences"][0]["other_answer"] is None


@pytest.mark.parametrize(
    ("body", "status", "word"),
    [
        ({}, 422, "either model or snapshot"),
        ({"model": "mail", "snapshot": "a"}, 422, "either model or snapshot"),
        ({"model": "nowhere"}, 404, "no model"),
        ({"snapshot": "nowhere"}, 404, "no snapshot"),
        ({"model": "mail", "labels": ["a"]}, 422, "one label per text"),
        ({"model": "mail", "texts": ["a", "b"], "labels": ["a"]}, 422, "one label per text"),
    ],
)
def test_what_cannot_be_compared_is_said(client, body, status, word):
    found = client.post(f"{MAIL}/compare", json=body)
    assert found.status_code == status
    assert word in found.text


# What a merge would do.


def preview(client, path, start):
    start.save(path)
    return client.post(f"{MAIL}/merge/preview", content=path.read_bytes(), headers=FILE)


def test_a_preview_says_what_a_merge_then_does(client, tmp_path):
    teach(client, TEXTS[:40], LABELS[:40])
    before = client.get(MAIL).json()
    other = TextClassifier().fit([*TEXTS[40:60], "guten Morgen"], [*LABELS[40:60], "german"])
    found = preview(client, tmp_path / "o.model", other).json()
    assert client.get(MAIL).json() == before
    assert found["problem"] is None
    for one in found["classes"]:
        assert one["here"] == LABELS[:40].count(one["label"])
        added = LABELS[40:60].count(one["label"]) + (one["label"] == "german")
        assert one["added"] == added
    assert found["accuracy"] == client.get(f"{MAIL}/evaluation").json()["accuracy"]
    merge(client, tmp_path / "o.model", other)
    assert found["accuracy_after"] == client.get(f"{MAIL}/evaluation").json()["accuracy"]
    after = client.get(MAIL).json()
    counts = dict(zip(after["classes"], after["counts"], strict=True))
    assert counts == {one["label"]: one["here"] + one["added"] for one in found["classes"]}


def test_a_preview_says_why_two_models_do_not_fit(client, tmp_path):
    teach(client, TEXTS[:5], LABELS[:5])
    found = preview(client, tmp_path / "o.model", TextClassifier("centroid").fit(["a"], ["b"]))
    assert found.status_code == 200
    assert found.json()["problem"]
    assert found.json()["accuracy_after"] is None
    expect(
        client.post(f"{MAIL}/merge/preview", content=b"no model", headers=FILE), 422, "not a model"
    )

import os
import random
import sqlite3
import stat

import pytest

from addhash.service.errors import LedgerError
from addhash.service.ledger import VERSION, Ledger


@pytest.fixture
def ledger(tmp_path):
    ledger = Ledger.create(tmp_path / "ledger.sqlite")
    yield ledger
    ledger.close()


def reopened(ledger, path):
    ledger.close()
    return Ledger(path)


def test_what_is_committed_is_there_after_opening_again(tmp_path):
    ledger = Ledger.create(tmp_path / "ledger.sqlite")
    with ledger.transaction():
        ids = ledger.learn(["one", "two\0zwei", "drei 😀"], ["a", "b", 7])
    ledger = reopened(ledger, tmp_path / "ledger.sqlite")
    assert [(e.label, e.text) for e in ledger.since(0)] == [
        ("a", "one"),
        ("b", "two\0zwei"),
        (7, "drei 😀"),
    ]
    assert ledger.get(ids[2]).change == ledger.number == 1
    ledger.close()


def learn_and_fail(ledger):
    ledger.learn(["two"], ["b"])
    raise RuntimeError


def test_a_failed_transaction_leaves_nothing(ledger):
    with pytest.raises(RuntimeError), ledger.transaction():
        learn_and_fail(ledger)
    assert len(ledger) == ledger.number == 0


def test_a_failed_part_leaves_the_others(ledger):
    with ledger.transaction():
        ledger.learn(["one"], ["a"])
        with pytest.raises(RuntimeError), ledger.attempt():
            learn_and_fail(ledger)
        ledger.learn(["three"], ["c"])
    assert [e.text for e in ledger.since(0)] == ["one", "three"]
    assert ledger.number == 2


def test_examples_are_found_by_text_and_label(ledger):
    with ledger.transaction():
        ids = ledger.learn(["x", "x", "x", "y"], ["a", "a", "b", "a"])
    assert ledger.find("x", "a") == [ids[1], ids[0]]
    assert ledger.find("x", "c") == ledger.find("z", "a") == []


def test_ids_are_never_used_again(ledger):
    with ledger.transaction():
        (first,) = ledger.learn(["x"], ["a"])
        ledger.forget([first])
        (second,) = ledger.learn(["x"], ["a"])
    assert second > first


def test_pages_search_and_go_backwards(ledger):
    with ledger.transaction():
        ledger.learn([f"text {i} of 100%" for i in range(10)], ["a", "b"] * 5)
    page = ledger.page(before=None, limit=3)
    assert [e.id for e in page] == [10, 9, 8]
    assert [e.id for e in ledger.page(before=8, limit=2)] == [7, 6]
    assert [e.id for e in ledger.page(before=None, limit=9, containing="t 4")] == [5]
    assert len(ledger.page(before=None, limit=20, containing="0%")) == 10
    assert ledger.page(before=None, limit=20, containing="%t") == []
    assert ledger.count(containing="t 4") == 1
    assert ledger.count(label="b") == 5
    assert {e.label for e in ledger.page(before=None, limit=9, label="b")} == {"b"}


@pytest.mark.parametrize("length", [20, 300, 4000, 50_000])
def test_what_is_forgotten_leaves_the_disk(tmp_path, length):
    """Also where SQLite spreads a text over several pages, or would move it between pages."""
    ledger = Ledger.create(tmp_path / "ledger.sqlite")
    chance = random.Random(length)
    known, texts = {}, 0
    for _ in range(15):
        new = [
            f"<{texts + i:05}>" * chance.randint(1, 2 * length // 7)
            for i in range(chance.randint(1, max(3, 2000 // length)))
        ]
        with ledger.transaction():
            ids = ledger.learn(new, ["a"] * len(new))
            known |= zip(ids, range(texts, texts + len(new)), strict=True)
        texts += len(new)
        with ledger.transaction():
            gone = chance.sample(sorted(known), len(known) // 3)
            ledger.forget(gone)
            for i in gone:
                del known[i]
        ledger.scrub()
        content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        left = {i for i in range(texts) if f"{i:05}".encode() in content}
        assert left == set(known.values())
    assert 1 < len(ledger) == len(known) < texts
    ledger.close()


def test_a_full_disk_is_an_error_and_nothing_else(ledger):
    with ledger.transaction():
        ledger.learn(["one"], ["a"])
    ledger.limit_size(20)
    with pytest.raises(sqlite3.OperationalError, match="full"), ledger.transaction():
        ledger.learn(["two" * 100_000], ["a"])
    assert [e.text for e in ledger.since(0)] == ["one"]
    assert ledger.number == 1
    ledger.limit_size(1_000_000)
    with ledger.transaction():
        ledger.learn(["two" * 100_000], ["a"])
    assert len(ledger) == ledger.number == 2


def test_answers_are_kept_with_what_was_asked(ledger):
    with ledger.transaction():
        ids = ledger.learn(["a secret"], ["a"])
        ledger.keep_answer("key", ledger.fingerprint(b"request"), b"answer")
    assert ledger.answer_to("key") == (ledger.fingerprint(b"request"), b"answer")
    assert ledger.answer_to("other") is None
    with ledger.transaction():
        ledger.forget(ids)
    assert ledger.answer_to("key") == (None, b"answer")


@pytest.mark.parametrize(
    "content", [b"not a database" * 100, b"SQLite format 3\0" + b"\xff" * 8000]
)
def test_what_is_no_ledger_is_refused(tmp_path, content):
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(content)
    with pytest.raises(LedgerError, match=r"ledger\.sqlite"):
        Ledger(path)
    assert path.read_bytes() == content


def test_another_database_is_refused(tmp_path):
    path = tmp_path / "ledger.sqlite"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE things (x)")
    other.close()
    with pytest.raises(LedgerError, match="not a ledger"):
        Ledger(path)


def test_damage_in_the_middle_is_seen(tmp_path):
    path = tmp_path / "ledger.sqlite"
    ledger = Ledger.create(path)
    with ledger.transaction():
        ledger.learn([f"text {i} " * 40 for i in range(300)], ["a"] * 300)
    ledger.close()
    content = bytearray(path.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 4096] = b"\xa5" * 4096
    path.write_bytes(content)
    with pytest.raises(LedgerError, match="damaged"):
        Ledger(path)


def test_searching_ignores_case_in_every_script_and_reads_past_a_nul(ledger):
    with ledger.transaction():
        ledger.learn(["Über den Wolken", "ΣΊΣΥΦΟΣ", "before\0after"], ["a", "a", ""])
    for wanted, place in [("über", 1), ("ÜBER", 1), ("σίσυφος", 2), ("AFTER", 3)]:
        assert [e.id for e in ledger.page(before=None, limit=9, containing=wanted)] == [place]
    assert [e.id for e in ledger.page(before=None, limit=9, label="")] == [3]


def test_a_commit_is_on_disk_when_it_returns(ledger):
    """The promise that nothing acknowledged is lost stands on this one setting."""
    assert ledger._database.execute("PRAGMA synchronous").fetchone()[0] == 2  # FULL
    assert ledger._database.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


def test_a_missing_or_empty_ledger_is_an_error_and_stays_as_it_is(tmp_path):
    path = tmp_path / "ledger.sqlite"
    with pytest.raises(LedgerError, match="is missing"):
        Ledger(path)
    assert not path.exists()
    path.touch()
    with pytest.raises(LedgerError, match="is empty"):
        Ledger(path)
    assert path.read_bytes() == b""


def test_a_later_layout_asks_for_an_upgrade_and_stays_as_it_is(tmp_path):
    path = tmp_path / "ledger.sqlite"
    Ledger.create(path).close()
    other = sqlite3.connect(path)
    other.execute(f"PRAGMA user_version = {VERSION + 1}")
    other.close()
    content = path.read_bytes()
    with pytest.raises(LedgerError, match=r"newer addhash.*Upgrade"):
        Ledger(path)
    assert path.read_bytes() == content


def test_files_are_private_from_the_first_byte(tmp_path):
    before = os.umask(0o022)
    try:
        ledger = Ledger.create(tmp_path / "ledger.sqlite")
        with ledger.transaction():
            ledger.learn(["a secret"], ["a"])
        modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in tmp_path.iterdir()}
        assert modes == {"ledger.sqlite": 0o600, "ledger.sqlite-wal": 0o600}
        ledger.close()
        os.chmod(tmp_path / "ledger.sqlite", 0o644)  # as a backup may have restored it
        Ledger(tmp_path / "ledger.sqlite").close()
        assert stat.S_IMODE((tmp_path / "ledger.sqlite").stat().st_mode) == 0o600
    finally:
        os.umask(before)


def test_a_ledger_of_0_2_is_opened(tmp_path):
    path = tmp_path / "ledger.sqlite"
    ledger = Ledger.create(path)
    with ledger.transaction():
        (i,) = ledger.learn(["x"], ["a"])
    ledger._database.execute("DROP TABLE relabels")
    ledger.close()
    ledger = Ledger(path)
    with ledger.transaction():
        ledger.relabel(ledger.get(i), "b")
    assert [(e.text, e.label) for e in ledger.since(0)] == [("x", "b")]
    ledger.close()


def test_relabelling_is_one_change_that_knows_the_label_before(ledger):
    with ledger.transaction():
        (first,) = ledger.learn(["x"], ["a"])
        second = ledger.relabel(ledger.get(first), "b")
    assert ledger.number == 2
    assert ledger.relabelled(2) == (ledger.get(second), "a")
    assert ledger.get(first) is None
    with ledger.transaction():
        third = ledger.relabel(ledger.get(second), 7)
    assert ledger.relabelled(2) is None
    assert ledger.relabelled(3)[1] == "b"
    with ledger.transaction():
        ledger.forget([third])
    assert ledger.relabelled(3) is None
    labels = ledger._database.execute("SELECT label FROM relabels").fetchall()
    assert {label.strip() for (label,) in labels} == {""}


@pytest.mark.parametrize("i", [0, -1, 2**63, 10**30])
def test_ids_that_no_ledger_can_have(ledger, i):
    assert ledger.get(i) is None

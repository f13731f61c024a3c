"""The ledger: every example that was taught, in a SQLite file, before it is acknowledged.

A change is one transaction with its own number. Forgotten examples are overwritten on disk, not
just marked: the ledger contains the examples that are known, and no history of others.

Rows are only ever appended, and forgotten by overwriting them in place with zeros. SQLite's
`secure_delete` is not enough: deleting a row moves others to other pages, and their bytes stay in
the unused parts of the pages they came from; VACUUM does the same. The space of forgotten rows is
therefore not reclaimed.
"""

import hashlib
import os
import secrets
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from addhash.service.errors import LedgerError

Label = str | int

VERSION = 1
MOST_KEYS = 100_000  # Idempotency-Keys that are remembered
KEY_DAYS = 7
MOST_ID = 2**63 - 1
FULL = 13  # SQLite's code for a full disk
SCHEMA = """
CREATE TABLE examples (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  change INTEGER NOT NULL,
  is_known INTEGER NOT NULL,
  hash INTEGER NOT NULL,
  label TEXT NOT NULL,
  text TEXT NOT NULL
);
CREATE INDEX examples_by_hash ON examples(hash) WHERE is_known;
CREATE INDEX examples_by_change ON examples(change) WHERE is_known;
CREATE TABLE state (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE answers (
  key TEXT PRIMARY KEY,
  change INTEGER NOT NULL,
  time REAL NOT NULL,
  request BLOB,
  answer BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX answers_by_change ON answers(change);
INSERT INTO state VALUES ('number', 0), ('forgotten', 0);
"""
# Which label an example had before a change gave it another, and which change had given it that.
# Ledgers of 0.2 get this table when they are opened.
RELABELS = """
CREATE TABLE IF NOT EXISTS relabels (
  change INTEGER PRIMARY KEY,
  example INTEGER NOT NULL,
  before INTEGER NOT NULL,
  label TEXT NOT NULL
)
"""


class Example(NamedTuple):
    """An example that was taught, and the number of the change that taught it."""

    id: int
    change: int
    label: Label
    text: str


class Ledger:
    """Examples, the number of the last change, and the answers to requests that had a key.

    It has one connection and belongs to one thread at a time. Changes are made inside
    `transaction`, and are on disk once it has ended without an error.

    Parameters
    ----------
    path : path-like
        A file that `create` made. A missing or an empty one is an error.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> ledger = Ledger.create(f"{folder.name}/ledger.sqlite")
    >>> with ledger.transaction():
    ...     ids = ledger.learn(["win a prize"], ["spam"])
    >>> ledger.number, ledger.get(ids[0]).label
    (1, 'spam')
    >>> ledger.close()
    >>> folder.cleanup()
    """

    def __init__(self, path: Any) -> None:
        self._path = Path(path)
        self._check_file()
        self._open()

    @classmethod
    def create(cls, path: Any) -> "Ledger":
        """Return a new ledger; FileExistsError if there is a file of this name."""
        ledger = cls.__new__(cls)
        ledger._path = Path(path)
        # Private before SQLite writes to it; the write-ahead log gets the same permissions.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        ledger._open(is_new=True)
        return ledger

    def _check_file(self) -> None:
        """Say what SQLite would call damage, or create by itself."""
        name = self._path.name
        try:
            _make_private(self._path)
            with suppress(FileNotFoundError):  # 0.2 left it readable by others
                _make_private(Path(f"{self._path}-wal"))
            with self._path.open("r+b") as file:
                is_empty = not file.read(1)
            folder = os.access(self._path.parent, os.W_OK)
        except FileNotFoundError:
            raise LedgerError(f"the ledger {name} is missing. Restore it from a backup.") from None
        except OSError as error:
            raise LedgerError(
                f"the ledger {name} cannot be opened for writing: {error.strerror}. Let the user"
                " that runs the server read and write it, and start the server again."
            ) from error
        if is_empty:
            raise LedgerError(f"the ledger {name} is empty. Restore it from a backup.")
        if not folder:
            raise LedgerError(
                f"the folder of the ledger {name} cannot be written to. Let the user that runs the"
                " server write to it, and start the server again."
            )

    def _open(self, is_new: bool = False) -> None:
        self._database = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(is_new)
        except sqlite3.DatabaseError as error:
            self._database.close()
            if is_new:
                raise
            if getattr(error, "sqlite_errorcode", None) == FULL:
                detail = f"the disk is full, so the ledger {self._path.name} cannot be opened."
                raise LedgerError(f"{detail} Free some space and start again.") from error
            raise LedgerError(
                f"the ledger {self._path.name} is damaged: {error}. Restore it from a backup."
            ) from error
        except BaseException:
            self._database.close()
            raise

    def _prepare(self, is_new: bool) -> None:
        run, name = self._database.execute, self._path.name
        # One process only, so that no file of shared memory is needed.
        run("PRAGMA locking_mode = EXCLUSIVE")
        if not is_new:
            self._check_layout(run("PRAGMA user_version").fetchone()[0])
        run("PRAGMA secure_delete = ON")
        run("PRAGMA temp_store = MEMORY")
        mode = run("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            raise LedgerError(f"the ledger {name} cannot use a write-ahead log on this disk.")
        # A commit returns once it is on disk: what is acknowledged survives a power cut.
        run("PRAGMA synchronous = FULL")
        if is_new:
            self._create()
        found = run("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise LedgerError(f"the ledger {name} is damaged: {found}. Restore it from a backup.")
        run(RELABELS)
        self._database.create_function("contains", 2, _contains, deterministic=True)
        self.number = int(self.state("number"))
        self.forgotten = int(self.state("forgotten"))
        self.created = int(self.state("created"))
        self._secret = self.state("secret")

    def _check_layout(self, version: int) -> None:
        """Refuse files of others and of later versions, before anything in them is changed."""
        name = self._path.name
        if version == 0:
            raise LedgerError(f"{name} is not a ledger of addhash.")
        if version > VERSION:
            raise LedgerError(
                f"the ledger {name} was written by a newer addhash (layout {version}; this one"
                f" reads up to {VERSION}). Upgrade addhash."
            )

    def _create(self) -> None:
        run = self._database.execute
        run("BEGIN IMMEDIATE")
        try:
            for statement in SCHEMA.split(";\n"):
                if statement.strip():
                    run(statement)
            values = secrets.token_bytes(32), int(time.time())
            run("INSERT INTO state VALUES ('secret', ?), ('created', ?)", values)
            run(f"PRAGMA user_version = {VERSION}")
            run("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                run("ROLLBACK")
            raise

    def close(self) -> None:
        """Close the file; the write-ahead log becomes part of it."""
        self._database.close()

    def copy_to(self, path: Any) -> None:
        """Write a consistent copy to a new file."""
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        target = sqlite3.connect(path, isolation_level=None)
        try:
            self._database.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")
        finally:
            target.close()

    # Changes.

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make changes that are all on disk at the end, or none of them."""
        before = self.number, self.forgotten
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            self.number, self.forgotten = before
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Make some of a transaction's changes, either all of them or none."""
        before = self.number, self.forgotten
        self._database.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            self.number, self.forgotten = before
            if self._database.in_transaction:  # a full disk has ended the transaction already
                self._database.execute("ROLLBACK TO part")
                self._database.execute("RELEASE part")
            raise
        self._database.execute("RELEASE part")

    def next_change(self) -> int:
        """Count a change, and return its number."""
        self.number += 1
        self.set_state("number", self.number)
        return self.number

    def learn(self, texts: Sequence[str], labels: Sequence[Label]) -> list[int]:
        """Record examples as one change, and return their ids."""
        return self._insert(self.next_change(), texts, labels)

    def _insert(self, change: int, texts: Sequence[str], labels: Sequence[Label]) -> list[int]:
        ids = []
        for text, label in zip(texts, labels, strict=True):
            written = msgspec.json.encode(label).decode()
            cursor = self._database.execute(
                "INSERT INTO examples (change, is_known, hash, label, text) VALUES (?, 1, ?, ?, ?)",
                (change, self._hash(written, text), written, text),
            )
            ids.append(int(cursor.lastrowid or 0))
        return ids

    def forget(self, ids: Iterable[int]) -> None:
        """Remove examples as one change; `scrub` removes what is left of them on disk."""
        self._erase(ids, self.next_change())

    def _erase(self, ids: Iterable[int], change: int) -> None:
        for i in ids:
            # The request that taught it could be guessed from its digest.
            self._database.execute(
                "UPDATE answers SET request = NULL"
                " WHERE change = (SELECT change FROM examples WHERE id = ?)",
                (i,),
            )
            # As many bytes as before, so that SQLite overwrites the row in place.
            self._database.execute(
                "UPDATE examples SET is_known = 0,"
                " label = printf('%.*c', length(CAST(label AS BLOB)), ' '),"
                " text = CAST(zeroblob(length(CAST(text AS BLOB))) AS TEXT) WHERE id = ?",
                (i,),
            )
            self._database.execute(
                "UPDATE relabels SET label = printf('%.*c', length(CAST(label AS BLOB)), ' ')"
                " WHERE example = ?",
                (i,),
            )
        self.forgotten = change
        self.set_state("forgotten", change)

    def replace(self, gone: Iterable[int], back: Iterable[Example]) -> list[int]:
        """Remove examples and record others as one change; return the new ids.

        Those that come back keep the numbers of the changes that had taught them.
        """
        change = self.next_change()
        ids = [i for e in back for i in self._insert(e.change, [e.text], [e.label])]
        self._erase(gone, change)
        return ids

    def relabel(self, example: Example, label: Label) -> int:
        """Give an example another label as one change, and return its new id."""
        change = self.next_change()
        (new,) = self._insert(change, [example.text], [label])
        # Its history moves to the new id before the old one is overwritten.
        self._database.execute(
            "UPDATE relabels SET example = ? WHERE example = ?", (new, example.id)
        )
        self._database.execute(
            "INSERT INTO relabels VALUES (?, ?, ?, ?)",
            (change, new, example.change, msgspec.json.encode(example.label).decode()),
        )
        self._erase([example.id], change)
        return new

    def relabelled(self, change: int) -> tuple[Example, Label] | None:
        """Return the example that a change gave its present label, and the label it had."""
        row = self._database.execute(
            "SELECT relabels.example, relabels.label FROM relabels JOIN examples"
            " ON examples.id = relabels.example"
            " WHERE relabels.change = ? AND examples.change = ? AND is_known",
            (change, change),
        ).fetchone()
        if row is None:
            return None
        example = self.get(row[0])
        assert example is not None
        return example, msgspec.json.decode(row[1])

    def scrub(self) -> None:
        """Leave no byte of forgotten examples in the file or its write-ahead log."""
        busy = self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if busy:
            raise LedgerError(f"the write-ahead log of {self._path.name} is in use")

    # What is known.

    def state(self, name: str) -> Any:
        """Return a value that was set, or None."""
        row = self._database.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
        return None if row is None else row[0]

    def set_state(self, name: str, value: Any) -> None:
        """Keep a value under a name."""
        self._database.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (name, value))

    def __len__(self) -> int:
        return self.count()

    def get(self, i: int) -> Example | None:
        """Return an example by its id, or None."""
        if not 0 < i <= MOST_ID:
            return None
        return next(self._examples("id = ?", (i,)), None)

    def find(self, text: str, label: Label) -> list[int]:
        """Return the ids of the examples with this text and label, the latest first."""
        written = msgspec.json.encode(label).decode()
        rows = self._database.execute(
            "SELECT id FROM examples WHERE is_known AND hash = ? AND label = ? AND text = ?"
            " ORDER BY id DESC",
            (self._hash(written, text), written, text),
        )
        return [row[0] for row in rows]

    def since(self, change: int) -> Iterator[Example]:
        """Yield the examples taught by later changes."""
        return self._examples("change > ? ORDER BY id", (change,))

    def taught_by(self, change: int) -> list[Example]:
        """Return the examples of a change that are still known."""
        return list(self._examples("change = ? ORDER BY id", (change,)))

    def page(
        self, *, before: int | None, limit: int, containing: str = "", label: Label | None = None
    ) -> list[Example]:
        """Return examples, the latest first: those before an id that contain a text."""
        where, values = self._matching(containing, label)
        clause = f"id < ? AND {where} ORDER BY id DESC LIMIT ?"
        return list(self._examples(clause, (2**62 if before is None else before, *values, limit)))

    def count(self, containing: str = "", label: Label | None = None) -> int:
        """Return how many known examples contain a text and have a label."""
        where, values = self._matching(containing, label)
        row = self._database.execute(
            f"SELECT count(*) FROM examples WHERE is_known AND {where}", values
        ).fetchone()
        return int(row[0])

    def _matching(self, containing: str, label: Label | None) -> tuple[str, tuple[str, ...]]:
        where, values = ["1"], []
        if containing:
            where.append("contains(text, ?)")
            values.append(containing.casefold())
        if label is not None:
            where.append("label = ?")
            values.append(msgspec.json.encode(label).decode())
        return " AND ".join(where), tuple(values)

    def _examples(self, clause: str, values: tuple[Any, ...]) -> Iterator[Example]:
        rows = self._database.execute(
            f"SELECT id, change, label, text FROM examples WHERE is_known AND {clause}", values
        )
        for i, change, label, text in rows:
            yield Example(i, change, msgspec.json.decode(label), text)

    # Requests with a key.

    def fingerprint(self, request: bytes) -> bytes:
        """Return a fingerprint of a request, from which no text can be read."""
        return hashlib.blake2b(request, key=self._secret, digest_size=16).digest()

    def answer_to(self, key: str) -> tuple[bytes | None, bytes] | None:
        """Return the fingerprint of the request with a key, and the answer it got."""
        row = self._database.execute(
            "SELECT request, answer FROM answers WHERE key = ?", (key,)
        ).fetchone()
        return None if row is None else (row[0], row[1])

    def keep_answer(self, key: str, request: bytes, answer: bytes) -> None:
        """Remember the answer to a request with a key, and forget old answers."""
        now = time.time()
        self._database.execute(
            "INSERT INTO answers VALUES (?, ?, ?, ?, ?)", (key, self.number, now, request, answer)
        )
        # A few rows at a time, so that it is never noticeable.
        self._database.execute(
            "DELETE FROM answers WHERE change < ? AND change IN"
            " (SELECT change FROM answers WHERE change < ? OR time < ? ORDER BY change LIMIT 4)",
            (self.number, self.number - MOST_KEYS, now - KEY_DAYS * 24 * 3600),
        )

    def drop_answer(self, key: str) -> None:
        """Forget the request with a key, if there was one."""
        self._database.execute("DELETE FROM answers WHERE key = ?", (key,))

    def limit_size(self, pages: int) -> None:
        """Refuse to grow beyond a number of pages, like a full disk."""
        self._database.execute(f"PRAGMA max_page_count = {int(pages)}")

    def _hash(self, label: str, text: str) -> int:
        data = f"{label}\0{text}".encode()
        digest = hashlib.blake2b(data, key=self._secret, digest_size=8).digest()
        return int.from_bytes(digest, "big", signed=True)


def _contains(text: str, wanted: str) -> bool:
    """Whether a text contains another, without regard to case (SQLite's LIKE knows ASCII only)."""
    return wanted in text.casefold()


def _make_private(path: Path) -> None:
    mode = path.stat().st_mode & 0o777
    if mode & 0o077:
        os.chmod(path, mode & 0o700)

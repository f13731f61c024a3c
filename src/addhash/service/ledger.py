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
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

__all__ = ["Example", "Label", "Ledger", "LedgerError"]

Label = str | int

VERSION = 1
MOST_KEYS = 100_000  # Idempotency-Keys that are remembered
KEY_SECONDS = 7 * 24 * 3600
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


class LedgerError(Exception):
    """The file is not a complete ledger."""


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

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> ledger = Ledger(f"{folder.name}/ledger.sqlite")
    >>> with ledger.transaction():
    ...     ids = ledger.learn(["win a prize"], ["spam"])
    >>> ledger.number, ledger.get(ids[0]).label
    (1, 'spam')
    >>> ledger.close()
    >>> folder.cleanup()
    """

    def __init__(self, path: Any) -> None:
        self._path = Path(path)
        is_new = not self._path.exists()
        self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(is_new)
        except sqlite3.DatabaseError as error:
            self._database.close()
            raise LedgerError(f"the ledger {self._path.name} is damaged: {error}") from error
        except BaseException:
            self._database.close()
            raise
        os.chmod(path, 0o600)

    def _prepare(self, is_new: bool) -> None:
        run = self._database.execute
        # One process only, so that no file of shared memory is needed.
        run("PRAGMA locking_mode = EXCLUSIVE")
        run("PRAGMA secure_delete = ON")
        run("PRAGMA temp_store = MEMORY")
        mode = run("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            raise LedgerError(f"the ledger {self._path.name} cannot use a write-ahead log")
        run("PRAGMA synchronous = FULL")
        if is_new or run("PRAGMA user_version").fetchone()[0] == 0:
            if run("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
                raise LedgerError(f"{self._path.name} is not a ledger of addhash")
            self._create()
        version = run("PRAGMA user_version").fetchone()[0]
        if version != VERSION:
            raise LedgerError(
                f"the ledger {self._path.name} has the layout {version}; expected {VERSION}"
            )
        found = run("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise LedgerError(f"the ledger {self._path.name} is damaged: {found}")
        self.number = int(self.state("number"))
        self.forgotten = int(self.state("forgotten"))
        self.created = int(self.state("created"))
        self._secret = self.state("secret")

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
        change = self.next_change()
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
        change = self.next_change()
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
        self.forgotten = change
        self.set_state("forgotten", change)

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
        return int(
            self._database.execute("SELECT count(*) FROM examples WHERE is_known").fetchone()[0]
        )

    def get(self, i: int) -> Example | None:
        """Return an example by its id, or None."""
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

    def last_taught(self) -> list[Example]:
        """Return the examples of the latest change that taught any that are still known."""
        row = self._database.execute("SELECT max(change) FROM examples WHERE is_known").fetchone()
        return [] if row[0] is None else list(self._examples("change = ?", (row[0],)))

    def page(
        self, *, before: int | None, limit: int, containing: str = "", label: Label | None = None
    ) -> list[Example]:
        """Return examples, the latest first: those before an id that contain a text."""
        where, values = ["id < ?"], [2**62 if before is None else before]
        if containing:
            pattern = containing.replace("!", "!!").replace("%", "!%").replace("_", "!_")
            where.append("text LIKE ? ESCAPE '!'")
            values.append(f"%{pattern}%")  # type: ignore[arg-type]
        if label is not None:
            where.append("label = ?")
            values.append(msgspec.json.encode(label).decode())  # type: ignore[arg-type]
        clause = f"{' AND '.join(where)} ORDER BY id DESC LIMIT ?"
        return list(self._examples(clause, (*values, limit)))

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
            (self.number, self.number - MOST_KEYS, now - KEY_SECONDS),
        )

    def limit_size(self, pages: int) -> None:
        """Refuse to grow beyond a number of pages, like a full disk."""
        self._database.execute(f"PRAGMA max_page_count = {int(pages)}")

    def _hash(self, label: str, text: str) -> int:
        data = f"{label}\0{text}".encode()
        digest = hashlib.blake2b(data, key=self._secret, digest_size=8).digest()
        return int.from_bytes(digest, "big", signed=True)

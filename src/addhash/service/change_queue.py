"""The one thread that changes a model: it takes all waiting changes and commits them as a group."""

import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, Queue
from threading import Thread
from typing import Any

import msgspec

from addhash.errors import AddhashError
from addhash.service.errors import (
    BusyError,
    KeyReusedError,
    LedgerError,
    ServiceError,
    StorageError,
    UnavailableError,
)
from addhash.service.free_memory import give_back
from addhash.service.taught_model import TaughtModel
from addhash.service.view import Draft

MOST_WAITING = 1000
GROUP = 128
IDLE_SECONDS = 2.0
UNSAVED = 2000  # changes after which a snapshot is made even without an idle moment
FULL = (
    "The change could not be written to disk, so nothing was changed: {}. Predictions continue;"
    " free some space and send it again."
)
UNCLEAN = (
    "The model has forgotten it, but the disk could not be cleaned of it yet: {}. The server"
    " will retry by itself; do not send it again."
)


@dataclass(frozen=True)
class Done:
    """What a change did: the answer to the request, and whether it is a repeated one."""

    answer: bytes
    is_repeated: bool = False


@dataclass(frozen=True)
class Change:
    """What `make` did to a draft and to the ledger: for the answer and for the similarity index."""

    answer: Any
    added: Sequence[tuple[int, str]] = ()
    removed: Sequence[int] = ()


@dataclass(frozen=True)
class _Job:
    make: Callable[[Draft], Change] | None
    between: Callable[[], Any] | None  # work that does not change the model, but takes its turn
    key: str | None
    request: bytes
    before: Callable[[], Any] | None = None
    future: "Future[Any]" = field(default_factory=Future)


class ChangeQueue:
    """Makes the changes of one model, in the order in which they come.

    Parameters
    ----------
    model : TaughtModel
    """

    def __init__(self, model: TaughtModel) -> None:
        self.model = model
        self._queue: Queue[_Job | None] = Queue()
        self._thread = Thread(target=self._run, name="addhash-changes", daemon=True)
        self._is_closing = False
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many changes wait."""
        return self._queue.qsize()

    def submit(
        self,
        make: Callable[[Draft], Change],
        key: str | None = None,
        request: bytes = b"",
        *,
        before: Callable[[], Any] | None = None,
    ) -> "Future[Any]":
        """Submit a change; the future has a `Done` once it is on disk.

        Parameters
        ----------
        make : callable
            Changes the draft it is given and the ledger, and returns a `Change`.
        key : str, optional
            A change with the same key is made once.
        request : bytes
            The request that came with the key: another one may not reuse it.
        before : callable, optional
            Work to do first, outside of any transaction, once all earlier changes are on disk.
        """
        return self._put(_Job(make, None, key, request, before))

    def between(self, call: Callable[[], Any]) -> "Future[Any]":
        """Submit work to do between changes; the future has its result."""
        return self._put(_Job(None, call, None, b""))

    def _put(self, job: _Job) -> "Future[Any]":
        if self._is_closing:
            raise BusyError("The server is stopping.", 5)
        if self._queue.qsize() >= MOST_WAITING:
            raise BusyError(
                f"More than {MOST_WAITING} changes of this model are waiting.", limit=MOST_WAITING
            )
        self._queue.put(job)
        return job.future

    def close(self, timeout: float | None = None) -> None:
        """Make the waiting changes, write a snapshot, and stop."""
        self._is_closing = True
        self._queue.put(None)
        self._thread.join(timeout)

    def _run(self) -> None:
        while True:
            jobs = self._wait()
            try:
                self._make(jobs or [])
            except Exception as error:  # this thread must not end
                self._refuse(jobs or [], error)
            if jobs is None:
                break
        self.model.close()

    def _wait(self) -> list[_Job] | None:
        """Return the waiting jobs: an empty list after a timeout, None to stop."""
        try:
            first = self._queue.get(timeout=IDLE_SECONDS)
        except Empty:
            self._save()
            return []
        if self.model.unsaved >= UNSAVED:
            self._save()
        if first is None:
            return None
        jobs = [first]
        with suppress(Empty):
            while len(jobs) < GROUP:
                job = self._queue.get_nowait()
                if job is None:
                    self._queue.put(None)
                    break
                jobs.append(job)
        return jobs

    def _save(self) -> None:
        has_changed = self.model.unsaved > 0
        try:
            self.model.scrub()
            self.model.save_snapshot()
            self.model.problems.pop("disk", None)
        except UnavailableError:  # it is read-only
            pass
        except Exception as error:
            self.model.problems["disk"] = f"no snapshot could be written: {error}"
        if has_changed:
            give_back()

    def _make(self, jobs: list[_Job]) -> None:
        group: list[_Job] = []
        for job in jobs:
            if job.between is None and job.before is None:
                group.append(job)
                continue
            self._commit(group)
            group = []
            if job.between is None:
                self._commit_alone(job)
                continue
            try:
                job.future.set_result(job.between())
            except Exception as error:
                job.future.set_exception(error)
        self._commit(group)

    def _commit_alone(self, job: _Job) -> None:
        try:
            is_new = job.key is None or self.model.ledger.answer_to(job.key) is None
            if is_new and job.before is not None:
                job.before()
        except Exception as error:
            self._refuse([job], error)
            return
        self._commit([job])

    def _commit(self, jobs: list[_Job]) -> None:
        done: list[tuple[_Job, Done, Change | None]] = []

        def work(draft: Draft) -> bool:
            for job in jobs:
                try:
                    with self.model.attempt():
                        done.append((job, *self._one(job, draft)))
                except (ServiceError, AddhashError) as error:
                    job.future.set_exception(error)
            return any(change is not None for _, _, change in done)

        if not jobs:
            return
        try:
            self.model.commit(work)
            self.model.problems.pop("disk", None)
        except Exception as error:
            self._refuse(jobs, error)
            return
        unclean = self._scrub()
        for job, answer, change in done:
            if change is not None:
                self.model.similar.update(change.added, change.removed)
            if unclean is not None and change is not None and change.removed:
                job.future.set_exception(unclean)
            else:
                job.future.set_result(answer)

    def _scrub(self) -> StorageError | None:
        """Remove forgotten examples from disk; return a message if that fails."""
        try:
            self.model.scrub()
        except (sqlite3.Error, OSError, LedgerError) as error:
            self.model.problems["disk"] = str(error)
            return StorageError(UNCLEAN.format(error))
        return None

    def _refuse(self, jobs: list[_Job], error: Exception) -> None:
        if isinstance(error, sqlite3.Error | OSError | LedgerError):
            self.model.problems["disk"] = str(error)
            error = StorageError(FULL.format(error))
        for job in jobs:
            if not job.future.done():
                job.future.set_exception(error)

    def _one(self, job: _Job, draft: Draft) -> tuple[Done, Change | None]:
        ledger = self.model.ledger
        request = b""
        if job.key is not None:
            request = ledger.fingerprint(job.request)
            known = ledger.answer_to(job.key)
            if known is not None:
                check_key(known[0] == request, known[0] is None)
                return Done(known[1], is_repeated=True), None
        assert job.make is not None
        change = job.make(draft)
        answer = msgspec.json.encode(change.answer)
        if job.key is not None:
            ledger.keep_answer(job.key, request, answer)
        return Done(answer), change


def check_key(is_same: bool, is_forgotten: bool = False) -> None:
    """Refuse a key that was used for another request, or for one that can no longer be compared."""
    if is_forgotten:
        raise KeyReusedError(
            "This Idempotency-Key was used before, and what that request taught has been forgotten"
            " since; use a new one."
        )
    if not is_same:
        raise KeyReusedError(
            "This Idempotency-Key was already used with another request; use a new one."
        )

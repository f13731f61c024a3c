"""A model that is taught while in use, and the folder that keeps what it learnt."""

import hashlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from addhash import TextClassifier, TextIndex
from addhash.errors import AddhashError
from addhash.files import whole_file
from addhash.service.ledger import Example, Label, Ledger, LedgerError
from addhash.service.problems import RequestError

__all__ = ["Condition", "TaughtModel", "View"]

Condition = Literal["ready", "read-only", "failed"]

LEDGER, SNAPSHOT = "ledger.sqlite", "snapshot.model"
NUMBER = "addhash.service.change"
BATCH = 5000


@dataclass(frozen=True)
class View:
    """The model at one moment: this classifier no longer changes."""

    classifier: TextClassifier
    number: int  # of the last change that it knows

    def for_few(self, texts: Sequence[str]) -> TextClassifier:
        """Return the classifier; for one text, a form that need not count the cores."""
        return self._of_one_thread if len(texts) == 1 else self.classifier

    @cached_property
    def _of_one_thread(self) -> TextClassifier:
        classifier = copy(self.classifier)
        classifier.n_jobs = 1
        return classifier


class TaughtModel:
    """The model = its source + what was merged into it + the examples in the ledger.

    All three are exact sums, so any order of changes gives the same bytes, and a restart gets there
    from a snapshot and the examples since then, or from the source and all examples. Only one
    thread changes a model; any number can read `view`.

    Parameters
    ----------
    folder : path-like
        Where it is kept.
    given : path-like, optional
        A model file to start from. It is copied; `reload` reads it again.
    start : TextClassifier, optional
        A model to start from, if the folder is new and no file is given.
    """

    def __init__(self, folder: Any, given: Any = None, start: TextClassifier | None = None) -> None:
        self.folder = Path(folder)
        self.given = None if given is None else Path(given)
        self.condition: Condition = "ready"
        self.problems: dict[str, str] = {}  # by subject
        self.reading = Lock()  # of the ledger, by readers and the one thread that changes it
        self.unsaved = 0
        self._ledger: Ledger | None = None
        self._index: TextIndex | None = None
        self._needs_scrub = False
        self._view = View(TextClassifier(), 0)
        self.folder.mkdir(parents=True, exist_ok=True)
        for part in self.folder.glob(".*.part"):  # of a process that was killed
            part.unlink()
        self._open(start)

    # Opening.

    def _open(self, start: TextClassifier | None) -> None:
        try:
            self._ledger = ledger = Ledger(self.folder / LEDGER)
        except LedgerError as error:
            self._serve_snapshot(f"{error}. Restore it from a backup.")
            return
        # The process may have been killed between a change and its cleanup.
        self._needs_scrub = True
        try:
            self._choose_source(ledger, start)
            self._view = self._restored(ledger)
        except (AddhashError, OSError, LookupError) as error:
            self._fail(f"it cannot be restored: {error}")
        self._drop_unused(ledger)
        if self.condition == "ready":
            with suppress(sqlite3.Error, OSError, LedgerError):  # tried again when idle
                self._empty_log(ledger)

    def _empty_log(self, ledger: Ledger) -> None:
        ledger.scrub()
        self._needs_scrub = False

    def _fail(self, problem: str) -> None:
        self.condition = "failed"
        self.problems["model"] = problem

    def _serve_snapshot(self, problem: str) -> None:
        """Answer from the last snapshot, but refuse to learn."""
        self.problems["ledger"] = problem
        try:
            classifier, number = self._load_snapshot()
        except (AddhashError, OSError, ValueError) as error:
            self._fail(f"the ledger cannot be used, and neither can the snapshot: {error}")
            return
        self.condition = "read-only"
        self._view = View(classifier, number)

    def _choose_source(self, ledger: Ledger, start: TextClassifier | None) -> None:
        """Use the given file, the copy of it, or a new model."""
        if self.given is not None:
            try:
                self._take_source(ledger, self.given)
                return
            except (AddhashError, OSError) as error:
                self.problems["source"] = f"{self.given.name} cannot be read: {error}"
                if ledger.state("source") is None:
                    raise
        if ledger.state("source") is None:
            if start is None:
                raise LookupError(f"{self.folder.name} has no source")
            path = self.folder / "source.model"
            start.save(path)
            with ledger.transaction():
                ledger.set_state("source", path.name)

    def _take_source(self, ledger: Ledger, path: Path) -> bool:
        """Copy a file that is now the source; return whether the source changed."""
        name = f"source-{_digest(path)}.model"
        if ledger.state("source") == name:
            return False
        TextClassifier.load(path)  # refuses what is not a model
        _copy(path, self.folder / name)
        with ledger.transaction():
            ledger.set_state("source", name)
            ledger.forget([])  # earlier snapshots are useless
        return True

    def _restored(self, ledger: Ledger) -> View:
        """Return the model as of the last change, from a snapshot if it is usable."""
        path = self.folder / SNAPSHOT
        if path.exists():
            try:
                classifier, number = self._load_snapshot()
                if number > ledger.number:
                    self.condition = "read-only"
                    self.problems["ledger"] = (
                        f"the ledger ends at change {ledger.number}, but the snapshot knows"
                        f" change {number}: the ledger was truncated or replaced. Restore it from"
                        " a backup."
                    )
                    return View(classifier, number)
                if number >= ledger.forgotten:
                    self._learn_all(classifier, ledger.since(number))
                    return View(classifier, ledger.number)
            except (AddhashError, OSError, ValueError) as error:
                # Everything in it is in the ledger too.
                self.problems["snapshot"] = f"a snapshot was damaged and has been rebuilt: {error}"
            path.unlink()
        self.unsaved = 1
        return View(self._rebuilt(ledger), ledger.number)

    def _load_snapshot(self) -> tuple[TextClassifier, int]:
        classifier = TextClassifier.load(self.folder / SNAPSHOT)
        number = classifier.metadata.get(NUMBER, "")
        if not number.isdecimal():
            raise ValueError("the snapshot does not say which change it includes")
        return classifier, int(number)

    def _rebuilt(self, ledger: Ledger) -> TextClassifier:
        classifier = TextClassifier.load(self.folder / ledger.state("source"))
        merged = ledger.state("merged")
        if merged is not None:
            classifier.merge(TextClassifier.load(self.folder / merged))
        self._learn_all(classifier, ledger.since(0))
        return classifier

    def _learn_all(self, classifier: TextClassifier, examples: Iterable[Example]) -> None:
        examples = iter(examples)
        while batch := list(islice(examples, BATCH)):
            classifier.partial_fit([e.text for e in batch], [e.label for e in batch])

    def _drop_unused(self, ledger: Ledger) -> None:
        used = {LEDGER, SNAPSHOT, ledger.state("source"), ledger.state("merged")}
        for path in self.folder.glob("*.model"):
            if path.name not in used:
                path.unlink()

    @property
    def is_unborn(self) -> bool:
        """Whether a kill interrupted its creation, which was never acknowledged."""
        ledger = self._ledger
        return ledger is not None and ledger.state("source") is None and len(ledger) == 0

    # Reading, by any thread.

    @property
    def view(self) -> View:
        """The model after the last change on disk."""
        if self.condition == "failed":
            raise RequestError(503, f"This model cannot be served: {self.problems['model']}")
        return self._view

    @property
    def number(self) -> int:
        """The number of the last change."""
        return self._view.number

    @property
    def created(self) -> int:
        """When it was started, in seconds since 1970; 0 if the ledger cannot be read."""
        return 0 if self._ledger is None else self._ledger.created

    def _readable(self) -> Ledger:
        if self._ledger is None:
            raise RequestError(503, f"The examples cannot be read: {self.problems['ledger']}")
        return self._ledger

    def count(self) -> int:
        """Return how many examples were taught."""
        with self.reading:
            return len(self._readable())

    def page(self, **wanted: Any) -> list[Example]:
        """Return some of the examples; see `Ledger.page`."""
        with self.reading:
            return self._readable().page(**wanted)

    def examples_and_view(self, most: int) -> tuple[list[Example], View]:
        """Return the latest examples, and the model that knows exactly them."""
        with self.reading:
            return self._readable().page(before=None, limit=most), self.view

    def similar(self, texts: Sequence[str], k: int) -> list[list[tuple[Example, float]]] | None:
        """Return the examples most similar to each text; None before `build_index`."""
        index = self._index
        if index is None:
            return None
        if not len(index):
            return [[] for _ in texts]
        matches = index.search(texts, k)
        with self.reading:
            ledger = self._readable()
            found = [[(ledger.get(match.id), match.score) for match in row] for row in matches]
        return [[(e, score) for e, score in row if e is not None] for row in found]

    # Changes, by one thread.

    @property
    def ledger(self) -> Ledger:
        """The ledger, if it can be written to."""
        if self.condition != "ready" or self._ledger is None:
            reason = self.problems.get("ledger") or self.problems.get("model", "")
            raise RequestError(503, f"This model cannot be changed: {reason}")
        return self._ledger

    def learn(self, draft: TextClassifier, texts: Sequence[str], labels: Sequence[Label]) -> Any:
        """Learn examples."""
        ids = self.ledger.learn(texts, labels)
        draft.partial_fit(texts, labels)
        return ids

    def forget(
        self, draft: TextClassifier, texts: Sequence[str], labels: Sequence[Label]
    ) -> list[int]:
        """Forget examples; each must have been learnt at least as often as it is listed."""
        chosen: dict[int, None] = {}
        for i, (text, label) in enumerate(zip(texts, labels, strict=True)):
            known = self.ledger.find(text, label)
            free = [found for found in known if found not in chosen]
            if not free:
                raise RequestError(
                    409,
                    f"Example {i} was {_times(len(known))}; nothing was forgotten.",
                    position=i,
                    learnt=len(known),
                )
            chosen[free[0]] = None
        return self._forget_ids(draft, list(chosen))

    def forget_ids(self, draft: TextClassifier, ids: Sequence[int]) -> list[int]:
        """Forget examples by their ids."""
        if len(set(ids)) != len(ids):
            raise RequestError(422, "Expected distinct ids, got one of them twice.")
        for i, wanted in enumerate(ids):
            if self.ledger.get(wanted) is None:
                raise RequestError(
                    409,
                    f"There is no example with the id {wanted}: it was never learnt, or was"
                    " already forgotten; nothing was forgotten.",
                    position=i,
                    value=wanted,
                )
        return self._forget_ids(draft, list(ids))

    def _forget_ids(self, draft: TextClassifier, ids: list[int]) -> list[int]:
        ledger = self.ledger
        examples = [example for i in ids if (example := ledger.get(i)) is not None]
        if examples:
            ledger.forget(ids)
            draft.forget([e.text for e in examples], [e.label for e in examples])
        return ids

    def relabel(self, draft: TextClassifier, i: int, label: Label) -> Example:
        """Change the label of an example, which gives it a new id; return the old example."""
        example = self.ledger.get(i)
        if example is None:
            raise RequestError(404, f"There is no example with the id {i}.", value=i)
        self.learn(draft, [example.text], [label])
        self._forget_ids(draft, [i])
        return example

    def undo(self, draft: TextClassifier) -> list[Example]:
        """Undo the latest lesson that is still known."""
        examples = self.ledger.last_taught()
        if not examples:
            raise RequestError(409, "There is nothing to undo: no example is known.")
        self._forget_ids(draft, [e.id for e in examples])
        return examples

    def merge(self, draft: TextClassifier, path: Path) -> None:
        """Add what another model has learnt."""
        try:
            other = TextClassifier.load(path)
        except AddhashError as error:
            raise RequestError(
                422, f"The file is not a model to merge: {_reason(error)}"
            ) from error
        try:
            draft.merge(other)
        except AddhashError as error:
            raise RequestError(409, str(error)) from error
        ledger = self.ledger
        before = ledger.state("merged")
        if before is not None:
            other.merge(TextClassifier.load(self.folder / before))
        name = f"merged-{ledger.number + 1}.model"
        other.save(self.folder / name)
        ledger.set_state("merged", name)
        ledger.forget([])

    def commit(self, work: Callable[[TextClassifier], bool]) -> None:
        """Let `work` change a draft and the ledger, and put both into effect.

        `work` returns whether there was a change. Forgotten examples stay on disk until `scrub`.
        """
        before = self._ledger.forgotten if self._ledger is not None else 0
        with self.reading:
            ledger = self.ledger
            draft = copy(self._view.classifier)
            with ledger.transaction():
                is_changed = work(draft)
            if is_changed:
                self._view = View(draft, ledger.number)
                self.unsaved += 1
            if ledger.forgotten != before:
                self._needs_scrub = True

    def scrub(self) -> None:
        """Remove forgotten examples, if there are any, from disk."""
        if not self._needs_scrub:
            return
        ledger = self.ledger
        with self.reading:
            with suppress(FileNotFoundError):
                (self.folder / SNAPSHOT).unlink()
            self._drop_unused(ledger)
            self._empty_log(ledger)
        self.unsaved += 1

    def update_index(self, added: Sequence[tuple[int, str]], removed: Sequence[int]) -> None:
        """Update the index of similar examples, if anyone has asked for it yet."""
        index = self._index
        if index is None:
            return
        known = set(index.ids.tolist())
        gone = [i for i in removed if i in known]
        if gone:
            index.remove(gone)
        new = {i: text for i, text in added if i not in known}
        if new:
            index.add(list(new.values()), ids=list(new))

    def build_index(self) -> None:
        """Build the index of similar examples."""
        if self._index is not None:
            return
        index = TextIndex(keep_texts=False)
        with self.reading:
            examples = self._readable().since(0)
            while batch := list(islice(examples, BATCH)):
                index.add([e.text for e in batch], ids=[e.id for e in batch])
        self._index = index

    def reload(self) -> bool:
        """Reload the given file; return whether it has changed. Until then, the old model serves.

        A file that cannot be read changes nothing, and is reported in `problems`.
        """
        if self.given is None:
            return False
        ledger = self.ledger
        with self.reading:
            before = ledger.state("source")
            try:
                if not self._take_source(ledger, self.given):
                    self.problems.pop("source", None)
                    return False
                view = View(self._rebuilt(ledger), ledger.number)
            except (AddhashError, OSError) as error:
                with ledger.transaction():
                    ledger.set_state("source", before)
                self.problems["source"] = f"{self.given.name} cannot be used: {_reason(error)}"
                raise
            self.problems.pop("source", None)
            self._view = view
            self._needs_scrub = True
        self.scrub()
        return True

    def save_snapshot(self) -> None:
        """Save the model, so that the next start need not learn all examples again."""
        if not self.unsaved or self.condition != "ready":
            return
        classifier, number = self._view.classifier, self._view.number
        copy(classifier).save(
            self.folder / SNAPSHOT, metadata=classifier.metadata | {NUMBER: str(number)}
        )
        self.unsaved = 0

    def download(self, path: Any) -> None:
        """Write the model to a separate file."""
        classifier = self.view.classifier
        metadata = {k: v for k, v in classifier.metadata.items() if k != NUMBER}
        copy(classifier).save(path, metadata=metadata)

    def close(self) -> None:
        """Write a snapshot, and close the ledger."""
        if self.condition == "ready":
            with suppress(OSError, sqlite3.Error):
                self.scrub()
                self.save_snapshot()
        if self._ledger is not None:
            with self.reading:
                self._ledger.close()
                self._ledger = None
        if self.condition == "ready":
            self.condition = "read-only"
            self.problems["ledger"] = "the server is stopping."


def _times(count: int) -> str:
    if count == 0:
        return "never learnt with this label"
    often = "once" if count == 1 else f"{count} times"
    return f"learnt {often} with this label, and cannot be forgotten more often"


def _reason(error: Exception) -> str:
    """Leave out the path of the file, which concerns no one else."""
    text = str(error)
    return text.partition(": ")[2] or text if text.startswith("Cannot load") else text


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:32]


def _copy(path: Path, target: Path) -> None:
    with path.open("rb") as source, whole_file(target) as file:
        shutil.copyfileobj(source, file)
    os.chmod(target, 0o600)

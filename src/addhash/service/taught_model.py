"""A model that is taught while in use."""

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from addhash import TextClassifier
from addhash.errors import AddhashError
from addhash.service.errors import (
    ConflictError,
    InvalidError,
    LedgerError,
    UnavailableError,
    UnknownError,
)
from addhash.service.ledger import Example, Label, Ledger
from addhash.service.model_folder import ModelFolder, learn_all, reason_of
from addhash.service.similar import SimilarExamples
from addhash.service.snapshots import NamedSnapshot, NamedSnapshots
from addhash.service.undone import Undone, UndoneChanges
from addhash.service.view import Draft, View

Condition = Literal["ready", "read-only", "failed"]


class TaughtModel:
    """The model = its source + what was merged into it + the examples in the ledger.

    All three are exact sums, so any order of changes gives the same bytes, and a restart gets there
    from a snapshot and the examples since then, or from the source and all examples. Only one
    thread changes a model; any number can read `view`.

    Whatever is wrong with its folder is in `problems`; nothing is raised, so that the other models
    of a server can be opened.

    Parameters
    ----------
    folder : ModelFolder
        Where it is kept.
    given : path-like, optional
        The model file it was started from; `reload` reads it again.
    """

    def __init__(self, folder: ModelFolder, given: Any = None) -> None:
        self.folder = folder
        self.given = None if given is None else Path(given)
        self.condition: Condition = "ready"
        self.problems: dict[str, str] = {}  # by subject
        self.reading = Lock()  # of the ledger, by readers and the one thread that changes it
        self.unsaved = 0
        self.similar = SimilarExamples()
        self.snapshots = NamedSnapshots(folder)
        self._ledger: Ledger | None = None
        self._undone = UndoneChanges()
        self._needs_scrub = False
        self._view = View(TextClassifier(), 0)
        try:
            self.folder.tidy()
            self._open()
        except OSError as error:
            self._fail(
                f"the folder {folder.name} cannot be used: {error.strerror or error}. Let the user"
                " that runs the server read and write it, and start the server again."
            )

    # Opening.

    def _open(self) -> None:
        try:
            self._ledger = ledger = Ledger(self.folder.path / "ledger.sqlite")
        except LedgerError as error:
            self._serve_snapshot(error.detail)
            return
        # The process may have been killed between a change and its cleanup.
        self._needs_scrub = True
        try:
            self._read_given(ledger)
            self._view = self._restored(ledger)
        except (AddhashError, OSError, LookupError) as error:
            self._fail(f"it cannot be restored: {error}")
        if self.condition == "ready":
            with suppress(sqlite3.Error, OSError, LedgerError):  # tried again when idle
                self.folder.drop_unused(ledger)
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
            classifier, number = self.folder.load_snapshot()
        except (AddhashError, OSError, ValueError) as error:
            self._fail(f"{problem} It cannot be served from its snapshot either: {error}")
            return
        self.condition = "read-only"
        self._view = View(classifier, number)

    def _read_given(self, ledger: Ledger) -> None:
        """Use the given file; the copy of it if it cannot be read."""
        if self.given is None:
            return
        try:
            self.folder.take_source(ledger, self.given)
        except (AddhashError, OSError) as error:
            self.problems["source"] = f"{self.given.name} cannot be read: {error}"

    def _restored(self, ledger: Ledger) -> View:
        """Return the model as of the last change, from a snapshot if it is usable."""
        if self.folder.has_snapshot:
            try:
                classifier, number = self.folder.load_snapshot()
                if number > ledger.number:
                    self.condition = "read-only"
                    self.problems["ledger"] = (
                        f"the ledger ends at change {ledger.number}, but the snapshot knows"
                        f" change {number}: the ledger was truncated or replaced. Restore it from"
                        " a backup."
                    )
                    return View(classifier, number)
                if number >= ledger.forgotten:
                    learn_all(classifier, ledger.since(number))
                    return View(classifier, ledger.number)
            except (AddhashError, OSError, ValueError) as error:
                # Everything in it is in the ledger too.
                self.problems["snapshot"] = f"a snapshot was damaged and has been rebuilt: {error}"
            self.folder.drop_snapshot()
        self.unsaved = 1
        return View(self.folder.rebuilt(ledger), ledger.number)

    # Reading, by any thread.

    @property
    def view(self) -> View:
        """The model after the last change on disk."""
        if self.condition == "failed":
            raise UnavailableError(f"This model cannot be served: {self.problems['model']}")
        return self._view

    @property
    def number(self) -> int:
        """The number of the last change."""
        return self._view.number

    @property
    def created(self) -> int:
        """When it was started, in seconds since 1970; 0 if the ledger cannot be read."""
        return 0 if self._ledger is None else self._ledger.created

    def snapshot_age(self) -> float | None:
        """Return how long ago the snapshot was written, in seconds; None if there is none."""
        written = self.folder.snapshot_time()
        return None if written is None else max(0.0, time.time() - written)

    @contextmanager
    def _readable(self) -> Iterator[Ledger]:
        with self.reading:
            if self._ledger is None:
                why = self.problems.get("ledger") or self.problems.get("model", "")
                raise UnavailableError(f"The examples cannot be read: {why}")
            yield self._ledger

    def count(self, **wanted: Any) -> int:
        """Return how many examples there are; see `Ledger.count`."""
        with self._readable() as ledger:
            return ledger.count(**wanted)

    def page(self, **wanted: Any) -> list[Example]:
        """Return some of the examples; see `Ledger.page`."""
        with self._readable() as ledger:
            return ledger.page(**wanted)

    def get_all(self, ids: Iterable[int]) -> list[Example | None]:
        """Return examples by their ids."""
        with self._readable() as ledger:
            return [ledger.get(i) for i in ids]

    def examples_and_view(self, most: int) -> tuple[list[Example], View]:
        """Return the latest examples, and the model that knows exactly them."""
        with self._readable() as ledger:
            return ledger.page(before=None, limit=most), self.view

    def knows(self, pairs: Iterable[tuple[str, Label]]) -> tuple[list[bool], View]:
        """Return which texts with labels were taught here, and the model that knows them."""
        with self._readable() as ledger:
            return [bool(ledger.find(*pair)) for pair in pairs], self.view

    def answer_to(self, key: str, request: bytes) -> tuple[bool, bytes] | None:
        """Return whether a key was used for this request, and the answer it got; None if new."""
        with self._readable() as ledger:
            known = ledger.answer_to(key)
            return known and (known[0] == ledger.fingerprint(request), known[1])

    # Changes, by one thread.

    @property
    def ledger(self) -> Ledger:
        """The ledger, if it can be written to."""
        if self.condition != "ready" or self._ledger is None:
            reason = self.problems.get("ledger") or self.problems.get("model", "")
            raise UnavailableError(f"This model cannot be changed: {reason}")
        return self._ledger

    def are_known(self, texts: Sequence[str], labels: Sequence[Label]) -> list[bool]:
        """Return whether each example is known already, or an earlier one of these."""
        seen: set[tuple[str, Label]] = set()
        result = []
        for pair in zip(texts, labels, strict=True):
            result.append(pair in seen or bool(self.ledger.find(*pair)))
            seen.add(pair)
        return result

    def learn(self, draft: Draft, texts: Sequence[str], labels: Sequence[Label]) -> list[int]:
        """Learn examples."""
        ids = self.ledger.learn(texts, labels)
        draft.classifier.partial_fit(texts, labels)
        return ids

    def forget(self, draft: Draft, texts: Sequence[str], labels: Sequence[Label]) -> list[int]:
        """Forget examples; each must have been learnt at least as often as it is listed."""
        chosen: dict[int, None] = {}
        for i, (text, label) in enumerate(zip(texts, labels, strict=True)):
            known = self.ledger.find(text, label)
            free = [found for found in known if found not in chosen]
            if not free:
                raise ConflictError(
                    f"Example {i} was {_times(len(known))}; nothing was forgotten.",
                    position=i,
                    learnt=len(known),
                )
            chosen[free[0]] = None
        return self.forget_ids(draft, list(chosen))

    def forget_ids(self, draft: Draft, ids: Sequence[int]) -> list[int]:
        """Forget examples by their ids, for good."""
        if len(set(ids)) != len(ids):
            raise InvalidError("Expected distinct ids, got one of them twice.")
        examples = []
        for i, wanted in enumerate(ids):
            example = self.ledger.get(wanted)
            if example is None:
                raise ConflictError(
                    f"There is no example with the id {wanted}: it was never learnt, or was"
                    " already forgotten; nothing was forgotten.",
                    position=i,
                    value=wanted,
                )
            examples.append(example)
        self._undone.drop([e.text for e in examples])
        return self._forget(draft, examples)

    def _forget(self, draft: Draft, examples: Sequence[Example]) -> list[int]:
        ids = [e.id for e in examples]
        if examples:
            self.ledger.forget(ids)
            draft.classifier.forget([e.text for e in examples], [e.label for e in examples])
        return ids

    def relabel(self, draft: Draft, i: int, label: Label) -> tuple[int, Example]:
        """Change the label of an example; return its new id, and the example as it was."""
        example = self.ledger.get(i)
        if example is None:
            raise UnknownError(f"There is no example with the id {i}.", value=i)
        new = self.ledger.relabel(example, label)
        draft.classifier.partial_fit([example.text], [label])
        draft.classifier.forget([example.text], [example.label])
        return new, example

    def undo(self, draft: Draft, changes: Sequence[int]) -> tuple[list[tuple[int, str]], list[int]]:
        """Undo lessons, relabellings and undos by their numbers.

        Returns
        -------
        added : list of (id, text)
        removed : list of int
            Ids of examples that are gone.
        """
        lessons, wanted = [], []
        for number in dict.fromkeys(changes):
            undone = self._undone.take(number)
            lessons += [] if undone is None else undone.lessons
            wanted += [number] if undone is None else undone.changes
        relabels, taught = self._affected(wanted)
        made: list[int] = []
        added: list[tuple[int, str]] = []
        if lessons:
            texts, labels = [text for text, _ in lessons], [label for _, label in lessons]
            added += zip(self.learn(draft, texts, labels), texts, strict=True)
            made.append(self.ledger.number)
        for i, label in relabels:
            new, before = self.relabel(draft, i, label)
            added.append((new, before.text))
            made.append(self.ledger.number)
        removed = [i for i, _ in relabels] + self._forget(draft, taught)
        self._undone.keep(self.ledger.number, Undone([(e.text, e.label) for e in taught], made))
        return added, removed

    def _affected(self, changes: Sequence[int]) -> tuple[list[tuple[int, Label]], list[Example]]:
        """Return which examples get their old labels back, and which are to be forgotten."""
        relabels, taught = [], []
        for change in changes:
            relabelled = self.ledger.relabelled(change)
            examples = self.ledger.taught_by(change)
            if relabelled is not None:
                relabels.append((relabelled[0].id, relabelled[1]))
            elif examples:
                taught += examples
            else:
                raise ConflictError(
                    f"Change {change} cannot be undone: it taught no example that is still known"
                    " as it was taught. Nothing was changed.",
                    value=change,
                )
        return relabels, taught

    def merge(self, draft: Draft, path: Path) -> None:
        """Add what another model has learnt."""
        self.folder.add_merged(self.ledger, draft.classifier, path)

    def take_snapshot(self, name: str) -> NamedSnapshot:
        """Keep the present state under a name; not while a change is being made."""
        ledger = self.ledger
        with self.reading:
            return self.snapshots.take(ledger, name)

    def keep_before(self, name: str) -> NamedSnapshot:
        """Keep the present state, before a return to a snapshot that can be read."""
        ledger = self.ledger
        with self.reading, self.snapshots.opened(name):
            return self.snapshots.take_before(ledger)

    def roll_back(self, draft: Draft, name: str) -> tuple[list[tuple[int, str]], list[int]]:
        """Return to a named snapshot; the source of a model that has a file stays that file.

        Returns
        -------
        added : list of (id, text)
            Examples that are back, with new ids.
        removed : list of int
            Ids of examples that are gone.
        """
        ledger = self.ledger
        with self.snapshots.opened(name) as found:
            wanted = {e.id: e for e in found.ledger.since(0)}
            gone = []
            for example in ledger.since(0):
                if wanted.get(example.id) == example:
                    del wanted[example.id]
                else:
                    gone.append(example.id)
            ids = ledger.replace(gone, wanted.values())
            parts = ["merged"] if self.given is not None else ["source", "merged"]
            names = {part: found.ledger.state(part) for part in parts}
            self.folder.take_parts(ledger, found.folder, names)
        draft.classifier = self.folder.rebuilt(ledger)
        self._undone.restore({})  # a redo could bring back what is back already
        return list(zip(ids, (e.text for e in wanted.values()), strict=True)), gone

    def commit(self, work: Callable[[Draft], bool]) -> None:
        """Let `work` change a draft and the ledger, and put both into effect.

        `work` returns whether there was a change. Forgotten examples stay on disk until `scrub`.
        """
        undone = self._undone.state()
        with self.reading:
            ledger = self.ledger
            before = ledger.forgotten
            draft = Draft(copy(self._view.classifier))
            try:
                with ledger.transaction():
                    is_changed = work(draft)
            except BaseException:
                self._undone.restore(undone)
                raise
            if is_changed:
                self._view = View(draft.classifier, ledger.number)
                self.unsaved += 1
            if ledger.forgotten != before:
                self._needs_scrub = True

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Make one of a transaction's changes, wholly or not at all."""
        undone = self._undone.state()
        try:
            with self.ledger.attempt():
                yield
        except BaseException:
            self._undone.restore(undone)
            raise

    def scrub(self) -> None:
        """Remove forgotten examples, if there are any, from disk."""
        if not self._needs_scrub:
            return
        ledger = self.ledger
        with self.reading:
            self.folder.drop_snapshot()
            self.folder.drop_unused(ledger)
            self._empty_log(ledger)
        self.unsaved += 1

    def build_similar(self) -> None:
        """Build the index of similar examples, if no one has asked for it yet."""
        if not self.similar.is_built:
            with self._readable() as ledger:
                self.similar.build(ledger.since(0))

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
                if not self.folder.take_source(ledger, self.given):
                    self.problems.pop("source", None)
                    return False
                view = View(self.folder.rebuilt(ledger), ledger.number)
            except (AddhashError, OSError) as error:
                with ledger.transaction():
                    ledger.set_state("source", before)
                self.problems["source"] = f"{self.given.name} cannot be used: {reason_of(error)}"
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
        self.folder.save_snapshot(copy(self._view.classifier), self._view.number)
        self.unsaved = 0

    def download(self, path: Any) -> None:
        """Write the model to a separate file."""
        self.folder.save_copy(self.view.classifier, path)

    def back_up(self, path: Path) -> None:
        """Write a backup of the model with all examples, as of one moment, to a file."""
        with self._readable() as ledger:
            self.folder.back_up(ledger, path)

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

"""The models of a server, by name."""

import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Lock
from typing import Any

from addhash import TextClassifier, languages
from addhash.service.change_queue import Change, ChangeQueue, check_key
from addhash.service.data_folder import DataFolder
from addhash.service.errors import (
    ConflictError,
    DataFolderError,
    InvalidError,
    LedgerError,
    StorageError,
    UnavailableError,
    UnknownError,
)
from addhash.service.ledger import Ledger
from addhash.service.logs import log
from addhash.service.model_folder import LEDGER, ModelFolder
from addhash.service.taught_model import TaughtModel

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
MOST_MODELS = 64
FULL = (
    "The model could not be written to disk, so there is none: {}. Free some space and send the"
    " request again."
)


class ModelRegistry:
    """Models by name, each with the queue of its changes.

    Parameters
    ----------
    folder : path-like
        Where they are kept; only one server at a time can use it.
    given : iterable of str
        Model files, or NAME=FILE. Models in the folder are served too.
    with_languages : bool
        Whether the language detector is served if there is no other model.
    """

    def __init__(
        self, folder: Any, given: Iterable[str] = (), *, with_languages: bool = False
    ) -> None:
        self.folder = DataFolder(folder)
        self.ignored: list[str] = []  # in the folder of models, but not a server's
        self._given: dict[str, str] = {}
        for name, path in map(_named, given):
            if name in self._given:
                raise InvalidError(
                    f"Expected distinct names of models, but {self._given[name]} and {path} would"
                    f" both be served as {name}. Choose another name for one: NAME=FILE."
                )
            self._given[name] = path
        self._has_languages = with_languages
        self._queues: dict[str, ChangeQueue] = {}
        self._changing = Lock()
        self._held = ExitStack()
        self.is_open = False

    def open(self) -> None:
        """Open all models.

        Raises
        ------
        DataFolderError
            If the folder is not a server's.
        TimeoutError
            If another server uses the folder.
        """
        with self._changing:
            if self.is_open:
                return
            with ExitStack() as held:
                held.enter_context(self.folder.opened())
                held.callback(self._close_models)
                self._open_models()
                self._held = held.pop_all()
            self.is_open = True

    def _open_models(self) -> None:
        models, queues = self.folder.models, self._queues
        for name, path in self._given.items():
            folder = models / name
            if not folder.exists():
                ModelFolder.create(folder, Path(path))
            elif not folder.is_dir() or ModelFolder(folder).is_foreign:
                raise DataFolderError(
                    f"{folder} is not a model of this server, so {path} cannot be served as {name}."
                    " Nothing was touched. Choose another name: NAME=FILE."
                )
            queues[name] = ChangeQueue(TaughtModel(ModelFolder(folder), path))
        for entry in sorted(models.iterdir()):
            if entry.name not in queues and not entry.name.startswith("."):
                model = self._found(entry)
                if model is not None:
                    queues[entry.name] = ChangeQueue(model)
        if self._has_languages and not queues:
            folder = models / "languages"
            if not folder.exists():
                ModelFolder.create(folder, languages.load())
                queues["languages"] = ChangeQueue(TaughtModel(ModelFolder(folder)))

    def _found(self, path: Path) -> TaughtModel | None:
        """Return the model of a folder; None if it is not one."""
        folder = ModelFolder(path)
        try:
            is_ours = path.is_dir() and bool(NAME.fullmatch(path.name)) and not folder.is_foreign
            if is_ours and folder.is_only_a_ledger and _is_unused(path / LEDGER):
                folder.remove()  # 0.2 was killed while it created the model
                return None
        except PermissionError:
            is_ours = True  # TaughtModel says what is wrong
        if not is_ours:
            log.warning("%s is not a model of this server and is left alone", path)
            self.ignored.append(path.name)
            return None
        return TaughtModel(folder)

    def __iter__(self) -> Iterator[tuple[str, ChangeQueue]]:
        return iter(list(self._queues.items()))

    def __len__(self) -> int:
        return len(self._queues)

    def __getitem__(self, name: str) -> ChangeQueue:
        try:
            return self._queues[name]
        except KeyError:
            known = ", ".join(sorted(self._queues)) or "none"
            raise UnknownError(
                f"There is no model of this name; there are: {known:.500}."
            ) from None

    def __contains__(self, name: str) -> bool:
        return name in self._queues

    def create(
        self, name: str, start: TextClassifier | Path, request: tuple[str, bytes] | None = None
    ) -> tuple[ChangeQueue, bool]:
        """Add a new model that starts as a copy of another one.

        Parameters
        ----------
        name : str
        start : TextClassifier or Path
        request : (str, bytes), optional
            The key and the content of the request: it creates a model once.

        Returns
        -------
        queue : ChangeQueue
        is_repeated : bool
            Whether this request had created the model before.
        """
        return self._add(name, request, lambda path: ModelFolder.create(path, start, request))

    def restore(
        self, name: str, archive: Path, request: tuple[str, bytes] | None = None
    ) -> tuple[ChangeQueue, bool]:
        """Add a model from its backup; see `create`."""
        return self._add(name, request, lambda path: ModelFolder.restore(path, archive, request))

    def copy(
        self, name: str, source: str, request: tuple[str, bytes] | None = None
    ) -> tuple[ChangeQueue, bool]:
        """Add a model that is a copy of another one, with its examples; see `create`."""
        model = self[source].model
        archive = self.folder.path / f"upload-{os.urandom(8).hex()}.part"
        try:
            model.back_up(archive)
            return self.restore(name, archive, request)
        except OSError as error:
            raise StorageError(FULL.format(error)) from error
        finally:
            archive.unlink(missing_ok=True)

    def _add(
        self,
        name: str,
        request: tuple[str, bytes] | None,
        make: Callable[[Path], ModelFolder],
    ) -> tuple[ChangeQueue, bool]:
        with self._changing:
            known = self._queues.get(name)
            if known is not None and request is not None:
                answer = known.model.answer_to(*request)
                if answer is not None:
                    check_key(answer[0])
                    return known, True
            self._check_new(name)
            try:
                folder = make(self.folder.models / name)
            except (sqlite3.Error, OSError) as error:
                raise StorageError(FULL.format(error)) from error
            queue = ChangeQueue(TaughtModel(folder))
            self._queues = self._queues | {name: queue}
            return queue, False

    def rename(
        self, name: str, new: str, request: tuple[str, bytes] | None = None
    ) -> tuple[ChangeQueue, bool]:
        """Give a model another name; it is closed and opened again. See `create`."""
        with self._changing:
            if request is not None and name not in self and new in self:
                answer = self[new].model.answer_to(*request)
                if answer is not None:
                    check_key(answer[0])
                    return self[new], True
            queue = self[name]
            self._check_not_given(name)
            if new == name:
                return queue, False
            self._check_new(new, is_more=False)
            if request is not None:
                with suppress(UnavailableError):  # one that cannot be written to keeps no key
                    queue.submit(lambda draft: Change(None), *request).result()
            self._queues = {n: q for n, q in self._queues.items() if n != name}
            queue.close()
            folder = ModelFolder(self.folder.models / name)
            try:
                os.rename(folder.path, self.folder.models / new)
            except OSError as error:
                self._queues = self._queues | {name: ChangeQueue(TaughtModel(folder))}
                raise StorageError(f"It could not be renamed: {error.strerror}.") from error
            moved = ChangeQueue(TaughtModel(ModelFolder(self.folder.models / new)))
            self._queues = self._queues | {new: moved}
            return moved, False

    def remove(self, name: str) -> None:
        """Delete a model for good, with everything it has learnt."""
        with self._changing:
            queue = self[name]
            self._check_not_given(name)
            self._queues = {n: q for n, q in self._queues.items() if n != name}
            queue.close()
            folder = queue.model.folder
            try:
                folder.delete()
            except OSError as error:
                self._queues = self._queues | {name: ChangeQueue(TaughtModel(folder))}
                raise StorageError(f"It could not be deleted: {error.strerror}.") from error

    def _check_not_given(self, name: str) -> None:
        if name in self._given:
            raise ConflictError(
                f"The model {name} comes from a file that the server was started with. Start the"
                " server without it first."
            )

    def _check_new(self, name: str, is_more: bool = True) -> None:
        if not NAME.fullmatch(name):
            raise InvalidError(
                "Expected a name of up to 64 letters, digits, dots, dashes and underscores that"
                " begins with a letter or digit.",
                limit=64,
                value=len(name),
            )
        if name in self._queues:
            raise ConflictError(f"There is already a model {name}.", value=name)
        if (self.folder.models / name).exists():
            raise ConflictError(
                f"There is already something else of the name {name} in the folder of models.",
                value=name,
            )
        if is_more and len(self._queues) >= MOST_MODELS:
            raise ConflictError(
                f"Expected at most {MOST_MODELS} models.",
                limit=MOST_MODELS,
                value=len(self._queues),
            )

    def close(self) -> None:
        """Finish all changes, write snapshots, and release the folder."""
        self._held.close()

    def _close_models(self) -> None:
        for _, queue in self:
            queue.close()


def _is_unused(path: Path) -> bool:
    """Whether nothing was ever written to a ledger, not even what its model starts from."""
    try:
        ledger = Ledger(path)
    except LedgerError:
        return False
    try:
        return ledger.state("source") is None and ledger.number == 0 and len(ledger) == 0
    finally:
        ledger.close()


def _named(path: str) -> tuple[str, str]:
    """Return the name of a model, and its file."""
    name, equals, file = path.partition("=")
    if not (equals and NAME.fullmatch(name)):
        file = path
        name = re.sub("[^A-Za-z0-9._-]", "-", Path(path).stem).lstrip("._-")[:64] or "model"
    return name, file

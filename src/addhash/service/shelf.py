"""The models of a server, and the folder they are kept in."""

import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Lock
from typing import Any

from addhash import TextClassifier, languages
from addhash.files import locked
from addhash.service.problems import RequestError
from addhash.service.taught_model import TaughtModel
from addhash.service.writer import Writer

__all__ = ["NAME", "Shelf"]

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
MOST_MODELS = 64


class Shelf:
    """Models by name, each with the thread that changes it.

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
        self.folder = Path(folder)
        self._given = dict(_named(path) for path in given)
        self._has_languages = with_languages
        self._writers: dict[str, Writer] = {}
        self._changing = Lock()
        self._held = ExitStack()
        self._is_open = False

    def open(self) -> None:
        """Open all models; raises TimeoutError if another server uses the folder."""
        if self._is_open:
            return
        self._models.mkdir(parents=True, exist_ok=True)
        self._held.enter_context(locked(self.folder / "server", timeout=0))
        for name, path in self._given.items():
            if not (self._models / name).exists():
                TextClassifier.load(path)  # a wrong name should be reported, and leave no folder
            self._writers[name] = Writer(TaughtModel(self._models / name, given=path))
        for folder in sorted(self._models.iterdir()):
            if NAME.fullmatch(folder.name) and folder.name not in self._writers:
                model = TaughtModel(folder)
                if model.is_unborn:
                    model.close()
                    shutil.rmtree(folder)
                else:
                    self._writers[folder.name] = Writer(model)
        if self._has_languages and not self._writers:
            model = TaughtModel(self._models / "languages", start=languages.load())
            self._writers["languages"] = Writer(model)
        for part in self.folder.glob("*.part"):  # left by requests that a kill ended
            part.unlink()
        self._is_open = True

    @property
    def _models(self) -> Path:
        return self.folder / "models"

    def __iter__(self) -> Iterator[tuple[str, Writer]]:
        return iter(list(self._writers.items()))

    def __getitem__(self, name: str) -> Writer:
        try:
            return self._writers[name]
        except KeyError:
            known = ", ".join(sorted(self._writers)) or "none"
            raise RequestError(
                404, f"There is no model of this name; there are: {known:.500}."
            ) from None

    def create(self, name: str, start: TextClassifier) -> Writer:
        """Add a new model that starts as a copy of another one."""
        with self._changing:
            self._check_new(name)
            writer = Writer(TaughtModel(self._models / name, start=start))
            self._writers = self._writers | {name: writer}
            return writer

    def _check_new(self, name: str) -> None:
        if not NAME.fullmatch(name):
            raise RequestError(
                422,
                "Expected a name of up to 64 letters, digits, dots, dashes and underscores that"
                " begins with a letter or digit.",
                limit=64,
                value=len(name),
            )
        if name in self._writers or (self._models / name).exists():
            raise RequestError(409, f"There is already a model {name}.", value=name)
        if len(self._writers) >= MOST_MODELS:
            raise RequestError(
                409,
                f"Expected at most {MOST_MODELS} models.",
                limit=MOST_MODELS,
                value=len(self._writers),
            )

    def close(self, timeout: float | None = None) -> None:
        """Finish all changes, write snapshots, and release the folder."""
        for _, writer in self:
            writer.close(timeout)
        self._held.close()


def _named(path: str) -> tuple[str, str]:
    """Return the name of a model, and its file."""
    name, equals, file = path.partition("=")
    if not (equals and NAME.fullmatch(name)):
        file = path
        name = re.sub("[^A-Za-z0-9._-]", "-", Path(path).stem).lstrip("._-")[:64] or "model"
    return name, file

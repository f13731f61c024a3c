"""The folder that a server keeps its models in, marked as its own."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from addhash.files import locked, whole_file
from addhash.service.errors import DataFolderError
from addhash.service.model_folder import LEDGER, remove_leftovers

MARK = "addhash-server.json"
LAYOUT = 1
UPLOAD = re.compile(r"upload-[0-9a-f]{16}\.part(-ledger(-journal)?)?")
SQLITE = b"SQLite format 3\0"


class DataFolder:
    """A folder with the mark of a server; nothing but what servers wrote is ever removed from it.

    A folder without the mark is taken if it is new or empty, or if it is of addhash 0.2, which set
    no mark. Any other one is refused.

    Parameters
    ----------
    path : path-like
    """

    def __init__(self, path: Any) -> None:
        self.path = Path(path)

    @property
    def models(self) -> Path:
        """The folder of the models' folders."""
        return self.path / "models"

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Hold the folder; TimeoutError if another server does."""
        if self.path.exists() and not self.path.is_dir():
            raise DataFolderError(f"Expected a folder for data, but {self.path} is a file.")
        is_new = not self.path.exists()
        if not is_new:
            self._check()
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            with locked(self.path / "server", timeout=0):
                self.models.mkdir(exist_ok=True, mode=0o700)
                self._mark()
                self._remove_leftovers()
                yield
        except PermissionError as error:
            raise DataFolderError(
                f"The data folder {self.path} cannot be used: {error.strerror}"
                f" ({error.filename}). Let this user read and write it, or name another folder."
            ) from error

    def _check(self) -> None:
        """Refuse folders of others, and of later versions."""
        mark = self.path / MARK
        if mark.exists():
            try:
                layout = int(json.loads(mark.read_bytes())["layout"])
            except (ValueError, KeyError, TypeError) as error:
                raise DataFolderError(
                    f"The mark {mark} of the data folder cannot be read: {error}. If the folder is"
                    f' a server\'s, write {{"layout": {LAYOUT}}} to it.'
                ) from error
            if layout > LAYOUT:
                raise DataFolderError(
                    f"The data folder {self.path} was written by a newer addhash (layout {layout};"
                    f" this one reads up to {LAYOUT}). Upgrade addhash."
                )
            return
        found = [p.name for p in self.path.iterdir() if not _is_no_one_s(p.name)]
        if found and not self._is_of_earlier_version(found):
            shown = ", ".join(sorted(found)[:3]) + (", ..." if len(found) > 3 else "")
            raise DataFolderError(
                f"{self.path} is not a data folder of addhash, and not empty ({shown}). Nothing in"
                " it was touched. Name a new or an empty folder for data."
            )

    def _is_of_earlier_version(self, found: list[str]) -> bool:
        """Whether 0.2 made it: only `models`, of which one has a ledger, or none is there at all.

        The ledgers of addhash begin as those of SQLite do, and have no other name.
        """
        if any(name != "models" and not name.endswith(".part") for name in found):
            return False
        if not self.models.is_dir():
            return False
        models = list(self.models.iterdir())
        return not models or any(_starts_as_database(path / LEDGER) for path in models)

    def _mark(self) -> None:
        mark = self.path / MARK
        if not mark.exists():
            with whole_file(mark) as file:
                content = {"what": "the data folder of an addhash server", "layout": LAYOUT}
                file.write(json.dumps(content).encode() + b"\n")

    def _remove_leftovers(self) -> None:
        """Remove what requests left that a kill ended."""
        remove_leftovers(self.models)
        for path in self.path.iterdir():
            if UPLOAD.fullmatch(path.name):
                path.unlink()

    def new_upload(self) -> BinaryIO:
        """Return a new private file for a request's body."""
        path = self.path / f"upload-{os.urandom(8).hex()}.part"
        return open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600))


def _is_no_one_s(name: str) -> bool:
    """Whether a file is part of the file system, or hidden: such as .gitkeep or our lock."""
    return name.startswith(".") or name == "lost+found"


def _starts_as_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE)) in (SQLITE, b"")
    except OSError:
        return False

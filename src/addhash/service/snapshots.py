"""The named snapshots of a model: backups that people keep in its folder, to compare or return to.

Each is a file `named-NAME.backup`, which `ModelFolder.restore` reads too. What it is of stands in
the archive's head, so that listing them reads no examples.
"""

import hashlib
import os
import tarfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from addhash.files import sync
from addhash.service.errors import ConflictError, InvalidError, LedgerError, UnknownError
from addhash.service.ledger import Ledger
from addhash.service.model_folder import LEDGER, NAMED, ModelFolder, temporary_folder

MOST_SNAPSHOTS = 20
CHANGE, EXAMPLES, CREATED = "addhash.change", "addhash.examples", "addhash.created"


@dataclass(frozen=True)
class NamedSnapshot:
    """A snapshot: its name, and what the model was then."""

    name: str
    path: Path
    change: int
    examples: int
    created: int  # in seconds since 1970
    size: int  # in bytes


@dataclass(frozen=True)
class OpenedSnapshot:
    """A snapshot that was unpacked: a folder with its model files, and its ledger."""

    folder: ModelFolder
    ledger: Ledger


class NamedSnapshots:
    """The named snapshots in the folder of a model.

    Parameters
    ----------
    folder : ModelFolder
    """

    def __init__(self, folder: ModelFolder) -> None:
        self._folder = folder
        self._texts: dict[str, frozenset[bytes]] = {}  # digests, by the name of the snapshot

    def __iter__(self) -> Iterator[NamedSnapshot]:
        """Yield all snapshots, the latest first; files that cannot be read are left out."""
        found = []
        for path in self._folder.path.iterdir():
            name = NAMED.fullmatch(path.name)
            if name is not None:
                with suppress(OSError, tarfile.TarError, ValueError, KeyError):
                    found.append(_described(name[1], path))
        return iter(sorted(found, key=lambda one: (-one.change, -one.created, one.name)))

    def __getitem__(self, name: str) -> NamedSnapshot:
        for one in self:
            if one.name == name:
                return one
        known = ", ".join(one.name for one in self) or "none"
        raise UnknownError(f"There is no snapshot of this name; there are: {known:.500}.")

    def take(self, ledger: Ledger, name: str) -> NamedSnapshot:
        """Keep the present state under a name; the same state under the same name is kept once."""
        known = list(self)
        for one in known:
            if one.name == name and one.change == ledger.number:
                return one
        path = self._path(name)
        if path.exists():
            raise ConflictError(f"There is already a snapshot {name}.", value=name)
        if len(known) >= MOST_SNAPSHOTS:
            raise ConflictError(
                f"Expected at most {MOST_SNAPSHOTS} snapshots of a model; delete one first.",
                limit=MOST_SNAPSHOTS,
                value=len(known),
            )
        about = {
            CHANGE: str(ledger.number),
            EXAMPLES: str(len(ledger)),
            CREATED: str(int(time.time())),
        }
        part = path.with_name(f".{path.name}.{os.urandom(8).hex()}.part")
        try:
            self._folder.back_up(ledger, part, about)
            sync(part)
            os.rename(part, path)
            sync(path.parent)
        finally:
            part.unlink(missing_ok=True)
        return _described(name, path)

    def take_before(self, ledger: Ledger) -> NamedSnapshot:
        """Keep the present state under a name of its own, before the model is changed."""
        name = f"before-change-{ledger.number + 1}"
        while any(one.name == name and one.change != ledger.number for one in self):
            name += "-too"
        return self.take(ledger, name)

    def remove(self, name: str) -> NamedSnapshot:
        """Delete a snapshot for good."""
        found = self[name]
        found.path.unlink()
        self._texts.pop(name, None)
        return found

    @contextmanager
    def opened(self, name: str) -> Iterator[OpenedSnapshot]:
        """Unpack a snapshot for as long as it is needed."""
        archive = self[name].path
        with temporary_folder(self._folder.path) as folder:
            try:
                folder.unpack(archive)
                ledger = Ledger(folder.path / LEDGER)
            except (tarfile.TarError, EOFError, LedgerError, InvalidError) as error:
                raise ConflictError(f"The snapshot {name} cannot be read: {error}") from error
            try:
                yield OpenedSnapshot(folder, ledger)
            finally:
                ledger.close()

    def holding(self, texts: Iterable[str]) -> list[str]:
        """Return the names of the snapshots that hold one of these texts, or cannot be read."""
        digests = _digests(texts)
        held = ((one.name, self._held_by(one.name)) for one in self)
        return [name for name, known in held if known is None or digests & known]

    def _held_by(self, name: str) -> frozenset[bytes] | None:
        """Return the digests of a snapshot's texts, read once; None if it cannot be read."""
        if name not in self._texts:
            try:
                with self.opened(name) as found:
                    self._texts[name] = _digests(e.text for e in found.ledger.since(0))
            except ConflictError:
                return None
        return self._texts[name]

    def _path(self, name: str) -> Path:
        return self._folder.path / f"named-{name}.backup"


def _described(name: str, path: Path) -> NamedSnapshot:
    with tarfile.open(path) as file:
        head = file.pax_headers
    change, examples, created = (int(head[key]) for key in (CHANGE, EXAMPLES, CREATED))
    return NamedSnapshot(name, path, change, examples, created, path.stat().st_size)


def _digests(texts: Iterable[str] | Sequence[str]) -> frozenset[bytes]:
    return frozenset(hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts)

"""The folder of one model: its ledger, its source, what was merged into it, and its snapshot.

    ledger.sqlite         every example, and the names of the two files below
    source-DIGEST.model   what the model started from (source.model in ledgers of 0.2)
    merged-CHANGE.model   the sum of all that was merged into it
    snapshot.model        the model as of some change, to start faster
    named-NAME.backup     a snapshot that someone keeps: a backup, as `back_up` writes it

Only files with these names are ever written or removed.
"""

import hashlib
import os
import re
import shutil
import tarfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from copy import copy
from itertools import islice
from pathlib import Path
from typing import Any

from addhash import TextClassifier
from addhash.errors import AddhashError, ModelFileError
from addhash.files import sync, whole_file
from addhash.service.errors import ConflictError, InvalidError, LedgerError
from addhash.service.ledger import Example, Ledger

LEDGER, SNAPSHOT = "ledger.sqlite", "snapshot.model"
NUMBER = "addhash.service.change"
BATCH = 5000
# Models that this module names itself, and what a killed process leaves of them.
MODELS = r"(source|source-[0-9a-f]{32}|merged-\d+|snapshot)\.model"
OWN_MODEL = re.compile(MODELS)
NAMED = re.compile(r"named-([A-Za-z0-9][A-Za-z0-9._-]{0,63})\.backup")
OWN_PART = re.compile(rf"\.({MODELS}|{NAMED.pattern})\.[0-9a-f]{{16}}\.part(-ledger(-journal)?)?")
OWN_LEDGER = re.compile(r"ledger\.sqlite(-wal|-shm|-journal)?")


class ModelFolder:
    """The files of one model.

    Parameters
    ----------
    path : path-like
        The folder, which exists.
    """

    def __init__(self, path: Any) -> None:
        self.path = Path(path)

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.path.name

    @classmethod
    def create(
        cls, path: Path, start: TextClassifier | Path, request: tuple[str, bytes] | None = None
    ) -> "ModelFolder":
        """Make the folder of a new model, whole or not at all.

        It gets its name once it is complete; `remove_leftovers` removes what a kill left of it.

        Parameters
        ----------
        path : Path
            The folder, which must not exist.
        start : TextClassifier or Path
            What the model starts from: a classifier, or a model file, which is copied.
        request : (str, bytes), optional
            The key and the content of the request, to recognise it when it is sent again.
        """
        with new_folder(path) as part:
            folder = cls(part)
            ledger = Ledger.create(part / LEDGER)
            try:
                with ledger.transaction():
                    ledger.set_state("source", folder._add_source(start))
                    if request is not None:
                        ledger.keep_answer(request[0], ledger.fingerprint(request[1]), b"")
            finally:
                ledger.close()
        return cls(path)

    def _add_source(self, start: TextClassifier | Path) -> str:
        if isinstance(start, TextClassifier):
            self._save(start, "source.model")
            return "source.model"
        TextClassifier.load(start)  # refuses what is not a model
        name = f"source-{_digest(start)}.model"
        _copy(start, self.path / name)
        return name

    @classmethod
    def restore(
        cls, path: Path, archive: Path, request: tuple[str, bytes] | None = None
    ) -> "ModelFolder":
        """Make the folder of a model from a file that `back_up` wrote, whole or not at all."""
        with new_folder(path) as part:
            try:
                cls(part).unpack(archive)
                ledger = Ledger(part / LEDGER)
            except (tarfile.TarError, EOFError, LedgerError) as error:
                raise InvalidError(f"The file is not a backup of a model: {error}") from error
            try:
                cls(part).rebuilt(ledger)  # refuses what cannot be served
                if request is not None:
                    with ledger.transaction():
                        ledger.drop_answer(request[0])
                        ledger.keep_answer(request[0], ledger.fingerprint(request[1]), b"")
            except (AddhashError, LookupError) as error:
                raise InvalidError(f"The backup cannot be restored: {reason_of(error)}") from error
            finally:
                ledger.close()
        return cls(path)

    def unpack(self, archive: Path) -> None:
        """Extract the files of a backup; InvalidError if there are others in it."""
        with tarfile.open(archive) as file:
            for member in file:
                if not (member.isreg() and _is_backed_up(member.name)):
                    raise InvalidError(f"The backup has a strange member: {member.name!r:.80}.")
                file.extract(member, self.path, set_attrs=False, filter="data")

    def back_up(self, ledger: Ledger, path: Path, about: dict[str, str] | None = None) -> None:
        """Write the ledger, the source and what was merged to one file, as of one moment.

        `about` is kept in the head of the file, which `tarfile` calls `pax_headers`.
        """
        copy = path.with_name(f"{path.name}-ledger")
        try:
            ledger.copy_to(copy)
            with tarfile.open(path, "w", pax_headers=about) as file:
                os.chmod(path, 0o600)
                file.add(copy, LEDGER)
                for name in (ledger.state("source"), ledger.state("merged")):
                    if name is not None:
                        file.add(self.path / name, name)
        finally:
            copy.unlink(missing_ok=True)

    # What is in it.

    @property
    def is_foreign(self) -> bool:
        """Whether nothing in it was written by a server."""
        return not any(OWN_LEDGER.fullmatch(n) or OWN_MODEL.fullmatch(n) for n in self._names())

    @property
    def is_only_a_ledger(self) -> bool:
        """Whether it has a ledger and nothing else."""
        names = self._names()
        return LEDGER in names and all(OWN_LEDGER.fullmatch(n) for n in names)

    def _names(self) -> list[str]:
        return [path.name for path in self.path.iterdir()]

    def tidy(self) -> None:
        """Make the folder private, and remove what a killed process left unfinished."""
        mode = self.path.stat().st_mode
        if mode & 0o077:
            os.chmod(self.path, mode & 0o700)
        for name in filter(OWN_PART.fullmatch, self._names()):
            (self.path / name).unlink()

    def remove(self) -> None:
        """Remove the files of the model, and the folder unless there are others in it."""
        for name in self._names():
            if any(own.fullmatch(name) for own in (OWN_LEDGER, OWN_MODEL, NAMED, OWN_PART)):
                (self.path / name).unlink()
        with suppress(OSError):  # someone else's files stay
            self.path.rmdir()

    def delete(self) -> None:
        """Remove the model, of which a kill leaves nothing to serve; files of others stay."""
        part = ModelFolder(_part_of(self.path))
        os.rename(self.path, part.path)
        part.remove()
        with suppress(FileNotFoundError):
            os.rename(part.path, self.path)

    # Model files.

    def load_snapshot(self) -> tuple[TextClassifier, int]:
        """Return the model of the last snapshot, and the number of its last change."""
        classifier = TextClassifier.load(self.path / SNAPSHOT)
        number = classifier.metadata.get(NUMBER, "")
        if not number.isdecimal():
            raise ValueError("the snapshot does not say which change it includes")
        return classifier, int(number)

    @property
    def has_snapshot(self) -> bool:
        """Whether there is a snapshot."""
        return (self.path / SNAPSHOT).exists()

    def save_snapshot(self, classifier: TextClassifier, number: int) -> None:
        """Save the model as of a change."""
        metadata = classifier.metadata | {NUMBER: str(number)}
        self._save(classifier, SNAPSHOT, metadata)

    def _save(
        self, classifier: TextClassifier, name: str, metadata: dict[str, str] | None = None
    ) -> None:
        classifier.save(self.path / name, metadata=metadata)
        os.chmod(self.path / name, 0o600)

    def save_copy(self, classifier: TextClassifier, path: Any) -> None:
        """Save the model to a file for others, without the number of its change."""
        metadata = {k: v for k, v in classifier.metadata.items() if k != NUMBER}
        copy(classifier).save(path, metadata=metadata)

    def drop_snapshot(self) -> None:
        """Remove the snapshot, if there is one."""
        (self.path / SNAPSHOT).unlink(missing_ok=True)

    def snapshot_time(self) -> float | None:
        """Return when the snapshot was written, in seconds since 1970, or None."""
        with suppress(OSError):
            return (self.path / SNAPSHOT).stat().st_mtime
        return None

    def drop_unused(self, ledger: Ledger) -> None:
        """Remove sources and merged models that the ledger no longer names."""
        used = {SNAPSHOT, ledger.state("source"), ledger.state("merged")}
        for name in filter(OWN_MODEL.fullmatch, self._names()):
            if name not in used:
                (self.path / name).unlink()

    def take_source(self, ledger: Ledger, path: Path) -> bool:
        """Make a copy of a file the source; return whether it is another one than before."""
        if ledger.state("source") == f"source-{_digest(path)}.model":
            return False
        name = self._add_source(path)
        with ledger.transaction():
            ledger.set_state("source", name)
            ledger.forget([])  # earlier snapshots are useless
        return True

    def add_merged(self, ledger: Ledger, draft: TextClassifier, path: Path) -> None:
        """Merge the model of a file into a draft, and remember it."""
        try:
            other = TextClassifier.load(path)
        except AddhashError as error:
            raise InvalidError(f"The file is not a model to merge: {reason_of(error)}") from error
        try:
            draft.merge(other)
        except AddhashError as error:
            raise ConflictError(str(error)) from error
        before = ledger.state("merged")
        if before is not None:
            other.merge(TextClassifier.load(self.path / before))
        name = f"merged-{ledger.number + 1}.model"
        self._save(other, name)
        ledger.set_state("merged", name)
        ledger.forget([])

    def take_parts(
        self, ledger: Ledger, other: "ModelFolder", names: dict[str, str | None]
    ) -> None:
        """Use the model files of an unpacked snapshot, by what they are: "source" or "merged".

        A file of this name that is here already is the same one: sources are named after their
        digests, and merged models after the number of the change.
        """
        for part, name in names.items():
            if name is not None and not (self.path / name).exists():
                _copy(other.path / name, self.path / name)
            ledger.set_state(part, name)

    def rebuilt(self, ledger: Ledger) -> TextClassifier:
        """Return the model from its source, what was merged, and all examples."""
        source = ledger.state("source")
        if source is None:
            raise LookupError(f"the ledger of {self.name} names no source")
        classifier = TextClassifier.load(self.path / source)
        merged = ledger.state("merged")
        if merged is not None:
            classifier.merge(TextClassifier.load(self.path / merged))
        learn_all(classifier, ledger.since(0))
        return classifier


def learn_all(classifier: TextClassifier, examples: Iterable[Example]) -> None:
    """Learn examples in large batches."""
    examples = iter(examples)
    while batch := list(islice(examples, BATCH)):
        classifier.partial_fit([e.text for e in batch], [e.label for e in batch])


def _is_backed_up(name: str) -> bool:
    return name == LEDGER or (bool(OWN_MODEL.fullmatch(name)) and name != SNAPSHOT)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Make a private folder that gets its name once it is complete, or nothing."""
    part = _part_of(path)
    part.mkdir(mode=0o700)
    try:
        yield part
        # Refuses a folder that has appeared meanwhile, unless it is empty.
        os.rename(part, path)
        sync(path.parent)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)  # all of it was written just now
        raise


@contextmanager
def temporary_folder(beside: Path) -> Iterator[ModelFolder]:
    """Make a private folder beside a model's, which is removed at the end or at the next start."""
    part = _part_of(beside)
    part.mkdir(mode=0o700)
    try:
        yield ModelFolder(part)
    finally:
        shutil.rmtree(part, ignore_errors=True)  # all of it was written just now


def _part_of(path: Path) -> Path:
    """Return a name for a folder that is not yet, or no longer, that of a model."""
    return path.with_name(f".new-{path.name}-{os.urandom(8).hex()}.part")


NEW_FOLDER = re.compile(r"\.new-.+-[0-9a-f]{16}\.part")


def remove_leftovers(models: Path) -> None:
    """Remove folders of models whose creation or removal a kill ended."""
    for path in models.iterdir():
        if NEW_FOLDER.fullmatch(path.name) and path.is_dir() and not path.is_symlink():
            ModelFolder(path).remove()


def reason_of(error: Exception) -> str:
    """Leave out the path of the file, which concerns no one else."""
    return error.reason if isinstance(error, ModelFileError) else str(error)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:32]


def _copy(path: Path, target: Path) -> None:
    with path.open("rb") as source, whole_file(target) as file:
        shutil.copyfileobj(source, file)
    os.chmod(target, 0o600)

"""Where the data sets are read from: a folder, a zip file, or a download; always checked."""

import hashlib
import os
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from addhash.errors import DataFileError
from addhash.paper.catalogue import DataFile
from addhash.paper.progress import Tick, unheard

ENVIRONMENT = "ADDHASH_DATA"
SECONDS_TO_CONNECT = 30


class DataSource:
    """Reads data files and refuses any that differ from the published ones.

    A file is looked up by its path and by its name alone, unpacked or in its zip file.

    Parameters
    ----------
    place : str or path-like, optional
        The folder that holds the files, or a single zip file. By default they are looked up in the
        folder that the environment variable ADDHASH_DATA names, and what is missing there is
        downloaded to the user's cache.
    """

    def __init__(self, place: Any = None) -> None:
        if place is not None and not Path(place).exists():
            raise DataFileError(
                f"The data folder {str(place)!r} does not exist. Expected a folder with the data"
                " sets, or one of their zip files."
            )
        self._may_download = place is None
        named = place if place is not None else os.environ.get(ENVIRONMENT)
        self._folders: Sequence[Path] = [Path(named)] if named else []
        self._archive = Path(place) if place is not None and Path(place).is_file() else None
        self._checked: set[Path] = set()

    def has(self, file: DataFile) -> bool:
        """Return whether a file exists, intact or not."""
        return self._unpacked(file) is not None or self._zipped(file) is not None

    def can_download(self, file: DataFile) -> bool:
        """Return whether a missing file may be downloaded."""
        return self._may_download and file.is_published

    def read(self, file: DataFile, tick: Tick = unheard) -> bytes:
        """Return the content of a file.

        Parameters
        ----------
        file : DataFile
        tick : callable
            Called with the fraction done of a download.
        """
        unpacked = self._unpacked(file)
        if unpacked is not None:
            return _read_unpacked(unpacked, file)
        zipped = self._zipped(file)
        if zipped is None:
            if not self.can_download(file):
                self._refuse_missing(file)
            zipped = _download(file, tick)
        if zipped not in self._checked:
            _check_archive(zipped, file)
            self._checked.add(zipped)
        return _read_zipped(zipped, file)

    def _unpacked(self, file: DataFile) -> Path | None:
        short = file.path.partition("/")[2]
        return _first(folder / name for folder in self._folders for name in (file.path, short))

    def _zipped(self, file: DataFile) -> Path | None:
        if not file.is_published:
            return None
        if self._archive is not None:
            return self._archive if _may_hold(self._archive, file) else None
        set_name = file.path.partition("/")[0]
        folders = [*self._folders, *([_cache()] if self._may_download else [])]
        return _first(
            folder / inner / name
            for folder in folders
            for inner in ("", set_name)
            for name in file.archive.names
        )

    def _refuse_missing(self, file: DataFile) -> NoReturn:
        paths = [str(folder / file.path) for folder in self._folders] or [file.path]
        zipped = f", and neither was {file.archive.name}" if file.is_published else ""
        raise DataFileError(
            f"The data file {' or '.join(map(repr, paths))} was not found{zipped}."
            f" {_expected(file)}. {_where_to_get(file)}"
        )


def _members(archive: zipfile.ZipFile, file: DataFile) -> list[zipfile.ZipInfo]:
    return [member for member in archive.infolist() if Path(member.filename).name == file.name]


def _may_hold(path: Path, file: DataFile) -> bool:
    """Return whether a zip file holds a file; one that cannot be opened might."""
    try:
        with zipfile.ZipFile(path) as opened:
            return bool(_members(opened, file))
    except zipfile.BadZipFile:
        return True


def _first(paths: Iterable[Path]) -> Path | None:
    return next((path for path in paths if path.is_file()), None)


def _cache() -> Path:
    """Return the folder for downloads, according to the XDG specification."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base, "addhash")


def _expected(file: DataFile) -> str:
    return f"Expected {file.size:,} bytes with SHA-256 {file.sha256}"


def _where_to_get(file: DataFile) -> str:
    archive = file.archive
    if file.is_published:
        return f"Download {archive.name} from {archive.home}: {archive.url}"
    return (
        f"It is an excerpt of {archive.name}. Remove it and download the archive from"
        f" {archive.home}: {archive.url} (the excerpt is then cut from it)."
    )


def _refuse_content(where: str, size: int, digest: str, file: DataFile) -> NoReturn:
    how = "truncated" if size < file.size else "altered"
    raise DataFileError(
        f"The data file {where!r} is {how}. {_expected(file)}, got {size:,} bytes with SHA-256"
        f" {digest}. {_where_to_get(file)}"
    )


def _read_unpacked(path: Path, file: DataFile) -> bytes:
    with path.open("rb") as opened:
        size = os.fstat(opened.fileno()).st_size
        if size != file.size:
            _refuse_content(
                str(path), size, hashlib.file_digest(opened, "sha256").hexdigest(), file
            )
        content = opened.read()
    digest = hashlib.sha256(content).hexdigest()
    if digest != file.sha256:
        _refuse_content(str(path), len(content), digest, file)
    return content


def _check_archive(path: Path, file: DataFile) -> None:
    archive = file.archive
    if archive.sha256 is None:
        return
    with path.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    if digest != archive.sha256:
        raise DataFileError(
            f"The archive {str(path)!r} is truncated or altered. Expected SHA-256"
            f" {archive.sha256}, got {digest} ({path.stat().st_size:,} bytes)."
            f" {_where_to_get(file)}"
        )


def _read_zipped(path: Path, file: DataFile) -> bytes:
    where = f"{path}/{file.name}"
    try:
        with zipfile.ZipFile(path) as opened:
            members = _members(opened, file)
            if not members:
                raise DataFileError(
                    f"The archive {str(path)!r} does not contain {file.name}. {_expected(file)}."
                    f" {_where_to_get(file)}"
                )
            with opened.open(members[0]) as member:
                # One byte more than expected reveals a larger file, whatever its header says.
                content = member.read(file.size + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        raise DataFileError(
            f"The file {str(path)!r} is not a complete zip file ({error}). Expected it to contain"
            f" {file.name}, {file.size:,} bytes with SHA-256 {file.sha256}. {_where_to_get(file)}"
        ) from error
    digest = hashlib.sha256(content).hexdigest()
    if digest != file.sha256:
        _refuse_content(where, len(content), digest, file)
    return content


class _Ticks:
    """The interface of a progress bar that pooch expects."""

    total = 0

    def __init__(self, tick: Tick) -> None:
        self._tick = tick
        self._done = 0

    def update(self, count: int) -> None:
        self._done += count
        if self.total:
            self._tick(min(1.0, self._done / self.total))

    def reset(self) -> None:
        self._done = 0

    def close(self) -> None:
        pass


def _download(file: DataFile, tick: Tick) -> Path:
    """Download the archive of a file to the cache, where it appears complete or not at all."""
    try:
        import pooch
    except ImportError as error:
        raise DataFileError(
            f"The data file {file.path} was not found, and downloading it needs the package pooch,"
            " which is not installed. Install it with: pip install 'addhash[paper]'. Alternatively:"
            f" {_where_to_get(file)}"
        ) from error
    archive = file.archive
    known = None if archive.sha256 is None else f"sha256:{archive.sha256}"
    pooch.get_logger().setLevel("WARNING")
    downloader = pooch.HTTPDownloader(progressbar=_Ticks(tick), timeout=SECONDS_TO_CONNECT)
    try:
        path = pooch.retrieve(archive.url, known, archive.name, _cache(), downloader=downloader)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise DataFileError(
            f"The data file {file.path} was not found, and downloading {archive.name} failed"
            f" ({reason[:300]}). {_expected(file)}. {_where_to_get(file)} and name the folder you"
            f" put it in with --data or {ENVIRONMENT}."
        ) from error
    return Path(path)

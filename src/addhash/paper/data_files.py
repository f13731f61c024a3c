"""The files of the paper's data sets: found in a folder, or downloaded, and always checked."""

import hashlib
import os
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from addhash.errors import DataFileError
from addhash.paper.steps import Tick, unheard

__all__ = ["SMS", "WILI", "Archive", "DataFile", "DataFiles", "usual_folders"]

ENVIRONMENT = "ADDHASH_DATA"
BESIDE = Path("..", "shared", "data")
SECONDS_TO_CONNECT = 30


@dataclass(frozen=True)
class Archive:
    """A zip file as it is published; `sha256` is None where only what is inside is known."""

    name: str
    url: str
    home: str
    sha256: str | None = None
    old_name: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What the file may be called."""
        return (self.name,) if self.old_name is None else (self.name, self.old_name)


@dataclass(frozen=True)
class DataFile:
    """A file of a data set, by its path in a data folder."""

    path: str
    size: int
    sha256: str
    archive: Archive
    is_published: bool = True

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


_UCI = Archive(
    "sms+spam+collection.zip",
    "https://archive.ics.uci.edu/static/public/228/sms+spam+collection.zip",
    "the UCI Machine Learning Repository, data set 228",
    old_name="smsspamcollection.zip",
)
_ZENODO = Archive(
    "wili-2018.zip",
    "https://zenodo.org/records/841984/files/wili-2018.zip",
    "Zenodo, record 841984",
    "727e52ca4e13400e6def1b1b594ca12c8b7fd49ad9d45fd5c9e57a1f6d3b7a3f",
)

SMS = DataFile(
    "sms-spam/SMSSpamCollection",
    477_907,
    "7d039a24a6083ed9ef0f806ebad56bbb976e3aeb8de05669173bfdc4996c239d",
    _UCI,
)

# Texts and labels; head-235 and subset-21 are parts of the published files.
WILI = {
    name: DataFile(f"wili-2018/{name}", size, sha256, _ZENODO, is_published="/" not in name)
    for name, size, sha256 in [
        (
            "x_train.txt",
            64_085_137,
            "afac7e069450ec7ac2995c7b8203ae9445404a68dbc7a66fedb0f64d3720a12e",
        ),
        (
            "y_train.txt",
            480_500,
            "bd0d63a9ab19cb15594588d1bb1b43c4b1b39d7f102656a391c259ca862e0753",
        ),
        (
            "x_test.txt",
            65_166_417,
            "c06db2b42ae5a29428aca5ab9505c5117cbdeb82538eb1b087f55a6627c45556",
        ),
        (
            "y_test.txt",
            480_500,
            "2fbc58bc6f34c8cea1587396d82986a2637adf5ecb2b5cbd8f2a20be0f81ad11",
        ),
        (
            "subset-21/x_train.txt",
            5_848_235,
            "05ddeac0e61329bc97cc5a54677af67bcba59ae6021c3cad68b76a926073691f",
        ),
        (
            "subset-21/y_train.txt",
            42_000,
            "59545ac7459c4b84c08e9b0623930199cb9f89d4c6fbac669a5cab470f1609d3",
        ),
        (
            "subset-21/x_test.txt",
            5_924_122,
            "a80e133e136aad537de80f4c1fac60362e6d0f40bf9d1f8cd11101baba403e4d",
        ),
        (
            "subset-21/y_test.txt",
            42_000,
            "703b9234949a9b7821c1226007a0eaac79841b69eee0938e572782a09c8a85f1",
        ),
        (
            "head-235/x.txt",
            6_614_983,
            "ff0fd91f4b09cddd6655a6d268c17f5e82616c2c3c03386a46a97ad35e0d69fc",
        ),
        (
            "head-235/y.txt",
            48_080,
            "39d43e14f67e605d69b4ecf3c82ae0fedf26f7da90a5eb0416e03546b414f96e",
        ),
    ]
}


def usual_folders() -> list[Path]:
    """Return where data is looked for if nobody says: ADDHASH_DATA, or else ../shared/data."""
    named = os.environ.get(ENVIRONMENT)
    if named:
        return [Path(named)]
    return [BESIDE] if BESIDE.is_dir() else []


class DataFiles:
    """Reads files of data sets; what is not exactly as published is an error.

    A file is looked for by its path and by its name alone, unpacked or in its zip.

    Parameters
    ----------
    place : str or path-like, optional
        The folder, or the one zip file, that the files are in. Without it they are looked for in
        the usual folders, and what is not there is downloaded to the user's cache.
    """

    def __init__(self, place: Any = None) -> None:
        self._may_download = place is None
        self._folders: Sequence[Path] = usual_folders() if place is None else [Path(place)]
        self._archive = Path(place) if place is not None and Path(place).is_file() else None
        if place is not None and not Path(place).exists():
            raise DataFileError(f"There is no folder {str(place)!r} to read data from.")
        self._checked: set[Path] = set()

    def has(self, file: DataFile) -> bool:
        """Tell whether a file is there, in whatever state."""
        return self._unpacked(file) is not None or self._zipped(file) is not None

    def can_download(self, file: DataFile) -> bool:
        """Tell whether a file that is not there may be downloaded."""
        return self._may_download and file.is_published

    def read(self, file: DataFile, tick: Tick = unheard) -> bytes:
        """Return the content of a file.

        Parameters
        ----------
        file : DataFile
        tick : callable
            Told the fraction done of a download.
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
        looked = " or ".join(map(repr, paths))
        zipped = f", nor {file.archive.name}" if file.is_published else ""
        raise DataFileError(
            f"There is no file {looked}{zipped}. {_expected(file)}, found nothing."
            f" {_where_to_get(file)}"
        )


def _members(archive: zipfile.ZipFile, file: DataFile) -> list[zipfile.ZipInfo]:
    return [member for member in archive.infolist() if Path(member.filename).name == file.name]


def _may_hold(path: Path, file: DataFile) -> bool:
    """Tell whether a zip file holds a file; one that cannot be opened may hold anything."""
    try:
        with zipfile.ZipFile(path) as opened:
            return bool(_members(opened, file))
    except zipfile.BadZipFile:
        return True


def _first(paths: Any) -> Path | None:
    return next((path for path in paths if path.is_file()), None)


def _cache() -> Path:
    """Return the folder of downloads, by the XDG rules."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base, "addhash")


def _expected(file: DataFile) -> str:
    return f"Expected {file.size:,} bytes with the sha256 {file.sha256}"


def _where_to_get(file: DataFile) -> str:
    archive = file.archive
    if file.is_published:
        return f"Get {archive.name} from {archive.home}: {archive.url}"
    return (
        f"It is a part of {archive.name}; get the whole from {archive.home}: {archive.url} and"
        " leave the part out, it is then cut from the whole."
    )


def _refuse_content(where: str, size: int, digest: str, file: DataFile) -> NoReturn:
    how = "cut short" if size < file.size else "altered"
    raise DataFileError(
        f"The file {where!r} is {how}. {_expected(file)}, found {size:,} bytes with the sha256"
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
            f"The file {str(path)!r} is cut short or altered. Expected the sha256"
            f" {archive.sha256}, found {digest} ({path.stat().st_size:,} bytes)."
            f" {_where_to_get(file)}"
        )


def _read_zipped(path: Path, file: DataFile) -> bytes:
    where = f"{path}/{file.name}"
    try:
        with zipfile.ZipFile(path) as opened:
            members = _members(opened, file)
            if not members:
                raise DataFileError(
                    f"The archive {str(path)!r} has no {file.name}. {_expected(file)}, found"
                    f" nothing. {_where_to_get(file)}"
                )
            with opened.open(members[0]) as member:
                # One byte more than there should be tells a larger file, whatever its header says.
                content = member.read(file.size + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        raise DataFileError(
            f"The file {str(path)!r} is no whole zip file ({error}). {_expected(file)} in it, found"
            f" none that can be read. {_where_to_get(file)}"
        ) from error
    digest = hashlib.sha256(content).hexdigest()
    if digest != file.sha256:
        _refuse_content(where, len(content), digest, file)
    return content


class _Ticks:
    """What pooch takes for a progress bar."""

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
    """Download the archive of a file into the cache, where it appears whole or not at all."""
    try:
        import pooch
    except ImportError as error:
        raise DataFileError(
            f"There is no {file.path}, and downloading it needs the package pooch, which is not"
            " installed. Install it with: pip install 'addhash[paper]'. Or:"
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
            f"There is no {file.path}, and {archive.name} cannot be downloaded ({reason[:300]})."
            f" {_expected(file)}, found nothing. {_where_to_get(file)} and name the folder you put"
            " it into as the data folder."
        ) from error
    return Path(path)

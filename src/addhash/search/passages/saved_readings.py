"""What the readings of a search for passages found, for a run that goes on after a stopped one."""

from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from addhash.files.whole import whole_file
from addhash.files.work_folder import WorkFolder
from addhash.runtime import native
from addhash.search.text_digest import TextDigest

FORMAT = 1
NAMES = frozenset({"format", "about", "readings", "texts", "digest", "windows"})


class SavedReadings:
    """Readings that have ended, in a folder: the hashes of the windows that are left.

    They are taken up only if they are about the same parameters and, which shows when the texts
    have been read, the same texts.
    """

    def __init__(self, folder: Path, about: list[Any]) -> None:
        self._about = about
        self._work = WorkFolder(folder, "find_passages")
        self._state = self._work.state(NAMES)

    def resume(self, finder: native.PassageFinder) -> tuple[int, int | None]:
        """Give a new finder what is there; return how many readings have ended, and the texts."""
        state = self._state
        if state is None or (state["format"], state["about"]) != (FORMAT, self._about):
            return 0, None
        try:
            content = self._path(state["readings"]).read_bytes()
        except FileNotFoundError:
            return 0, None
        if blake2b(content, digest_size=16).hexdigest() != state["windows"]:
            return 0, None
        finder.resume(state["readings"], np.frombuffer(content, "<u8"))
        return state["readings"], state["texts"]

    def is_of(self, texts: int, digest: TextDigest) -> bool:
        """Return whether what is there is about these texts."""
        state = self._state
        return state is not None and (state["texts"], state["digest"]) == (texts, digest.value)

    def save(
        self, readings: int, finder: native.PassageFinder, texts: int, digest: TextDigest
    ) -> None:
        """Keep what a finder knows after a reading, and nothing of the one before."""
        content = finder.windows().astype("<u8").tobytes()
        with whole_file(self._path(readings)) as file:
            file.write(content)
        self._state = {
            "format": FORMAT,
            "about": self._about,
            "readings": readings,
            "texts": texts,
            "digest": digest.value,
            "windows": blake2b(content, digest_size=16).hexdigest(),
        }
        self._work.save(self._state)
        self._path(readings - 1).unlink(missing_ok=True)

    def forget(self) -> None:
        """Remove what is there."""
        self._state = None
        self._work.drop("state.json", "windows-*")

    def _path(self, readings: int) -> Path:
        return self._work.path / f"windows-{readings}"

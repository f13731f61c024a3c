"""A folder for what an interrupted run leaves to the next one."""

import json
import os
from collections.abc import Set
from contextlib import suppress
from pathlib import Path
from typing import Any

from addhash.errors import ParameterError
from addhash.files.whole import whole_file

STATE = "state.json"
# All files of all runs. Nothing else in a folder is ever removed.
NAMES = (STATE, "sizes", "digests", "hashes", "firsts", "block-*", "pairs-*", "windows-*")


class WorkFolder:
    """The files of a run. `state.json` records what is done; the others have what was found.

    Parameters
    ----------
    path : Path
        Made if it is not there. One with files of others is refused.
    run : str
        The function that runs, for messages.
    """

    def __init__(self, path: Path, run: str) -> None:
        self.path = path
        self._run = run
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        ours = set(_files(path))
        if not (path / STATE).exists() and any(file not in ours for file in path.iterdir()):
            raise self._other_run()

    def state(self, names: Set[str]) -> dict[str, Any] | None:
        """Return what an earlier run recorded under these names; None if there was none."""
        try:
            state = json.loads((self.path / STATE).read_text("utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError):
            state = None
        if not isinstance(state, dict) or state.keys() != names:
            raise self._other_run()
        return state

    def save(self, state: dict[str, Any]) -> None:
        """Record what is done."""
        with whole_file(self.path / STATE) as file:
            file.write(json.dumps(state).encode())

    def drop(self, *patterns: str) -> None:
        """Remove some of the files."""
        for pattern in patterns:
            for path in self.path.glob(pattern):
                path.unlink(missing_ok=True)

    def _other_run(self) -> ParameterError:
        return ParameterError(
            f"The folder {str(self.path)!r} contains something other than a run of {self._run};"
            " choose another one."
        )


def remove_work_folder(path: Any, *, unless_resumable: bool = False) -> None:
    """Remove the files of a run, and their folder if there is nothing else in it.

    Parameters
    ----------
    path : str or path-like
    unless_resumable : bool, default=False
        Leave them if a run can go on from them.
    """
    folder = Path(path)
    if unless_resumable and (folder / STATE).exists():
        return
    for file in _files(folder):
        file.unlink(missing_ok=True)
    with suppress(OSError):
        os.rmdir(folder)


def _files(folder: Path) -> list[Path]:
    """Return the files of runs, and what was left of those that were not complete."""
    patterns = [*NAMES, *(f".{name}.*.part" for name in NAMES)]
    return [file for pattern in patterns for file in folder.glob(pattern) if file.is_file()]

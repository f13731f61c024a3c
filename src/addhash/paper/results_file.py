"""The results of a run: a JSON file that grows step by step, and that a later run goes on with."""

import json
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from addhash import __version__
from addhash.errors import ResultsFileError
from addhash.files.whole_file import whole_file
from addhash.paper.steps import Settings
from addhash.runtime import info

__all__ = ["ResultsFile"]

FORMAT = 1
PACKAGES = ("numpy", "scipy", "scikit-learn")


class ResultsFile:
    """Results by experiment, under "about" what run they are of, under "finished" its steps.

    The file is made when the first step is finished, and is whole at any time.

    Parameters
    ----------
    path : Path
        A file that is there already must be of the same settings and version.
    settings : Settings

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "results.json")
    >>> ResultsFile(path, Settings()).add("sms", "a step", 1.5, {"ah": {"16": 1}})
    >>> again = ResultsFile(path, Settings())
    >>> again.has("a step"), again.results["sms"]
    (True, {'ah': {'16': 1}})
    """

    def __init__(self, path: Path, settings: Settings) -> None:
        self.path = path
        identity = {
            "format": FORMAT,
            "addhash": __version__,
            "seed": settings.seed,
            "quick": settings.quick,
        }
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            about = identity | {"machine": _machine()}
            self.results: dict[str, Any] = {"about": about, "finished": {}}
        else:
            self.results = _parsed(content, path)
            _check_identity(self.results["about"], identity, path)

    def has(self, step: str) -> bool:
        """Tell whether a step is finished."""
        return step in self.results["finished"]

    def add(self, experiment: str, step: str, seconds: float, found: Mapping[str, Any]) -> None:
        """Keep what a finished step has found."""
        self._write({experiment: found, "finished": {step: round(seconds, 2)}})

    def note(self, experiment: str, found: Mapping[str, Any]) -> None:
        """Keep something that belongs to no step."""
        self._write({experiment: found})

    def _write(self, more: dict[str, Any]) -> None:
        results = merged(self.results, more)
        text = json.dumps(results, indent=1, allow_nan=False)
        with whole_file(self.path) as file:
            file.write(text.encode() + b"\n")
        self.results = results


def merged(old: Any, new: Any) -> Any:
    """Return nested dicts put together; what is new wins.

    >>> merged({"a": {"b": 1}}, {"a": {"c": 2}})
    {'a': {'b': 1, 'c': 2}}
    """
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return new
    return {**old, **{name: merged(old.get(name), value) for name, value in new.items()}}


def _machine() -> dict[str, Any]:
    about = info()
    return {
        "cores": about["cores"],
        "instruction_set": about["instruction_set"],
        "python": platform.python_version(),
        "versions": {package: version(package) for package in PACKAGES},
    }


def _parsed(content: bytes, path: Path) -> dict[str, Any]:
    try:
        results = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ResultsFileError(
            f"The file {str(path)!r} is no JSON ({error!s:.80}). Remove it to begin anew, or choose"
            " another folder."
        ) from error
    parts = results if isinstance(results, dict) else {}
    if not all(isinstance(parts.get(name), dict) for name in ("about", "finished")):
        raise ResultsFileError(
            f"The file {str(path)!r} holds no results of a reproduction. Choose another folder."
        )
    return parts


def _check_identity(about: dict[str, Any], expected: dict[str, Any], path: Path) -> None:
    for name, value in expected.items():
        if about.get(name) != value:
            raise ResultsFileError(
                f"The file {str(path)!r} holds results of a run with {name} {about.get(name)!r},"
                f" which cannot go on with {name} {value!r}. Choose another folder, or remove the"
                " file."
            )

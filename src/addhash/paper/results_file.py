"""The results of a run: a JSON file that grows step by step, and that a later run resumes."""

import json
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from addhash import __version__, info
from addhash.errors import ResultsFileError
from addhash.files import whole_file
from addhash.paper.experiments.step import Settings

FORMAT = 1
PACKAGES = ("numpy", "scipy", "scikit-learn")


class ResultsFile:
    """Results by experiment; "about" describes the run, "finished" lists its steps.

    The file is created when the first step is finished, and is complete at all times.

    Parameters
    ----------
    path : Path
        An existing file must come from the same settings and version.
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
            about = identity | {"date": datetime.now(UTC).date().isoformat(), "machine": _machine()}
            self.results: dict[str, Any] = {"about": about, "finished": {}}
        else:
            self.results = _parsed(content, path)
            _check_identity(self.results["about"], identity, path)

    def has(self, step: str) -> bool:
        """Return whether a step is finished."""
        return step in self.results["finished"]

    def add(self, experiment: str, step: str, seconds: float, found: Mapping[str, Any]) -> None:
        """Keep the results of a finished step."""
        self._write({experiment: found, "finished": {step: round(seconds, 2)}})

    def note(self, experiment: str, found: Mapping[str, Any]) -> None:
        """Keep something that belongs to none of the steps."""
        self._write({experiment: found})

    def _write(self, more: dict[str, Any]) -> None:
        results = merged(self.results, more)
        text = json.dumps(results, indent=1, allow_nan=False)
        with whole_file(self.path) as file:
            file.write(text.encode() + b"\n")
        self.results = results


def merged(old: Any, new: Any) -> Any:
    """Return two nested dicts merged; the new one takes precedence.

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
            f"The file {str(path)!r} is not valid JSON ({error!s:.80}). Remove it to start over, or"
            " choose another folder."
        ) from error
    parts = results if isinstance(results, dict) else {}
    if not all(isinstance(parts.get(name), dict) for name in ("about", "finished")):
        raise ResultsFileError(
            f"The file {str(path)!r} does not hold the results of a reproduction. Choose another"
            " folder."
        )
    return parts


def _check_identity(about: dict[str, Any], expected: dict[str, Any], path: Path) -> None:
    for name, value in expected.items():
        if about.get(name) != value:
            raise ResultsFileError(
                f"The file {str(path)!r} holds the results of a run with {name}"
                f" {about.get(name)!r}, which cannot be resumed with {name} {value!r}."
                " Choose another folder, or remove the file."
            )

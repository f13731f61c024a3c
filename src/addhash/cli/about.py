"""`addhash info`: what is installed here."""

import platform
from typing import Any

from addhash.cli import options as use
from addhash.cli.writing import open_output

__all__ = ["info"]

PACKAGES = ["numpy", "scipy", "scikit-learn", "pyarrow", "zstandard"]


def info(output_format: use.OutputFormat = None) -> None:
    """Show the version, the processor's instruction sets, and which packages are there.

    Example:

        addhash info
    """
    import addhash

    facts: dict[str, Any] = addhash.info()
    facts["python"] = platform.python_version()
    facts |= {package: _version_of(package) for package in PACKAGES}
    rows = [{"what": name, "value": _shown(value)} for name, value in facts.items()]
    with open_output(None, output_format) as output:
        output.write(rows)


def _version_of(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed: pip install 'addhash[files]'"


def _shown(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)

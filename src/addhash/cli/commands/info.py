"""`addhash info`: what is installed here."""

import platform
from typing import Any

from addhash.cli.options.writing import ShowOptions
from addhash.cli.output.rows import open_output

PACKAGES = {
    "numpy": "",
    "scikit-learn": "sklearn",
    "scipy": "sklearn",
    "pyarrow": "files",
    "backports.zstd": "files",
    "openpyxl": "files",
    "matplotlib": "paper",
}


def info(*, showing: ShowOptions) -> None:
    """Show the version, the processor's instruction sets and the installed packages.

    Example:

        addhash info
    """
    import addhash

    facts: dict[str, Any] = addhash.info()
    facts["python"] = platform.python_version()
    facts |= {package: _version_of(package, extra) for package, extra in PACKAGES.items()}
    rows = [{"what": name, "value": _shown(value)} for name, value in facts.items()]
    with open_output(showing.output_format, is_cut=False) as output:
        output.write(rows)


def _version_of(package: str, extra: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return f"not installed: pip install 'addhash[{extra}]'"


def _shown(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)

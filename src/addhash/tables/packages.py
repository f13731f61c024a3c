"""Packages that only some formats need."""

import importlib
from types import ModuleType

from addhash.errors import MissingPackageError

# Packages that are not named like the first part of their module.
PACKAGES = {"backports.zstd": "backports.zstd"}


def require(module: str, purpose: str) -> ModuleType:
    """Import an optional module, or say how to install it.

    Parameters
    ----------
    module : str
        The module to import.
    purpose : str
        What it is needed for.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = PACKAGES.get(module, module.partition(".")[0])
        raise MissingPackageError.of(package, "files", purpose) from error

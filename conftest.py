"""What needs a package that is absent is not imported to look for examples."""

from importlib.util import find_spec

NEED = {"*/addhash/engines/spark*": "pyspark", "docs/defaults.py": "griffe"}
collect_ignore_glob = [path for path, package in NEED.items() if find_spec(package) is None]

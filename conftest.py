"""Where PySpark is absent, addhash's face for it is not imported to look for examples."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("pyspark") else ["*/addhash/engines/spark*"]

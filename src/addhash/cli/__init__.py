"""The command line: `addhash`, for people on a terminal and for programs in a pipe.

``addhash.cli.app.main`` is the program. Nothing here is loaded by ``import addhash``, and the
commands load numpy and the native core only when they run.
"""

"""Standard input, which every command reads where it is named."""

import sys
from typing import BinaryIO, cast

from addhash.cli.errors import CommandError

STANDARD_INPUT = "-"


def standard_input() -> BinaryIO:
    """Return the bytes of standard input."""
    if sys.stdin is None or sys.stdin.closed:
        raise CommandError("Cannot read standard input: it is closed. Name a file.")
    return cast(BinaryIO, sys.stdin.buffer)

"""The command line: `addhash`, for people on a terminal and for programs in a pipe.

Nothing here is loaded by ``import addhash``, and commands load numpy and the native core only
when they run.
"""

import os
import signal
import sys

__all__ = ["main"]


def main() -> None:
    """Run the program with the arguments of the process, and end the process."""
    # While the program loads, Ctrl-C just ends it: there is nothing to clean up yet.
    handler = signal.getsignal(signal.SIGINT)
    is_main = handler is signal.default_int_handler
    if is_main:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    _open_streams()
    from addhash.cli.app import run_program

    if is_main:
        signal.signal(signal.SIGINT, handler)
    sys.exit(run_program())


def _open_streams() -> None:
    """Make closed streams harmless, and replace characters that a terminal cannot show."""
    # Otherwise the next file opened would take the place of a closed stream.
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            # It stays closed, so writing results to it is an error before any work is done.
            stream = open(os.devnull, "w")  # noqa: SIM115
            setattr(sys, name, stream)
            if name == "stdout":
                stream.close()
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace" if name == "stdout" else "backslashreplace")

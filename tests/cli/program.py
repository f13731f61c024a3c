"""Drives the installed program as a user does: in a process, with pipes or a pseudo-terminal."""

import contextlib
import io
import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

from addhash.cli import main

ADDHASH = str(Path(sys.executable).parent / "addhash")
# The seconds of all waits: only a program that hangs takes as long, on however busy a machine.
WAIT = 180


def environment(**changes):
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    return kept | {"COLUMNS": "100", "TERM": "xterm-256color"} | changes


def run(*arguments, stdin=b"", code=0, decode=True, **changes):
    """Run the program with pipes; check its exit code."""
    done = subprocess.run(
        [ADDHASH, *map(str, arguments)],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        env=environment(**changes),
        timeout=WAIT,
        check=False,
    )
    if decode:
        done.out = done.stdout.decode()
        done.err = done.stderr.decode()
    assert done.returncode == code, (done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done


def call(*arguments, stdin=b""):
    """Run the program inside this process, which is quicker; return exit code, output, errors."""
    files = [tempfile.TemporaryFile() for _ in range(3)]  # noqa: SIM115 - closed below
    files[0].write(stdin.encode() if isinstance(stdin, str) else stdin)
    files[0].seek(0)
    wrapped = [io.TextIOWrapper(file, encoding="utf-8", write_through=True) for file in files]
    with mock.patch.multiple(sys, argv=["addhash", *map(str, arguments)], stdin=wrapped[0],
                             stdout=wrapped[1], stderr=wrapped[2]):  # fmt: skip
        try:
            main()
        except SystemExit as stop:
            code = stop.code
    for file in files:
        file.seek(0)
    result = code, files[1].read().decode(), files[2].read().decode()
    for file in wrapped:
        file.close()
    return result


def fails(*arguments, code=1, stdin=b""):
    """Run the program, which has to fail with one paragraph; return the paragraph."""
    ended, out, err = call(*arguments, stdin=stdin)
    assert ended == code, (ended, out, err)
    return check_paragraph(out, err)


def check_paragraph(out, err):
    assert out == ""
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert "Something unexpected" not in err
    return err.removeprefix("Error: ").strip()


def works(*arguments, stdin=b""):
    """Run the program, which has to succeed without a complaint; return its output."""
    code, out, err = call(*arguments, stdin=stdin)
    assert (code, err) == (0, ""), (code, out[-500:], err)
    return out


def stop(process, number):
    """Send a signal to a program that reads; return its output and errors.

    Python looks for signals, then waits for a line: one in between is seen with the next.
    """
    for _ in range(WAIT // 10):
        process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=10)
    raise subprocess.TimeoutExpired(process.args, WAIT)


def run_on_terminal(*arguments, code=0, **changes):
    """Run the program on a pseudo-terminal; return all that a person would see."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [ADDHASH, *map(str, arguments)],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=environment(**changes),
        close_fds=True,
    )
    os.close(follower)
    shown = b""
    while True:
        try:
            chunk = os.read(leader, 65536)
        except OSError:  # Linux says so when the last writer has gone
            break
        if not chunk:
            break
        shown += chunk
    os.close(leader)
    assert process.wait(WAIT) == code, shown
    return shown.decode()

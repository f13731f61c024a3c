"""How the program starts, ends, and behaves towards terminals, pipes and signals."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import addhash
from addhash.cli.app import COMMANDS
from tests.cli.program import ADDHASH, WAIT, call, environment, run, run_on_terminal, stop, works

NAMES = [name for name, _, _ in COMMANDS]


def test_help_lists_every_command():
    shown = works("--help")
    assert all(f" {name} " in shown for name in NAMES)


def test_without_arguments_the_help_is_shown():
    code, out, err = call()
    assert (code, out.rstrip(), err) == (2, works("--help").rstrip(), "")


def test_help_loads_nothing_heavy():
    """What takes the time is numpy, scipy, scikit-learn and the native core."""
    code = """
import sys
from addhash.cli import app
try:
    app.app(args=["--help"], prog_name="addhash")
except SystemExit:
    pass
print("LOADED", sorted({"numpy", "scipy", "sklearn", "addhash._native"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "LOADED []"


@pytest.mark.parametrize(("name", "function", "panel"), COMMANDS)
def test_every_command_has_an_example(name, function, panel):
    example = function.__doc__.partition("Example:")[2]
    assert f"    addhash {name}" in example


def test_version():
    assert run("--version").out == f"addhash {addhash.__version__}\n"


def test_completion_knows_commands_and_choices():
    def complete(words):
        return run(
            _ADDHASH_COMPLETE="complete_bash",
            COMP_WORDS=words,
            COMP_CWORD=str(len(words.split(" ")) - 1),
        ).out.split()

    assert complete("addhash simi") == ["similarity"]
    assert complete("addhash similarity a b --method ") == ["ah", "ht"]
    assert "--analyzer" in complete("addhash similarity --an")


def test_colours_on_a_terminal_unless_no_color():
    shown = run_on_terminal("info")
    assert "\x1b[36m" in shown  # cyan
    plain = run_on_terminal("info", NO_COLOR="1")
    assert "\x1b[36m" not in plain
    assert "version" in plain


def test_no_colours_in_a_pipe():
    assert "\x1b" not in run("info").out
    assert "\x1b" not in run("--help").out


def test_errors_on_a_terminal_are_coloured_unless_no_color():
    assert "\x1b[1;31mError: " in run_on_terminal("similarity", "a", code=2)
    assert "\x1b[1;31m" not in run_on_terminal("similarity", "a", code=2, NO_COLOR="1")


def test_debug_shows_the_traceback_wherever_it_stands():
    for arguments in (
        ["--debug", "similarity", "x.txt", "b"],
        ["similarity", "x.txt", "b", "--debug"],
    ):
        assert "Traceback" in run(*arguments, code=2).err
    assert "Traceback" not in run("similarity", "x.txt", "b", code=2).err


def test_debug_after_two_dashes_is_a_text():
    assert works("similarity", "--", "--debug", "--debug") == "1.000000\n"


def test_a_closed_pipe_is_silent():
    process = subprocess.Popen(
        [ADDHASH, "info"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(WAIT) == 0


def sleeps(process):
    """Whether a program waits, as for its next line."""
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(") ")[2].startswith("S")


def stop_while_writing(tmp_path, signum):
    """Start work on input that never ends, stop it, and return what is left."""
    target = tmp_path / "out.npy"
    target.write_bytes(b"as it was")
    process = subprocess.Popen(
        [ADDHASH, "vectorize", "-", "-o", target],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    process.stdin.write(b"a document\n")
    process.stdin.flush()
    deadline = time.monotonic() + WAIT
    # Stopped between making the file and its first use, it would leave it to the next run.
    while len(os.listdir(tmp_path)) < 2 or not sleeps(process):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert len(os.listdir(tmp_path)) == 2  # the temporary file is there
    _, errors = stop(process, signum)
    assert os.listdir(tmp_path) == ["out.npy"]
    assert target.read_bytes() == b"as it was"
    return process.returncode, errors.decode()


def test_ctrl_c_stops_cleanly(tmp_path):
    code, errors = stop_while_writing(tmp_path, signal.SIGINT)
    assert code == 130
    assert errors == "Stopped. No file was changed.\n"


def test_termination_leaves_no_half_written_file(tmp_path):
    code, errors = stop_while_writing(tmp_path, signal.SIGTERM)
    assert code == 143
    assert errors == ""

"""What the documents say of the command line is what happens."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from addhash.cli.app import COMMANDS
from docs import make_cli
from tests.cli.program import ADDHASH, WAIT, environment

ROOT = Path(__file__).resolve().parents[2]


def test_the_reference_is_made_from_the_help():
    shown = make_cli.PAGE.read_text(encoding="utf-8")
    assert shown == make_cli.page(), "run `python -m docs.make_cli` to bring docs/cli.md up to date"


@pytest.mark.parametrize("name", [name for name, _, _ in COMMANDS])
def test_every_command_is_in_the_reference(name):
    assert f"\n## addhash {name}\n" in make_cli.PAGE.read_text(encoding="utf-8")


def sessions(page):
    """Return the terminal sessions of a page: commands and what they print."""
    text = page.read_text(encoding="utf-8")
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S):
        parts = re.split(r"^\$ (.*)\n", block, flags=re.M)
        assert parts[0] == ""
        yield list(zip(parts[1::2], parts[2::2], strict=True))


def test_the_terminal_session_of_the_readme(tmp_path):
    (session,) = sessions(ROOT / "README.md")
    assert len(session) >= 8
    path = f"{Path(ADDHASH).parent}{os.pathsep}{os.environ['PATH']}"
    for command, expected in session:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=environment(PATH=path),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=WAIT,
            check=False,
        )
        assert done.stdout.decode() == expected, command


def test_examples_of_the_help_name_options_that_exist():
    page = make_cli.page()
    for name, function, _ in COMMANDS:
        section = page.partition(f"\n## addhash {name}\n")[2].partition("\n## ")[0]
        listed = section.partition("For example:")[0]
        example = function.__doc__.partition("Example:")[2].strip()
        for option in re.findall(r" (--?[a-z-]+)\b", example):
            assert re.search(rf"^- `[^`]*{option}\b", listed, re.M), (name, option)

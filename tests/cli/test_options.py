"""Options: none is silently ignored, and every one that is named anywhere exists."""

import re
from pathlib import Path

import pytest
import typer

from addhash.cli.app import app
from docs.make_cli import PAGE
from tests.cli.program import fails

ROOT = Path(PAGE).parent.parent
PROGRAM = typer.main.get_command(app)
COMMANDS = sorted(PROGRAM.commands)
# Options of other programs that the pages speak of, and of typer.
OTHERS = {"--debug", "--help", "--install-completion", "--show-completion", "--version"}


def parameters(command):
    context = PROGRAM.commands[command].make_context(command, [], resilient_parsing=True)
    return context, PROGRAM.commands[command].get_params(context)


def options(command):
    return [p for p in parameters(command)[1] if p.param_type_name == "option"]


def names(option):
    return [*option.opts, *option.secondary_opts]


def given(option, spelled):
    return [spelled] if option.is_flag else [spelled, "1"]


@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_is_refused_the_second_time(command):
    """Whatever the option, whatever its spellings."""
    context, _ = parameters(command)
    for option in options(command):
        for first in names(option):
            for second in names(option):
                parser = PROGRAM.commands[command].make_parser(context)
                arguments = [*given(option, first), *given(option, second)]
                if option.multiple:
                    parser.parse_args(arguments)
                    continue
                with pytest.raises(Exception, match="can be given only once") as error:
                    parser.parse_args(arguments)
                assert max(option.opts, key=len) in error.value.format_message()


def test_the_message_for_an_option_given_twice(tmp_path):
    message = fails("fit", "a.csv", "-o", "x", "--output", tmp_path / "y", code=2)
    assert "--output can be given only once, but was given 2 times" in message


def known_options():
    return {name for command in COMMANDS for option in options(command) for name in names(option)}


def test_options_in_help_texts_exist():
    """A command's help names only its own options, or those of a command it names."""
    for command in COMMANDS:
        own = {name for option in options(command) for name in names(option)}
        said = [PROGRAM.commands[command].help or "", *(o.help or "" for o in options(command))]
        for text in said:
            named = [c for c in COMMANDS if f"addhash {c}" in text]
            known = own | {n for c in named for o in options(c) for n in names(o)}
            for name in re.findall(r"(?<![\w-])--[a-z][a-z-]+", text):
                assert name in known | OTHERS, (command, name)


def pages():
    found = [*ROOT.joinpath("docs").glob("*.md"), ROOT / "README.md"]
    return [page for page in found if "addhash" in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_options_in_the_pages_exist(page):
    """In commands of addhash, those of that command; elsewhere, those of any."""
    text = page.read_text(encoding="utf-8")
    for line in text.replace("\\\n", " ").splitlines():
        for call in re.findall(r"(?:^|[\s`$(])addhash ((?:(?!addhash)[^`|>&;#)])*)", line):
            words = call.split()
            command = (
                " ".join(words[:2]) if " ".join(words[:2]) in COMMANDS else " ".join(words[:1])
            )
            if command not in COMMANDS:
                continue
            own = {name for option in options(command) for name in names(option)}
            for word in words:
                if re.fullmatch(r"--[a-z][a-z-]+", word):
                    assert word in own | OTHERS, (page.name, line)


def test_the_reference_lists_the_options_that_a_command_has():
    """Each section those of its command; a shared list those that all who refer to it have."""
    parts = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.M)[1:]
    sections = {part.partition("\n")[0]: part for part in parts}
    listed = {
        title: {
            name
            for line in re.findall(r"^- `(-[^`]*)`:", text, re.M)
            for name in re.findall(r"--[a-z][a-z-]+", line)
        }
        for title, text in sections.items()
    }
    for command in COMMANDS:
        own = {name for option in options(command) for name in names(option)}
        assert listed[f"addhash {command}"] <= own, command
        for title in ("Reading options", "Hashing options", "Column options"):
            reference = rf"\[{title[0].lower()}{title[1:]}\]\([^)]*\)([^.;]*)[.;]"
            for some in re.findall(reference, sections[f"addhash {command}"]):
                named = set(re.findall(r"--[a-z-]+", some)) or listed[title]
                assert named <= own, (command, title, named - own)
    for title in ("Input", "Output"):
        named = set(re.findall(r"`(--[a-z][a-z-]+)", sections[title]))
        assert named <= known_options() | OTHERS, named - known_options()

"""What can go wrong on the command line, and how the program ends."""

import errno
import os
import shlex
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from types import FrameType
from typing import NoReturn

import typer

from addhash.errors import (
    AddhashError,
    DocumentError,
    Parameter,
    ParameterError,
    TableChoiceError,
    TableError,
)

FAILURE = 1
WRONG_USE = 2
INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM


class CommandError(Exception):
    """A file or its content is at fault; the text is one paragraph for the user."""

    exit_code = FAILURE


class UsageError(CommandError):
    """The command line itself is at fault."""

    exit_code = WRONG_USE


class ReaderGoneError(Exception):
    """The reader of our output has closed the pipe; there is nothing left to do."""


class InterruptedByUserError(Exception):
    """The user pressed Ctrl-C."""


class Terminated(BaseException):
    """The process was asked to end; raised so that temporary files are removed."""


def check_text(text: str) -> None:
    """Refuse a command-line text that the shell passed in another encoding."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"The text {ascii(text)[:60]} is not valid UTF-8. Put it in a file and name its"
            " --encoding."
        ) from error


@contextmanager
def worded(options: Mapping[str, str]) -> Iterator[None]:
    """Word the refusal of a parameter or a column in terms of the options that set it.

    Parameters
    ----------
    options : mapping of str to str
        Options by the parameters of functions and of tables.

    Examples
    --------
    >>> from addhash import Index
    >>> with worded({"n_features": "--features"}):
    ...     Index(0)
    Traceback (most recent call last):
        ...
    addhash.cli.errors.UsageError: --features must be an integer from 1 to 1048576. Got 0 instead.
    """
    try:
        yield
    except TableChoiceError as error:
        raise UsageError(in_words(error, options)) from error
    except ParameterError as error:
        option = options.get(error.parameter or "")
        words = in_words(error) if option is None else f"{option} {error.reason}"
        raise UsageError(words) from error


def describe_os_error(error: OSError, path: str, doing: str) -> CommandError:
    """Turn an operating system error into one sentence that says what to do."""
    if isinstance(error, FileNotFoundError):
        if doing == "write":
            return CommandError(f"Cannot write {path}: its folder does not exist. Create it first.")
        return no_such_file(path)
    if isinstance(error, IsADirectoryError):
        return CommandError(f"Cannot {doing} {path}: it is a directory. Name a file.")
    if isinstance(error, PermissionError):
        return CommandError(
            f"Cannot {doing} {path}: permission denied. Change its permissions, or name another"
            " file."
        )
    reason = error.strerror or str(error)
    hint = " Free some space, or use another disk." if error.errno == errno.ENOSPC else ""
    return CommandError(f"Cannot {doing} {path}: {reason}.{hint}")


def no_such_file(path: str, otherwise: str = "") -> CommandError:
    """Return what to raise for a file that is not there, with one of nearly that name if any."""
    folder, name = os.path.split(path)
    try:
        there = os.listdir(folder or ".")
    except OSError:
        there = []
    close = get_close_matches(name, [other for other in there if other[0] != "."], 1, cutoff=0.75)
    hint = f" Did you mean {os.path.join(folder, close[0])}?" if close else otherwise
    return CommandError(f"Cannot read {path}: there is no such file.{hint or ' Check the name.'}")


def _say(text: str, is_error: bool = True) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True)
    line = Text("Error: ", style="bold red") if is_error else Text("")
    words = " ".join(text.split())
    for name, command in _COMMANDS.items():
        words = words.replace(name, command)
    # File names and texts could contain sequences that move the terminal's cursor.
    line.append("".join(c if c.isprintable() else "\ufffd" for c in words), style="default")
    console.print(line, soft_wrap=True, highlight=False)


def flush_output() -> None:
    """Flush standard output unless it is closed."""
    if not sys.stdout.closed:
        sys.stdout.flush()


def _on_termination(signum: int, frame: FrameType | None) -> NoReturn:
    raise Terminated


def _mute_output() -> None:
    """Keep the interpreter from complaining at exit about output it can no longer write."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # no real standard output
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115


def run(program: Callable[[], int | None], *, debug: bool) -> int:
    """Run the program and return its exit code; whatever it raises becomes one paragraph.

    Parameters
    ----------
    program : callable
        Returns an exit code, or None for 0.
    debug : bool
        Show tracebacks.
    """
    before = signal.signal(signal.SIGTERM, _on_termination)
    try:
        with warnings.catch_warnings():
            if not debug:
                # Libraries' advice to programmers, such as about many classes with one example
                # each.
                warnings.simplefilter("ignore", UserWarning)
            code = program() or 0
        flush_output()
        return code
    except SystemExit as stop:
        # typer ends the program itself when the reader of its help is gone.
        if isinstance(stop.__context__, BrokenPipeError):
            return _end(stop.__context__, debug)
        raise
    except BaseException as error:
        if debug and isinstance(error, Exception):
            traceback.print_exception(error)
        _release_frames(error)
        code = _end(error, debug)
        try:
            flush_output()
        except OSError:  # such as a full disk: buffered output cannot be written at exit either
            _mute_output()
        return code
    finally:
        signal.signal(signal.SIGTERM, before)


def _release_frames(error: BaseException | None) -> None:
    """Release the frames, so that a progress bar is gone before anything is printed."""
    while error is not None:
        error.__traceback__ = None
        error = error.__cause__ or error.__context__


def _end(error: BaseException, debug: bool) -> int:
    if isinstance(error, ReaderGoneError | BrokenPipeError):
        _mute_output()
        return 0
    if isinstance(error, InterruptedByUserError | KeyboardInterrupt):
        _say(str(error) or "Stopped. No file was changed.", is_error=False)
        return INTERRUPTED
    if isinstance(error, Terminated):
        return TERMINATED
    if isinstance(error, Exception):
        return _explain(error, debug)
    raise error


# What the parameters of tables are called here, if not by the same name.
_OPTIONS = {"kind": "--input-format", "has_header": "--no-header", "keep": "--keep-columns"}


# What the functions that messages speak of are called here.
_COMMANDS = {
    "languages.known()": "addhash languages",
    "languages.load()": "addhash languages save",
    "Call learn first": "Run addhash learn first",
}


def in_words(error: Exception | None, options: Mapping[str, str] | None = None) -> str:
    """Return what an error says, in terms of the options."""
    if isinstance(error, TableError):
        return error.worded(lambda parameter: _option(parameter, options or {}))
    if isinstance(error, DocumentError) and error.record is not None:
        # The command line counts from 1.
        return str(error).replace(f"Record {error.record}:", f"Record {error.record + 1}:", 1)
    return str(error)


def _option(parameter: Parameter, options: Mapping[str, str]) -> str:
    """Return a parameter in terms of the options.

    >>> _option(Parameter("max_size", "1G"), {}), _option(Parameter("has_header", False), {})
    ('--max-size 1G', '--no-header')
    >>> _option(Parameter("text_column", "#2"), {})  # a shell takes a bare # for a comment
    "--text-column '#2'"
    """
    usual = _OPTIONS.get(parameter.name, "--" + parameter.name.replace("_", "-"))
    name = options.get(parameter.name, usual)
    return (
        name if parameter.value in (None, False) else f"{name} {shlex.quote(str(parameter.value))}"
    )


def _explain(error: Exception, debug: bool) -> int:
    if isinstance(error, CommandError):
        _say(str(error))
        return error.exit_code
    if isinstance(error, typer.TyperException):
        if type(error).__name__ == "NoArgsIsHelpError":  # typer does not export it
            return WRONG_USE
        context = getattr(error, "ctx", None)
        command = getattr(context, "command_path", None) or "addhash"
        message = error.format_message().replace("Value error, ", "").strip().rstrip(".")
        end = "" if message.endswith("?") else "."
        _say(f"{message}{end} See '{command} --help'.")
        return WRONG_USE
    if isinstance(error, AddhashError):
        _say(" ".join([in_words(error), *getattr(error, "__notes__", [])]))
        return WRONG_USE if isinstance(error, ParameterError) else FAILURE
    if isinstance(error, OSError):
        where = "standard output" if error.filename is None else str(error.filename)
        _say(str(describe_os_error(error, where, "write" if error.filename is None else "use")))
        if error.filename is None:
            _mute_output()
        return FAILURE
    if isinstance(error, MemoryError):
        _say("There is not enough memory. Use fewer --features or a smaller input.")
        return FAILURE
    if sys.stdout.closed and isinstance(error, ValueError):
        _say("Cannot write standard output: it is closed.")
        return FAILURE
    hint = "" if debug else " Run it again with --debug to see where."
    _say(f"Something unexpected happened: {type(error).__name__}: {error}.{hint}")
    return FAILURE

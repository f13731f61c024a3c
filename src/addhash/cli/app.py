"""The program `addhash`: its commands, and the way it starts and ends."""

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from addhash import __version__
from addhash.cli import (
    about,
    comparing,
    demo,
    evaluating,
    explaining,
    inspecting,
    predicting,
    reproducing,
    searching,
    training,
    vectorizing,
)
from addhash.cli.errors import InterruptedByUserError, ReaderGoneError, run

__all__ = ["app", "main"]

COMMANDS: list[tuple[str, Callable[..., None], str]] = [
    ("fit", training.fit, "Classify"),
    ("predict", predicting.predict, "Classify"),
    ("evaluate", evaluating.evaluate, "Classify"),
    ("learn", training.learn, "Classify"),
    ("forget", training.forget, "Classify"),
    ("merge", training.merge, "Classify"),
    ("explain", explaining.explain, "Classify"),
    ("similarity", comparing.similarity, "Compare and search"),
    ("search", searching.search, "Compare and search"),
    ("vectorize", vectorizing.vectorize, "Compare and search"),
    ("inspect", inspecting.inspect, "About"),
    ("info", about.info, "About"),
    ("demo", demo.demo, "About"),
    ("reproduce", reproducing.reproduce, "About"),
]

app = typer.Typer(
    name="addhash",
    help="Compare, classify and search texts by adding hashes: no vocabulary, no training.",
    epilog="Exit codes: 0 done, 1 failure, 2 wrong use. NO_COLOR turns colours off.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _guarded(function: Callable[..., None]) -> Callable[..., None]:
    """Keep typer from ending the program its own way for a closed pipe or Ctrl-C."""

    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> None:
        try:
            function(*args, **kwargs)
            sys.stdout.flush()
        except BrokenPipeError as error:
            raise ReaderGoneError from error
        except KeyboardInterrupt as error:
            raise InterruptedByUserError from error

    return guarded


def _help_of(function: Callable[..., None]) -> str:
    """Join the lines of each paragraph, so that the terminal's width decides where they break."""
    paragraphs = inspect.cleandoc(function.__doc__ or "").split("\n\n")
    return "\n\n".join(p if p.startswith(" ") else " ".join(p.split()) for p in paragraphs)


for _name, _function, _panel in COMMANDS:
    app.command(_name, help=_help_of(_function), rich_help_panel=_panel)(_guarded(_function))


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"addhash {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show a traceback when something fails.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the program with the arguments of the process, and end the process."""
    arguments = sys.argv[1:]
    # --debug may stand anywhere, as one adds it to the end of a command that failed.
    end = arguments.index("--") if "--" in arguments else len(arguments)
    debug = "--debug" in arguments[:end]
    arguments = [a for i, a in enumerate(arguments) if a != "--debug" or i > end]
    sys.exit(
        run(lambda: app(args=arguments, prog_name="addhash", standalone_mode=False), debug=debug)
    )

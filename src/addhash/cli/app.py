"""The program `addhash`: its commands, and the way it starts and ends."""

import functools
import inspect
import re
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from addhash import __version__
from addhash.cli.commands import (
    dedupe,
    dedupe_explain,
    dedupe_tune,
    demo,
    detect,
    evaluate,
    explain,
    idf,
    info,
    languages,
    link,
    overlap,
    passages,
    predict,
    reproduce,
    search,
    serve,
    similarity,
    train,
    vectorize,
)
from addhash.cli.commands import inspect as inspection
from addhash.cli.errors import InterruptedByUserError, ReaderGoneError, flush_output, run
from addhash.cli.options.spread import spread

COMMANDS: list[tuple[str, Callable[..., None], str]] = [
    ("detect", detect.detect, "Detect languages"),
    ("languages", languages.languages, "Detect languages"),
    ("languages build", languages.build, "Detect languages"),
    ("languages save", languages.save, "Detect languages"),
    ("fit", train.fit, "Classify"),
    ("predict", predict.predict, "Classify"),
    ("evaluate", evaluate.evaluate, "Classify"),
    ("learn", train.learn, "Classify"),
    ("forget", train.forget, "Classify"),
    ("merge", train.merge, "Classify"),
    ("explain", explain.explain, "Classify"),
    ("similarity", similarity.similarity, "Compare and search"),
    ("search", search.search, "Compare and search"),
    ("vectorize", vectorize.vectorize, "Compare and search"),
    ("idf", idf.idf, "Compare and search"),
    ("dedupe", dedupe.dedupe, "Find near-duplicates"),
    ("dedupe explain", dedupe_explain.explain, "Find near-duplicates"),
    ("dedupe tune", dedupe_tune.tune, "Find near-duplicates"),
    ("link", link.link, "Find near-duplicates"),
    ("passages", passages.passages, "Find near-duplicates"),
    ("overlap", overlap.overlap, "Find near-duplicates"),
    ("serve", serve.serve, "Serve"),
    ("inspect", inspection.inspect, "About"),
    ("info", info.info, "About"),
    ("demo", demo.demo, "About"),
    ("reproduce", reproduce.reproduce, "About"),
]


def _without_types(parameters: list[Any]) -> list[Any]:
    """Show the metavars that were chosen for values in the help, not the names of types."""
    for parameter in parameters:
        shown = getattr(parameter, "metavar", None)
        if parameter.param_type_name == "argument" or getattr(parameter, "is_flag", False):
            shown = ""
        elif shown is None and hasattr(parameter, "display_type"):
            shown = parameter.display_type(None).strip("<>")
        if shown is not None:
            parameter.display_type_rich = lambda ctx, shown=shown: shown
    return parameters


class Command(TyperCommand):
    """A command whose help shows metavars instead of types, and whose options count.

    An option given twice would lose its first value without a word, so it is refused unless it
    collects values.
    """

    def make_parser(self, ctx: Any) -> Any:
        """Return the parser of the command line."""
        parser = super().make_parser(ctx)
        parse = parser.parse_args

        def parse_once(args: list[str]) -> Any:
            try:
                values, rest, order = parse(args)
            except typer.TyperException as error:
                if getattr(error, "ctx", None) is None:  # so that the message names the command
                    vars(error)["ctx"] = ctx
                raise
            for parameter in set(order):
                is_single = parameter.param_type_name == "option" and not parameter.multiple
                if is_single and (count := order.count(parameter)) > 1:
                    name = max(parameter.opts, key=len)
                    ctx.fail(f"{name} can be given only once, but was given {count} times")
            return values, rest, order

        parser.parse_args = parse_once  # type: ignore[method-assign]
        return parser

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters."""
        return _without_types(super().get_params(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the arguments as they are typed."""
        return [re.sub("[{}]", "", piece) for piece in super().collect_usage_pieces(ctx)]


# What others call these commands.
OTHER_NAMES = {"train": "fit", "teach": "learn", "classify": "predict", "test": "evaluate",
    "compare": "similarity", "embed": "vectorize", "deduplicate": "dedupe", "help": "--help",
    "version": "--version"}  # fmt: skip


class Group(TyperGroup):
    """All commands; the names of some have two words."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that the arguments start with."""
        if " ".join(args[:2]) in self.commands:
            args = [" ".join(args[:2]), *args[2:]]
        elif args[0] in OTHER_NAMES:
            ctx.fail(f"No such command '{args[0]}'. Did you mean '{OTHER_NAMES[args[0]]}'?")
        return super().resolve_command(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters."""
        return _without_types(super().get_params(ctx))


app = typer.Typer(
    cls=Group,
    name="addhash",
    help="Classify, compare and search texts. Nothing to train. New here? Run: addhash demo",
    epilog="Exit codes: 0 success, 1 failure, 2 wrong usage, 130 stopped by Ctrl-C. NO_COLOR=1"
    " turns colours off.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _guarded(function: Callable[..., None]) -> Callable[..., None]:
    """Keep typer from handling a closed pipe or Ctrl-C in its own way."""

    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> None:
        try:
            function(*args, **kwargs)
            flush_output()
        except BrokenPipeError as error:
            raise ReaderGoneError from error
        except KeyboardInterrupt as error:
            raise InterruptedByUserError from error

    return guarded


def _help_of(function: Callable[..., None]) -> str:
    """Join the lines of each paragraph, so that the terminal's width decides where they break."""
    paragraphs = inspect.cleandoc(function.__doc__ or "").split("\n\n")
    return "\n\n".join(p if p.startswith(" ") else " ".join(p.split()) for p in paragraphs)


# What runs for long takes its options from the environment too.
_SETTINGS = {"serve": {"auto_envvar_prefix": "ADDHASH_SERVE"}}
for _name, _function, _panel in COMMANDS:
    _register = app.command(
        _name,
        cls=Command,
        help=_help_of(_function),
        rich_help_panel=_panel,
        context_settings=_SETTINGS.get(_name),
    )
    _register(_guarded(spread(_function)))


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


@functools.cache
def _program() -> Callable[..., Any]:
    """Return the commands as typer makes them, which takes longer than many a command."""
    return typer.main.get_command(app)


def run_program() -> int:
    """Run the program with the arguments of the process, and return its exit code."""
    arguments = sys.argv[1:]
    # --debug may appear anywhere: people add it to the end of a command that failed.
    end = arguments.index("--") if "--" in arguments else len(arguments)
    debug = "--debug" in arguments[:end]
    arguments = [a for i, a in enumerate(arguments) if a != "--debug" or i > end]
    asked = {"args": arguments, "prog_name": "addhash", "standalone_mode": False}
    return run(lambda: _program()(**asked), debug=debug)

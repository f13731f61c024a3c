"""`addhash serve`: models over HTTP and on a web page, taught while in use."""

import os
from typing import Annotated, Literal

import typer

from addhash.cli.errors import CommandError, UsageError
from addhash.cli.output.terminal import note

# Of what NumPy's linear algebra is made with, and of both.
THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


def serve(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MODEL...",
            help="Models written by addhash fit, each served under its file name; or NAME=FILE.",
            show_default=False,
        ),
    ] = None,
    data: Annotated[
        str,
        typer.Option(
            metavar="DIR", help="Where to keep what is learnt; models already there are served too."
        ),
    ] = "addhash-data",
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="The address to listen on; one that others can reach needs a token.",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="The port; 0 picks any free one.")
    ] = 8000,
    languages: Annotated[
        bool,
        typer.Option(
            "--languages/--no-languages",
            help="Serve the language detector if there is no other model.",
        ),
    ] = True,
    read_token: Annotated[
        str | None,
        typer.Option(
            metavar="TOKEN",
            help="The token clients must send to ask. The environment variable is safer: other"
            " users can see options.",
            show_default=False,
        ),
    ] = None,
    write_token: Annotated[
        str | None,
        typer.Option(
            metavar="TOKEN",
            help="The token clients must send to teach; it also allows asking.",
            show_default=False,
        ),
    ] = None,
    trusted_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A host name that clients may use for the server; * allows any. Can be repeated.",
            show_default=False,
        ),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN",
            help="A site whose pages may use the server, such as https://example.com; * allows any."
            " Can be repeated.",
            show_default=False,
        ),
    ] = None,
    max_body: Annotated[
        int, typer.Option(metavar="BYTES", min=1, help="The most bytes per request.")
    ] = 16 << 20,
    max_file: Annotated[
        int, typer.Option(metavar="BYTES", min=1, help="The most bytes of an uploaded model.")
    ] = 1 << 30,
    max_texts: Annotated[
        int, typer.Option(metavar="N", min=1, help="The most texts per request.")
    ] = 4096,
    max_length: Annotated[
        int, typer.Option(metavar="N", min=1, help="The most characters per text.")
    ] = 100_000,
    max_requests: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="The most requests at a time; others are told to retry later."
        ),
    ] = 256,
    stop_seconds: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=1,
            help="How long pending requests may take to finish when the server is stopped.",
        ),
    ] = 20.0,
    drain_seconds: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0,
            help="How long it still takes requests after SIGTERM, while it says it is not ready.",
        ),
    ] = 0.0,
    log_requests: Annotated[
        bool, typer.Option(help="Log each request, without its content.")
    ] = False,
    log_format: Annotated[
        Literal["text", "json"],
        typer.Option(metavar="FORMAT", help="The format of the log: text or json."),
    ] = "text",
) -> None:
    """Serve models over HTTP and on a web page, and teach them while they are in use.

    Every change is written to a ledger in DIR before it is acknowledged: nothing is lost if the
    process is killed. Without a model, the language detector is served, and a new model can be
    created on the page. SIGHUP reloads the models; SIGTERM finishes pending requests and exits.
    Memory holds the models, plus 2 KB per example once similar examples are requested.

    Example:

        addhash serve spam.model --data taught
    """
    # Threads of the linear algebra keep a core busy while they wait for each other, and the map of
    # a model is too small for them. This is read when NumPy is loaded.
    if not any(os.environ.get(name) for name in THREADS):
        os.environ |= dict.fromkeys(THREADS[:2], "1")
    try:
        from addhash import service
    except ImportError as error:
        raise CommandError(str(error)) from error
    try:
        settings = service.Settings(
            host=host,
            port=port,
            read_token=read_token or None,
            write_token=write_token or None,
            trusted_hosts=_listed(trusted_host),
            allowed_origins=_listed(allow_origin),
            max_body=max_body,
            max_file=max_file,
            max_texts=max_texts,
            max_length=max_length,
            max_requests=max_requests,
            languages=languages,
        )
    except ValueError as error:
        raise UsageError(str(error)) from error
    try:
        service.serve(
            models or [],
            data=data,
            settings=settings,
            started=lambda address: note(f"Serving on {address}  Stop it with Ctrl-C."),
            stop_seconds=stop_seconds,
            drain_seconds=drain_seconds,
            logs_requests=log_requests,
            log_format=log_format,
        )
    except service.ServiceError as error:
        raise CommandError(error.detail) from error
    except TimeoutError as error:
        raise CommandError(
            f"Another server uses {data}. Stop it, or name another folder with --data."
        ) from error


def _listed(values: list[str] | None) -> tuple[str, ...]:
    """Return names, which may also be separated by commas, as in an environment variable."""
    return tuple(name for value in values or () for name in value.replace(",", " ").split())

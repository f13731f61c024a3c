"""`addhash languages`: what `addhash detect` knows, and where it comes from."""

from typing import Annotated

import typer

from addhash.cli.commands.models import save_model
from addhash.cli.errors import CommandError
from addhash.cli.output.rows import open_output
from addhash.cli.output.targets import check_target
from addhash.cli.output.terminal import say
from addhash.cli.output.writing import Showing
from addhash.errors import DataFileError

__all__ = ["build", "languages", "save"]


def languages(*, showing: Showing) -> None:
    """List the languages that addhash detect knows: codes, names, and how many people write each.

    The codes are ISO 639-3 and 639-1; the numbers of writers, 0 if unknown, come from Unicode CLDR.

    Example:

        addhash languages
    """
    from addhash.languages import known

    with open_output(showing.output_format) as output:
        output.write([language._asdict() for language in known()])


def save(
    output: Annotated[str, typer.Argument(metavar="MODEL", help="The file to write.")],
) -> None:
    """Save the model of addhash detect to a file of your own, to teach it more.

    It is a model like any other: addhash learn teaches it new languages, or more about one it
    knows, and addhash detect --model uses it.

    Example:

        addhash languages save mine.model
    """
    from addhash.languages import load

    classifier = load()
    save_model(classifier, output)
    say(f"Saved {len(classifier.classes_)} languages to {output}.")


def build(
    data: Annotated[
        str,
        typer.Option(
            metavar="DIR",
            help="A folder with WiLI-2018 (x_train.txt, y_train.txt) or the Universal"
            " Declaration (paragraphs.tsv), or with folders wili-2018 and udhr that contain"
            " them.",
            show_default=False,
        ),
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="MODEL", help="The file to write.", show_default=False
        ),
    ],
) -> None:
    """Build a model for addhash detect from WiLI-2018 and the Universal Declaration.

    The built-in model was made this way from a part of WiLI-2018; the full set makes a larger and
    better one. The same files always give the same model, byte for byte.

    Example:

        addhash languages build --data wili-2018 -o languages.model
    """
    from addhash.languages import read_corpus, train

    check_target(output)
    try:
        corpus = read_corpus(data)
    except DataFileError as error:
        raise CommandError(str(error)) from error
    classifier, metadata = train(corpus)
    save_model(classifier, output, metadata)
    say(
        f"Saved {len(classifier.classes_)} languages, learnt from {len(corpus.texts):,} texts, to"
        f" {output}."
    )

"""`addhash languages`: what `addhash detect` knows, and where it comes from."""

from typing import Annotated

import typer

from addhash.cli.errors import CommandError
from addhash.cli.model_files import save_model
from addhash.cli.options.arguments import ForceOption, output_option
from addhash.cli.options.writing import ShowOptions
from addhash.cli.output.rows import open_output
from addhash.cli.output.targets import check_target, refuse_existing
from addhash.cli.output.terminal import say
from addhash.errors import DataFileError


def languages(*, showing: ShowOptions) -> None:
    """List the languages that addhash detect knows: codes, names, speakers, scripts, groups, tiers.

    The codes are ISO 639-3 and 639-1; the number of speakers is 0 if unknown. A language of the
    tier rare is an answer only if --languages names it.

    Example:

        addhash languages
    """
    from addhash.languages import known

    with open_output(showing.output_format) as output:
        output.write(
            [{**language._asdict(), "scripts": " ".join(language.scripts)} for language in known()]
        )


def save(
    output: Annotated[str, typer.Argument(metavar="MODEL", help="The file to write.")],
    force: ForceOption = False,
) -> None:
    """Save the model of addhash detect to a file of your own, to teach it more.

    It is a model like any other: addhash learn teaches it new languages, or more about one it
    knows, and addhash detect --model uses it.

    Example:

        addhash languages save mine.model
    """
    from addhash.languages import load

    refuse_existing(output, force)
    classifier = load()
    refuse_existing(output, force)
    save_model(classifier, output)
    say(f"Saved {len(classifier.classes_)} languages to {output}.")


def build(
    data: Annotated[
        str,
        typer.Option(
            metavar="DIR",
            help="A folder with the folders languages (sentences.tsv.xz, words.tsv.xz) and udhr"
            " (paragraphs.tsv).",
            show_default=False,
        ),
    ],
    output: Annotated[str, output_option("The file to write.", "MODEL", show_default=False)],
    force: ForceOption = False,
) -> None:
    """Build the model of addhash detect from its texts.

    The same files always give the same model, byte for byte.

    Example:

        addhash languages build --data data -o languages.model
    """
    from addhash.languages import provenance, read_corpus, train

    check_target(output)
    refuse_existing(output, force)
    try:
        corpus = read_corpus(data)
    except DataFileError as error:
        raise CommandError(str(error)) from error
    classifier, metadata = train(corpus)
    refuse_existing(output, force)
    save_model(classifier, output, metadata | provenance(data))
    count = sum(len(texts.sentences) for texts in corpus.values())
    say(
        f"Saved {len(classifier.classes_)} languages, learnt from {count:,} sentences and lists of"
        f" words, to {output}."
    )

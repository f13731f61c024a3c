"""`addhash fit`, `learn`, `forget` and `merge`: models and their examples."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, tee
from typing import Annotated, Any, Literal

import typer

from addhash.cli.errors import UsageError
from addhash.cli.input.documents import Documents, in_lots
from addhash.cli.model_files import (
    hold,
    load_classifier,
    save_model,
    text_columns_of,
    text_columns_record,
)
from addhash.cli.options.arguments import (
    DocumentsArgument,
    ForceOption,
    ModelArgument,
    output_option,
)
from addhash.cli.options.hashing import ClassifierHashingOptions
from addhash.cli.options.reading import LabelOptions, ReadOptions, TeachOptions
from addhash.cli.options.rejection import RejectionOptions
from addhash.cli.options.waiting import WaitOptions
from addhash.cli.output.progress import watched
from addhash.cli.output.targets import check_target, refuse_existing
from addhash.cli.output.terminal import say

Target = Annotated[str, output_option("The file to write the model to.", "MODEL")]
OtherTarget = Annotated[
    str | None,
    output_option("Write the model to this file instead.", "MODEL", show_default="MODEL itself"),
]


def fit(
    documents: DocumentsArgument,
    output: Target,
    method: Annotated[
        Literal["bayes", "nearest", "centroid"],
        typer.Option(
            help="Compare with the token counts of each class (bayes, the most accurate), with"
            " every example (nearest, the paper's), or with the sum of each class"
            " (centroid, the smallest)."
        ),
    ] = "bayes",
    neighbors: Annotated[
        int,
        typer.Option(
            metavar="K",
            min=1,
            help="How many of the nearest examples vote, for --method nearest, each with weight"
            " (1 + cosine) / 2. Ties go to the class of the nearest.",
        ),
    ] = 1,
    keep_texts: Annotated[
        bool,
        typer.Option(help="Keep the texts in the model, so that the nearest ones can be shown."),
    ] = False,
    about: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=TEXT",
            help="Record something about the model, such as license=CC0; addhash inspect shows"
            " it. Can be repeated.",
        ),
    ] = None,
    force: ForceOption = False,
    *,
    rejection: RejectionOptions,
    hashing: ClassifierHashingOptions,
    labelling: LabelOptions,
    reading: ReadOptions,
) -> None:
    """Make a classifier from texts and their labels.

    There is no training loop: the model consists of exact counts or sums. It learns more with
    "addhash learn" and forgets with "addhash forget", exactly. The file depends only on the
    examples, not on their order. Its confidence is calibrated by leaving out one example at a time;
    "addhash evaluate --leave-one-out" shows how accurate it is. Memory grows with the number of
    examples for --method nearest, with the number of classes for centroid, and with the number of
    distinct tokens per class for bayes.

    Example:

        addhash fit train.csv -o languages.model
    """
    check_target(output, [documents, labelling.labels])
    refuse_existing(output, force)
    metadata = _metadata(about)
    if method != "nearest" and (keep_texts or neighbors != 1):
        option = "--keep-texts" if keep_texts else "--neighbors"
        raise UsageError(f"{option} is for --method nearest: {method} keeps no examples.")
    classifier = hashing.make_classifier(
        method,
        n_neighbors=neighbors,
        reject_below=rejection.reject_below,
        reject_margin=rejection.reject_margin,
        keep_texts=keep_texts,
    )
    source = Documents(documents, reading, labelling, "needed")
    texts, labels = tee(chain.from_iterable(watched(source, "Learning")))
    classifier.fit((d.text for d in texts), (d.label for d in labels))
    refuse_existing(output, force)
    save_model(classifier, output, metadata | text_columns_record(source.text_columns))
    say(
        f"Wrote {output}: {source.count:,} examples of {len(classifier.classes_):,} classes."
        f" Next: addhash predict {output} TEXTS"
    )


def _metadata(about: list[str] | None) -> dict[str, str]:
    """Return the metadata to record about a model.

    >>> _metadata(["license=CC0", "source=the news of 2024"])
    {'license': 'CC0', 'source': 'the news of 2024'}
    """
    found = {}
    for entry in about or ():
        name, sign, text = entry.partition("=")
        if not sign or not name:
            raise UsageError(
                f"--about must be a name and a text, such as license=CC0. Got {entry!r} instead."
            )
        found[name] = text
    return found


def _feed(source: Documents, doing: str, step: Callable[[list[str], list[Any]], Any]) -> None:
    """Pass the examples to a method of the classifier, lot by lot."""
    for lot in in_lots(watched(source, doing)):
        step([d.text for d in lot], [d.label for d in lot])


@contextmanager
def _changed(
    model: str,
    documents: str,
    output: str | None,
    waiting: WaitOptions,
    labelling: LabelOptions,
    reading: ReadOptions,
    done: str,
) -> Iterator[tuple[Any, Documents]]:
    """Load a model and open the examples; save the model after the block has changed it."""
    target = output or model
    check_target(target, [documents, labelling.labels])
    if output is not None:
        check_target(output, [model], "Leave --output out to change the model itself.")
    with hold(target, waiting):
        classifier = load_classifier(model, documents)
        usual = text_columns_of(classifier)
        source = Documents(documents, reading, labelling, "needed", usual=usual)
        yield classifier, source
        save_model(classifier, target)
    say(f"Wrote {target}: {source.count:,} examples {done}, {len(classifier.classes_):,} classes.")


def learn(
    model: ModelArgument,
    documents: DocumentsArgument,
    output: OtherTarget = None,
    *,
    waiting: WaitOptions,
    labelling: TeachOptions,
    reading: ReadOptions,
) -> None:
    """Add examples to a model, including examples of new classes.

    What the model knows is then what fitting all the examples at once would have taught it; what
    "addhash fit" chose, such as its confidence, stays. Processes that change the same model take
    turns. Memory grows with the model, and with the new examples for --method nearest.

    Example:

        addhash learn languages.model welsh.txt --label Welsh
    """
    changed = _changed(model, documents, output, waiting, labelling, reading, "learnt")
    with changed as (classifier, source):
        _feed(source, "Learning", classifier.learn)


def forget(
    model: ModelArgument,
    documents: DocumentsArgument,
    output: OtherTarget = None,
    *,
    waiting: WaitOptions,
    labelling: TeachOptions,
    reading: ReadOptions,
) -> None:
    """Remove examples from a model, as if it had never learnt them.

    What the model knows is then byte-for-byte what it would know had it never seen them; what
    "addhash fit" chose from all examples together, such as its confidence, stays. Forgetting an
    example that the model does not know is an error and changes nothing. A model of --method
    nearest knows its examples; bayes and centroid keep only counts and sums, and refuse what these
    cannot contain, so forget only what was learnt. Processes that change the same model take turns.
    Memory grows with the model.

    Example:

        addhash forget languages.model welsh.txt --label Welsh
    """
    changed = _changed(model, documents, output, waiting, labelling, reading, "forgotten")
    with changed as (classifier, source):
        _feed(source, "Forgetting", classifier.forget)


def merge(
    models: Annotated[
        list[str], typer.Argument(metavar="A B...", help="Models with the same settings.")
    ],
    output: Target,
    in_place: Annotated[
        bool, typer.Option(help="Allow MODEL to be one of the models being merged.")
    ] = False,
    force: ForceOption = False,
    *,
    waiting: WaitOptions,
) -> None:
    """Make one model from several with the same settings.

    What it knows is what fitting all their examples at once would have taught it, and it is no more
    confident than the least confident of them. Memory grows with the models.

    Example:

        addhash merge monday.model tuesday.model -o week.model
    """
    if len(models) < 2:
        raise UsageError(f"Expected at least two models to merge, got {len(models)}.")
    if in_place:
        check_target(output)
    else:
        check_target(output, models, "Name another file, or allow it with --in-place.")
        refuse_existing(output, force)
    with hold(output, waiting):
        classifier = load_classifier(models[0])
        for path in models[1:]:
            classifier.merge(load_classifier(path))
        save_model(classifier, output)
    say(f"Wrote {output}: {len(models)} models, {len(classifier.classes_):,} classes.")

"""`addhash fit`, `learn`, `forget` and `merge`: models and their examples."""

from typing import Annotated, Any, Literal

import typer

from addhash.cli import options as use
from addhash.cli.errors import UsageError
from addhash.cli.models import in_lots, load_classifier, save_model
from addhash.cli.progress import watched
from addhash.cli.reading import Documents, Reading
from addhash.cli.targets import check_target
from addhash.cli.writing import say

__all__ = ["fit", "forget", "learn", "merge"]

Target = Annotated[
    str, typer.Option("--output", "-o", metavar="MODEL", help="The file of the new model.")
]
OtherTarget = Annotated[
    str | None,
    typer.Option(
        "--output", "-o", metavar="MODEL", help="Write another file.", show_default="the same file"
    ),
]


def fit(
    documents: use.In,
    output: Target,
    method: Annotated[
        Literal["nearest", "centroid"],
        typer.Option(help="Compare with every example, or with the sum of each class."),
    ] = "nearest",
    reject_below: Annotated[
        float | None,
        typer.Option(help="Give no label where the score is lower.", show_default="never"),
    ] = None,
    keep_texts: Annotated[
        bool,
        typer.Option("--keep-texts", help="Keep the texts in the model, to show the nearest ones."),
    ] = False,
    analyzer: use.Analyzer = "char",
    ngrams: use.Ngrams = None,
    features: use.Features = 2048,
    lowercase: use.Case = False,
    randomizer: use.Randomizer = "shake256",
    text_column: use.TextColumn = None,
    label_column: use.LabelColumn = None,
    labels: use.Labels = None,
    input_format: use.InputFormat = None,
    header: use.Header = True,
    encoding: use.Encoding = "utf-8",
    errors: use.Handling = "strict",
) -> None:
    """Make a classifier from texts and their labels.

    Nothing is trained: the model is the examples' vectors. It learns more with "addhash learn" and
    forgets with "addhash forget", exactly. The file depends on the examples only, not on their
    order.

    Example:

        addhash fit train.csv -o languages.model
    """
    check_target(output)
    reading = use.reading_of(
        text_column, label_column, labels, input_format, header, encoding, errors
    )
    import numpy as np

    import addhash

    vectorizer = use.make_vectorizer(
        "ah", analyzer, ngrams, features, lowercase, randomizer, norm=None, dtype=np.int32
    ).fit([""])
    classifier = addhash.TextClassifier(
        method, vectorizer=vectorizer, reject_below=reject_below, keep_texts=keep_texts
    )
    source = Documents(documents, reading, "needed")
    _take_in(source, "Learning", classifier.learn)
    save_model(classifier, output)
    say(
        f"Wrote {output}: {source.count:,} examples of {len(classifier.classes_):,} classes."
        f" Next: addhash predict {output} TEXTS"
    )


def _take_in(source: Documents, doing: str, step: Any) -> None:
    """Give the examples to a step, a method of a classifier, lot by lot."""
    for lot in in_lots(watched(source, doing)):
        step([d.text for d in lot], [d.label for d in lot])


def _change(
    model: str,
    documents: str,
    output: str | None,
    reading: Reading,
    method: str,
    words: tuple[str, str],
) -> None:
    """Let a model learn or forget examples, and write it; the words say what is done and was."""
    target = output or model
    check_target(target)
    classifier = load_classifier(model)
    source = Documents(documents, reading, "needed")
    _take_in(source, words[0], getattr(classifier, method))
    save_model(classifier, target)
    say(
        f"Wrote {target}: {source.count:,} examples {words[1]}, {len(classifier.classes_):,}"
        " classes."
    )


def learn(
    model: use.Model,
    documents: use.In,
    output: OtherTarget = None,
    text_column: use.TextColumn = None,
    label_column: use.LabelColumn = None,
    label: use.Label = None,
    labels: use.Labels = None,
    input_format: use.InputFormat = None,
    header: use.Header = True,
    encoding: use.Encoding = "utf-8",
    errors: use.Handling = "strict",
) -> None:
    """Add examples to a model, also of new classes.

    The result is the same as that of fitting all examples at once.

    Example:

        addhash learn languages.model welsh.txt --label Welsh
    """
    reading = use.reading_of(
        text_column, label_column, labels, input_format, header, encoding, errors, label
    )
    _change(model, documents, output, reading, "learn", ("Learning", "learnt"))


def forget(
    model: use.Model,
    documents: use.In,
    output: OtherTarget = None,
    text_column: use.TextColumn = None,
    label_column: use.LabelColumn = None,
    label: use.Label = None,
    labels: use.Labels = None,
    input_format: use.InputFormat = None,
    header: use.Header = True,
    encoding: use.Encoding = "utf-8",
    errors: use.Handling = "strict",
) -> None:
    """Remove examples from a model, as if it had never learnt them.

    The file is then byte for byte the one of a model that never saw them. An example that the
    model does not know is an error, and nothing is changed.

    Example:

        addhash forget languages.model welsh.txt --label Welsh
    """
    reading = use.reading_of(
        text_column, label_column, labels, input_format, header, encoding, errors, label
    )
    _change(model, documents, output, reading, "forget", ("Forgetting", "forgotten"))


def merge(
    models: Annotated[
        list[str], typer.Argument(metavar="A B", help="Models with the same settings.")
    ],
    output: Target,
) -> None:
    """Make one model from several that have the same settings.

    The result is the same as that of fitting all their examples at once.

    Example:

        addhash merge monday.model tuesday.model -o week.model
    """
    if len(models) < 2:
        raise UsageError(f"Expected at least two models to merge, got {len(models)}.")
    check_target(output)
    classifier = load_classifier(models[0])
    for path in models[1:]:
        classifier.merge(load_classifier(path))
    save_model(classifier, output)
    say(f"Wrote {output}: {len(models)} models, {len(classifier.classes_):,} classes.")

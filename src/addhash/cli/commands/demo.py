"""`addhash demo`: what addhash does, in a one-minute read."""

import os
from typing import Annotated, Any

import typer

from addhash.cli.errors import UsageError
from addhash.cli.output.shares import show_shares
from addhash.cli.output.targets import open_target
from addhash.cli.output.terminal import open_terminal, say
from addhash.errors import MissingPackageError

# Sentences that are not in the sample.
UNSEEN = [
    ("English", "The weather will be much nicer next week."),
    ("German", "Am Sonntag gehen wir mit den Kindern in den Zoo."),
    ("French", "Le chat dort sur le canapé du salon."),
    ("Spanish", "Mi amigo vive en una casa grande con jardín."),
    ("Finnish", "Kesällä aurinko paistaa melkein koko yön."),
    ("Turkish", "Annem mutfakta güzel bir çorba pişiriyor."),
]

NEW_LANGUAGE = "Hungarian"
LESSON = [
    "Jó reggelt, hogy aludtál?",
    "A gyerekek a kertben játszanak.",
    "Kérek szépen egy csésze kávét.",
    "A húgom tegnap vett egy új biciklit.",
    "Holnap lesz a nagymamám születésnapja.",
]
QUESTION = "A barátom egy szép új házat vett a városban."

SAMPLES = ["languages.tsv", "messages.tsv"]

PAPER = ["John likes to watch movies", "Mary also likes to watch movies", "Jane makes popcorn"]


def demo(
    sample: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Write the sample data to a folder instead: languages.tsv and messages.tsv.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option(help="Replace existing files of these names.")] = False,
) -> None:
    """Show what addhash does, on bundled sample data.

    Fits a language classifier, asks it about sentences it has not seen, explains an answer, teaches
    it one more language and makes it forget that again, and works through the paper's example.

    Example:

        addhash demo
    """
    if sample is not None:
        _write_samples(sample, force)
        return
    import addhash
    from addhash.sample import load_languages

    console = open_terminal()
    texts, labels = load_languages()
    classifier = addhash.TextClassifier().fit(texts, labels)
    console.print(
        f"1. A classifier of {len(classifier.classes_)} languages, from {len(texts)} sentences"
        " and no training",
        style="bold",
    )
    answers = classifier.predict_scores([text for _, text in UNSEEN], n_nearest=1)
    for (expected, text), answer in zip(UNSEEN, answers, strict=True):
        console.print(_answer(answer, expected, text))

    console.print("\n2. Why? The evidence is a sum over the parts of the text", style="bold")
    explanation = classifier.explain(UNSEEN[1][1])
    show_shares(console, explanation, "   ")
    for label, sign in ((explanation.label, 1), (explanation.runner_up, -1)):
        words = [word for word in explanation.words if sign * word.weight > 0]
        words.sort(key=lambda word: -sign * word.weight)
        listed = "  ".join(f"{word.text!r} {word.weight:+.2f}" for word in words[:4])
        console.print(f"   for {label + ':':<8} {listed}")

    console.print(f"\n3. A 13th language, from {len(LESSON)} sentences", style="bold")
    before = classifier.to_bytes()
    steps = [
        ("before", lambda *examples: classifier),
        ("after learning", classifier.learn),
        ("after forgetting", classifier.forget),
    ]
    console.print(f"   {QUESTION}")
    for when, step in steps:
        step(LESSON, [NEW_LANGUAGE] * len(LESSON))
        answer = classifier.predict_scores([QUESTION], n_nearest=1)[0]
        console.print(_answer(answer, NEW_LANGUAGE, when))
    same = "the same, byte for byte" if classifier.to_bytes() == before else "NOT the same"
    console.print(f"   The model's file before and after is {same}.")

    console.print("\n4. The paper's three documents, in 32 numbers each", style="bold")
    _show_paper(console)

    console.print("\nWhere to go next", style="bold")
    for line in (
        "addhash fit TRAIN.csv -o MODEL       learn from your own texts",
        "addhash evaluate MODEL TEST.csv      see how good it is",
        "addhash predict MODEL TEXTS.txt      label more texts",
        "addhash search TEXTS.txt QUERY       find the texts most like another",
        "addhash --help                       see the rest, and docs/cli.md",
    ):
        console.print(f"   {line}")


def _sample(name: str) -> bytes:
    from importlib.resources import files

    return files("addhash").joinpath("sample", name).read_bytes()


def _write_samples(folder: str, force: bool) -> None:
    contents = {os.path.join(folder, name): _sample(name) for name in SAMPLES}
    for path, content in contents.items():
        if os.path.isfile(path) and not force:
            with open(path, "rb") as file:
                is_other = file.read(len(content) + 1) != content
            if is_other:
                raise UsageError(
                    f"{path} exists already, and is not the sample. Name another folder, or"
                    " replace it with --force."
                )
    for path, content in contents.items():
        with open_target(path) as target:
            target.write(content)
        say(f"Wrote {path}.")


def _answer(answer: Any, expected: str, note: str) -> Any:
    from rich.text import Text

    line = Text("   ", no_wrap=True, overflow="ellipsis")
    line.append(f"{answer.label:<11}", style="green" if answer.label == expected else "yellow")
    line.append(f"{answer.score:.2f}  ", style="dim")
    return line.append(note)


def _show_paper(console: Any) -> None:
    import addhash

    for i, text in enumerate(PAPER):
        console.print(f"   d{i}  {text}")
    pairs = [(0, 1), (0, 2), (1, 2)]
    console.print(f"{'':20}" + "".join(f"d{i}.d{j}".rjust(9) for i, j in pairs), style="dim")
    methods: dict[str, Any] = {"additive hashing": addhash.TextVectorizer}
    try:
        methods["hashing trick"] = addhash.HashingVectorizer
    except MissingPackageError:
        console.print("   (for the hashing trick: pip install 'addhash[sklearn]')", style="dim")
    for name, method in methods.items():
        vectors = method(n_features=32, lowercase=False, dtype="float64").transform(PAPER)
        found = [float((vectors[[i]] @ vectors[[j]].T)[0, 0]) for i, j in pairs]
        console.print(f"   {name:<17}" + "".join(f"{cosine:9.4f}" for cosine in found))

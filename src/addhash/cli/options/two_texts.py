"""Two texts to compare: given as they are, in files, or on standard input."""

import os
from dataclasses import dataclass
from typing import Annotated

import typer

from addhash.cli.errors import UsageError, check_text
from addhash.cli.input.documents import read_text
from addhash.cli.input.sources import STANDARD_INPUT
from addhash.cli.options.reading import DecodeOptions


@dataclass(frozen=True, kw_only=True)
class TwoTexts(DecodeOptions):
    """The two texts, and how files are decoded."""

    a: Annotated[str, typer.Argument(metavar="A", help="A text, a file, or - for standard input.")]
    b: Annotated[str, typer.Argument(metavar="B", help="The text or file to compare it with.")]
    literally: Annotated[
        bool,
        typer.Option(
            "--text", help="Treat A and B as texts even if there are files of these names."
        ),
    ] = False

    def read(self) -> list[str]:
        """Return the texts."""
        if self.a == self.b == STANDARD_INPUT and not self.literally:
            raise UsageError("Only one of A and B can be standard input.")
        texts = [text if self.literally else self._text_of(text) for text in (self.a, self.b)]
        for text in texts:
            check_text(text)
        return texts

    def _text_of(self, argument: str) -> str:
        """Return an argument as the text itself, or the text in the file of that name."""
        if argument == STANDARD_INPUT or os.path.isfile(argument):
            return read_text(argument, self)
        extension = os.path.splitext(argument)[1].lower()
        looks_like_a_path = not any(c.isspace() for c in argument) and (
            os.sep in argument or extension in (".txt", ".md", ".gz", ".zst")
        )
        if looks_like_a_path or os.path.isdir(argument):
            is_folder = os.path.isdir(argument)
            what = "is a directory" if is_folder else "looks like a file, but is not one"
            raise UsageError(
                f"{argument} {what}. Name a file, or add --text if it is the text to compare."
            )
        return argument

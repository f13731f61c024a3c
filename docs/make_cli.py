"""Writes docs/cli.md from the help of the program: ``python -m docs.make_cli``."""

import re
from pathlib import Path
from typing import Any

import typer

from addhash.cli.app import COMMANDS, app

PAGE = Path(__file__).with_name("cli.md")

# ruff: noqa: E501 - commands are not broken
INTRODUCTION = """\
# The command line

`addhash COMMAND --help` shows what is here on a terminal. This page is made from it: change the
help, then run `python -m docs.make_cli`.

## Input

Documents come from `.txt` (one a line), `.csv`, `.tsv`, `.jsonl` or `.parquet` files, plain or
followed by `.gz` or `.zst`, and from standard input, which is `-`. `.parquet` and `.zst` need
`pip install 'addhash[files]'`.

- A line ends with LF or CRLF. Every line of a `.txt` file is a document, an empty one too.
- A `.tsv` file has a record a line and tabs between the fields; quotes mean nothing in it. A
  record of a `.csv` file may have quoted fields that hold commas, quotes and line ends.
- A line of a `.jsonl` file is an object, or a string that is the text.
- The column of the texts is the one with a usual name (text, message, sentence, content, ...), or
  the only one that is left. So it is for labels (label, class, category, language, ...). Where
  that is not clear, `--text-column` and `--label-column` tell; `--labels FILE` has them in a file
  of their own, a label a line.

## Output

On a terminal results are tables; in a pipe they are TSV, a line for each, written as soon as it is
known. `--format` chooses. Only CSV has a row of names. In TSV a tab, line end or backslash inside a
value is written `\\t`, `\\n`, `\\r` or `\\\\`. A file appears once it is complete: whatever goes
wrong before, the old one stays.

Exit codes: 0 done (also when the reader of a pipe has enough), 1 failure, 2 wrong use, 130 stopped
by Ctrl-C. `--debug`, anywhere in the command, shows the traceback of an error. `NO_COLOR=1` turns
colours off. `addhash --install-completion` makes your shell complete commands and options.

## Two data sets from the shell

Languages of paragraphs, from the files of [WiLI-2018](https://zenodo.org/records/841984), texts and
labels apart:

```sh
addhash fit x_train.txt --labels y_train.txt -o languages.model
addhash evaluate languages.model x_test.txt --labels y_test.txt
```

Spam in the SMS Spam Collection, a table without names and without an extension: half of it to
learn from, half to test.

```sh
awk 'NR % 2 == 1' SMSSpamCollection > train.tsv
awk 'NR % 2 == 0' SMSSpamCollection > test.tsv
addhash fit train.tsv --no-header --label-column 1 --text-column 2 --lowercase --features 4096 -o spam.model
addhash evaluate spam.model test.tsv --no-header --label-column 1 --text-column 2
```
"""


def _records(command: Any, context: Any, kind: str) -> list[str]:
    lines = []
    for parameter in command.params:
        if parameter.param_type_name != kind or "--help" in getattr(parameter, "opts", []):
            continue
        record = parameter.get_help_record(context)
        if record is not None:
            name, text = (re.sub(r"\s+", " ", part).strip() for part in record)
            # Choices are kept; the names of types differ between versions of typer.
            name = re.sub(r" <[\w\[\]]+>| (TEXT|INTEGER|FLOAT)\b", "", name)
            name = re.sub(r"[<\[](\w+(?:\|\w+)+)[>\]]", r"\1", name)
            lines.append(f"- `{name}`: {text}")
    return lines


def _section(group: Any, name: str) -> str:
    command = group.commands[name]
    context = typer.Context(command, info_name=f"addhash {name}")
    text, _, example = command.help.partition("Example:")
    pieces = ["addhash", name, *command.collect_usage_pieces(context)]
    usage = re.sub(r"[{}]", "", " ".join(pieces))
    parts = [
        f"## addhash {name}",
        text.strip(),
        f"```\n{usage}\n```",
        "\n".join(_records(command, context, "argument")),
        "\n".join(_records(command, context, "option")),
        "For example:",
        f"```\n{example.strip()}\n```",
    ]
    return "\n\n".join(part for part in parts if part)


def page() -> str:
    """Return the page as it should be."""
    group = typer.main.get_command(app)
    sections = [_section(group, name) for name, _, _ in COMMANDS]
    return "\n".join([INTRODUCTION, *(f"{section}\n" for section in sections)])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

"""Writes docs/cli.md from the help of the program: ``python -m docs.make_cli``."""

import re
from dataclasses import fields
from pathlib import Path
from textwrap import dedent
from typing import Any, get_type_hints

import typer

from addhash.cli.app import COMMANDS, app
from addhash.cli.options.hashing import HashingOptions
from addhash.cli.options.reading import ReadOptions
from addhash.cli.options.writing import ColumnOptions

PAGE = Path(__file__).with_name("cli.md")

# ruff: noqa: E501 - commands are not broken
INTRODUCTION = """\
# The command line

New here? `addhash demo` shows what addhash does. `addhash COMMAND --help` shows each section on a
terminal. This page is generated from the help: edit that, then run `python -m docs.make_cli`.

## Input

Documents come from `.txt` (one per line), `.csv`, `.tsv`, `.jsonl`, `.xlsx` or `.parquet` files,
plain or compressed (`.gz`, `.zst`), or from standard input, written `-`. `.xlsx`, `.parquet` and
`.zst` need the extra `files`: `pip install 'addhash[files]'`.

- Lines end with LF or CRLF, or with CR in a file without LF. Every line of a `.txt` file is a document, even an empty one.
- In `.csv`, the delimiter is detected: comma, semicolon, tab or `|`; `--delimiter` sets it. Quoted
  fields may contain delimiters, quotes and line breaks, and have a space before the quote. A byte
  order mark is skipped.
- A `.tsv` file has one record per line and tabs between the fields; quotes have no special meaning.
- A line of a `.jsonl` file is an object, or a string that is the text.
- The first sheet of an `.xlsx` or `.xlsm` file that is not hidden is read, or `--sheet NAME`. Its texts
  are kept in memory. A formula counts as the value that was calculated last; one that never was is
  empty.
- The text column is the one with a usual name (text, message, sentence, content, ...), or the only
  one left. The same goes for labels (label, class, category, language, ...). If that is ambiguous,
  name them with `--text-column` and `--label-column`: by name, or by number, such as `'#2'`, if
  several columns have the same name. `--labels FILE` reads labels from a separate file, one per
  line.
- `--text-column` can be repeated: the texts of these columns are joined by a space, leaving out
  those that are empty. A model records the columns that it was made from, and `predict`, `learn`,
  `forget` and `evaluate` then join the same ones by default.
- A row that cannot be read (too few or too many fields, invalid JSON, no text, no label where one is
  needed) stops the command, before anything is written. `--on-bad-rows skip` leaves such rows out,
  and tells how many there were and where the first five are.
- `predict --text "..."` labels a text instead of a file. `addhash inspect FILE` shows the columns of
  any file, their types and the first rows.
- `--where COLUMN=VALUE` selects the rows with that value. For several columns, all must match; for
  several values of one column, any of them.
- UTF-8 is expected. Files from older Windows programs often need `--encoding cp1252`; the message
  about invalid bytes says so.

Memory does not grow with the file, whatever its format and compression, unless a command keeps
what it reads: `fit` and `learn` keep what the model learns, `search` and `vectorize -o X.index`
keep all documents, and `dedupe` compares them in memory unless `--memory` sets a limit. A single
record may take 64 MB. A compressed file that unpacks to more than that *and* to over 250 times its
own size is refused as a likely decompression bomb. `--max-size` changes both limits, and
`--max-size 0` lifts them.

## Output

On a terminal, results are tables. In a pipe they are TSV without a header, each line written as
soon as it is ready. `-o FILE` writes `.csv`, `.tsv`, `.jsonl`, `.xlsx` or `.parquet`, with a header;
`.csv`, `.tsv` and `.jsonl` also compressed, as `.csv.gz` or `.csv.zst`. `--format` overrides both.

- **All input columns are kept**, with the result columns after them, so that every result stays
  with its row. `--keep-columns` selects fewer. A `.txt` file has no columns; pass
  `--keep-columns text` to keep its texts. If the input already has a column `label`, `score` or
  `margin`, the new ones are `predicted_label`, `predicted_score` and `predicted_margin`; `--name
  language` makes them `language`, `language_score` and `language_margin`.
- Documents are identified by `line` in `.txt` and `.tsv`, by `row` in `.xlsx` and `.parquet`, and
  by `record` and `line` in `.csv` and `.jsonl`, where the two can differ.
- In TSV, a tab, line break or backslash inside a value is written `\\t`, `\\n`, `\\r` or `\\\\`, except
  in values that come from a `.tsv` file. A file made from one of the same format has its delimiter,
  byte order mark, line ends and header, and `.parquet` its types. In `.xlsx`, numbers of a `.csv` or
  `.tsv` file are numbers, unless they have leading zeros or more than 15 digits.
- A text of nothing but white space gets no label: label, score and margin are empty.
- For Excel, write `.xlsx`, or `.csv` with `--bom`, which tells Excel that the file is UTF-8. In
  `.xlsx`, texts are never formulas. In `.csv`, texts that begin with `=`, `+`, `-` or `@` are; with
  `--spreadsheet` they get a `'` in front, unless they are numbers.

**Nothing is lost.** An output file appears only when it is complete; if anything goes wrong before
that, the old one stays. Temporary files left by a killed run are removed by the next one. A command
refuses to overwrite a file that it reads, under whatever name; `predict --in-place` adds its
columns to the input file itself, and keeps all rows and columns. From `.xlsx` to `.xlsx`, `predict`,
`detect` and `dedupe --mark` add columns to the sheet that was read and copy everything else, byte for byte: other
sheets, formulas, formats, charts, pictures, macros. (With `--where`, `--keep-columns` or
`--segments`, and for rows that `dedupe` keeps, the output is a new workbook of one plain sheet.) `fit` and `merge` replace an
existing file only with `--force`. Devices and pipes are written to, never replaced. Commands that
change a model take turns: a second one waits, up to `--wait` seconds, while the first holds
`.MODEL.lock`.

Exit codes: 0 success (including a closed pipe), 1 failure, 2 wrong usage, 130 stopped by Ctrl-C.
`--debug`, anywhere in the command, shows the traceback of an error. `NO_COLOR=1` turns colours off.
`addhash --install-completion` enables completion of commands and options in your shell.

## Two data sets from the shell

The languages of paragraphs, from the files of [WiLI-2018](https://zenodo.org/records/841984), with
texts and labels in separate files:

```sh
addhash fit x_train.txt --labels y_train.txt --method nearest -o languages.model
addhash evaluate languages.model x_test.txt --labels y_test.txt
```

Spam in the SMS Spam Collection, a table without a header and without an extension: half of it to
learn from, half to test.

```sh
awk 'NR % 2 == 1' SMSSpamCollection > train.tsv
awk 'NR % 2 == 0' SMSSpamCollection > test.tsv
addhash fit train.tsv --no-header --label-column 1 --text-column 2 --method nearest --lowercase --features 4096 -o spam.model
addhash evaluate spam.model test.tsv --no-header --label-column 1 --text-column 2
```

## From a spreadsheet and back

`messages.csv` comes from a spreadsheet: semicolons, a byte order mark, line breaks inside quotes,
and a ticket number in each row. Detect the language of each message; then, for the English ones
only, whether it is spam; then write these to a workbook with all columns and the most similar
example for each.

```sh
addhash predict languages.model messages.csv --name language -o languages.csv
addhash predict spam.model languages.csv --where language=English --name kind -o english.csv
addhash predict spam.model english.csv --name check --nearest 1 -o english.xlsx
```

The models are made from examples with `addhash fit`; `spam.model` with `--keep-texts`, so that it
can show them.
"""


# Options that many commands take are listed once.
SHARED = {
    "Reading options": ReadOptions,
    "Hashing options": HashingOptions,
    "Column options": ColumnOptions,
}


def _record(parameter: Any, context: Any) -> str:
    name, text = (re.sub(r"\s+", " ", part).strip() for part in parameter.get_help_record(context))
    return f"- `{name}`: {text}"


def _is_listed(parameter: Any) -> bool:
    return "--help" not in getattr(parameter, "opts", [])


def _anchor(title: str) -> str:
    return f"[{title[0].lower()}{title[1:]}](#{title.lower().replace(' ', '-')})"


def _is_shared(parameter: Any) -> bool:
    """Return whether an option stands in one of the shared lists; others may have its name."""
    help_of = getattr(parameter, "help", None)
    return any(
        option.help == help_of
        for bundle in SHARED.values()
        for name, hint in get_type_hints(bundle, include_extras=True).items()
        if name == parameter.name
        for option in getattr(hint, "__metadata__", ())
    )


def _shared(names: set[str]) -> str:
    """Say which of the shared options a command takes."""
    links = []
    for title, bundle in SHARED.items():
        options = [field.name for field in fields(bundle)]
        taken = [name for name in options if name in names]
        if taken:
            listed = ", ".join(f"`--{name.replace('_', '-')}`" for name in taken)
            links.append(_anchor(title) + ("" if taken == options else f" {listed}"))
    return f"Also: {'; '.join(links)}." if links else ""


def _section(group: Any, name: str) -> str:
    command = group.commands[name]
    context = typer.Context(command, info_name=f"addhash {name}", **command.context_settings)
    text, _, example = command.help.partition("Example:")
    usage = " ".join(["addhash", name, *command.collect_usage_pieces(context)])
    parameters = [p for p in command.get_params(context) if _is_listed(p)]
    kinds: dict[str, list[str]] = {"argument": [], "option": []}
    for parameter in parameters:
        if not _is_shared(parameter):
            kinds[parameter.param_type_name].append(_record(parameter, context))
    parts = [
        f"## addhash {name}",
        text.strip(),
        f"```\n{usage}\n```",
        "\n".join(kinds["argument"]),
        "\n".join(kinds["option"]),
        _shared({parameter.name for parameter in parameters if _is_shared(parameter)}),
        "For example:",
        f"```\n{dedent(example).strip()}\n```",
    ]
    return "\n\n".join(part for part in parts if part)


def _shared_section(group: Any, title: str) -> str:
    """List shared options as the command that has all of them shows them."""
    names = {field.name for field in fields(SHARED[title])}
    for name, command in group.commands.items():
        context = typer.Context(command, info_name=f"addhash {name}", **command.context_settings)
        # Another command may have options of these names that differ.
        parameters = {p.name: p for p in command.get_params(context) if _is_shared(p)}
        if names <= parameters.keys():
            found = [_record(p, context) for p in parameters.values() if p.name in names]
            return "\n\n".join([f"## {title}", "\n".join(found)])
    raise AssertionError(f"no command has all of the {title.lower()}")


def page() -> str:
    """Return the page as it should be."""
    group = typer.main.get_command(app)
    sections = [_section(group, name) for name, _, _ in COMMANDS]
    sections += [_shared_section(group, title) for title in SHARED]
    return "\n".join([INTRODUCTION, *(f"{section}\n" for section in sections)])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

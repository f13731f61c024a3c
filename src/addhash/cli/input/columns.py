"""Which columns hold the texts and the labels: named by the user, or detected if unambiguous."""

from difflib import get_close_matches

from addhash.cli.errors import UsageError

__all__ = ["check_column", "choose_columns"]

TEXT_NAMES = frozenset(
    ["body", "comment", "content", "document", "message", "review", "sentence", "sms", "text"]
)
LABEL_NAMES = frozenset(
    ["category", "class", "label", "lang", "language", "sentiment", "tag", "target"]
)


def choose_columns(
    source: str,
    names: list[str],
    text: str | None,
    label: str | None,
    needs_label: bool,
) -> tuple[str, str | None]:
    """Return the text column and the label column.

    Parameters
    ----------
    source : str
        The file, for messages.
    names : list of str
        Its columns.
    text, label : str or None
        What the user named.
    needs_label : bool
        Whether it is an error if there are no labels.

    Examples
    --------
    >>> choose_columns("news.csv", ["id", "Text", "label"], None, None, True)
    ('Text', 'label')
    >>> choose_columns("news.csv", ["headline", "label"], None, None, True)
    ('headline', 'label')
    """
    for name, option in ((text, "--text-column"), (label, "--label-column")):
        if name is not None:
            check_column(source, names, name, option)
    text = text or _only([n for n in names if n.lower() in TEXT_NAMES and n != label])
    label = label or _only([n for n in names if n.lower() in LABEL_NAMES and n != text])
    if text is None:
        text = _only([name for name in names if name != label])
    if text is None:
        raise _unclear(source, names, "texts", "--text-column")
    if label is None and needs_label:
        label = _only([name for name in names if name != text])
        if label is None:
            raise _unclear(source, names, "labels", "--label-column")
    if text == label:
        raise UsageError(
            f"--text-column and --label-column both name {text!r} in {source}. Name two columns."
        )
    return text, label


def _only(candidates: list[str]) -> str | None:
    return candidates[0] if len(candidates) == 1 else None


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(name[:40]) for name in names[:12])
    return shown + (", ..." if len(names) > 12 else "")


def check_column(source: str, names: list[str], wanted: str, option: str) -> None:
    """Refuse a column that the source does not have."""
    if wanted in names:
        return
    close = get_close_matches(wanted, names, 1)
    hint = f" Did you mean {close[0]!r}?" if close else f" Name one of them with {option}."
    raise UsageError(f"{source} has no column {wanted!r}; it has {_listed(names)}.{hint}")


def _unclear(source: str, names: list[str], what: str, option: str) -> UsageError:
    if names == ["text"] and what == "labels":
        return UsageError(
            f"{source} contains texts but no labels. Give them in a separate file, one per line,"
            " with --labels FILE; or use a .csv, .tsv, .jsonl, .xlsx or .parquet file."
        )
    numbered = names == [str(i) for i in range(1, len(names) + 1)]
    hint = (
        ""
        if numbered
        else f" If these are values rather than names, add --no-header and give a number, such as"
        f" {option} 1."
    )
    return UsageError(
        f"Cannot tell which column of {source} holds the {what}: it has {_listed(names)}. Name one"
        f" with {option}.{hint}"
    )

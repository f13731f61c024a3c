"""Which parts of a text point to its label: in colours, or with marks if there are none."""

from collections.abc import Sequence
from typing import Any

from addhash.cli.output.terminal import cells, has_colours, shown

WEAK, STRONG = 0.15, 0.5

# The terminal's own green and red suit its background, light or dark, and exist with 16 colours,
# 256 and more. A strong share is reversed: the text then has the colour of the background.
STYLES = {
    (1, False): "green underline",
    (1, True): "green reverse",
    (-1, False): "red underline",
    (-1, True): "red reverse",
}
MARKS = {(1, False): "+", (1, True): "#", (-1, False): "-", (-1, True): "="}


def show_shares(console: Any, explanation: Any, indent: str = "") -> None:
    """Show the answer, and the text with each character's share in it."""
    shares = explanation.character_margins
    if shares is None:
        shares = explanation.characters
    headline = f"{explanation.label}, score {explanation.score:.4f}"
    headline += f", evidence {explanation.evidence:.4f}"
    if explanation.evidence_margin is not None:
        headline += f", {explanation.evidence_margin:.4f} more than for {explanation.runner_up}"
    console.print(indent + shown(headline))
    levels = [_level(share) for share in _relative(shares.tolist())]
    for line in _wrapped(explanation.text, levels, console.width - len(indent)):
        _show_line(console, line, indent)


def show_legend(console: Any, explanation: Any) -> None:
    """Say what the colours or the marks mean."""
    from rich.text import Text

    legend = Text()
    names = ("green", "red") if has_colours(console) else ("+ and #", "- and =")
    for name, colour, label in zip(
        names, ("green", "red"), (explanation.label, explanation.runner_up), strict=True
    ):
        if label is not None:
            legend.append("; " if legend else "")
            legend.append(name, style=colour).append(f" for {shown(label)}")
    console.print(legend)


def _relative(shares: list[float]) -> list[float]:
    largest = max(map(abs, shares), default=0.0) or 1.0
    return [share / largest for share in shares]


Level = tuple[int, bool] | None


def _level(share: float) -> Level:
    if abs(share) < WEAK:
        return None
    return (1 if share > 0 else -1), abs(share) >= STRONG


def _wrapped(text: str, levels: Sequence[Level], width: int) -> list[list[tuple[str, Level]]]:
    """Cut a text into lines that fit, between words where that is possible."""
    lines: list[list[tuple[str, Level]]] = [[]]
    used = 0
    for character, level in zip(text, levels, strict=True):
        taken = cells(shown(character))
        if used + taken > width:
            rest = _last_word(lines[-1])
            lines.append(rest)
            used = sum(cells(shown(c)) for c, _ in rest)
        lines[-1].append((shown(character), level))
        used += taken
    return lines


def _last_word(line: list[tuple[str, Level]]) -> list[tuple[str, Level]]:
    """Take the unfinished word off a line, unless it is the whole line."""
    for at in range(len(line) - 1, max(0, len(line) - 20), -1):
        if line[at][0] == " ":
            word = line[at + 1 :]
            del line[at + 1 :]
            return word
    return []


def _show_line(console: Any, line: list[tuple[str, Level]], indent: str) -> None:
    from rich.text import Text

    coloured = has_colours(console)
    text = Text(indent, no_wrap=True)
    marks = indent
    for character, level in line:
        text.append(character, style=STYLES[level] if coloured and level else "")
        marks += (MARKS[level] if level else " ") * cells(character)
    console.print(text, soft_wrap=True)
    if not coloured and marks.strip():
        console.print(marks.rstrip(), soft_wrap=True)

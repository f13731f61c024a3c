"""Draws the charts from the committed results: ``python -m docs.make_charts``."""

import json
from collections.abc import Callable
from html import escape
from math import log10
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.accuracy.earlier import section
from benchmarks.accuracy.names import OURS

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PICTURES = Path(__file__).with_name("pictures")

PEER = "scikit-learn HashingVectorizer"
RATIO = f"ratio to {PEER}"
DATA = {"head-235": "235 languages", "sms": "SMS"}
CLASSES = {
    "HashingVectorizer": "HashingVectorizer",
    "AdditiveHashingVectorizer aes128": "AdditiveHashingVectorizer, AES",
    "AdditiveHashingVectorizer shake256": "AdditiveHashingVectorizer, SHAKE-256",
}
ANALYZERS = {
    "char (3, 3)": "3 characters",
    "char_wb (3, 3)": "3 characters inside words",
    "word (1, 1)": "words",
    "word (1, 2)": "words and pairs of words",
}

# Grey, and hues that the colour-blind can tell apart; each is legible on its background.
THEMES = {
    "light": {"ink": "#1f2328", "faint": "#59636e", "line": "#d1d9e0", "peer": "#818b98",
              "bars": ["#0969da", "#bc4c00"]},
    "dark": {"ink": "#f0f6fc", "faint": "#9198a1", "line": "#3d444d", "peer": "#656c76",
             "bars": ["#4493f8", "#db6d28"]},
}  # fmt: skip

# Hues of methods; peers are grey, and dashed.
COLOURS = {
    "light": ["#0969da", "#bc4c00", "#1a7f37", "#8250df", "#bf3989"],
    "dark": ["#4493f8", "#db6d28", "#3fb950", "#ab7df8", "#db61a2"],
}
PEER_DASHES = ["2 3", "7 3", "1 5"]

WIDTH = 760
BARS_LEFT, BARS_RIGHT, BAR, GAP = 300, 60, 13, 5
HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 420, 56, 150, 56, 48
FONT = "-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif"


Theme = dict[str, Any]
Point = tuple[float, float]


class Group(NamedTuple):
    """A label, and a bar for each data set: its value, and None for one that was not measured."""

    label: str
    values: list[float | None]


def rows() -> list[dict[str, Any]]:
    """Return the measured ratios."""
    results = json.loads((RESULTS / "vectorize.json").read_text())
    found: list[dict[str, Any]] = results["rows"]
    return found


def ratio(data: str, analyzer: str, name: str) -> float | None:
    """Return how much faster a class is than the peer."""
    for row in rows():
        if (row["data"], row["analyzer"], row["class"]) == (data, analyzer, name):
            return float(row[RATIO])
    return None


def group(label: str, analyzer: str, name: str) -> Group:
    """Return the bars of one class with one analyzer."""
    return Group(label, [ratio(data, analyzer, name) for data in DATA])


def text(x: float, y: float, words: str, colour: str, **attributes: Any) -> str:
    """Return a line of text."""
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<text x="{x:g}" y="{y:g}" fill="{colour}"{more}>{escape(words)}</text>'


def bar(x: float, y: float, width: float, colour: str) -> str:
    """Return a bar."""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:.1f}" height="{BAR}" fill="{colour}" rx="2"/>'


def svg(title: str, parts: list[str], theme: Theme, height: float = HEIGHT) -> str:
    """Return a whole picture."""
    parts = [text(0, 18, title, theme["ink"], font_size=15, font_weight=600), *parts]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}"'
        f' height="{height:g}" role="img" aria-label="{escape(title)}" font-family="{FONT}"'
        ' font-size="12">\n' + "\n".join(parts) + "\n</svg>\n"
    )


def chart(title: str, sections: list[tuple[str, list[Group]]], theme: Theme) -> str:
    """Return a chart of horizontal bars, with the peer's speed as 1."""
    largest = max(v for _, groups in sections for g in groups for v in g.values if v is not None)
    scale = (WIDTH - BARS_LEFT - BARS_RIGHT) / largest
    parts = []
    x = 0.0
    for name, colour in zip(DATA.values(), theme["bars"], strict=True):
        parts += [bar(x, 31, 12, colour), text(x + 18, 42, name, theme["faint"])]
        x += 40 + 7 * len(name)
    parts += [bar(x, 31, 12, theme["peer"]), text(x + 18, 42, f"{PEER} = 1", theme["faint"])]
    y = 60.0
    for heading, groups in sections:
        if heading:
            parts.append(text(0, y + 13, heading, theme["ink"], font_weight=600))
            y += 24
        for entry in groups:
            middle = y + len(entry.values) * (BAR + 2) / 2 + 4
            parts.append(text(BARS_LEFT - 12, middle, entry.label, theme["ink"], text_anchor="end"))
            for value, colour in zip(entry.values, theme["bars"], strict=True):
                if value is not None:
                    parts.append(bar(BARS_LEFT, y, value * scale, colour))
                    parts.append(
                        text(BARS_LEFT + value * scale + 6, y + 11, f"{value:.1f}x", theme["faint"])
                    )
                y += BAR + 2
            y += GAP
        y += GAP
    line = f'<rect x="{BARS_LEFT + scale:.1f}" y="56" width="1.5" height="{y - 60:g}"'
    parts.append(f'{line} fill="{theme["peer"]}"/>')
    return svg(title, parts, theme, y)


class Axis(NamedTuple):
    """From values to places, by logarithms if need be, and the values that are marked."""

    least: float
    most: float
    start: float
    end: float
    marks: list[float]
    is_logarithmic: bool

    def __call__(self, value: float) -> float:
        """Return the place of a value."""
        scale: Callable[[float], float] = log10 if self.is_logarithmic else float
        share = (scale(value) - scale(self.least)) / (scale(self.most) - scale(self.least))
        return self.start + share * (self.end - self.start)


def colour_of(method: str, theme_name: str) -> str:
    """Return the colour of a method: one of its own for ours, grey for peers."""
    if method in OURS:
        return COLOURS[theme_name][list(OURS).index(method)]
    return str(THEMES[theme_name]["peer"])


def frame(x: Axis, y: Axis, labels: tuple[str, str], theme: Theme) -> list[str]:
    """Return the axes with their marks."""
    parts = []
    for mark in y.marks:
        place = y(mark)
        parts.append(
            f'<line x1="{LEFT}" y1="{place:.1f}" x2="{WIDTH - RIGHT}" y2="{place:.1f}"'
            f' stroke="{theme["line"]}"/>'
        )
        parts.append(text(LEFT - 8, place + 4, f"{mark:g}", theme["faint"], text_anchor="end"))
    for mark in x.marks:
        shown = f"{mark:,.0f}"
        parts.append(
            text(x(mark), HEIGHT - BOTTOM + 18, shown, theme["faint"], text_anchor="middle")
        )
    parts.append(text(0, TOP - 14, labels[1], theme["faint"]))
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(text(middle, HEIGHT - 8, labels[0], theme["faint"], text_anchor="middle"))
    return parts


def placed_labels(wanted: list[tuple[str, float, float]], gap: float) -> dict[str, float]:
    """Return where labels go, given where they would: moved down as far as they need to be."""
    places: dict[str, float] = {}
    last = float("-inf")
    for name, _, y in sorted(wanted, key=lambda entry: entry[2]):
        last = max(y, last + gap)
        places[name] = last
    return places


def decades(least: float, most: float) -> list[float]:
    """Return the powers of ten between two values."""
    powers = range(-3, 9)
    return [10.0**n for n in powers if least <= 10.0**n <= most]


def trade_off(theme_name: str) -> str:
    """Return the chart of accuracy against speed."""
    theme = THEMES[theme_name]
    speed = {row["method"]: row["texts per second"] for row in section("speed")}
    accuracy = {row["method"]: row["accuracy"] for row in section("subset-21")}
    least, most = min(speed.values()) / 1.6, max(speed.values()) * 1.6
    low = int(min(accuracy.values())) - 1
    x = Axis(least, most, LEFT, WIDTH - RIGHT, decades(least, most), True)
    marks = [float(n) for n in range(low, 101)]
    y = Axis(low, 99, HEIGHT - BOTTOM, TOP, [m for m in marks if m <= 99], False)
    title = "Accuracy and speed on 21 languages, one thread"
    parts = frame(x, y, ("texts per second", "accuracy, %"), theme)
    points = [(name, x(speed[name]), y(accuracy[name])) for name in accuracy if name in speed]
    for side in (True, False):
        # Labels go to the right of points on the left half, and to the left on the other.
        there = [p for p in points if (p[1] < (LEFT + WIDTH - RIGHT) / 2) == side]
        for name, height in placed_labels(there, 15).items():
            place = next(p for p in there if p[0] == name)
            colour = colour_of(name, theme_name)
            parts.append(f'<circle cx="{place[1]:.1f}" cy="{place[2]:.1f}" r="5" fill="{colour}"/>')
            parts.append(text(place[1] + 10, height + 4, name, theme["ink"]))
    return svg(title, parts, theme)


def curves(theme_name: str) -> str:
    """Return the chart of accuracy against the number of examples."""
    theme = THEMES[theme_name]
    lines: dict[str, list[Point]] = {}
    for row in section("curve"):
        lines.setdefault(row["method"], []).append((row["examples"], row["accuracy"]))
    examples = [n for n, _ in next(iter(lines.values()))]
    x = Axis(examples[0], examples[-1], LEFT, WIDTH - RIGHT - 12, examples, True)
    values = [value for line in lines.values() for _, value in line]
    low = 10 * int(min(values) / 10)
    y = Axis(low, 100, HEIGHT - BOTTOM, TOP, [float(n) for n in range(low, 101, 10)], False)
    title = "Accuracy on 21 languages by the number of examples of each"
    parts = frame(x, y, ("examples of each language", "accuracy, %"), theme)
    ends = [(name, x(line[-1][0]), y(line[-1][1])) for name, line in lines.items()]
    heights = placed_labels(ends, 15)
    dashes = iter(PEER_DASHES)
    for name, line in lines.items():
        points = " ".join(f"{x(n):.1f},{y(value):.1f}" for n, value in line)
        dashed = "" if name in OURS else f' stroke-dasharray="{next(dashes)}"'
        colour = colour_of(name, theme_name)
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dashed}/>'
        )
        parts.append(
            f'<line x1="{WIDTH - RIGHT + 2}" y1="{heights[name]:.1f}" x2="{WIDTH - RIGHT + 22}"'
            f' y2="{heights[name]:.1f}" stroke="{colour}" stroke-width="2"{dashed}/>'
        )
        parts.append(text(WIDTH - RIGHT + 28, heights[name] + 4, name, theme["ink"]))
    return svg(title, parts, theme)


def charts() -> dict[str, str]:
    """Return all charts by the names of their files."""
    char, word = "char (3, 3)", "word (1, 1)"
    first = [
        group("HashingVectorizer, 3 characters", char, "HashingVectorizer"),
        group("HashingVectorizer, words", word, "HashingVectorizer"),
        group("Additive, AES, 3 characters", char, "AdditiveHashingVectorizer aes128"),
        group("Additive, SHAKE-256, 3 characters", char, "AdditiveHashingVectorizer shake256"),
    ]
    everything = [
        (label, [group(shown, analyzer, name) for name, shown in CLASSES.items()])
        for analyzer, label in ANALYZERS.items()
    ]
    title = "Times as fast as scikit-learn, one thread"
    found = {}
    for name, theme in THEMES.items():
        found[f"speed-{name}.svg"] = chart(title, [("", first)], theme)
        found[f"ratios-{name}.svg"] = chart(title, everything, theme)
        if section("speed"):
            found[f"accuracy-speed-{name}.svg"] = trade_off(name)
        if section("curve"):
            found[f"accuracy-examples-{name}.svg"] = curves(name)
    return found


if __name__ == "__main__":
    for file_name, content in charts().items():
        (PICTURES / file_name).write_text(content, encoding="utf-8")

"""Draws the charts of accuracy from the results: ``python -m docs.make_accuracy_charts``."""

from collections.abc import Callable
from html import escape
from math import log10
from typing import Any, NamedTuple

from benchmarks.accuracy.earlier import section
from benchmarks.accuracy.names import OURS
from docs.make_charts import FONT, PICTURES, THEMES, text

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 420, 56, 150, 56, 48
# Hues that the colour-blind can tell apart, legible on either background; peers are grey.
COLOURS = {
    "light": ["#0969da", "#bc4c00", "#1a7f37", "#8250df", "#bf3989"],
    "dark": ["#4493f8", "#db6d28", "#3fb950", "#ab7df8", "#db61a2"],
}
PEER_DASHES = ["2 3", "7 3", "1 5"]

Theme = dict[str, Any]
Point = tuple[float, float]


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


def frame(title: str, x: Axis, y: Axis, labels: tuple[str, str], theme: Theme) -> list[str]:
    """Return the axes with their marks, and the title."""
    parts = [text(0, 18, title, theme["ink"], font_size=15, font_weight=600)]
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


def svg(title: str, parts: list[str]) -> str:
    """Return a whole picture."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}"'
        f' height="{HEIGHT}" role="img" aria-label="{escape(title)}" font-family="{FONT}"'
        ' font-size="12">\n' + "\n".join(parts) + "\n</svg>\n"
    )


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
    parts = frame(title, x, y, ("texts per second", "accuracy, %"), theme)
    points = [(name, x(speed[name]), y(accuracy[name])) for name in accuracy if name in speed]
    for side in (True, False):
        # Labels go to the right of points on the left half, and to the left on the other.
        there = [p for p in points if (p[1] < (LEFT + WIDTH - RIGHT) / 2) == side]
        for name, height in placed_labels(there, 15).items():
            place = next(p for p in there if p[0] == name)
            colour = colour_of(name, theme_name)
            parts.append(f'<circle cx="{place[1]:.1f}" cy="{place[2]:.1f}" r="5" fill="{colour}"/>')
            parts.append(text(place[1] + 10, height + 4, name, theme["ink"]))
    return svg(title, parts)


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
    parts = frame(title, x, y, ("examples of each language", "accuracy, %"), theme)
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
    return svg(title, parts)


def charts() -> dict[str, str]:
    """Return all charts by the names of their files."""
    found = {}
    for name in THEMES:
        if section("speed"):
            found[f"accuracy-speed-{name}.svg"] = trade_off(name)
        if section("curve"):
            found[f"accuracy-examples-{name}.svg"] = curves(name)
    return found


if __name__ == "__main__":
    for file_name, content in charts().items():
        (PICTURES / file_name).write_text(content, encoding="utf-8")

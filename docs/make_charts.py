"""Draws the charts of speed from the committed results: ``python -m docs.make_charts``."""

import json
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

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

WIDTH, LEFT, RIGHT, BAR, GAP = 760, 300, 60, 13, 5
FONT = "-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif"


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


def chart(title: str, sections: list[tuple[str, list[Group]]], theme: dict[str, Any]) -> str:
    """Return a chart of horizontal bars, with the peer's speed as 1."""
    largest = max(v for _, groups in sections for g in groups for v in g.values if v is not None)
    scale = (WIDTH - LEFT - RIGHT) / largest
    parts = [text(0, 18, title, theme["ink"], font_size=15, font_weight=600)]
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
            parts.append(text(LEFT - 12, middle, entry.label, theme["ink"], text_anchor="end"))
            for value, colour in zip(entry.values, theme["bars"], strict=True):
                if value is not None:
                    parts.append(bar(LEFT, y, value * scale, colour))
                    parts.append(
                        text(LEFT + value * scale + 6, y + 11, f"{value:.1f}x", theme["faint"])
                    )
                y += BAR + 2
            y += GAP
        y += GAP
    line = f'<rect x="{LEFT + scale:.1f}" y="56" width="1.5" height="{y - 60:g}"'
    parts.append(f'{line} fill="{theme["peer"]}"/>')
    described = f'role="img" aria-label="{escape(title)}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y:g}" width="{WIDTH}"'
        f' height="{y:g}" {described} font-family="{FONT}" font-size="12">\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


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
    return found


if __name__ == "__main__":
    for file_name, content in charts().items():
        (PICTURES / file_name).write_text(content, encoding="utf-8")

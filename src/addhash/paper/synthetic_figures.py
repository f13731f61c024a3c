"""The figures of the synthetic experiment: the paper's Figure 1, and how far AH and HT differ."""

from typing import Any

from addhash.paper.plotting import (
    AH,
    GRID,
    INK,
    METHOD_LABELS,
    MUTED,
    Drawing,
    method_style,
    new_canvas,
    put_legend,
)
from addhash.paper.steps import MAIN_N, by_n
from addhash.paper.synthetic import LENGTH

__all__ = ["synthetic_drawings"]

Results = dict[str, Any]


def synthetic_drawings(found: Results) -> list[Drawing]:
    """Return the drawings that the results of the synthetic experiment allow."""
    parts = by_n(found)
    drawings = [_similarities(found)] if MAIN_N in parts else []
    return [*drawings, _differences(parts)] if parts else []


def _sizes(part: Results) -> list[int]:
    return sorted(int(size) for size in part["difference"])


def _similarities(found: Results) -> Drawing:
    sizes = _sizes(found)
    length, repeats = found["length"], found["repeats"]
    canvas = new_canvas(f"Random strings of {length} letters, n = {MAIN_N}", 4.9)
    panels = canvas.subplots(-(-len(sizes) // 2), 2, sharex=True, sharey=True, squeeze=False)
    handles: dict[str, Any] = {}
    for axes, size in zip(panels.flat, sizes, strict=False):
        axes.set_title(f"L = {size}")
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])
        for method in ("ht", "ah"):
            ps, means, spreads = zip(*found[method][str(size)], strict=True)
            # Marks in turns, so that those of one do not hide those of the other.
            turn = (0 if method == "ah" else 1, 2)
            style = method_style(method) | {"markevery": turn, "linewidth": 1.3, "markersize": 4}
            handles[METHOD_LABELS[method]] = axes.plot(ps, means, **style)[0]
            low = [mean - spread for mean, spread in zip(means, spreads, strict=True)]
            high = [mean + spread for mean, spread in zip(means, spreads, strict=True)]
            axes.fill_between(ps, low, high, color=style["color"], alpha=0.18, linewidth=0)
        ps, means, _ = zip(*found["exact"], strict=True)
        line = axes.plot(ps, means, color=INK, linewidth=0.9, linestyle=(0, (1, 1)), zorder=2.5)[0]
        handles["bags of words, not hashed"] = line
    _label(panels, "share changed, p", "similarity")
    put_legend(canvas, {label: handles[label] for label in sorted(handles)})
    worst = max(abs(found["difference"][str(size)]["largest"]) for size in sizes)
    return Drawing(
        "synthetic",
        "synthetic",
        "Similarity of strings and altered copies",
        f"The paper's Figure 1. Random strings of {length} lowercase letters against copies in"
        f" which each letter is changed with probability p; n-grams of n = {MAIN_N}, {repeats}"
        f" strings for each p. Lines are means, bands reach one standard deviation of one"
        " similarity up and down. The dotted line is the cosine of the bags of words themselves.",
        f"{len(sizes)} line charts, for L = {_listed(sizes)}: the similarity falls from"
        f" {found['ah'][str(sizes[-1])][0][1]:.2f} at p = 0 to"
        f" {found['ah'][str(sizes[-1])][-1][1]:.2f} at p = 1 for L = {sizes[-1]}. The means of AH"
        f" and HT differ by {worst:.3f} at most.",
        canvas,
    )


def _label(panels: Any, x_label: str, y_label: str) -> None:
    """Name the axes where panels have numbers: on the left, and at the bottom."""
    for axes in panels[-1]:
        axes.set_xlabel(x_label)
    for axes in panels[:, 0]:
        axes.set_ylabel(y_label)


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


def _differences(parts: dict[int, Results]) -> Drawing:
    sizes = _sizes(next(iter(parts.values())))
    canvas = new_canvas(f"Random strings of {LENGTH} letters, all p", 4.9)
    panels = canvas.subplots(-(-len(sizes) // 2), 2, sharex=True, sharey=True, squeeze=False)
    handles: dict[str, Any] = {}
    inside = 0
    for axes, size in zip(panels.flat, sizes, strict=False):
        margin = size**-0.5
        axes.set_title(f"L = {size}: ±{margin:.3f}")
        handles["margin ±1/√L"] = axes.axhspan(
            -margin, margin, facecolor=GRID, edgecolor=MUTED, linewidth=0.8, alpha=0.6, zorder=0.5
        )
        axes.axhline(0, color=MUTED, linewidth=0.8)
        found = {n: part["difference"][str(size)] for n, part in parts.items()}
        inside += sum(one["farthest"] <= margin for one in found.values())
        handles["largest difference, 95 % interval"] = axes.errorbar(
            list(found),
            [one["largest"] for one in found.values()],
            [
                [one["largest"] - one["interval"][0] for one in found.values()],
                [one["interval"][1] - one["largest"] for one in found.values()],
            ],
            color=AH, linestyle="none", marker="o", capsize=3,
        )  # fmt: skip
        axes.set_xticks(list(parts))
        axes.set_xlim(min(parts) - 0.6, max(parts) + 0.6)
    _label(panels, "n-gram length, n", "AH minus HT")
    put_legend(canvas, handles)
    total = len(sizes) * len(parts)
    return Drawing(
        "synthetic-difference",
        "synthetic",
        "How far AH and HT are apart",
        f"For each n and L, the largest difference of the means over all p, with an interval"
        " that holds for all p and L of one n at once with 95 %. The margin of ±1/√L is the noise"
        f" of one similarity. The intervals of all p stay within it in {inside} of {total} cases.",
        f"{len(sizes)} charts, for L = {_listed(sizes)}, of the largest difference against n ="
        f" {_listed(list(parts))}. {inside} of {total} stay within the margin.",
        canvas,
    )

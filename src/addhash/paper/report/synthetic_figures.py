"""The figures of the synthetic experiment: the paper's Figure 1, and how far AH and HT differ."""

from typing import Any

from addhash.paper.experiments.ngrams import MAIN_N, by_n
from addhash.paper.experiments.synthetic import LENGTH
from addhash.paper.report.numbers import number
from addhash.paper.report.plotting import (
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
            # Markers alternate, so that those of one method do not hide those of the other.
            turn = (0 if method == "ah" else 1, 2)
            style = method_style(method) | {"markevery": turn, "linewidth": 1.3, "markersize": 4}
            handles[METHOD_LABELS[method]] = axes.plot(ps, means, **style)[0]
            low = [mean - spread for mean, spread in zip(means, spreads, strict=True)]
            high = [mean + spread for mean, spread in zip(means, spreads, strict=True)]
            axes.fill_between(ps, low, high, color=style["color"], alpha=0.18, linewidth=0)
        ps, means, _ = zip(*found["exact"], strict=True)
        line = axes.plot(ps, means, color=INK, linewidth=0.9, linestyle=(0, (1, 1)), zorder=2.5)[0]
        handles["bags of n-grams, not hashed"] = line
    _label(panels, "fraction changed, p", "similarity")
    put_legend(canvas, {label: handles[label] for label in sorted(handles)})
    worst = max(abs(found["difference"][str(size)]["largest"]) for size in sizes)
    return Drawing(
        "synthetic",
        "synthetic",
        "Similarity of strings and altered copies",
        f"The paper's Figure 1. Random strings of {length} lowercase letters against copies in"
        f" which each letter is changed with probability p; n-grams with n = {MAIN_N}, {repeats}"
        " strings for each p. Lines are means; bands extend one standard deviation of a single"
        " similarity either way. The dotted line is the cosine of the bags of n-grams, not hashed.",
        f"{len(sizes)} line charts, for L = {_listed(sizes)}: the similarity falls from"
        f" {number(found['ah'][str(sizes[-1])][0][1])} at p = 0 to"
        f" {number(found['ah'][str(sizes[-1])][-1][1])} at p = 1 for L = {sizes[-1]}. The means of"
        f" AH and HT differ by at most {worst:.3f}.",
        canvas,
    )


def _label(panels: Any, x_label: str, y_label: str) -> None:
    """Label the axes of the panels on the left and at the bottom, which have numbers."""
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
        "How far apart AH and HT are",
        f"For each n and L, the largest difference of means over all p, with an interval that holds"
        " jointly for all p and L of one n with 95 % confidence. The margin of ±1/√L is the noise"
        f" of a single similarity. The intervals for all p stay within it in {inside} of {total}"
        " cases.",
        f"{len(sizes)} charts, for L = {_listed(sizes)}, of the largest difference against n ="
        f" {_listed(list(parts))}. {inside} of {total} stay within the margin.",
        canvas,
    )

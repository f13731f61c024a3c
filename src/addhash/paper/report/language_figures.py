"""The figures of language recognition: the paper's Figure 2, other n, and learning curves."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator, ScalarFormatter

from addhash.paper.experiments.languages import CURVE_SIZE, OFFICIAL
from addhash.paper.experiments.ngrams import MAIN_N, by_n
from addhash.paper.experiments.statistics import PowerLaw
from addhash.paper.report.plotting import (
    GRID,
    INK,
    METHOD_LABELS,
    PAPER,
    STATED,
    Drawing,
    error_bars,
    legend_line,
    method_style,
    new_canvas,
    put_legend,
    reference_line,
    size_axis,
)
from addhash.paper.report.stated import LANGUAGES_ACCURACY, NETWORK_ACCURACY

Results = dict[str, Any]
NGRAMS_SIZE = "2048"
LANGUAGES = {"full": "all 235 languages", "subset-21": "21 languages", "head-235": "235 languages"}
# The methods in the order of drawing: AH on top.
METHODS = ("ht", "ah")
END: dict[str, Any] = {
    "marker": "D", "markersize": 5.5, "markerfacecolor": PAPER, "linestyle": "none", "zorder": 3
}  # fmt: skip
CHECK: dict[str, Any] = {"marker": "*", "markersize": 8, "linestyle": "none", "zorder": 3}


def language_drawings(found: Results) -> list[Drawing]:
    """Return the drawings that the results of language recognition allow."""
    measured = {name: found[name] for name in LANGUAGES if "ah" in found.get(name, {})}
    curves = {
        name: found[name]["curve"]
        for name in ("head-235", "subset-21")
        if "curve" in found.get(name, {})
    }
    parts = {name: by_n(found.get(name, {})) for name in LANGUAGES}
    several = {name: part for name, part in parts.items() if len(part) > 1}
    drawings = []
    if measured:
        drawings.append(_accuracies(measured))
    if several:
        drawings.append(_ngrams(several))
    if curves:
        drawings.append(_curves(curves))
    return drawings


def _split(name: str, part: Results) -> str:
    """Describe a data set in a sentence."""
    if "known" in part:
        return (
            f"{name}: {LANGUAGES[name]}, {part['known']:,} paragraphs for training and"
            f" {part['asked']:,} for testing."
        )
    return (
        f"{name}: {LANGUAGES[name]}, {part['paragraphs']:,} paragraphs, of which a fifth is for"
        f" testing and the rest for training, in {part['repeats']} random splits."
    )


def _panels(
    parts: Mapping[str, Any], header: str, height: float, draw: Callable[[Axes, Any], None]
) -> tuple[Any, dict[str, Any]]:
    """Draw one panel per data set, stacked; return the canvas and the entries of a legend."""
    canvas = new_canvas(header, 1.0 + height * len(parts))
    panels = canvas.subplots(len(parts), 1, sharex=True, squeeze=False)
    for axes, (name, part) in zip(panels.flat, parts.items(), strict=True):
        axes.set_title(f"{name}: {LANGUAGES[name]}")
        axes.set_ylabel("accuracy, %")
        draw(axes, part)
    return canvas, {
        METHOD_LABELS[method]: legend_line(**method_style(method)) for method in ("ah", "ht")
    }


def _accuracies(parts: dict[str, Results]) -> Drawing:
    def draw(axes: Axes, part: Results) -> None:
        sizes = sorted(int(size) for size in part["ah"])
        for method in METHODS:
            points = [part[method][str(size)] for size in sizes]
            error_bars(
                axes, sizes, [p["accuracy"] for p in points], [p["se"] for p in points],
                **method_style(method),
            )  # fmt: skip
        size_axis(axes, sizes)
        axes.set_ylim(0, 104)
        axes.set_yticks(range(0, 101, 25))
        reference_line(axes, LANGUAGES_ACCURACY, f"paper\n{LANGUAGES_ACCURACY:.2f}", "bottom")
        reference_line(axes, NETWORK_ACCURACY, f"{NETWORK_ACCURACY:.2f}\nnetwork", "top")

    canvas, handles = _panels(parts, f"WiLI-2018, n = {MAIN_N}", 2.05, draw)
    handles["reported for all of WiLI-2018"] = legend_line(**STATED)
    canvas.axes[-1].set_xlabel("L, the number of components")
    put_legend(canvas, handles)
    return Drawing(
        "languages",
        "languages",
        "Language recognition by nearest neighbour",
        f"The paper's Figure 2. n-grams of n = {MAIN_N}; bars are standard errors."
        f" {' '.join(_split(name, part) for name, part in parts.items())}"
        f" The dotted lines are not measured here: the paper's {LANGUAGES_ACCURACY:.2f} %, and the"
        f" {NETWORK_ACCURACY:.2f} % of the network of its reference [11], are for all of WiLI-2018,"
        " with 117,500 paragraphs each for training and testing, and are not targets for parts of"
        " it.",
        " ".join(
            f"On {name}, accuracy grows with L to {_best(part, 'ah'):.2f} % for AH and"
            f" {_best(part, 'ht'):.2f} % for HT."
            for name, part in parts.items()
        ),
        canvas,
    )


def _best(part: Results, method: str) -> float:
    largest = max(part[method], key=int)
    return float(part[method][largest]["accuracy"])


def _ngrams(parts: dict[str, dict[int, Results]]) -> Drawing:
    def draw(axes: Axes, part: dict[int, Results]) -> None:
        for method in METHODS:
            points = [one[method][NGRAMS_SIZE] for one in part.values()]
            error_bars(
                axes, list(part), [p["accuracy"] for p in points], [p["se"] for p in points],
                **method_style(method),
            )  # fmt: skip
        axes.set_xticks(list(part))
        axes.margins(y=0.12)

    canvas, handles = _panels(parts, f"WiLI-2018, L = {NGRAMS_SIZE}", 1.75, draw)
    canvas.axes[-1].set_xlabel("n, the length of the n-grams")
    put_legend(canvas, handles)
    best = {
        name: max(part, key=lambda n: float(part[n]["ah"][NGRAMS_SIZE]["accuracy"]))
        for name, part in parts.items()
    }
    return Drawing(
        "languages-ngrams",
        "languages",
        "The best length of n-grams",
        f"Accuracy against n at L = {NGRAMS_SIZE}; bars are standard errors. Note that the vertical"
        " axes do not start at 0. "
        + " ".join(_split(name, next(iter(part.values()))) for name, part in parts.items()),
        " ".join(
            f"On {name}, AH is best with n = {n}:"
            f" {parts[name][n]['ah'][NGRAMS_SIZE]['accuracy']:.2f} %."
            for name, n in best.items()
        ),
        canvas,
    )


def _curves(parts: dict[str, Results]) -> Drawing:
    def draw(axes: Axes, part: Results) -> None:
        for method in METHODS:
            _draw_curve(axes, method, part[method])
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(FixedLocator([5, 10, 20, 50, 100, 200, OFFICIAL]))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(ScalarFormatter())
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlim(4.3, 820)
        # The curve is fitted to the points left of this.
        last = max(point["count"] for point in part["ah"]["points"].values())
        axes.axvspan(last * 1.15, 820, facecolor=GRID, alpha=0.45, linewidth=0, zorder=0.5)
        axes.annotate(
            "extrapolated", (0.98, 0), (0, 5), xycoords="axes fraction", textcoords="offset points",
            ha="right",
        )  # fmt: skip
        axes.margins(y=0.12)

    canvas, handles = _panels(parts, f"WiLI-2018, n = {MAIN_N}, L = {CURVE_SIZE}", 2.05, draw)
    if "head-235" in parts:
        reference_line(canvas.axes[0], LANGUAGES_ACCURACY, f"paper\n{LANGUAGES_ACCURACY:.2f}")
    handles[f"the fitted power law at {OFFICIAL}"] = legend_line(**(END | {"color": INK}))
    if "subset-21" in parts:
        handles[f"measured at {OFFICIAL}"] = legend_line(**(CHECK | {"color": INK}))
    canvas.axes[-1].set_xlabel("training paragraphs per language")
    put_legend(canvas, handles)
    return Drawing(
        "languages-curve",
        "languages",
        f"Learning curves, extrapolated to {OFFICIAL} paragraphs",
        _curves_caption(parts),
        " ".join(
            f"On {name}, the curve of AH ends at {part['ah']['at_500']['accuracy']:.2f} % with"
            f" {OFFICIAL} paragraphs per language."
            for name, part in parts.items()
        ),
        canvas,
    )


def _draw_curve(axes: Axes, method: str, part: Results) -> None:
    style = method_style(method)
    points = sorted(part["points"].values(), key=lambda point: float(point["count"]))
    counts = [point["count"] for point in points]
    error_bars(
        axes, counts, [p["accuracy"] for p in points], [p["se"] for p in points],
        **(style | {"linestyle": "none"}),
    )  # fmt: skip
    law = PowerLaw(part["law"]["scale"], part["law"]["exponent"])
    xs = np.geomspace(counts[0], OFFICIAL, 50)
    line = style | {"marker": None, "linewidth": 1.2}
    axes.plot(xs, 100 * (1 - law(xs)), **line)
    # Side by side, so that neither hides the other.
    left, right = (0.75, 0.89) if method == "ah" else (1.14, 1.35)
    end = part["at_500"]
    error_bars(axes, [left * OFFICIAL], [end["accuracy"]], [end["se"]], color=style["color"], **END)
    if "measured" in part:
        axes.plot([right * OFFICIAL], [part["measured"]], color=style["color"], **CHECK)


def _curves_caption(parts: dict[str, Results]) -> str:
    text = (
        f"Accuracy against the number of training paragraphs per language (n = {MAIN_N}, L ="
        f" {CURVE_SIZE}), and a power law fitted to the error and extrapolated to the {OFFICIAL}"
        " paragraphs of the full set; bars are standard errors."
    )
    if "head-235" in parts:
        end = parts["head-235"]["ah"]["at_500"]
        text += (
            f" For head-235 it ends at {end['accuracy']:.2f} % (AH); the paper reports"
            f" {LANGUAGES_ACCURACY:.2f} % for the full set."
        )
    check = parts.get("subset-21", {}).get("ah", {})
    if "measured" in check:
        text += (
            " subset-21 is a check: there the extrapolation ends at"
            f" {check['at_500']['accuracy']:.2f} % (AH), and {check['measured']:.2f} % is measured."
        )
    return text + " At 500, markers are placed side by side so that none hides another."

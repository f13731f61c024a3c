"""The figure of the SMS experiment: the paper's Figure 3."""

from typing import Any

from matplotlib.axes import Axes

from addhash.paper.report.plotting import (
    INK,
    METHOD_LABELS,
    Drawing,
    error_bars,
    legend_line,
    method_style,
    new_canvas,
    put_legend,
    reference_line,
    size_axis,
)
from addhash.paper.report.stated import SMS

Results = dict[str, Any]
MEASURES = {"acc": "ACC, accuracy", "sc": "SC, spam caught", "bh": "BH, blocked hams"}
METHODS = ("ht", "ah")


def sms_drawings(found: Results) -> list[Drawing]:
    """Return the drawing of the SMS experiment, if it has results."""
    if "ah" not in found:
        return []
    messages, repeats = found["messages"], found["repeats"]
    unique = found.get("unique", {})
    canvas = new_canvas(f"SMS Spam Collection, {messages:,} messages, n = 3", 6.9)
    panels = canvas.subplots(len(MEASURES), 1, sharex=True)
    for axes, (measure, label) in zip(panels.flat, MEASURES.items(), strict=True):
        axes.set_title(f"{label}, %")
        _draw_measure(axes, measure, found, unique)
        reference_line(axes, SMS[measure], f"paper\n{SMS[measure]:g}")
    panels[-1].set_xlabel("L, the number of components")
    handles = {
        METHOD_LABELS[method]: legend_line(**method_style(method)) for method in ("ah", "ht")
    }
    if unique:
        handles["thin: without duplicate messages"] = legend_line(color=INK, linewidth=0.8)
    put_legend(canvas, handles)
    return [
        Drawing(
            "sms",
            "sms",
            "SMS spam detection by nearest neighbour",
            _caption(messages, repeats, unique),
            _alt(found),
            canvas,
        )
    ]


def _draw_measure(axes: Axes, measure: str, found: Results, unique: Results) -> None:
    sizes = sorted(int(size) for size in found["ah"])
    for method in METHODS:
        style = method_style(method)
        points = [found[method][str(size)] for size in sizes]
        error_bars(
            axes, sizes, [p[measure] for p in points], [p["se"][measure] for p in points], **style
        )
        if unique:
            thin = style | {"marker": None, "linewidth": 0.8, "zorder": 1.8}
            axes.plot(sizes, [unique[method][str(size)][measure] for size in sizes], **thin)
    size_axis(axes, sizes)
    axes.margins(y=0.12)


def _caption(messages: int, repeats: int, unique: Results) -> str:
    text = (
        f"The paper's Figure 3. {messages:,} messages, a random half for training and the other"
        f" half for testing; means of {repeats} such splits. Bars are standard errors, most of them"
        " smaller than the markers. The dotted lines are what the paper reports for L = 4096 and"
        " 8192."
    )
    if unique:
        text += (
            f" Thin lines are without duplicates: {unique['messages']:,} distinct messages remain,"
            " and none has its own copy as a neighbour."
        )
    return text


def _alt(found: Results) -> str:
    largest = max(found["ah"], key=int)
    values = "; ".join(
        f"{measure.upper()} {found['ah'][largest][measure]:.2f} % for AH and"
        f" {found['ht'][largest][measure]:.2f} % for HT"
        for measure in MEASURES
    )
    return f"Three line charts against L. At L = {largest}: {values}."

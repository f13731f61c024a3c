"""How the figures look, and how they become PNG and SVG: colours, text, axes."""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullFormatter, ScalarFormatter

INK = "#1b1f26"
MUTED = "#59606b"
GRID = "#dcdfe4"
PAPER = "#ffffff"
# Blue and vermillion from Okabe and Ito, which colour-blind readers can tell apart.
AH = "#0072b2"
HT = "#d55e00"

# The style of levels that the paper reports.
STATED: dict[str, Any] = {
    "color": INK, "linewidth": 1.0, "linestyle": (0, (1, 1.6)), "zorder": 1.5,
}  # fmt: skip
METHOD_LABELS = {"ah": "AH, additive hashing", "ht": "HT, hashing trick"}
# Inches. A figure as wide as a phone shows its text at about the size given here.
WIDTH = 4.4
TEXT = 11
DOTS_PER_INCH = 200
FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
_FONT_FAMILY = re.compile(r"font-family: [^;\"]+")
_FONT = re.compile(r"(font: [^;\"]*?\d(?:\.\d+)?px) [^;\"]+")

_STYLE: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": MUTED,
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": TEXT,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": TEXT,
    "figure.constrained_layout.h_pad": 0.06,
    "figure.constrained_layout.w_pad": 0.06,
    "figure.facecolor": PAPER,
    # Text is measured with this font: it comes with matplotlib, and few fonts are wider.
    "font.family": "DejaVu Sans",
    "font.size": TEXT,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "legend.borderaxespad": 0.2,
    "legend.borderpad": 0.1,
    "legend.columnspacing": 1.2,
    "legend.fontsize": TEXT,
    "legend.frameon": False,
    "legend.handlelength": 2.4,
    "legend.labelcolor": INK,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "svg.fonttype": "none",
    "svg.hashsalt": "addhash",
    "text.color": INK,
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "xtick.labelsize": TEXT,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "ytick.labelsize": TEXT,
}


@dataclass(frozen=True)
class Drawing:
    """A figure before it is written to files; `alt` describes it in words."""

    name: str
    experiment: str
    title: str
    caption: str
    alt: str
    canvas: Canvas


@contextmanager
def settings() -> Iterator[None]:
    """Draw with the settings of this module only, ignoring the user's own."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


def new_canvas(header: str, height: float) -> Canvas:
    """Return an empty figure with a line at the top that names its data."""
    canvas = Canvas((WIDTH, height), layout="constrained")
    canvas.patch.set_gid("paper")
    canvas.suptitle(header, x=0.015, ha="left", fontsize=TEXT, fontweight="bold")
    return canvas


def method_style(method: str) -> dict[str, Any]:
    """Return the colour, line and marker of a method; each alone distinguishes it."""
    if method == "ah":
        return {"color": AH, "linestyle": "-", "marker": "o", "markerfacecolor": AH}
    return {
        "color": HT,
        "linestyle": (0, (3.5, 1.5)),
        "marker": "s",
        "markerfacecolor": PAPER,
        "markersize": 5.5,
        # Below the other: where the two agree, the larger hollow marker still shows around it.
        "zorder": 1.9,
    }


def error_bars(
    axes: Axes, xs: Sequence[float], means: Sequence[float], errors: Sequence[float | None],
    **style: Any,
) -> Any:  # fmt: skip
    """Draw points with their standard errors; an unknown error is not drawn."""
    return axes.errorbar(xs, means, [error or 0.0 for error in errors], capsize=2.5, **style)


def size_axis(axes: Axes, sizes: Sequence[int]) -> None:
    """Make the x axis an axis of L: powers of two, every other one labelled."""
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(sizes[::2]))
    axes.xaxis.set_minor_locator(FixedLocator(sizes[1::2]))
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.xaxis.set_minor_formatter(NullFormatter())


def reference_line(
    axes: Axes, value: float, label: str, side: Literal["bottom", "center", "top"] = "center"
) -> None:
    """Draw a level that others reported across the axes, labelled beyond its right end.

    No data can be in the way there; `side` is the side of the label that is at the level.
    """
    axes.axhline(value, **STATED)
    axes.annotate(
        label, (1, value), (4, 0), annotation_clip=False, linespacing=1.1, va=side,
        xycoords=("axes fraction", "data"), textcoords="offset points",
    )  # fmt: skip


def legend_line(**style: Any) -> Line2D:
    """Return a line that appears in a legend only."""
    return Line2D([], [], **style)


def put_legend(canvas: Canvas, handles: Mapping[str, Any]) -> None:
    """Put a legend below the axes, where it covers nothing."""
    canvas.legend(list(handles.values()), list(handles), loc="outside lower center")


def to_png(canvas: Canvas) -> bytes:
    """Return a figure as the bytes of a PNG file."""
    buffer = io.BytesIO()
    canvas.savefig(buffer, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
    return buffer.getvalue()


def to_svg(canvas: Canvas, title: str) -> str:
    """Return a figure as SVG in the reader's system font, the same text each time."""
    buffer = io.BytesIO()
    canvas.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Title": title})
    svg = _FONT_FAMILY.sub(f"font-family: {FONTS}", buffer.getvalue().decode())
    return _FONT.sub(rf"\1 {FONTS}", svg)

"""The figures of the paper and a few more, drawn from results."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from addhash.files.whole_file import whole_file
from addhash.paper.inline_svg import inlined, with_fonts

__all__ = ["Figure", "draw", "require_matplotlib"]


@dataclass(frozen=True)
class Figure:
    """A figure that was drawn; `svg` is for a page, in whose colours it appears.

    `alt` says in words what there is to see. The page may set the variables `--figure-ah`,
    `--figure-ht`, `--figure-grid`, `--figure-muted` and `--figure-paper`; text has the colour of
    the text around.
    """

    name: str
    experiment: str
    title: str
    caption: str
    alt: str
    svg: str


def require_matplotlib() -> None:
    """Raise an ImportError that says what to do, unless matplotlib is there."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "Drawing the figures needs the package matplotlib, which is not installed. Install it"
            " with: pip install 'addhash[paper]'"
        ) from error


def draw(results: dict[str, Any], folder: Path) -> list[Figure]:
    """Draw every figure that the results allow, to `NAME.png` and `NAME.svg` in a folder.

    Parameters
    ----------
    results : dict
        What `reproduce` returns, of whichever experiments.
    folder : Path
        It is made if need be.

    Returns
    -------
    figures : list of Figure
        In the order of the paper.
    """
    require_matplotlib()
    # Whatever draws needs matplotlib, without which everything else of addhash works.
    from addhash.paper import plotting
    from addhash.paper.language_figures import language_drawings
    from addhash.paper.sms_figures import sms_drawings
    from addhash.paper.synthetic_figures import synthetic_drawings

    colors = {
        plotting.INK: "currentColor",
        plotting.MUTED: f"var(--figure-muted, {plotting.MUTED})",
        plotting.GRID: f"var(--figure-grid, {plotting.GRID})",
        plotting.PAPER: "var(--figure-paper, Canvas)",
        plotting.AH: f"var(--figure-ah, {plotting.AH})",
        plotting.HT: f"var(--figure-ht, {plotting.HT})",
    }
    folder.mkdir(parents=True, exist_ok=True)
    figures = []
    with plotting.settings():
        drawings = [
            *synthetic_drawings(results.get("synthetic", {})),
            *language_drawings(results.get("languages", {})),
            *sms_drawings(results.get("sms", {})),
        ]
        for one in drawings:
            svg = with_fonts(plotting.to_svg(one.canvas, one.title))
            _write(folder / f"{one.name}.png", plotting.to_png(one.canvas))
            _write(folder / f"{one.name}.svg", svg.encode())
            inline = inlined(svg, one.name, one.alt, colors)
            figures.append(
                Figure(one.name, one.experiment, one.title, one.caption, one.alt, inline)
            )
    return figures


def _write(path: Path, content: bytes) -> None:
    with whole_file(path) as file:
        file.write(content)

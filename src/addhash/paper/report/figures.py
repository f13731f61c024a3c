"""The figures of the paper and a few more, drawn from the results."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from addhash.files import whole_file
from addhash.paper.report.inline_svg import inlined, with_fonts

__all__ = ["Figure", "draw", "require_matplotlib"]


@dataclass(frozen=True)
class Figure:
    """A figure as drawn; `svg` is for embedding in a page, whose colours it takes.

    `alt` describes it in words. The page may set the variables `--figure-ah`, `--figure-ht`,
    `--figure-grid`, `--figure-muted` and `--figure-paper`; text has the colour of the surrounding
    text.
    """

    name: str
    experiment: str
    title: str
    caption: str
    alt: str
    svg: str

    @property
    def is_main(self) -> bool:
        """Whether it is a figure of the paper, which is named after its experiment."""
        return self.name == self.experiment


def require_matplotlib() -> None:
    """Raise an ImportError that says what to install, unless matplotlib is available."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "Drawing the figures needs the package matplotlib, which is not installed. Install it"
            " with: pip install matplotlib"
        ) from error


def draw(results: dict[str, Any], folder: Path) -> list[Figure]:
    """Draw every figure that the results allow to `NAME.png` and `NAME.svg` in a folder.

    Parameters
    ----------
    results : dict
        What `reproduce` returns, for any of the experiments.
    folder : Path
        Created if necessary.

    Returns
    -------
    figures : list of Figure
        In the order of the paper.
    """
    require_matplotlib()
    # These modules need matplotlib, without which the rest of addhash works.
    from addhash.paper.report import plotting
    from addhash.paper.report.language_figures import language_drawings
    from addhash.paper.report.sms_figures import sms_drawings
    from addhash.paper.report.synthetic_figures import synthetic_drawings

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

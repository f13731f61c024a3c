"""The figures of the paper and a few more, drawn from the results."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from addhash.errors import MissingPackageError
from addhash.files import whole_file


@dataclass(frozen=True)
class Figure:
    """A figure as drawn, to the files `NAME.png` and `NAME.svg`; `alt` describes it in words."""

    name: str
    experiment: str
    title: str
    caption: str
    alt: str


def require_matplotlib() -> None:
    """Raise an ImportError that says what to install, unless matplotlib is available."""
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingPackageError.of("matplotlib", "paper", "Drawing the figures") from error


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

    folder.mkdir(parents=True, exist_ok=True)
    figures = []
    with plotting.settings():
        drawings = [
            *synthetic_drawings(results.get("synthetic", {})),
            *language_drawings(results.get("languages", {})),
            *sms_drawings(results.get("sms", {})),
        ]
        for one in drawings:
            svg = plotting.to_svg(one.canvas, one.title)
            _write(folder / f"{one.name}.png", plotting.to_png(one.canvas))
            _write(folder / f"{one.name}.svg", svg.encode())
            figures.append(Figure(one.name, one.experiment, one.title, one.caption, one.alt))
    return figures


def _write(path: Path, content: bytes) -> None:
    with whole_file(path) as file:
        file.write(content)

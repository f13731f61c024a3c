"""When to give no label: thresholds, and what they cost."""

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import typer

__all__ = ["Rejection", "Tradeoff", "tradeoffs"]

PANEL = "Rejecting"
# The shares of documents for which a trade-off is shown.
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)


@dataclass(frozen=True, kw_only=True)
class Rejection:
    """The thresholds below which a text gets no label."""

    reject_below: Annotated[
        float | None,
        typer.Option(
            metavar="SCORE",
            help="Give no label if the score is lower.",
            show_default="never, or what the model was made with",
            rich_help_panel=PANEL,
        ),
    ] = None
    reject_margin: Annotated[
        float | None,
        typer.Option(
            metavar="MARGIN",
            help="Give no label if the lead over the best other label is smaller.",
            show_default="never, or what the model was made with",
            rich_help_panel=PANEL,
        ),
    ] = None

    def applied(self, classifier: Any) -> Any:
        """Return the classifier with the thresholds that were given."""
        if self.reject_below is not None:
            classifier.set_params(reject_below=self.reject_below)
        if self.reject_margin is not None:
            classifier.set_params(reject_margin=self.reject_margin)
        return classifier


class Tradeoff(NamedTuple):
    """A threshold, how many documents it rejects, and how many of the others are wrong."""

    threshold: float
    rejected: int
    kept: int
    wrong: int


def tradeoffs(values: list[float], is_right: list[bool]) -> list[Tradeoff]:
    """Return thresholds that reject about 1, 2, 5, ... percent of the documents.

    Parameters
    ----------
    values : list of float
        The score or the margin of each document.
    is_right : list of bool
        Whether its label is right.

    Examples
    --------
    >>> tradeoffs([0.1, 0.2, 0.3, 0.4], [False, True, True, True])[-1]
    Tradeoff(threshold=0.3, rejected=2, kept=2, wrong=0)
    >>> tradeoffs([], [])
    []
    """
    import numpy as np

    if not values:
        return []
    order = np.argsort(values, kind="stable")
    ordered = np.asarray(values)[order]
    wrong_from = np.cumsum(~np.asarray(is_right, bool)[order][::-1])[::-1]
    found: dict[int, Tradeoff] = {}
    for share in SHARES:
        threshold = ordered[min(int(share * len(ordered)), len(ordered) - 1)]
        rejected = int(np.searchsorted(ordered, threshold, "left"))
        if rejected:
            kept = len(ordered) - rejected
            found[rejected] = Tradeoff(float(threshold), rejected, kept, int(wrong_from[rejected]))
    return list(found.values())

"""When to give no label: the thresholds."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

__all__ = ["RejectionOptions"]

PANEL = "Rejecting"


@dataclass(frozen=True, kw_only=True)
class RejectionOptions:
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

"""When to give no label: the thresholds."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from addhash.cli.errors import worded


@dataclass(frozen=True, kw_only=True)
class RejectionOptions:
    """The thresholds below which a text gets no label."""

    panel = "Rejecting"
    reject_below: Annotated[
        float | None,
        typer.Option(
            metavar="SCORE",
            help="Give no label if the score is lower.",
            show_default="never, or what the model was made with",
        ),
    ] = None
    reject_margin: Annotated[
        float | None,
        typer.Option(
            metavar="MARGIN",
            help="Give no label if the lead over the best other label is smaller.",
            show_default="never, or what the model was made with",
        ),
    ] = None

    def applied(self, classifier: Any) -> Any:
        """Return the classifier with the thresholds that were given."""
        thresholds = {"reject_below": self.reject_below, "reject_margin": self.reject_margin}
        given = {name: value for name, value in thresholds.items() if value is not None}
        with worded({name: f"--{name.replace('_', '-')}" for name in given}):
            # Parameters are checked when they are used.
            if given:
                classifier.set_params(**given).predict([])
        return classifier

"""How long a command waits for a model that another process changes."""

from dataclasses import dataclass
from typing import Annotated

import typer


@dataclass(frozen=True, kw_only=True)
class WaitOptions:
    """How long to wait for another process that changes the same model."""

    wait: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0,
            help="How long to wait while another process changes the model.",
        ),
    ] = 60.0

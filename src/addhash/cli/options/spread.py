"""A command takes bundles of options, dataclasses, whose fields become options of its own."""

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_args, get_type_hints


def spread(function: Callable[..., None]) -> Callable[..., None]:
    """Make the fields of each dataclass that a command takes options of their own for typer.

    The help shows them in the panel that their class names. A flag has no opposite unless it is
    named.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from typing import Annotated
    >>> import typer
    >>> @dataclass
    ... class Colours:
    ...     ink: Annotated[str, typer.Option(help="The colour of letters.")] = "black"
    >>> def paint(word: str, *, colours: Colours) -> None:
    ...     print(word, colours)
    >>> list(inspect.signature(spread(paint)).parameters)
    ['word', 'ink']
    >>> spread(paint)(word="sky", ink="blue")
    sky Colours(ink='blue')
    """
    own = inspect.signature(function, eval_str=True).parameters
    bundles: dict[str, Any] = {
        name: p.annotation for name, p in own.items() if is_dataclass(p.annotation)
    }
    parameters = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in own.items()
        if name not in bundles
    ]
    for bundle in bundles.values():
        parameters += _parameters_of(bundle)

    @functools.wraps(function)
    def command(**values: Any) -> None:
        for name, bundle in bundles.items():
            taken = {field.name: values.pop(field.name) for field in fields(bundle)}
            values[name] = bundle(**taken)
        function(**values)

    for parameter in parameters:
        kind, shown = (*get_args(parameter.annotation), None, None)[:2]
        # The first name, if there is any, is in the place of a default.
        if kind is bool and shown.default is ... and not shown.param_decls:
            shown.param_decls = (f"--{parameter.name.replace('_', '-')}",)
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    return command


def _parameters_of(bundle: Any) -> Iterator[inspect.Parameter]:
    """Yield the fields of a dataclass as parameters, before those that it inherits."""
    hints = get_type_hints(bundle, include_extras=True)
    known = {field.name: field for field in fields(bundle)}
    for base in bundle.__mro__:
        for name in filter(known.__contains__, inspect.get_annotations(base)):
            default = known[name].default
            for shown in hints[name].__metadata__:
                shown.rich_help_panel = vars(base).get("panel")
            yield inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if default is MISSING else default,
                annotation=hints[name],
            )

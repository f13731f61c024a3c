"""Shows defaults in the reference as values: ``max_body=16_777_216``, not ``16 << 20``."""

import ast
from importlib import import_module
from typing import Any

import griffe

SIMPLE = (
    ast.Expression,
    ast.Constant,
    ast.Name,
    ast.Attribute,
    ast.BinOp,
    ast.UnaryOp,
    ast.Tuple,
    ast.operator,
    ast.unaryop,
    ast.expr_context,
)


class Defaults(griffe.Extension):
    """Put values in place of expressions and of the names of constants."""

    def on_function_instance(self, *, func: griffe.Function, **rest: Any) -> None:
        """Look at the parameters of a function."""
        for parameter in func.parameters:
            parameter.default = _value(parameter.default, func.module.path)

    def on_attribute_instance(self, *, attr: griffe.Attribute, **rest: Any) -> None:
        """Look at a field of a data class, which becomes a parameter."""
        if attr.parent is not None and attr.parent.is_class:
            attr.value = _value(attr.value, attr.module.path)


def _value(expression: Any, module: str) -> Any:
    """Return the value of an expression of numbers, texts and names; others stay as they are."""
    if expression is None:
        return None
    tree = ast.parse(str(expression), mode="eval")
    if not all(isinstance(node, SIMPLE) for node in ast.walk(tree)):
        return expression
    try:
        value = eval(str(expression), vars(import_module(module)))
    except (AttributeError, NameError):  # what is there only while a function runs
        return expression
    if type(value) is int:
        return f"{value:_}"
    return repr(value) if isinstance(value, float | str | tuple) else expression

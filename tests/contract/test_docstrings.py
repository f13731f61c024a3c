"""The docstrings of the reference: each parameter and attribute has an entry of its own."""

import ast
import re
from pathlib import Path

import pytest

import addhash

FOLDER = Path(addhash.__file__).parent
MODULES = sorted(FOLDER.rglob("*.py"))
SECTIONS = ("Parameters", "Other Parameters", "Attributes")


def entries(text):
    """Yield the first lines of the entries of a docstring's sections."""
    section = None
    lines = text.split("\n")
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if re.fullmatch("-{3,}", following):
            section = line
        elif section in SECTIONS and line and not line.startswith((" ", "---")):
            yield line


def docstrings(path):
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, kinds):
            yield ast.get_docstring(node) or ""


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_each_parameter_and_attribute_has_an_entry_of_its_own(path):
    for text in docstrings(path):
        for entry in entries(text):
            assert re.match(r"\*{0,2}\w+( : |$)", entry), f"{path}: {entry}"
            assert entry.count(" : ") <= 1, f"{path}: {entry}"


def test_entries_that_run_together_are_found():
    text = """A class.

    Attributes
    ----------
    text : str label : the class is_rejected : bool
    left, right : str
        Two.
    """.replace("\n    ", "\n")
    assert list(entries(text)) == [
        "text : str label : the class is_rejected : bool",
        "left, right : str",
    ]

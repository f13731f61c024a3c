"""The documents tell the truth: their tables come from the committed results, names exist."""

import ast
import inspect
import pydoc
import re
from pathlib import Path

import pytest

import addhash
from benchmarks import tables
from docs import make_reproduction, make_site

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", tables.PLACES)
def test_tables_show_the_committed_results(name):
    path, text, expected = tables.filled(name)
    assert text == expected, f"run `python -m benchmarks.tables` to bring {path.name} up to date"


def test_the_reproduction_shows_the_committed_results():
    text = make_reproduction.PAGE.read_text(encoding="utf-8")
    assert text == make_reproduction.page(), "run `python -m docs.make_reproduction`"


@pytest.mark.parametrize("name", addhash.__all__)
def test_public_names_are_documented(name):
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    assert any(re.search(rf"\b{name}\b", page.read_text(encoding="utf-8")) for page in pages)
    assert getattr(addhash, name).__doc__


def test_public_classes_have_examples():
    for name in addhash.__all__:
        documented = getattr(addhash, name)
        if callable(documented):
            assert ">>>" in documented.__doc__, name


def test_parameters_are_those_of_the_signatures():
    """Docstrings name the parameters that there are, in their order, or the class they are of."""
    for name in addhash.__all__:
        documented = getattr(addhash, name)
        if not callable(documented):
            continue
        section = re.search(
            r"\n *Parameters\n *-+\n(.*?)(\n *\w+\n *-{3,}\n|$)", documented.__doc__, re.S
        )
        body = inspect.cleandoc("x\n" + section[1])[1:] if section else ""
        heads = [line.split(" : ")[0] for line in body.splitlines() if line and line[0] != " "]
        told = [part.strip(" *\\") for head in heads for part in head.split(",")]
        owner = re.search(r"arameters[\w`, ]* are\s+those\s+of\s+`+([\w.]+)`", documented.__doc__)
        theirs = []
        if owner:
            path = owner[1] if "." in owner[1] else f"addhash.{owner[1]}"
            theirs = inspect.signature(pydoc.locate(path)).parameters
        actual = [p for p in inspect.signature(documented).parameters if p != "self"]
        assert told == [p for p in actual if p in told or p not in theirs], name


def anchors(page):
    """Return what the headings of a page are called in links to them."""
    blocks = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    headings = re.findall(r"^#+ (.*)$", blocks, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_lead_somewhere():
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("native/**/*.md")]:
        links = re.findall(r"\]\(([^)#:]*)(?:#([^)]+))?\)", page.read_text(encoding="utf-8"))
        for path, anchor in links:
            target = page.parent / path if path else page
            assert target.exists(), f"{page.name} links to {path}"
            assert not anchor or anchor in anchors(target), f"{page.name} links to {path}#{anchor}"


def test_every_page_is_in_the_navigation_of_the_site():
    named = re.findall(r"(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.M)
    shown = {path for pattern in make_site.FILES for path in ROOT.glob(pattern)}
    pages = {str(path.relative_to(ROOT)) for path in shown if path.suffix == ".md"}
    assert set(named) <= pages
    # Results are linked from the pages that show them.
    unnamed = {page for page in pages - set(named) if not page.startswith("benchmarks/results/")}
    assert not unnamed, "name them in mkdocs.yml"


@pytest.mark.parametrize(
    "page", sorted((ROOT / "native").glob("*/README.md")), ids=lambda page: page.parent.name
)
def test_the_cores_examples_run(page):
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)


def test_make_targets_of_the_documents_exist():
    makefiles = [ROOT / "Makefile", *ROOT.glob("make/*.mk")]
    makefile = "\n".join(path.read_text() for path in makefiles)
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        named = re.findall(
            r"(?:^|`)make ([a-z-]+)(?![/\w-])", page.read_text(encoding="utf-8"), re.M
        )
        for target in named:
            assert re.search(rf"^{target}:", makefile, re.M), f"{page.name}: make {target}"


def test_no_fast_path_depends_on_the_build_machine():
    options = re.findall(r"-m(?:arch|cpu|tune)=(\S+)", (ROOT / "CMakeLists.txt").read_text())
    assert "armv8.2-a+dotprod+crypto)" in options  # they are found where they are
    assert not any(option.startswith("native") for option in options)


def test_tests_assert_something():
    """Each test asserts, or calls a function of its file that does."""
    asserting = re.compile(r"\bassert\b|\bassert_\w+\(|raises\(|warns\(|\bcheck\(")
    for path in (ROOT / "tests").rglob("test_*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        helpers = {f.name for f in functions if asserting.search(ast.unparse(f))}
        for function in functions:
            if function.name.startswith("test_") and function.name not in helpers:
                called = set(re.findall(r"\b(\w+)\(", ast.unparse(function)))
                assert called & helpers, f"{path.name}: {function.name} asserts nothing"

"""The map of the project: the modules in the order in which data flows through them."""

import ast
from pathlib import Path

import addhash

# Each module imports only from modules before it.
ORDER = [
    "addhash",
    "addhash.errors",
    "addhash._native",
    "addhash.core",
    "addhash.parameters",
    "addhash.whole_files",
    # text -> tokens
    "addhash.documents",
    "addhash.tokens",
    # tokens -> hashes -> vectors
    "addhash.randomizers",
    "addhash.dense",
    "addhash.sparse",
    # one document that is kept and edited
    "addhash.configuration",
    "addhash.exact_vectors",
    "addhash.token_sums",
    "addhash.estimates",
    "addhash.decoding",
    "addhash.document_blob",
    "addhash.editable_sums",
    "addhash.document_hash",
    "addhash.streams",
    "addhash.text_edits",
    # estimators
    "addhash.trick_text",
    "addhash.trick_records",
    "addhash.additive",
    "addhash.additive_text",
    "addhash.additive_records",
    # vectors -> index
    "addhash.exact_sums",
    "addhash.vectors",
    "addhash.encoded_rows",
    "addhash.model_files",
    "addhash.model_arrays",
    "addhash.index",
    # index -> answers
    "addhash.labels",
    "addhash.vector_classifier",
    "addhash.neighbors",
    "addhash.centroids",
    "addhash.predictions",
    "addhash.token_spans",
    "addhash.explanation",
    "addhash.saved_vectorizers",
    "addhash.saved_text_classifiers",
    "addhash.text_classifier",
    # texts to try things on
    "addhash.sample",
    # the paper's experiments: data -> vectors -> results -> figures -> report
    "addhash.paper.progress",
    "addhash.paper.catalogue",
    "addhash.paper.data_source",
    "addhash.paper.data_sets",
    "addhash.paper.experiments",
    "addhash.paper.experiments.step",
    "addhash.paper.experiments.ngrams",
    "addhash.paper.experiments.statistics",
    "addhash.paper.experiments.sweeps",
    "addhash.paper.experiments.baselines",
    "addhash.paper.experiments.example",
    "addhash.paper.experiments.synthetic",
    "addhash.paper.experiments.languages",
    "addhash.paper.experiments.sms",
    "addhash.paper.results_file",
    "addhash.paper.report",
    "addhash.paper.report.numbers",
    "addhash.paper.report.stated",
    "addhash.paper.report.verdicts",
    "addhash.paper.report.example_claims",
    "addhash.paper.report.synthetic_claims",
    "addhash.paper.report.language_claims",
    "addhash.paper.report.sms_claims",
    "addhash.paper.report.claims",
    "addhash.paper.report.plotting",
    "addhash.paper.report.inline_svg",
    "addhash.paper.report.synthetic_figures",
    "addhash.paper.report.language_figures",
    "addhash.paper.report.sms_figures",
    "addhash.paper.report.figures",
    "addhash.paper.report.markup",
    "addhash.paper.report.tables",
    "addhash.paper.report.sections",
    "addhash.paper.report.page",
    "addhash.paper.reproduction",
    "addhash.paper",
    # the command line
    "addhash.cli",
    "addhash.cli.errors",
    "addhash.cli.sources",
    "addhash.cli.records",
    "addhash.cli.columns",
    "addhash.cli.reading",
    "addhash.cli.targets",
    "addhash.cli.writing",
    "addhash.cli.progress",
    "addhash.cli.options",
    "addhash.cli.comparing",
    "addhash.cli.models",
    "addhash.cli.vector_files",
    "addhash.cli.vectorizing",
    "addhash.cli.searching",
    "addhash.cli.training",
    "addhash.cli.predicting",
    "addhash.cli.evaluating",
    "addhash.cli.explaining",
    "addhash.cli.inspecting",
    "addhash.cli.about",
    "addhash.cli.demo",
    "addhash.cli.reproducing",
    "addhash.cli.app",
]

PACKAGES = ("addhash.cli", "addhash.paper.experiments", "addhash.paper.report")
FOLDER = Path(addhash.__file__).parent


def module_name(path):
    parts = path.relative_to(FOLDER.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def imported_modules(path):
    """What a module imports of addhash, whatever only type checkers import left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.startswith("addhash"))
        elif isinstance(node, ast.ImportFrom) and node.module == "addhash":
            for alias in node.names:
                inner = f"addhash.{alias.name}"
                yield inner if inner in ORDER else "addhash"
        elif isinstance(node, ast.ImportFrom) and node.module in PACKAGES:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("addhash."):
            yield node.module


def test_every_module_has_its_place():
    found = {module_name(path) for path in FOLDER.rglob("*.py")}
    assert found == set(ORDER) - {"addhash._native"}


def test_modules_import_only_earlier_ones():
    for path in FOLDER.rglob("*.py"):
        name = module_name(path)
        for imported in imported_modules(path):
            assert imported in ORDER, f"{name} imports {imported}"
            assert ORDER.index(imported) < ORDER.index(name), f"{name} imports {imported}"


def test_modules_say_what_they_are_for():
    for path in FOLDER.rglob("*.py"):
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path

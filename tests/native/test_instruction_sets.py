"""A file compiled for an instruction set leaves nothing that other files could call.

The linker keeps one copy of an inline function. Were that copy compiled for AVX-512, it would run
on every processor. An unoptimised build shows every inline function that a file uses.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SEARCHED = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
TOOLS = ("cmake", "ninja", "nm", "objdump")
MISSING = [tool for tool in TOOLS if shutil.which(tool, path=SEARCHED) is None]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}")


def run(*command: str, cwd: Path | None = None) -> str:
    environment = {**os.environ, "PATH": SEARCHED}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def commands(tmp_path_factory):
    """Return the compiler's command for each file of native/isa."""
    build = tmp_path_factory.mktemp("build")
    options = ["-DADDHASH_NATIVE_TESTS=ON", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
    run("cmake", "-G", "Ninja", "-S", str(ROOT), "-B", str(build), *options)
    entries = json.loads((build / "compile_commands.json").read_text())
    return {
        Path(entry["file"]).stem: (shlex.split(entry["command"]), build)
        for entry in entries
        if Path(entry["file"]).parent.name == "isa" and Path(entry["file"]).stem != "available"
    }


def visible_symbols(command, build, source, target) -> list[str]:
    """Compile one file without optimisation; return what it defines for other files, by type."""
    plain = [part for part in command if not part.startswith("-O")]
    plain[plain.index("-o") + 1] = str(target)
    plain[plain.index("-c") + 1] = str(source)
    run(*plain, "-O0", cwd=build)
    lines = [line.split() for line in run("nm", "-C", "--defined-only", str(target)).splitlines()]
    # Local symbols have lower-case types; u, v and w are shared ones nonetheless.
    return [" ".join(line[1:]) for line in lines if line[1].isupper() or line[1] in "uvw"]


@pytest.fixture(scope="module")
def objects(commands, tmp_path_factory):
    """Compile each set without optimisation; return its object file and visible symbols."""
    folder = tmp_path_factory.mktemp("objects")
    compiled = {}
    for name, (command, build) in commands.items():
        target = folder / f"{name}.o"
        source = ROOT / "native" / "isa" / f"{name}.cpp"
        compiled[name] = target, visible_symbols(command, build, source, target)
    return compiled


def test_every_set_of_the_build_is_checked(commands):
    from addhash import _native

    assert set(_native.available_instruction_sets()) <= set(commands)


def test_a_set_shares_nothing_but_its_table(objects):
    assert objects
    for name, (_, symbols) in objects.items():
        assert len(symbols) == 1, symbols
        assert symbols[0].lower().endswith(f"addhash::k{name}"), symbols


# What each set is there for, and the next one in order of preference does not use.
OWN_INSTRUCTIONS = [
    ("avx512vaes", r"vaesenc .*%zmm", "avx512vnni"),
    ("avx512vnni", r"vpdpbusd .*%zmm", "avx512"),
    ("avx512", r"%zmm", "avx2vaes"),
    ("avx2vaes", r"vaesenc .*%ymm", "avx2"),
    ("avx2", r"%ymm", "baseline"),
    ("neonsha3", r"\teor3\t", "neondotprod"),
    ("neondotprod", r"\tsdot\t", "neon"),
    ("neondotprod", r"\taese\t", "neon"),
]


def test_a_set_uses_instructions_that_the_one_below_does_not(objects):
    texts = {name: run("objdump", "-d", str(target)) for name, (target, _) in objects.items()}
    checked = {"baseline", "neon"}
    for name, instruction, below in OWN_INSTRUCTIONS:
        if name in texts:
            assert re.search(instruction, texts[name]), name
            assert not re.search(instruction, texts[below]), below
            checked.add(name)
    assert set(texts) <= checked


def test_an_inline_function_would_be_noticed(commands, tmp_path):
    command, build = next(iter(commands.values()))
    source = tmp_path / "shared.cpp"
    source.write_text(
        "inline int twice(int x) { return 2 * x; }\nint use(int x) { return twice(x); }"
    )
    symbols = visible_symbols(command, build, source, tmp_path / "shared.o")
    assert "W twice(int)" in symbols

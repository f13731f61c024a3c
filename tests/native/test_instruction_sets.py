"""A file compiled for an instruction set leaves nothing that other files could call.

The linker keeps one copy of an inline function. Were that copy compiled for AVX-512, it would run
on every processor. An unoptimised build shows every inline function that a file uses.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SEARCHED = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
MISSING = [tool for tool in ("cmake", "ninja", "nm") if shutil.which(tool, path=SEARCHED) is None]
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


def test_every_set_of_the_build_is_checked(commands):
    from addhash import _native

    assert set(_native.available_instruction_sets()) <= set(commands)


def test_a_set_shares_nothing_but_its_table(commands, tmp_path):
    assert commands
    for name, (command, build) in commands.items():
        source = ROOT / "native" / "isa" / f"{name}.cpp"
        symbols = visible_symbols(command, build, source, tmp_path / f"{name}.o")
        assert len(symbols) == 1, symbols
        assert symbols[0].lower().endswith(f"addhash::k{name}"), symbols


def test_an_inline_function_would_be_noticed(commands, tmp_path):
    command, build = next(iter(commands.values()))
    source = tmp_path / "shared.cpp"
    source.write_text(
        "inline int twice(int x) { return 2 * x; }\nint use(int x) { return twice(x); }"
    )
    symbols = visible_symbols(command, build, source, tmp_path / "shared.o")
    assert "W twice(int)" in symbols

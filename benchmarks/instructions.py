"""Count the instructions of each kernel on every instruction set: what can be said without a clock.

``python -m benchmarks.instructions`` after ``make native-test`` and ``make arm``, whose
libraries it links. On x86-64 the program is stepped through, an instruction at a time; for ARM qemu
counts.
"""

import subprocess
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import harness

ROOT = Path(__file__).resolve().parents[1]
SOURCES = Path(__file__).parent / "counting"
ARM = ROOT / "build" / "arm"
OPTIONS = ["-std=c++20", "-O2", f"-I{ROOT / 'native'}"]
SETS = {
    "x86-64": ["baseline", "avx2", "avx512", "avx512vnni"],
    "ARM": ["baseline", "neon", "neondotprod", "neonsha3"],
}
TOKENS, BITS, WIDTH, ROWS, QUERIES = 64, 2048, 2048, 32, 12  # as in kernel_calls.cpp
# What is counted, by which kernel, and how many of them one call makes.
KERNELS = {
    "MurmurHash3, per token of 6 bytes": ("murmur3", TOKENS),
    "SHAKE-256, per token, 2,048 bits": ("shake256", TOKENS),
    "SipHash, per token of 6 bytes": ("siphash128", TOKENS),
    "its row made and added, per token, 2,048 bits": ("add_seeds", TOKENS),
    "row added, per token, 2,048 bits": ("add_rows", TOKENS),
    "unpacking, per component": ("unpack_planes", BITS),
    "search, packing, per component": ("pack_rows", ROWS * WIDTH),
    "search, 12 queries, per product": ("score_tile", ROWS * QUERIES * WIDTH),
    "search, one query, per product": ("score_rows", ROWS * WIDTH),
}
FEW, MORE = 1, 3


def build(folder: Path) -> dict[str, list[str]]:
    """Build the program for both architectures; return the commands that count."""
    source = SOURCES / "kernel_calls.cpp"
    for compiler, core, definition, target in (
        ("g++", ROOT / "build" / "native-tests", "ADDHASH_X86", "x86-64"),
        ("aarch64-linux-gnu-g++", ARM / "core", "ADDHASH_ARM64", "ARM"),
    ):
        library = core / "libaddhash_core.a"
        command = [compiler, *OPTIONS, f"-D{definition}", "-static", source, library]
        subprocess.run([*command, "-o", folder / target], check=True)
    subprocess.run(["gcc", "-O2", SOURCES / "steps.c", "-o", folder / "steps"], check=True)
    plugin = folder / "plugin.so"
    command = ["gcc", "-O2", "-shared", "-fPIC", SOURCES / "plugin.c", "-o", plugin]
    subprocess.run(command, check=True)
    emulator = ["qemu-aarch64", "-cpu", "max", "-plugin", str(plugin), "-d", "plugin"]
    return {
        "x86-64": [str(folder / "steps"), str(folder / "x86-64")],
        "ARM": [*emulator, str(folder / "ARM")],
    }


def count(command: list[str], name: str, kernel: str, times: int) -> int:
    words = [*command, name, kernel, str(times)]
    return int(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def run() -> list[dict[str, Any]]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        commands = build(Path(folder))
        for what, (kernel, units) in KERNELS.items():
            row: dict[str, Any] = {"instructions": what}
            for architecture, names in SETS.items():
                for name in names:
                    few, more = (
                        count(commands[architecture], name, kernel, times) for times in (FEW, MORE)
                    )
                    row[f"{architecture} {name}"] = (more - few) / (MORE - FEW) / units
            rows.append(row)
    return rows


if __name__ == "__main__":
    harness.save("instructions", run())

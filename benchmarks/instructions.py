"""Count the instructions of each kernel on every instruction set: what can be said without a clock.

``python -m benchmarks.instructions`` after ``make native-test`` and ``make arm``, whose libraries
it links; the names of architectures after it count for those alone. What this processor
cannot run keeps its earlier counts. On x86-64 the program is
stepped through, an instruction at a time; for ARM qemu counts.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import addhash
from benchmarks import harness

ROOT = Path(__file__).resolve().parents[1]
SOURCES = Path(__file__).parent / "counting"
ARM = ROOT / "build" / "arm"
OPTIONS = ["-std=c++20", "-O2", f"-I{ROOT / 'native'}"]
SETS = {
    "x86-64": ["baseline", "avx2", "avx2vaes", "avx512", "avx512vnni", "avx512vaes"],
    "ARM": ["baseline", "neon", "neondotprod", "neonsha3"],
}
# As in kernel_calls.cpp.
TOKENS, BITS, WIDTH, ROWS, QUERIES = 16, 2048, 1024, 32, 12
# What is counted, by which kernel, and how many of them one call makes.
KERNELS = {
    "MurmurHash3, per token of 6 bytes": ("murmur3", TOKENS),
    "SHAKE-256, per token, 2,048 bits": ("shake256", TOKENS),
    "AES-CMAC, per token of 6 bytes": ("aes_cmac", TOKENS),
    "its row made and added, per token, 2,048 bits": ("add_seeds", TOKENS),
    "row added, per token, 2,048 bits": ("add_rows", TOKENS),
    "unpacking, per component": ("unpack_planes", BITS),
    "search, packing, per component": ("pack_rows", ROWS * WIDTH),
    "search, 12 queries, per product": ("score_tile", ROWS * QUERIES * WIDTH),
    "search, one query, per product": ("score_rows", ROWS * WIDTH),
}
FEW, MORE = 1, 2


def build(folder: Path, architecture: str) -> list[str]:
    """Build the program for an architecture; return the command that counts."""
    is_arm = architecture == "ARM"
    compiler, core, definition = (
        ("aarch64-linux-gnu-g++", ARM / "core", "ADDHASH_ARM64")
        if is_arm
        else ("g++", ROOT / "build" / "package", "ADDHASH_X86")
    )
    program, counter = folder / architecture, folder / f"{architecture} counter"
    sources = [SOURCES / "kernel_calls.cpp", core / "libaddhash_core.a"]
    command = [compiler, *OPTIONS, f"-D{definition}", "-static", *sources, "-o", program]
    subprocess.run(command, check=True)
    source = ["-shared", "-fPIC", SOURCES / "plugin.c"] if is_arm else [SOURCES / "steps.c"]
    subprocess.run(["gcc", "-O2", *source, "-o", counter], check=True)
    if is_arm:
        return [
            "qemu-aarch64",
            "-cpu",
            "max",
            "-plugin",
            str(counter),
            "-d",
            "plugin",
            str(program),
        ]
    return [str(counter), str(program)]


def count(command: list[str], name: str, kernel: str, times: int) -> int:
    words = [*command, name, kernel, str(times)]
    return int(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def run(architectures: list[str]) -> list[dict[str, Any]]:
    """Count for some architectures; what is not counted keeps its earlier counts."""
    results = json.loads((harness.RESULTS / "instructions.json").read_text())
    kept = {row["instructions"]: row for row in results["rows"]}
    here = addhash.info()["instruction_sets"]
    rows: list[dict[str, Any]] = [kept.get(what, {"instructions": what}) for what in KERNELS]
    with tempfile.TemporaryDirectory() as folder:
        for architecture in architectures:
            command = build(Path(folder), architecture)
            for row, (kernel, units) in zip(rows, KERNELS.values(), strict=True):
                for name in SETS[architecture]:
                    if architecture == "x86-64" and name not in here:
                        continue
                    few, more = (count(command, name, kernel, times) for times in (FEW, MORE))
                    row[f"{architecture} {name}"] = (more - few) / (MORE - FEW) / units
    return rows


if __name__ == "__main__":
    harness.save("instructions", run(sys.argv[1:] or list(SETS)))

"""Run every fuzz target, and write down how many inputs it took without a report.

``python -m benchmarks.fuzz -runs=1000000`` after ``make clang``; names of targets run those alone,
and options are libFuzzer's. Results are written where no time ends a run. What is found beside the
seeds is kept in build/fuzz.
"""

import json
import re
import resource
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks import harness

ROOT = Path(__file__).resolve().parents[1]
BUILT = ROOT / "build" / "clang-sanitize"
FOUND = ROOT / "build" / "fuzz"
SOURCES = ROOT / "native" / "fuzz"
# Texts of more bytes than windows have characters, but not by so much that few are tried.
OPTIONS = {"analysis": ["-max_len=400"]}


def commands(options: list[str]) -> dict[str, list[str]]:
    """Return the command that runs each target."""
    options = [*options, "-print_final_stats=1", f"-artifact_prefix={FOUND}/"]
    found = {}
    for source in sorted(SOURCES.glob("*.cpp")):
        name = source.stem
        folders = [str(FOUND / name), str(SOURCES / "seeds" / name)]
        found[name] = [str(BUILT / f"fuzz_{name}"), *options, *OPTIONS.get(name, []), *folders]
    for name in ("document_blobs", "model_files", "histories"):
        found[name] = [sys.executable, "-m", "tests.fuzz", name, *options, str(FOUND / name)]
    return found


def run(target: str, command: list[str]) -> dict[str, Any]:
    """Run a target, show what it says, and return what it came to; end if it reports anything."""
    (FOUND / target).mkdir(parents=True, exist_ok=True)
    print(f"== {target}", flush=True)
    before = _processor_seconds()
    inputs = edges = 0
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            # What is new in every input that is kept would bury the rest.
            if not re.match(r"#\d+\s+(NEW|REDUCE)", line):
                print(line, end="", flush=True)
            if match := re.search(r"cov: (\d+)", line):
                edges = int(match[1])
            if match := re.match(r"stat::number_of_executed_units:\s+(\d+)", line):
                inputs = int(match[1])
    if process.returncode:
        sys.exit(f"{target} has found something: see above, and the input in {FOUND}")
    seconds = round(_processor_seconds() - before)
    return {"target": target, "inputs": inputs, "seconds": seconds, "edges covered": edges}


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _clang() -> str:
    command = ["clang++", "--version"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return f"clang {shown.split('version ')[1].split()[0]}"


def _kept(target: str, row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of earlier runs, with the new one in its place."""
    path = harness.RESULTS / "fuzz.json"
    earlier = json.loads(path.read_text())["rows"] if path.exists() else []
    rows = {known["target"]: known for known in earlier} | {target: row}
    return [rows[name] for name in sorted(rows)]


def main(arguments: list[str]) -> None:
    options = [argument for argument in arguments if argument.startswith("-")]
    wanted = [argument for argument in arguments if not argument.startswith("-")]
    for target, command in commands(options).items():
        if wanted and target not in wanted:
            continue
        built_by = f"atheris {version('atheris')}" if "tests.fuzz" in command else _clang()
        row = run(target, command) | {"by": built_by}
        if not any(option.startswith("-max_total_time") for option in options):
            harness.save("fuzz", _kept(target, row))


if __name__ == "__main__":
    main(sys.argv[1:])

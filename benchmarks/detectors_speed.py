"""How fast languages are told, on one thread, and what it takes to begin.

The texts are sentences of the official test part of subset-21; every detector chooses from all the
languages that it knows. Times are of the processor, the best of several runs that take turns.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from addhash import languages
from benchmarks.detectors import cut, fasttext_model, subset_21

SENTENCES = 4000
FEW = 100
ROUNDS = 5


def _seconds(function: Callable[[], Any]) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start


def _peers(texts: list[str]) -> dict[str, tuple[int, Callable[[], Any]]]:
    import langdetect
    import pycld2
    from lingua import LanguageDetectorBuilder

    model = fasttext_model()
    lingua = LanguageDetectorBuilder.from_all_languages().with_preloaded_language_models().build()
    langdetect.DetectorFactory.seed = 0
    few = texts[:FEW]

    def ask_cld2() -> None:
        for text in texts:
            # It refuses control characters.
            with suppress(pycld2.error):
                pycld2.detect(text)

    return {
        "fastText lid.176.ftz": (len(texts), lambda: [model.predict(text) for text in texts]),
        "lingua": (FEW, lambda: [lingua.detect_language_of(text) for text in few]),
        "langdetect": (FEW, lambda: [langdetect.detect(text) for text in few]),
        "pycld2": (len(texts), ask_cld2),
    }


def _throughput() -> list[dict[str, Any]]:
    texts = cut(*subset_21())["sentence"][0][:SENTENCES]
    model = languages.load().set_params(n_jobs=1)

    def detect() -> Any:
        return languages.detect(texts, model=model)

    peers = _peers(texts)
    own, theirs = [_seconds(detect)], {name: [_seconds(ask)] for name, (_, ask) in peers.items()}
    for _ in range(ROUNDS):
        own.append(_seconds(detect))
        for name, (_, ask) in peers.items():
            theirs[name].append(_seconds(ask))
    ours = len(texts) / min(own)
    rows = []
    for name, (count, _) in peers.items():
        other = count / min(theirs[name])
        rows.append(_row("sentences per second", ours, name, other, ours / other))
    return rows


def _row(case: str, ours: float, peer: str, other: Any = "", ratio: Any = "") -> dict[str, Any]:
    return {"case": case, "addhash": ours, "peer": peer, "peer's": other, "ratio": ratio}


def _first_answer() -> float:
    """Return the least processor time of `addhash detect` for one line, in seconds."""
    program = Path(sys.executable).with_name("addhash")
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    times = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "line.txt")
        path.write_text("Which language is this?\n")
        for _ in range(ROUNDS):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(
                [program, "detect", path], check=True, capture_output=True, env=environment
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


MEMORY = """
from addhash import languages
languages.detect(["Which language is this?"] * 10000)
print([line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")][0])
"""


def _memory() -> float:
    """Return the most memory of a process that detects, in MB."""
    done = subprocess.run([sys.executable, "-c", MEMORY], check=True, capture_output=True)
    return int(done.stdout) / 1024


def run() -> list[dict[str, Any]]:
    size = sum(file.stat().st_size for file in Path(languages.__file__).parent.glob("*.*"))
    return [
        *_throughput(),
        _row("addhash detect, first answer (s of processor time)", _first_answer(), ""),
        _row("memory of a process that detects (MB)", _memory(), ""),
        _row("model and table (MB)", size / 1e6, ""),
    ]

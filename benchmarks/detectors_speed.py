"""How fast languages are told, on one thread, and what it takes to begin.

The texts are sentences and words of the news; every detector chooses from all the languages that
it knows. Times are of the processor, the best of several runs that take turns.
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
from benchmarks.detector_texts import news, words_of_news
from benchmarks.detectors import fasttext_model

SENTENCES = 4000  # below the number that more threads take
FEW = 100
ROUNDS = 5


def _seconds(function: Callable[[], Any]) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start


def _peers(texts: list[str]) -> dict[str, tuple[int, Callable[[], Any]]]:
    import eldc
    import langdetect
    import pycld2
    from heliport import Identifier
    from lingua import LanguageDetectorBuilder

    eldc.init()
    identifier = Identifier()

    model = fasttext_model()
    lingua = LanguageDetectorBuilder.from_all_languages().with_preloaded_language_models().build()
    langdetect.DetectorFactory.seed = 0
    few = texts[:FEW]

    def ask_cld2() -> None:
        for text in texts:
            # It refuses control characters.
            with suppress(pycld2.error):
                pycld2.detect(text)

    def ask_langdetect() -> None:
        for text in few:
            with suppress(langdetect.LangDetectException):
                langdetect.detect(text)

    return {
        "fastText lid.176.ftz": (len(texts), lambda: [model.predict(text) for text in texts]),
        "lingua": (FEW, lambda: [lingua.detect_language_of(text) for text in few]),
        "langdetect": (FEW, ask_langdetect),
        "pycld2": (len(texts), ask_cld2),
        "eldc": (len(texts), lambda: [eldc.detect(text) for text in texts]),
        "heliport": (len(texts), lambda: [identifier.identify(text) for text in texts]),
    }


def _throughput() -> list[dict[str, Any]]:
    rows = []
    sets = {"sentences": news()[0], "single words": words_of_news(1)[0]}
    for name, texts in sets.items():
        asked = texts[:: max(1, len(texts) // SENTENCES)][:SENTENCES]
        peers = _peers(asked)

        def detect(asked: list[str] = asked) -> Any:
            return languages.detect(asked)

        def one_by_one(asked: list[str] = asked) -> Any:
            return [languages.detect(text) for text in asked]

        ours = {"in one call": detect, "one by one": one_by_one}
        own = {how: min(_seconds(ask) for _ in range(ROUNDS)) for how, ask in ours.items()}
        for peer, (count, ask) in peers.items():
            other = count / min(_seconds(ask) for _ in range(ROUNDS))
            for how, seconds in own.items():
                speed = len(asked) / seconds
                rows.append(_row(f"{name} per second, {how}", speed, peer, other, speed / other))
    return rows


def _row(case: str, ours: float, peer: str, other: Any = "", ratio: Any = "") -> dict[str, Any]:
    return {"case": case, "addhash": ours, "peer": peer, "peer's": other, "ratio": ratio}


def _first_answer() -> float:
    """Return the least processor time of `addhash detect` for one line, in seconds."""
    program = Path(sys.executable).with_name("addhash")
    times = []
    with tempfile.TemporaryDirectory() as folder:
        # Modules are compiled once, as pip does when it installs them.
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        path = Path(folder, "line.txt")
        path.write_text("Which language is this?\n")
        for _ in range(ROUNDS + 1):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(
                [program, "detect", path], check=True, capture_output=True, env=environment
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


FIRST = """
import time
from addhash import languages
languages.detect("Which language is this?")
print(time.process_time())
"""
MEMORY = """
from addhash import languages
languages.detect(["Which language is this?"] * 10000)
print([line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")][0])
"""


def _memory() -> float:
    """Return the most memory of a process that detects, in MB."""
    done = subprocess.run([sys.executable, "-c", MEMORY], check=True, capture_output=True)
    return int(done.stdout) / 1024


def _first_in_python() -> float:
    """Return the least processor time of a process that detects one text, in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, "-c", FIRST]
        runs = [
            subprocess.run(command, check=True, capture_output=True, env=environment)
            for _ in range(ROUNDS + 1)
        ]
    return min(float(done.stdout) for done in runs)


def run() -> list[dict[str, Any]]:
    size = sum(file.stat().st_size for file in Path(languages.__file__).parent.glob("*.*"))
    return [
        *_throughput(),
        _row("first answer in Python (s of processor time)", _first_in_python(), ""),
        _row("addhash detect, first answer (s of processor time)", _first_answer(), ""),
        _row("memory of a process that detects (MB)", _memory(), ""),
        _row("model and table (MB)", size / 1e6, ""),
    ]

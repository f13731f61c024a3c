"""The core as WebAssembly under Node beside the native one on a thread, and its size.

It needs ``make build/web/addhash.wasm``, Node, and Chromium for the page to try. Both answer the
same texts, in turns.
"""

import functools
import gzip
import http.server
import json
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import addhash
from addhash import TextClassifier, languages
from benchmarks import harness
from docs.make_site import TRY

ROOT = Path(__file__).resolve().parents[1]
WASM = ROOT / "build" / "web" / "addhash.wasm"
LANGUAGES = Path(addhash.__file__).parent / "languages"
REPEATS = 7
COUNT = 4000  # below the number that more threads take
TRAINING = 5000


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *told: Any) -> None:
        pass


def run() -> list[dict[str, Any]]:
    """Return the sizes, and how fast each is."""
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    content = WASM.read_bytes()
    sizes = {"bytes": len(content), "bytes, gzip": len(gzip.compress(content))}
    rows = [{"what": "addhash.wasm", **sizes}]
    texts = harness.wili("subset-21/x_test.txt")[:COUNT]
    words = [" ".join(text.split()[:2]) for text in texts]
    train = harness.wili("subset-21/x_train.txt"), harness.wili("subset-21/y_train.txt")
    classifier = TextClassifier(n_jobs=1).fit(*(column[:TRAINING] for column in train))
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "own.model")
        classifier.save(model)
        shipped = LANGUAGES / "model.safetensors"
        for what, file, asked, native in (
            ("detection, paragraphs", shipped, texts, languages.detect),
            ("detection, two words", shipped, words, languages.detect),
            ("prediction, paragraphs", model, texts, classifier.predict),
            ("prediction, two words", model, words, classifier.predict),
        ):
            own, other = _in_turns(file, asked, native)
            rows.append(
                {
                    "what": what,
                    "native, texts/s": len(asked) / own,
                    "WebAssembly, texts/s": len(asked) / other,
                    "ratio": own / other,
                    "Node": node.strip(),
                }
            )
    return [*rows, {"what": "first answer of the page to try, s", "Chromium": _first_answer()}]


def _first_answer() -> float:
    """Return the least seconds from an address to the first language, from a local server."""
    from playwright.sync_api import sync_playwright

    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        for name, path in TRY.items():
            shutil.copyfile(path, Path(folder, name))
        handler = functools.partial(Quiet, directory=folder)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=shutil.which("chromium"), args=["--no-sandbox"]
                )
                for _ in range(REPEATS):
                    page = browser.new_page()
                    start = time.perf_counter()
                    page.goto(f"http://127.0.0.1:{server.server_port}/index.html")
                    page.wait_for_selector("#languages span")
                    seconds.append(time.perf_counter() - start)
                    page.close()
                browser.close()
            server.shutdown()
    return min(seconds)


def _in_turns(model: Path, texts: list[str], native: Any) -> tuple[float, float]:
    """Return the least seconds of the native core and of the other one."""
    program = ROOT / "benchmarks" / "web_speed.mjs"
    command = ["node", "--no-warnings", str(program), str(WASM), str(model)]
    own, other = [], []
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as page:
        assert page.stdin is not None
        assert page.stdout is not None
        page.stdin.write(json.dumps(texts) + "\n")
        for _ in range(REPEATS):
            start = time.perf_counter()
            native(texts)
            own.append(time.perf_counter() - start)
            page.stdin.write("again\n")
            page.stdin.flush()
            other.append(float(page.stdout.readline()))
        page.stdin.close()
    return min(own[1:]), min(other[1:])

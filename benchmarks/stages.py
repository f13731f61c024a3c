"""How long each stage takes from texts to vectors, and how long it would without waiting.

It links the library that ``make native-test`` builds.
"""

import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import sms, wili

ROOT = Path(__file__).resolve().parents[1]
SOURCE = Path(__file__).parent / "timing" / "stages.cpp"
LIBRARY = ROOT / "build" / "package" / "libaddhash_core.a"
CLASSES = {
    "buckets": "HashingVectorizer",
    "shake256": "AdditiveHashingVectorizer shake256",
    "aes128": "AdditiveHashingVectorizer aes128",
}


def facts() -> bytes:
    """Return what the program must know of every character: space, word, and lower-case form."""
    characters = [chr(c) for c in range(0x110000)]
    flags = [c.isspace() | (c.isalnum() or c == "_") << 1 for c in characters]
    lower = [ord(c.lower()[0]) for c in characters]
    return np.array(flags, np.uint8).tobytes() + np.array(lower, np.uint32).tobytes()


def stored(text: str) -> bytes:
    """Return a text as CPython keeps it, after the size and the number of its characters."""
    largest = max(text, default="\0")
    unit = 1 if largest < "\u0100" else 2 if largest < "\U00010000" else 4
    encoding = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}[unit]
    return np.array([unit, len(text)], np.uint32).tobytes() + text.encode(encoding)


def run() -> list[dict[str, Any]]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "stages"
        options = ["-std=c++20", "-O3", f"-I{ROOT / 'native'}", "-pthread"]
        subprocess.run(["g++", *options, SOURCE, LIBRARY, "-o", program], check=True)
        about = facts()
        for name, texts in {"head-235": wili("head-235/x.txt"), "sms": sms()}.items():
            file = Path(folder) / name
            file.write_bytes(about + b"".join(map(stored, texts)))
            for kind, title in CLASSES.items():
                done = subprocess.run(
                    [program, file, kind], check=True, capture_output=True, text=True
                )
                *stages, (_, tokens, count) = (
                    line.split("\t") for line in done.stdout.splitlines()
                )
                whole = sum(float(seconds) for _, seconds, _ in stages)
                for stage, seconds, again in stages:
                    rows.append(
                        {
                            "data": name,
                            "class": title,
                            "stage": stage,
                            "ns per token": float(seconds) / int(tokens) * 1e9,
                            "share": float(seconds) / whole,
                            "alone, ns per token": float(again) / int(tokens) * 1e9,
                            "tokens per text": int(tokens) / int(count),
                        }
                    )
                    print(rows[-1], flush=True)
    return rows

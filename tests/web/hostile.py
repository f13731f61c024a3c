"""Model files, changed and signed anew: the page refuses them, or answers as Python does."""

import base64
import json
import re
import subprocess
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np

from addhash import TextClassifier
from addhash.errors import AddhashError
from addhash.files import model_file
from tests.fuzz.mutations import _ModelFile, change_model_file
from tests.fuzz.targets import SEEDS
from tests.golden.make_files import TEXTS

WASM = Path("build/web/addhash.wasm")
ASKED = [*TEXTS[:2], "", "a cat"]
# Most of what a page can use is a TextClassifier of two methods.
METHODS = re.compile(rb'method\\":\\"(bayes|mixture)')
USABLE = [seed for seed in SEEDS["model_files"] if METHODS.search(seed)]


def blind(data, random):
    """Change some bytes, without a thought for what they mean."""
    changed = bytearray(data)
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(changed) + 1)
        how = random.randrange(4)
        if how == 0:
            del changed[at : at + random.randint(1, 9)]
        elif how == 1:
            changed[at:at] = random.randbytes(random.randint(1, 9))
        else:
            changed[at : at + 1] = random.randbytes(1)
    return bytes(changed)


def signed(data):
    """Return the file with the right digest, if it can be taken apart."""
    try:
        file = _ModelFile(data)
        arrays = {
            name: np.frombuffer(content, model_file.DTYPES[dtype]).reshape(shape)
            for name, (dtype, shape, content) in file.arrays.items()
        }
        file.about["digest"] = model_file._digest(file.about, arrays)
        return file.joined(Random(0))
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return data


def hostile_files(count, seed=0):
    """Yield changed model files, most of them signed."""
    random = Random(seed)
    for _ in range(count):
        data = random.choice(USABLE if random.random() < 0.8 else SEEDS["model_files"])
        for _ in range(random.choice((1, 1, 1, 2))):
            data = change_model_file(data, random, lambda part: blind(part, random))
        yield signed(data) if random.random() < 0.95 else data


def by_python(data):
    """Return what Python answers, or None if it refuses the file."""
    try:
        model = TextClassifier.from_bytes(data)
        if model.method != "bayes":
            return "languages"
        shares = [row.tobytes().hex() for row in model.predict_proba(ASKED)]
        return [model.predict(ASKED).tolist(), shares]
    except AddhashError:
        return None


def check(files):
    """Count what happens to files, with the bytes of memory of the core after them.

    A wrong answer, or anything but one and a refusal, is an AssertionError.
    """
    lines = "".join(base64.b64encode(file).decode() + "\n" for file in files)
    program = Path(__file__).with_name("hostile.mjs")
    command = ["node", "--no-warnings", str(program), str(WASM), json.dumps(ASKED)]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    *answers, memory = map(json.loads, done.stdout.splitlines())
    found = Counter()
    for file, answer in zip(files, answers, strict=True):
        own = by_python(file)
        assert answer in (None, own), (answer, own, file)
        found["refused by both" if own is None else "right" if answer else "refused in pages"] += 1
    return found, memory

"""NumPy and glibc choose code by the processor, and so the last bits of what they compute."""

import os
import subprocess
import sys
from pathlib import Path

from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

ROOT = Path(__file__).resolve().parents[2]
WITHOUT = ",".join(f"-{name}" for name in ("AVX2", "AVX2_Usable", "AVX512F", "FMA", "FMA_Usable"))


def test_probabilities_are_the_same_on_a_plainer_processor():
    chosen = [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]
    plainer = {
        "NPY_DISABLE_CPU_FEATURES": " ".join(chosen),
        "GLIBC_TUNABLES": f"glibc.cpu.hwcaps={WITHOUT}",
    }
    tests = ["tests/golden/test_probabilities.py", "tests/golden/test_files.py"]
    command = [sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, **plainer}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout

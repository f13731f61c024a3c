"""The end of an interpreter, subinterpreters, and processes short of memory."""

import subprocess
import sys
import textwrap

import pytest


def run(code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_process_ends_while_daemon_threads_are_in_native_calls(n_jobs):
    done = run(
        f"""
        import threading
        import numpy as np
        from addhash import Index, TextClassifier, find_duplicates

        texts = [f"text {{i}} " * 20 for i in range(300)]
        model = TextClassifier(n_jobs={n_jobs}).fit(texts, ["a", "b", "c"] * 100)
        index = Index(64, n_jobs={n_jobs})
        vectors = np.random.default_rng(0).integers(-9, 9, (2000, 64))
        index.add(vectors)
        calls = [
            lambda: model.predict(texts),
            lambda: index.search(vectors, 3),
            lambda: find_duplicates(texts, n_jobs={n_jobs}),
        ]
        at_work = [threading.Event() for _ in calls]

        def work(call, event):
            while True:
                call()
                event.set()

        for call, event in zip(calls, at_work):
            threading.Thread(target=work, args=(call, event), daemon=True).start()
        for event in at_work:
            event.wait()
        """
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_subinterpreter_is_refused():
    interpreters = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
    code = r"""
        import warnings
        warnings.simplefilter("ignore")  # NumPy's, of subinterpreters
        try:
            import addhash.runtime
        except ImportError as error:
            print(error, flush=True)
        """
    # Whether or not the main interpreter uses it too.
    for first in ("", "import addhash.runtime"):
        done = run(
            f"""
            import {interpreters} as interpreters
            {first}
            interpreters.run_string(interpreters.create(), {textwrap.dedent(code)!r})
            """
        )
        assert done.returncode == 0, done.stderr
        assert "main interpreter only" in done.stdout or "does not support" in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of address space")
def test_threads_without_memory_do_not_end_the_process():
    done = run(
        """
        import resource
        from addhash import TextClassifier

        texts = [f"text {i} " * 20 for i in range(2000)]
        model = TextClassifier(n_jobs=1).fit(texts[:300], ["a", "b", "c"] * 100)
        expected = list(model.predict(texts))
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        model.set_params(n_jobs=4)
        for more in range(1 << 20, 64 << 20, 3 << 20):
            resource.setrlimit(resource.RLIMIT_AS, (used + more, resource.RLIM_INFINITY))
            try:
                assert list(model.predict(texts)) == expected
            except MemoryError:
                pass
        """
    )
    assert done.returncode == 0, done.stderr

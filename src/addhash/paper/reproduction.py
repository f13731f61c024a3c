"""All of it: data in; results, figures and the report out."""

import time
from collections.abc import Callable
from numbers import Integral
from pathlib import Path
from typing import Any

from addhash.errors import DataFileError, ParameterError
from addhash.paper import example, figures, languages, report, sms, synthetic
from addhash.paper.data_files import WILI, DataFiles
from addhash.paper.data_sets import Split, load_full, load_head, load_messages, load_subset
from addhash.paper.results_file import ResultsFile
from addhash.paper.steps import Settings, Step

__all__ = ["EXPERIMENTS", "Watch", "reproduce"]

Watch = Callable[[str, float], None]

EXPERIMENTS = ("example", "synthetic", "languages", "sms")
FULL_IN = ("all", "languages")


def _unwatched(doing: str, fraction: float) -> None:
    pass


def reproduce(
    which: str = "all",
    out: Any = "reproduction",
    *,
    data: Any = None,
    quick: bool = False,
    seed: int = 0,
    watch: Watch = _unwatched,
) -> dict[str, Any]:
    """Run the paper's experiments again, and write down what comes out.

    Results go to `results.json` in the folder `out` as they come: a run that was stopped goes on
    where it was. Then come `figures` and `report.html`, which sets them beside the paper's claims.

    Parameters
    ----------
    which : {"all", "example", "synthetic", "languages", "sms"}, default="all"
        The experiment.
    out : str or path-like, default="reproduction"
        The folder to write to; it is made if need be.
    data : str or path-like, optional
        The folder with the data sets, or a zip file of one. Without it, the folder that the
        environment variable ADDHASH_DATA names or ../shared/data, and what is not there is
        downloaded.
    quick : bool, default=False
        Fewer repeats, so that it takes less than a minute.
    seed : int, default=0
        Where the random choices begin.
    watch : callable, optional
        Called with what is being done and the fraction of all that is done.

    Returns
    -------
    results : dict
        What `results.json` holds.

    Examples
    --------
    >>> import tempfile
    >>> from addhash import paper
    >>> results = paper.reproduce("example", out=tempfile.mkdtemp())
    >>> [round(similarity, 4) for similarity in results["example"]["ah"]]
    [0.7778, -0.1737, -0.2583]
    """
    settings = _checked_settings(which, quick, seed)
    figures.require_matplotlib()
    folder = Path(out)
    kept = ResultsFile(folder / "results.json", settings)
    # All data is loaded first, so that nothing is begun that lacks some.
    watch("Reading the data", 0.0)
    files = DataFiles(data)
    full, why_not = _full_wili(files, settings, watch) if which in FULL_IN else (None, None)
    plan = {
        experiment: [
            step
            for step in _steps(experiment, settings, files, full, watch)
            if not kept.has(step.name)
        ]
        for experiment in (EXPERIMENTS if which == "all" else (which,))
    }
    folder.mkdir(parents=True, exist_ok=True)
    if why_not:
        kept.note("languages", {"full": {"not_run": why_not}})
    _run(kept, plan, folder, watch)
    return kept.results


def _checked_settings(which: str, quick: bool, seed: int) -> Settings:
    if which not in ("all", *EXPERIMENTS):
        raise ParameterError(
            f"The 'which' parameter of reproduce must be 'all' or one of {', '.join(EXPERIMENTS)}."
            f" Got {which!r} instead."
        )
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise ParameterError(
            f"The 'seed' parameter of reproduce must be an integer from 0. Got {seed!r} instead."
        )
    return Settings(int(seed), bool(quick))


def _download_tick(watch: Watch) -> Callable[[float], None]:
    return lambda fraction: watch(f"Downloading, {fraction:.0%}", 0.0)


def _full_wili(
    files: DataFiles, settings: Settings, watch: Watch
) -> tuple[Split | None, str | None]:
    """Load WiLI-2018 in full if it is there or can be downloaded, or return why not."""
    if settings.quick:
        return None, None
    texts = WILI["x_train.txt"]
    if files.has(texts):
        return load_full(files), None
    if not files.can_download(texts):
        return None, f"The data folder has no {texts.name} and no {texts.archive.name}."
    try:
        return load_full(files, _download_tick(watch)), None
    except DataFileError as error:
        return None, str(error)


def _steps(
    experiment: str, settings: Settings, files: DataFiles, full: Split | None, watch: Watch
) -> list[Step]:
    tick = _download_tick(watch)
    if experiment == "example":
        return example.steps(settings)
    if experiment == "synthetic":
        return synthetic.steps(settings)
    if experiment == "sms":
        return sms.steps(settings, load_messages(files, tick))
    return languages.steps(settings, load_subset(files, tick), load_head(files, tick), full)


def _run(kept: ResultsFile, plan: dict[str, list[Step]], folder: Path, watch: Watch) -> None:
    """Run steps and keep what each has found; show all there is when an experiment is done."""
    total = sum(step.seconds for steps in plan.values() for step in steps)
    before = 0.0
    for experiment, steps in plan.items():
        for step in steps:

            def tick(fraction: float, step: Step = step, start: float = before) -> None:
                watch(step.name, (start + fraction * step.seconds) / total)

            tick(0.0)
            begin = time.perf_counter()
            found = step.run(tick)
            kept.add(experiment, step.name, time.perf_counter() - begin, found)
            before += step.seconds
        if steps or experiment == list(plan)[-1]:
            watch("Drawing the figures", before / total if total else 1.0)
            drawn = figures.draw(kept.results, folder / "figures")
            report.write(kept.results, drawn, folder / "report.html")

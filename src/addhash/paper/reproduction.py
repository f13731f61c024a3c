"""The whole reproduction: data in; results, figures and the report out."""

import time
from numbers import Integral
from pathlib import Path
from typing import Any

from addhash.errors import DataFileError, ParameterError
from addhash.paper.catalogue import WILI
from addhash.paper.data_sets import Split, load_full, load_head, load_messages, load_subset
from addhash.paper.data_source import DataSource
from addhash.paper.experiments import example, languages, sms, synthetic
from addhash.paper.experiments.step import Settings, Step
from addhash.paper.progress import Tick, Watch, unwatched
from addhash.paper.report import figures, page
from addhash.paper.results_file import ResultsFile

EXPERIMENTS = ("example", "synthetic", "languages", "sms")
FULL_IN = ("all", "languages")


def reproduce(
    which: str = "all",
    out: Any = "reproduction",
    *,
    data: Any = None,
    quick: bool = False,
    seed: int = 0,
    watch: Watch = unwatched,
) -> dict[str, Any]:
    """Repeat the paper's experiments, and report how the results compare.

    Results are written to `results.json` in the folder `out` as they come in: a run that was
    interrupted resumes where it stopped. `figures` and `report.md`, which compares the results
    with the paper's claims, follow. Without the data of an experiment, "all" runs the others, and
    the report says what was not run and why.

    Parameters
    ----------
    which : {"all", "example", "synthetic", "languages", "sms"}, default="all"
        The experiment.
    out : str or path-like, default="reproduction"
        The folder to write to; it is created if necessary.
    data : str or path-like, optional
        The folder with the data sets, or the zip file of one. By default the folder that the
        environment variable ADDHASH_DATA names; what is missing is downloaded.
    quick : bool, default=False
        Use fewer repeats and n = 3 only, which takes less than a minute.
    seed : int, default=0
        The seed of all random choices.
    watch : callable, optional
        Called with what is being done and the fraction of the whole run that is done.

    Returns
    -------
    results : dict
        The content of `results.json`.

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
    # All data is loaded first, so that nothing starts without its data.
    watch("Reading the data", 0.0)
    source = DataSource(data)
    full, why_not = _full_wili(source, settings, watch) if which in FULL_IN else (None, None)
    plan: dict[str, list[Step]] = {}
    missing: dict[str, str] = {}
    for experiment in EXPERIMENTS if which == "all" else (which,):
        try:
            steps = _steps(experiment, settings, source, full, watch)
        except DataFileError as error:
            if which != "all":
                raise
            missing[experiment] = str(error)
        else:
            plan[experiment] = [step for step in steps if not kept.has(step.name)]
    folder.mkdir(parents=True, exist_ok=True)
    if why_not:
        kept.note("languages", {"full": {"not_run": why_not}})
    for experiment, why in missing.items():
        kept.note(experiment, {"not_run": why})
    for experiment in plan:
        if kept.results.get(experiment, {}).get("not_run"):
            kept.note(experiment, {"not_run": None})
    _run(kept, plan, folder, watch)
    return kept.results


def _checked_settings(which: str, quick: bool, seed: int) -> Settings:
    if which not in ("all", *EXPERIMENTS):
        raise ParameterError.of(
            "reproduce",
            "which",
            f"must be 'all' or one of {', '.join(EXPERIMENTS)}. Got {which!r} instead.",
        )
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise ParameterError.of(
            "reproduce", "seed", f"must be a non-negative integer. Got {seed!r} instead."
        )
    return Settings(int(seed), bool(quick))


def _download_tick(watch: Watch) -> Tick:
    return lambda fraction: watch(f"Downloading, {fraction:.0%}", 0.0)


def _full_wili(
    source: DataSource, settings: Settings, watch: Watch
) -> tuple[Split | None, str | None]:
    """Load WiLI-2018 in full if it is available or can be downloaded; otherwise say why not."""
    if settings.quick:
        return None, None
    texts = WILI["x_train.txt"]
    if source.has(texts):
        return load_full(source), None
    if not source.can_download(texts):
        return None, f"The data folder has neither {texts.name} nor {texts.archive.name}."
    try:
        return load_full(source, _download_tick(watch)), None
    except DataFileError as error:
        return None, str(error)


def _steps(
    experiment: str, settings: Settings, source: DataSource, full: Split | None, watch: Watch
) -> list[Step]:
    tick = _download_tick(watch)
    if experiment == "example":
        return example.steps(settings)
    if experiment == "synthetic":
        return synthetic.steps(settings)
    if experiment == "sms":
        return sms.steps(settings, load_messages(source, tick))
    return languages.steps(settings, load_subset(source, tick), load_head(source, tick), full)


def _run(kept: ResultsFile, plan: dict[str, list[Step]], folder: Path, watch: Watch) -> None:
    """Run the steps and keep what each finds; report everything after each experiment."""
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
            page.write(kept.results, drawn, folder / "report.md")

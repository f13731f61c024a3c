"""Run the benchmarks: all stages, or those named on the command line.

``--folder avx2`` keeps the results apart, below the usual ones: those of another kind of processor.
"""

import argparse
from importlib import import_module

from benchmarks import harness

STAGES = [
    *("vectorize", "text_options", "text_pipelines", "stages", "records", "tables_in"),
    "incremental",
    *("search", "single", "languages"),
    *("duplicates", "duplicates_growth", "words_growth", "linking", "linking_growth"),
    *("sms_duplicates", "duplicates_on_disk"),
    *("detectors", "detectors_by_language", "detectors_speed"),
    *("detectors_segments", "detectors_held_back"),
    *("web", "web_hostile"),
    *("service", "service_kills", "service_hostile", "service_memory"),
]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("stages", nargs="*", metavar="STAGE", help=", ".join(STAGES))
    parser.add_argument("--folder", default="", help="below benchmarks/results")
    given = parser.parse_args()
    unknown = set(given.stages) - set(STAGES)
    if unknown:
        parser.error(f"no such stage: {', '.join(sorted(unknown))}; there are {', '.join(STAGES)}")
    for stage in given.stages or STAGES:
        print(f"== {stage}", flush=True)
        rows = import_module(f"benchmarks.{stage}").run()
        harness.save(stage, rows, harness.RESULTS / given.folder)


main()
